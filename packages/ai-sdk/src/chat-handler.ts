import { derivedId, titleFromText } from '@coppice/content';
import { type ErrorKind, isAppError, isUuid, type NodeId, refuse, run, type Store, treeId } from '@coppice/core';
import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  type LanguageModel,
  streamText,
  type ToolSet,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { ChatRun, ChatRuns, endOnAbort } from './chat-run.ts';
import { type ChatTree, contextFor, keepMessages, parentOfMessage, readBranch, readReply } from './keep-messages.ts';
import { type ChatPost, readChatPost, requireChatId, toModelInput } from './read-request.ts';
import { streamStoredReply } from './stored-reply.ts';
import type { UiMessageJson } from './ui-nodes.ts';

/** The settings of a model call that an app may choose. */
export type CallSettings = Pick<
  Parameters<typeof streamText>[0],
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'seed'
  | 'stopSequences'
  | 'maxRetries'
  | 'headers'
  | 'providerOptions'
>;

/** Options of {@link createChatHandler}. */
export interface ChatHandlerOptions {
  /** Where trees are kept: any store of `@coppice/stores`. */
  readonly store: Store;
  /** The model that answers, or a function that chooses it for a request. */
  readonly model: LanguageModel | ((request: Request) => LanguageModel | Promise<LanguageModel>);
  /** The user who owns the chat. Null means that nobody is signed in: the request is refused. */
  readonly user: string | ((request: Request) => string | null | Promise<string | null>);
  readonly tools?: ToolSet;
  /** The system prompt of trees that have none of their own. */
  readonly system?: string;
  /** How many steps a reply may take when the model calls tools; 20 by default. */
  readonly maxSteps?: number;
  readonly settings?: CallSettings;
  /** `stop` ends a reply when its last reader is gone. By default it goes on, so that it can be resumed. */
  readonly onDisconnect?: 'continue' | 'stop';
  /** The largest request in bytes; 32 MiB by default. */
  readonly maxRequestBytes?: number;
  /** Turns an error of the model into the text that the user sees, and is the place to log it. */
  readonly onError?: (error: unknown) => string;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** A request handler for Next.js, Hono, SvelteKit and others. */
export type ChatHandler = (request: Request) => Promise<Response>;

/** Options for naming the tree of a chat. */
export interface ChatOwner {
  readonly store: Store;
  readonly user: string;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** Returns the id of a chat's tree: the chat's own id if it is a UUID, else one that is derived from it and the user. */
export function chatTreeId(user: string, chatId: string): string {
  return isUuid(chatId) ? chatId : derivedId('ai-sdk', user, chatId);
}

function chatTree(
  { store, user, now = Date.now, newId = () => crypto.randomUUID() }: ChatOwner,
  chatId: string,
): ChatTree {
  return { store: store.forOwner(user), id: treeId(chatTreeId(user, chatId)), actor: user, now, newId };
}

/** Reads the messages of a chat's active branch, for `useChat({ messages })`. A chat that does not exist has none. */
export async function loadChat(options: ChatOwner, chatId: string): Promise<UIMessage[]> {
  const tree = chatTree(options, requireChatId(chatId));
  if ((await tree.store.formatOf(tree.id)) === null) return [];
  const { messages } = await readBranch(tree);
  return messages.map(toUiMessage);
}

/** Stored messages were checked when they were posted; a copy, because the SDK changes what it is given. */
function toUiMessage(message: UiMessageJson): UIMessage {
  return JSON.parse(JSON.stringify(message));
}

function toJson(message: UIMessage): UiMessageJson {
  return JSON.parse(JSON.stringify(message));
}

const statuses: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  'not-found': 404,
  conflict: 409,
  refused: 422,
  unavailable: 503,
  aborted: 499,
  internal: 500,
};

function errorResponse(status: number, code: string, kind: ErrorKind, message: string, data: object = {}): Response {
  return Response.json({ error: { code, kind, message, data } }, { status });
}

/** Runs the changes of one tree one after another. */
class TreeQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(id: string, task: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(id) ?? Promise.resolve()).then(task);
    const settled = turn.catch(() => undefined);
    this.#last.set(id, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(id) === settled) this.#last.delete(id);
    }
  }
}

class ChatService {
  readonly #options: ChatHandlerOptions;
  readonly #runs = new ChatRuns();
  readonly #queue = new TreeQueue();

  constructor(options: ChatHandlerOptions) {
    this.#options = options;
  }

  async handle(request: Request): Promise<Response> {
    const { user: given } = this.#options;
    const user = typeof given === 'function' ? await given(request) : given;
    if (user === null || user === '') return errorResponse(401, 'http/unauthorized', 'refused', 'Sign in to chat.');
    if (request.method === 'POST') return this.#post(request, user);
    const { pathname } = new URL(request.url);
    const [, segment, stream] = /\/([^/]+?)(\/stream)?\/?$/.exec(pathname) ?? [];
    const tree = this.#tree(user, requireChatId(decodeSegment(segment)));
    if (request.method === 'GET' && stream !== undefined) return this.#resume(tree);
    if (request.method === 'GET') return this.#load(tree);
    if (request.method === 'DELETE' && stream !== undefined) return this.#stop(tree);
    return errorResponse(405, 'command/invalid', 'invalid', `${request.method} is not supported here.`);
  }

  #tree(user: string, chatId: string): ChatTree {
    const { store, now, newId } = this.#options;
    return chatTree({ store, user, ...(now && { now }), ...(newId && { newId }) }, chatId);
  }

  async #load(tree: ChatTree): Promise<Response> {
    const { messages } = await readBranch(tree);
    return Response.json({ messages });
  }

  #resume(tree: ChatTree): Response {
    const newest = this.#runs.of(tree.id).at(-1);
    return newest === undefined ? new Response(null, { status: 204 }) : this.#respond(newest);
  }

  async #stop(tree: ChatTree): Promise<Response> {
    const running = this.#runs.of(tree.id);
    for (const each of running) each.stop();
    await Promise.all(running.map((each) => each.ended));
    return new Response(null, { status: 204 });
  }

  #respond(running: ChatRun): Response {
    const stream = running.stream(() => {
      if (this.#options.onDisconnect === 'stop' && !running.hasReaders) running.stop();
    });
    return createUIMessageStreamResponse({ stream });
  }

  async #post(request: Request, user: string): Promise<Response> {
    const post = await readChatPost(request, this.#options.maxRequestBytes ?? 32 * 1024 * 1024);
    const tree = this.#tree(user, post.chatId);
    const { model } = this.#options;
    const chosen = typeof model === 'function' ? await model(request) : model;
    return this.#queue.run(tree.id, () => this.#answer(tree, post, chosen));
  }

  /** Keeps the posted messages, then joins the reply that is being generated for them, or starts one. */
  async #answer(tree: ChatTree, post: ChatPost, model: LanguageModel): Promise<Response> {
    const actId = tree.newId();
    await this.#ensureTree(tree, post, actId);
    const below = post.whole ? null : undefined;
    const { end, changed } = await keepMessages(tree, post.messages, { below, actId, select: 'always' });
    const { trigger, messageId } = post;
    const running = this.#runs.of(tree.id).filter((each) => each.request.end === end);
    const same = running.find(
      ({ request, hasReaders }) =>
        trigger === 'submit-message' || (hasReaders && request.trigger === trigger && request.messageId === messageId),
    );
    if (same !== undefined) return this.#respond(same);
    // Nobody reads these any more: their page stopped them and asks again.
    for (const each of running) if (!each.hasReaders) each.stop();
    const isPrompt = post.messages.at(-1)?.role === 'user';
    if (!changed && isPrompt && trigger === 'submit-message' && messageId === undefined) {
      const stored = await readReply(tree, end);
      if (stored !== undefined) return createUIMessageStreamResponse({ stream: streamStoredReply(stored) });
    }
    const started = new ChatRun({ end, trigger, messageId }, (signal) =>
      this.#generate(tree, model, { end, actId, signal, isPrompt }),
    );
    this.#runs.add(tree.id, started);
    return this.#respond(started);
  }

  async #ensureTree(tree: ChatTree, { messages }: ChatPost, actId: string): Promise<void> {
    const { store, id } = tree;
    if ((await store.formatOf(id)) !== null) return;
    const first = messages.find(({ role }) => role === 'user')?.parts.find(({ type }) => type === 'text')?.text;
    const autoTitle = typeof first === 'string' ? titleFromText(first) : undefined;
    const attributes = autoTitle === undefined ? {} : { autoTitle };
    await run(store, { type: 'create', treeId: id, attributes }, contextFor(tree, actId));
  }

  /** Calls the model and stores the reply: after each step, and whole when it has ended for any reason. */
  async #generate(
    tree: ChatTree,
    model: LanguageModel,
    {
      end,
      actId,
      signal,
      isPrompt,
    }: { readonly end: NodeId; readonly actId: string; readonly signal: AbortSignal; readonly isPrompt: boolean },
  ): Promise<ReadableStream<UIMessageChunk>> {
    const { tools, system, settings, maxSteps = 20, onError = () => 'The model could not answer.' } = this.#options;
    const branch = await readBranch(tree, { to: end, forModel: true });
    const messages = await toModelInput(branch.messages);
    const prompt = branch.systemPrompt ?? system;
    const above = isPrompt ? end : await parentOfMessage(tree, end);
    const save = async (reply: UIMessage) => {
      const stored = toJson(reply);
      if (stored.parts.every(({ type }) => type === 'step-start')) return;
      await this.#queue.run(tree.id, () =>
        keepMessages(tree, [stored], { below: above, actId, own: isPrompt, select: 'if-there' }),
      );
    };
    const replyId = tree.newId();
    return createUIMessageStream({
      originalMessages: messages,
      generateId: () => replyId,
      onError,
      onStepFinish: ({ responseMessage }) => save(responseMessage),
      onFinish: ({ responseMessage }) => save(responseMessage),
      execute: async ({ writer }) => {
        const result = streamText({
          ...settings,
          model,
          ...(prompt === undefined ? {} : { system: prompt }),
          messages: await convertToModelMessages(messages, {
            ...(tools === undefined ? {} : { tools }),
            ignoreIncompleteToolCalls: true,
          }),
          ...(tools === undefined ? {} : { tools }),
          stopWhen: ({ steps }) => steps.length >= maxSteps,
          abortSignal: signal,
          onError: () => undefined,
        });
        const chunks = result.toUIMessageStream({ originalMessages: messages, sendSources: true, onError });
        writer.merge(endOnAbort(chunks, signal));
      },
    });
  }
}

function decodeSegment(segment: string | undefined): string {
  try {
    return decodeURIComponent(segment ?? '');
  } catch {
    return refuse('command/invalid', 'The address has no valid chat id.');
  }
}

/**
 * Creates a request handler for an unmodified `useChat`: it keeps what is posted in a tree and streams the reply.
 * `POST` answers, `GET …/{chat}/stream` resumes, `DELETE …/{chat}/stream` stops, `GET …/{chat}` returns the messages.
 */
export function createChatHandler(options: ChatHandlerOptions): ChatHandler {
  const service = new ChatService(options);
  return async (request) => {
    try {
      return await service.handle(request);
    } catch (error) {
      if (!isAppError(error)) throw error;
      return errorResponse(statuses[error.kind], error.code, error.kind, error.message, error.data);
    }
  };
}
