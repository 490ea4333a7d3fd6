import { deriveId, titleFromText } from '@coppice/content';
import {
  type ErrorKind,
  httpStatusByErrorKind,
  isAppError,
  isUuid,
  type JsonObject,
  type NodeId,
  type OptionNames,
  refuse,
  type Store,
  treeId,
} from '@coppice/core';
import { assertOptionNames, assertStore } from '@coppice/core/decode';
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
import { ChatRun, type ChatRuns, chatRunsOf, endStreamOnAbort, type RunRequest } from './chat-run.ts';
import { type ChatPost, readChatPost, readJsonBody, requireChatId, toModelInput } from './read-request.ts';
import {
  type ChatTreeAccess,
  createChat,
  readBranch,
  readLastMessage,
  readLastReply,
  type StoredMessagesResult,
  selectLastReply,
  selectQuestion,
  storeMessages,
} from './store-messages.ts';
import { streamStoredReply } from './stored-reply.ts';
import { changeTree, readTreeChange, readTreeState, streamChanges } from './tree-requests.ts';
import { runHeaderName } from './tree-state.ts';
import type { UiMessageJson } from './ui-nodes.ts';

/** The settings of a model call that the app may set for all replies. */
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

/** The chat that a request is about, for options that depend on it. */
export interface RequestedChat {
  readonly user: string;
  /** The id of the chat, as the page chose it. */
  readonly chatId: string;
  /** The posted body, with the fields that the page added, such as the name of a model. Nothing has checked these. */
  readonly body: JsonObject;
}

type StreamOptions = NonNullable<Parameters<ReturnType<typeof streamText>['toUIMessageStream']>[0]>;

/** The options of one reply. */
interface ReplyOptions {
  readonly model: LanguageModel;
  readonly tools: ToolSet | undefined;
  readonly system: string | undefined;
  readonly settings: CallSettings | undefined;
}

/** The store, the model and the limits of a chat handler. */
export interface ChatHandlerOptions {
  /** The store of the trees: any store of `@coppice/stores`. */
  readonly store: Store;
  /** The model that replies, or a function that chooses the model for a request. */
  readonly model: LanguageModel | ((request: Request, chat: RequestedChat) => LanguageModel | Promise<LanguageModel>);
  /**
   * The user who owns the chat. Null and undefined mean that no user is signed in; the request is refused then.
   */
  readonly user: string | ((request: Request) => string | null | undefined | Promise<string | null | undefined>);
  /** The tools of the model, or a function that returns them, for example with the rights of the user. */
  readonly tools?: ToolSet | ((request: Request, chat: RequestedChat) => ToolSet | Promise<ToolSet>);
  /** Accepts system messages from a page and sends them to the model. By default they are refused. */
  readonly allowSystemInMessages?: boolean;
  /** The system prompt for trees without their own system prompt, or a function that returns it. */
  readonly system?: string | ((request: Request, chat: RequestedChat) => string | Promise<string>);
  /** The maximum number of steps of a reply that calls tools; 20 by default. */
  readonly maxSteps?: number;
  readonly settings?: CallSettings | ((request: Request, chat: RequestedChat) => CallSettings | Promise<CallSettings>);
  /** Returns the metadata of a reply, for example its tokens, as in `toUIMessageStream` of the SDK. It is stored. */
  readonly messageMetadata?: StreamOptions['messageMetadata'];
  /**
   * `stop` ends a reply when its last reader disconnects. By default the reply continues, so that it can be resumed.
   */
  readonly onDisconnect?: 'continue' | 'stop';
  /** The maximum size of a request in bytes; 32 MiB by default. */
  readonly maxRequestBytes?: number;
  /**
   * Converts an error of the model to the text that the user sees. By default the error is logged, and the user sees
   * none of its details.
   */
  readonly onError?: (error: unknown) => string;
  readonly now?: () => number;
  readonly newId?: () => string;
}

const optionNames: OptionNames<ChatHandlerOptions> = {
  store: true,
  model: true,
  user: true,
  tools: true,
  allowSystemInMessages: true,
  system: true,
  maxSteps: true,
  settings: true,
  messageMetadata: true,
  onDisconnect: true,
  maxRequestBytes: true,
  onError: true,
  now: true,
  newId: true,
};

/** A request handler for Next.js, Hono, SvelteKit and others. */
export type ChatHandler = (request: Request) => Promise<Response>;

/** The store and the user that determine the tree of a chat. */
export interface ChatAccess {
  readonly store: Store;
  readonly user: string;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** Returns the id of a chat's tree: the chat id if it is a UUID, else an id derived from the chat id and the user. */
export function chatTreeId(user: string, chatId: string): string {
  return isUuid(chatId) ? chatId : deriveId('ai-sdk', user, chatId);
}

function chatTree(
  { store, user, now = Date.now, newId = () => crypto.randomUUID() }: ChatAccess,
  chatId: string,
): ChatTreeAccess {
  return { store: store.forOwner(user), id: treeId(chatTreeId(user, chatId)), actor: user, now, newId };
}

/**
 * Reads the messages of a chat's active branch, for `useChat({ messages })`. A chat that does not exist has no
 * messages. A reply that this process is generating is left out, because `resume` streams the reply from its beginning.
 */
export async function loadChat(options: ChatAccess, chatId: string): Promise<UIMessage[]> {
  // An app may pass the options of its handler.
  assertOptionNames<ChatHandlerOptions | ChatAccess>('loadChat', options, optionNames);
  assertStore('loadChat', options.store);
  if (typeof options.user !== 'string' || options.user === '')
    return refuse('command/invalid', 'loadChat needs the `user` whose chat it loads: a text.');
  const tree = chatTree(options, requireChatId(chatId));
  if ((await tree.store.formatOf(tree.id)) === null) return [];
  const { messages } = await readTreeState(tree, chatRunsOf(options.store).of(tree.id));
  return [...messages];
}

function toJson(message: UIMessage): UiMessageJson {
  return JSON.parse(JSON.stringify(message));
}

const noCache = { headers: { 'cache-control': 'no-store' } };
const defaultMaxBytes = 32 * 1024 * 1024;
const keepAliveMs = 15_000;
/** How long a new request waits for its page's last connection to end, which the page has closed already. */
const leaveMs = 1000;

function errorResponse(status: number, code: string, kind: ErrorKind, message: string, data: object = {}): Response {
  return Response.json({ error: { code, kind, message, data } }, { status });
}

/** Runs the changes of each tree one after another, so that they do not conflict. */
class TreeQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(id: string, task: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(id) ?? Promise.resolve()).then(task);
    const finished = turn.catch(() => undefined);
    this.#last.set(id, finished);
    try {
      return await turn;
    } finally {
      if (this.#last.get(id) === finished) this.#last.delete(id);
    }
  }
}

class ChatService {
  readonly #options: ChatHandlerOptions;
  readonly #runs: ChatRuns;
  readonly #queue = new TreeQueue();

  constructor(options: ChatHandlerOptions) {
    this.#options = options;
    this.#runs = chatRunsOf(options.store);
  }

  async handle(request: Request): Promise<Response> {
    const { user: given } = this.#options;
    const user = typeof given === 'function' ? await given(request) : given;
    if (user === null || user === undefined || user === '')
      return errorResponse(401, 'http/unauthorized', 'refused', 'Sign in to chat.');
    if (typeof user !== 'string')
      throw new TypeError(`\`user\` of createChatHandler must return a text or null, not a ${typeof user}.`);
    if (request.method === 'POST') return this.#post(request, user);
    const { pathname, searchParams } = new URL(request.url);
    const [, segment, part = ''] = /\/([^/]+?)(?:\/(stream|tree|events))?\/?$/.exec(pathname) ?? [];
    const tree = this.#tree(user, requireChatId(decodeSegment(segment)));
    switch (`${request.method} ${part}`) {
      case 'GET ':
        return this.#load(tree);
      case 'GET stream':
        return this.#resume(tree, searchParams.get('run'));
      case 'DELETE stream':
        await this.#runs.stop(tree.id, searchParams.get('run'));
        return new Response(null, { status: 204 });
      case 'GET tree':
        return Response.json(await readTreeState(tree, this.#runs.of(tree.id), searchParams.getAll('at')), noCache);
      case 'PATCH tree':
        return this.#change(request, tree);
      case 'GET events':
        return this.#follow(tree, Number(searchParams.get('since') ?? 0));
      default:
        return errorResponse(405, 'command/invalid', 'invalid', `${request.method} is not supported here.`);
    }
  }

  #tree(user: string, chatId: string): ChatTreeAccess {
    const { store, now, newId } = this.#options;
    return chatTree({ store, user, ...(now && { now }), ...(newId && { newId }) }, chatId);
  }

  async #load(tree: ChatTreeAccess): Promise<Response> {
    if ((await tree.store.formatOf(tree.id)) === null)
      return errorResponse(404, 'tree/unknown-tree', 'not-found', 'There is no such chat.');
    const { messages } = await readTreeState(tree, this.#runs.of(tree.id));
    return Response.json({ messages }, noCache);
  }

  /** Streams a run from its beginning: the run with the given id, or the run at the end of the active branch. */
  async #resume(tree: ChatTreeAccess, id: string | null): Promise<Response> {
    const runs = this.#runs.of(tree.id);
    const wanted = id ?? (runs.length === 0 ? null : (await readTreeState(tree, runs)).run);
    const found = runs.find(({ request }) => request.id === wanted);
    return found === undefined ? new Response(null, { status: 204 }) : this.#respond(found, true);
  }

  async #change(request: Request, tree: ChatTreeAccess): Promise<Response> {
    const change = readTreeChange(await readJsonBody(request, this.#options.maxRequestBytes ?? defaultMaxBytes));
    const shown =
      change.action === 'undo'
        ? // Runs outside the queue, because the queue must store the reply that this change stops.
          await changeTree(tree, this.#runs, change)
        : await this.#queue.run(tree.id, () => changeTree(tree, this.#runs, change));
    return Response.json(await readTreeState(tree, this.#runs.of(tree.id), shown), noCache);
  }

  async #follow(tree: ChatTreeAccess, since: number): Promise<Response> {
    if (!Number.isSafeInteger(since) || since < 0)
      return refuse('command/invalid', 'The version in `since` must be a number.');
    if ((await tree.store.formatOf(tree.id)) === null) return new Response(null, { status: 204 });
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
    return new Response(streamChanges(tree, this.#runs, since, keepAliveMs), { headers });
  }

  #respond(running: ChatRun, whole = false): Response {
    const stream = running.stream({
      whole,
      onCancel: () => {
        if (this.#options.onDisconnect === 'stop' && !running.hasReaders) running.stop();
      },
    });
    return createUIMessageStreamResponse({ stream, headers: { [runHeaderName]: running.request.id } });
  }

  async #post(request: Request, user: string): Promise<Response> {
    const post = await readChatPost(request, this.#options.maxRequestBytes ?? defaultMaxBytes);
    const tree = this.#tree(user, post.chatId);
    const options = await this.#optionsFor(request, { user, chatId: post.chatId, body: post.body });
    await this.#stopLeft(tree, post);
    return this.#queue.run(tree.id, () => this.#answer(tree, post, options));
  }

  async #optionsFor(request: Request, chat: RequestedChat): Promise<ReplyOptions> {
    const { model, tools, system, settings } = this.#options;
    return {
      model: typeof model === 'function' ? await model(request, chat) : model,
      tools: typeof tools === 'function' ? await tools(request, chat) : tools,
      system: typeof system === 'function' ? await system(request, chat) : system,
      settings: typeof settings === 'function' ? await settings(request, chat) : settings,
    };
  }

  /**
   * Stops running replies that the posted messages continue, if they have no reader: the page has stopped them, or has
   * lost its connection. Their text is stored first, so that the posted part of it is recognised and not stored as a
   * variant. Runs outside the queue, because the replies are stored through it.
   */
  async #stopLeft(tree: ChatTreeAccess, { messages }: ChatPost): Promise<void> {
    const passed = new Set(messages.slice(0, -1).map(({ id }) => id));
    const running = this.#runs.of(tree.id).filter(({ request }) => passed.has(request.replyId));
    await Promise.all(
      running.map(async (each) => {
        if (!(await each.isLeft(leaveMs))) return;
        each.stop();
        await each.ended;
      }),
    );
  }

  /** Stores the posted messages, then joins the reply that is being generated for them, or starts one. */
  async #answer(tree: ChatTreeAccess, post: ChatPost, options: ReplyOptions): Promise<Response> {
    const actId = tree.newId();
    const { end, changed } = await this.#keep(tree, post, actId);
    const { trigger, messageId } = post;
    const running = this.#runs.of(tree.id).filter((each) => each.request.end === end);
    const same = running.find(
      ({ request, hasReaders }) =>
        trigger === 'submit-message' || (hasReaders && request.trigger === trigger && request.messageId === messageId),
    );
    if (same !== undefined) return this.#respond(same);
    // A run that has no reader any more was stopped by its page, which has sent this new request.
    for (const each of running) if (!each.hasReaders) each.stop();
    const isPrompt = post.messages.length === 0 || post.messages.at(-1)?.role === 'user';
    if (!changed && isPrompt && trigger === 'submit-message' && messageId === undefined) {
      const stored = await readLastReply(tree, end);
      if (stored !== undefined) {
        // Storing the posted messages made the question active. The reply is selected again, because a reload would
        // show the question alone otherwise.
        await selectLastReply(tree, end);
        return createUIMessageStreamResponse({ stream: streamStoredReply(stored) });
      }
    }
    const last = isPrompt ? undefined : await readLastMessage(tree, end);
    const request: RunRequest = {
      id: post.runId ?? tree.newId(),
      end,
      trigger,
      messageId,
      actId,
      isWritten: changed,
      above: last === undefined ? end : last.above,
      continued: last?.message,
      replyId: last?.message?.id ?? tree.newId(),
    };
    const started: ChatRun = new ChatRun(
      request,
      (signal) =>
        this.#generate(tree, options, request, signal, (stored) => {
          started.storedEnd = stored;
        }),
      async () => {
        // If the model generated no text, select the question's last reply. Otherwise the question would be shown
        // without its replies.
        if (started.storedEnd === undefined) await this.#queue.run(tree.id, () => selectLastReply(tree, end));
      },
    );
    this.#runs.add(tree.id, started);
    return this.#respond(started);
  }

  /** Stores the posted messages; creates the tree with them if it does not exist. */
  async #keep(
    tree: ChatTreeAccess,
    { chatId, messages, messageId, whole }: ChatPost,
    actId: string,
  ): Promise<StoredMessagesResult> {
    if (messages.length === 0) return { end: await selectQuestion(tree, messageId), changed: false };
    const onNew = (message: UiMessageJson) => this.#assertAllowed(message);
    if ((await tree.store.formatOf(tree.id)) === null) {
      for (const message of messages) onNew(message);
      const first = messages.find(({ role }) => role === 'user')?.parts.find(({ type }) => type === 'text')?.text;
      const autoTitle = typeof first === 'string' ? titleFromText(first) : undefined;
      try {
        return await createChat(tree, messages, { attributes: autoTitle === undefined ? {} : { autoTitle }, actId });
      } catch (error) {
        // Another process created the chat meanwhile, with other messages.
        if ((await tree.store.formatOf(tree.id)) === null) {
          // The page knows its chat, not the nodes of another user's tree.
          if (isAppError(error) && error.code === 'id/taken')
            refuse('id/taken', `The chat id ${chatId} is taken. Choose another one.`, { chatId });
          throw error;
        }
      }
    }
    return storeMessages(tree, messages, { below: whole ? null : undefined, actId, onNew, select: 'always' });
  }

  /**
   * Refuses a new system message of a page, unless the app allows it, because it could change the instructions of the
   * model.
   */
  #assertAllowed({ id, role }: UiMessageJson): void {
    if (role !== 'system' || this.#options.allowSystemInMessages === true) return;
    refuse(
      'message/invalid',
      `The message ${id} has the role system, which a page may not add. Use \`system\` instead.`,
      {
        id,
      },
    );
  }

  /** Calls the model and stores the reply after each step, and once more when the reply has ended for any reason. */
  async #generate(
    tree: ChatTreeAccess,
    { model, tools, system, settings }: ReplyOptions,
    { end, actId, above, continued, replyId }: RunRequest,
    signal: AbortSignal,
    onStored: (end: NodeId) => void,
  ): Promise<ReadableStream<UIMessageChunk>> {
    const own = continued === undefined;
    const { maxSteps = 20, messageMetadata, onError = logError } = this.#options;
    const reported = new Set<string>();
    const report = (error: unknown): string => {
      // The SDK passes the text of a reported error again, as an error.
      if (error instanceof Error && reported.has(error.message)) return error.message;
      const text = onError(error);
      reported.add(text);
      return text;
    };
    const branch = await readBranch(tree, { to: end, forModel: true });
    const messages = await toModelInput(branch.messages);
    const prompt = branch.systemPrompt ?? system;
    const save = async (reply: UIMessage) => {
      const stored = toJson(reply);
      if (stored.parts.every(({ type }) => type === 'step-start')) return;
      const kept = await this.#queue.run(tree.id, () =>
        storeMessages(tree, [stored], { below: above, actId, own, select: 'if-there' }),
      );
      onStored(kept.end);
    };
    return createUIMessageStream({
      originalMessages: messages,
      generateId: () => replyId,
      onError: report,
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
          // Stored system messages were allowed when they were posted, or other programs wrote them.
          allowSystemInMessages: true,
          stopWhen: ({ steps }) => steps.length >= maxSteps,
          abortSignal: signal,
          onError: () => undefined,
        });
        const chunks = result.toUIMessageStream({
          originalMessages: messages,
          sendSources: true,
          onError: report,
          ...(messageMetadata === undefined ? {} : { messageMetadata }),
        });
        writer.merge(endStreamOnAbort(chunks, signal));
      },
    });
  }
}

/** Logs an error of the model, as the SDK's own routes do. */
function logError(error: unknown): string {
  console.error(error);
  return 'The model could not answer.';
}

/** Refuses options that a caller without types may pass, before the first request fails because of them. */
function assertOptions(options: ChatHandlerOptions): void {
  assertOptionNames('createChatHandler', options, optionNames);
  const { store, model, user } = options;
  assertStore('createChatHandler', store);
  if (model === undefined || model === null)
    refuse(
      'command/invalid',
      "createChatHandler needs a `model`, such as `openai('gpt-5')`, or a function that returns it.",
    );
  if (typeof user !== 'function' && (typeof user !== 'string' || user === ''))
    refuse(
      'command/invalid',
      'createChatHandler needs the `user` who owns the chats: a text, or a function of the request that returns it.',
    );
}

function decodeSegment(segment: string | undefined): string {
  try {
    return decodeURIComponent(segment ?? '');
  } catch {
    return refuse('command/invalid', 'The URL has no valid chat id.');
  }
}

/**
 * Creates a request handler for an unmodified `useChat`. The handler stores the posted messages in a tree and streams
 * the reply. `POST` generates a reply, `GET …/{chat}/stream` resumes one, `DELETE …/{chat}/stream` stops it, and `GET
 * …/{chat}` returns the messages. `…/{chat}/tree` and `…/{chat}/events` serve `useTreeChat`.
 */
export function createChatHandler(options: ChatHandlerOptions): ChatHandler {
  assertOptions(options);
  const service = new ChatService(options);
  return async (request) => {
    try {
      return await service.handle(request);
    } catch (error) {
      if (!isAppError(error)) throw error;
      return errorResponse(httpStatusByErrorKind[error.kind], error.code, error.kind, error.message, error.data);
    }
  };
}
