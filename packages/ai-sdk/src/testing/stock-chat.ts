/** The chat of the AI SDK without React, and a model with scripted replies. */
import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  type PrepareSendMessagesRequest,
  type UIMessage,
} from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import type { ChatHandler } from '../index.ts';
import { TreeChat, type TreeChatConnection } from '../tree-chat.ts';

class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready';
  error: Error | undefined = undefined;
  messages: UIMessage[];

  constructor(messages: UIMessage[]) {
    this.messages = messages;
  }

  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message];
  };

  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, structuredClone(message));
  };

  snapshot = <T>(value: T): T => structuredClone(value);
}

/** A chat with the state of `useChat`: the SDK's own class with a plain state object. */
export class StockChat extends AbstractChat<UIMessage> {
  constructor(
    handler: ChatHandler,
    init: Pick<ChatInit<UIMessage>, 'id' | 'messages' | 'sendAutomaticallyWhen' | 'onToolCall'> & {
      readonly api?: string;
      readonly prepareSendMessagesRequest?: PrepareSendMessagesRequest<UIMessage>;
    } = {},
  ) {
    const { messages = [], api = 'http://app.test/api/chat', prepareSendMessagesRequest, ...rest } = init;
    const transport = new DefaultChatTransport<UIMessage>({
      api,
      ...(prepareSendMessagesRequest === undefined ? {} : { prepareSendMessagesRequest }),
      fetch: async (input, options) => handler(new Request(input, options)),
    });
    super({ ...rest, transport, state: new PlainState(messages) });
  }
}

/** A chat of the SDK with the tree of `useTreeChat`, without React. */
export class BranchingChat extends AbstractChat<UIMessage> {
  readonly tree: TreeChat;

  constructor(
    handler: ChatHandler,
    id: string,
    { sendAutomaticallyWhen, ...options }: TreeChatConnection & Pick<ChatInit<UIMessage>, 'sendAutomaticallyWhen'> = {},
  ) {
    const tree = new TreeChat(id, {
      api: 'http://app.test/api/chat',
      fetch: async (input, init) => handler(new Request(input, init)),
      ...options,
    });
    super({
      id,
      transport: tree.transport,
      state: new PlainState([]),
      onFinish: tree.finishReply,
      ...(sendAutomaticallyWhen === undefined ? {} : { sendAutomaticallyWhen }),
    });
    this.tree = tree;
    tree.attach(this);
  }
}

type StreamResult = Awaited<ReturnType<MockLanguageModelV3['doStream']>>;
type StreamPart = StreamResult['stream'] extends ReadableStream<infer T> ? T : never;

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** Builds the last part of a model's stream. */
export function finishPart(reason: 'stop' | 'tool-calls' = 'stop'): StreamPart {
  return { type: 'finish', finishReason: { unified: reason, raw: undefined }, usage };
}

/** Builds the stream parts of a text. */
export function textParts(...pieces: readonly string[]): StreamPart[] {
  return [
    { type: 'text-start', id: 't' },
    ...pieces.map((delta): StreamPart => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
  ];
}

/** Creates a model that returns the given replies one after another. A function may return its own stream. */
export function scriptedModel(...answers: readonly (StreamPart[] | (() => ReadableStream<StreamPart>))[]) {
  let next = 0;
  return new MockLanguageModelV3({
    doStream: async () => {
      const answer = answers[Math.min(next++, answers.length - 1)] ?? [];
      const stream =
        typeof answer === 'function'
          ? answer()
          : simulateReadableStream({ chunks: answer, initialDelayInMs: null, chunkDelayInMs: null });
      return { stream };
    },
  });
}

/** Creates a model stream that a test feeds by hand. */
export function manualStream() {
  let controller: ReadableStreamDefaultController<StreamPart> | undefined;
  const stream = new ReadableStream<StreamPart>({
    start(given) {
      controller = given;
    },
  });
  return {
    stream,
    push: (...parts: readonly StreamPart[]) => {
      for (const part of parts) controller?.enqueue(part);
    },
    end: () => controller?.close(),
    fail: (error: Error) => controller?.error(error),
  };
}

/** Returns the texts of messages, for comparisons. */
export function textsOf(messages: readonly UIMessage[]): string[] {
  return messages.map(({ role, parts }) => {
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return `${role}: ${text}`;
  });
}
