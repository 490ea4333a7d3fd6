/**
 * Synchronises a chat of the AI SDK with its tree on the server. Does not need React, so that any framework can use it.
 */
import { type AbstractChat, DefaultChatTransport, type UIMessage } from 'ai';
import {
  type ChatRunInfo,
  runHeaderName,
  type TreeChange,
  type TreeChatState,
  type UiMessageVariants,
} from './tree-state.ts';

/** Headers of a request. */
export type RequestHeaders = Readonly<Record<string, string>> | Headers;

/** The URL of the handler, and how requests are sent. */
export interface TreeChatConnection {
  /** The URL of the handler; `/api/chat` by default. */
  readonly api?: string;
  /** Headers for each request, such as a token, or a function that returns them or a promise of them. */
  readonly headers?: RequestHeaders | (() => RequestHeaders | PromiseLike<RequestHeaders>);
  readonly credentials?: RequestCredentials;
  /** Additional fields for the body of each POST request, or a function that returns them. */
  readonly body?: object | (() => object | PromiseLike<object>);
  readonly fetch?: typeof globalThis.fetch;
  /** Follows changes of other tabs and programs while the page is visible; true by default. */
  readonly live?: boolean;
}

/** The state that a view needs besides the messages. */
export interface TreeChatSnapshot {
  /** False until the chat was read for the first time. */
  readonly isReady: boolean;
  /** The tree as it was last read. */
  readonly state: TreeChatState;
  /** Why the last request about the tree failed. */
  readonly error: Error | null;
}

/** The position of a message among its variants. */
export interface VariantPosition {
  /** The index from 0. */
  readonly index: number;
  readonly count: number;
  /** The ids of the variants. Each can be passed to `select`. */
  readonly ids: readonly string[];
}

/** The members of the SDK's chat that are used here. */
export type AttachableChat<M extends UIMessage> = Pick<
  AbstractChat<M>,
  'id' | 'messages' | 'status' | 'sendMessage' | 'regenerate' | 'resumeStream' | 'stop'
>;

const emptyState: TreeChatState = {
  version: 0,
  messages: [],
  places: [],
  run: null,
  runs: [],
  branches: [],
  end: null,
};

const reconnectMs = [500, 1000, 2000, 5000, 15_000];

function isBusy(status: string): boolean {
  return status === 'submitted' || status === 'streaming';
}

/** The tree of one chat. Create the chat with `transport`, then call `attach` and `open`. */
export class TreeChat<M extends UIMessage = UIMessage> {
  readonly id: string;
  readonly #options: TreeChatConnection;
  readonly #listeners = new Set<() => void>();
  #chat: AttachableChat<M> | undefined;
  #snapshot: TreeChatSnapshot = { isReady: false, state: emptyState, error: null };
  /** The id of the run whose reply this page is reading; null between replies. */
  #run: string | null = null;
  /** The reply that is being read, as a promise that never rejects. */
  #reading: Promise<void> = Promise.resolve();
  /** The number of replies being read that this object requested; the chat requests others itself. */
  #ownReads = 0;
  /** The run that was resumed last, and how often in a row. */
  #resumed: { readonly run: string; readonly attempts: number } | null = null;
  /**
   * Counts how often this view switched to another branch. A response to a request from before a switch is out of date.
   */
  #moves = 0;
  /** The refresh in progress; null if there is none. A call of `refresh` in the meantime makes it read once more. */
  #refreshing: Promise<void> | null = null;
  #again = false;
  #feed: AbortController | null = null;
  #closed = true;
  readonly transport: DefaultChatTransport<M>;

  constructor(id: string, options: TreeChatConnection = {}) {
    this.id = id;
    this.#options = options;
    const { credentials, body } = options;
    this.transport = new DefaultChatTransport<M>({
      api: this.#api,
      ...(credentials === undefined ? {} : { credentials }),
      ...(body === undefined ? {} : { body }),
      headers: () => this.#headers(),
      prepareSendMessagesRequest: ({ body: more, id: chatId, messages, trigger, messageId }) => {
        // The client chooses the run id, so that it can stop the reply before the response arrives.
        this.#run = newRunId();
        return { body: { ...more, id: chatId, messages, trigger, messageId, run: this.#run } };
      },
      prepareReconnectToStreamRequest: () => ({
        api: this.#address(`/stream${this.#run === null ? '' : `?run=${encodeURIComponent(this.#run)}`}`),
      }),
      fetch: async (input, init) => {
        const response = await this.#fetch(input, init);
        this.#run = response.headers.get(runHeaderName) ?? this.#run;
        return response;
      },
    });
  }

  get #api(): string {
    return (this.#options.api ?? '/api/chat').replace(/\/$/, '');
  }

  #fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    // Called without an object: in a browser, `window.fetch` throws when it is called as a method of another one.
    const { fetch: send = fetch } = this.#options;
    return send(input, init);
  }

  async #headers(): Promise<Record<string, string>> {
    const { headers } = this.#options;
    return Object.fromEntries(new Headers(typeof headers === 'function' ? await headers() : headers));
  }

  #address(rest: string): string {
    return `${this.#api}/${encodeURIComponent(this.id)}${rest}`;
  }

  get #attached(): AttachableChat<M> {
    if (this.#chat === undefined) throw new Error('The tree has no chat yet: call attach first.');
    return this.#chat;
  }

  /** Sets the chat whose messages this object replaces when another branch is shown. */
  attach(chat: AttachableChat<M>): void {
    this.#chat = chat;
  }

  getSnapshot = (): TreeChatSnapshot => this.#snapshot;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #set(change: Partial<TreeChatSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Reads the chat, resumes the reply that is being generated on its branch, and follows changes until `close`. */
  async open(): Promise<void> {
    this.#closed = false;
    await this.refresh();
    this.#follow();
  }

  /** Stops following changes. A reply continues on the server. */
  close(): void {
    this.#closed = true;
    this.#feed?.abort();
    this.#feed = null;
  }

  /** Stops following changes while the page is hidden, and reads the missed changes when it becomes visible. */
  setVisible(visible: boolean): void {
    if (this.#closed) return;
    if (!visible) {
      this.#feed?.abort();
      this.#feed = null;
    } else if (this.#feed === null) {
      void this.refresh();
      this.#follow();
    }
  }

  async #request(rest: string, init: RequestInit = {}): Promise<Response> {
    const { credentials } = this.#options;
    const response = await this.#fetch(this.#address(rest), {
      ...init,
      ...(credentials === undefined ? {} : { credentials }),
      headers: { ...(await this.#headers()), ...init.headers },
    });
    if (response.ok) return response;
    throw new Error(await problemIn(response));
  }

  /** Reads the tree again. Messages are replaced only while no reply is being read. */
  refresh(): Promise<void> {
    if (this.#refreshing !== null) {
      this.#again = true;
      return this.#refreshing;
    }
    this.#refreshing = this.#refreshAll().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #refreshAll(): Promise<void> {
    do {
      this.#again = false;
      const moves = this.#moves;
      try {
        const wanted = this.#wanted().map((id) => `at=${encodeURIComponent(id)}`);
        const response = await this.#request(`/tree${wanted.length === 0 ? '' : `?${wanted.join('&')}`}`);
        const state: TreeChatState = JSON.parse(await response.text());
        if (moves === this.#moves) this.#take(state, false);
        else this.#again = true;
      } catch (error) {
        this.#set({ error: toError(error) });
      }
    } while (this.#again);
  }

  /**
   * Returns the newest messages of this view that the server may have stored, newest first. They identify the shown
   * branch.
   */
  #wanted(): string[] {
    if (!this.#snapshot.isReady) return [];
    const { messages } = this.#attached;
    const places = new Map(this.#snapshot.state.messages.map(({ id }, at) => [id, this.#snapshot.state.places[at]]));
    const ids = messages.slice(-3).map(({ id }) => places.get(id)?.nodeId ?? id);
    return ids.toReversed();
  }

  /** Applies the state of the server; `moved` means that the view switched to another branch. */
  #take(state: TreeChatState, moved: boolean): void {
    const chat = this.#attached;
    this.#set({ isReady: true, state, error: null });
    if (moved) this.#resumed = null;
    if (!moved && isBusy(chat.status)) return;
    // An unsent message stays in the list, so that it can be sent again.
    const unsent = chat.messages.findLast(({ role }) => role === 'user')?.id;
    const isKnown = state.messages.some(({ id }) => id === unsent);
    if (!moved && chat.status === 'error' && unsent !== undefined && !isKnown) return;
    if (JSON.stringify(chat.messages) !== JSON.stringify(state.messages)) chat.messages = fromState<M>(state);
    if (state.run !== null) void this.#resume(state.run);
  }

  /** Reads a reply that is being generated. If the same reply was just read, waits before requesting it again. */
  async #resume(run: string): Promise<void> {
    if (run !== this.#resumed?.run) this.#resumed = { run, attempts: 0 };
    else {
      const { attempts } = this.#resumed;
      this.#resumed = { run, attempts: attempts + 1 };
      await wait(reconnectMs[Math.min(attempts, reconnectMs.length - 1)] ?? 0);
      if (this.#closed || isBusy(this.#attached.status) || this.#snapshot.state.run !== run) return;
    }
    this.#run = run;
    await this.#read(() => this.#attached.resumeStream());
  }

  /** Reads a reply, and then the tree, which contains the reply by then. */
  async #read(start: () => Promise<void>): Promise<void> {
    const reading = start().catch(() => undefined);
    this.#reading = reading;
    this.#ownReads++;
    await reading;
    this.#ownReads--;
    if (this.#reading !== reading) return;
    this.#run = null;
    await this.refresh();
    if (this.#feed === null) this.#follow();
  }

  /** Stops reading; the reply continues on the server. */
  async #leave(): Promise<void> {
    const reading = this.#reading;
    this.#reading = Promise.resolve();
    if (!isBusy(this.#attached.status)) return;
    await this.#attached.stop();
    await reading;
    this.#run = null;
  }

  /**
   * Reads the tree after a reply that the chat requested itself, as with `sendAutomaticallyWhen`. Pass this to the chat
   * as `onFinish`.
   */
  finishReply = (): void => {
    if (this.#ownReads > 0) return;
    this.#run = null;
    void this.refresh();
  };

  sendMessage: AttachableChat<M>['sendMessage'] = (message, options) =>
    this.#read(() => this.#attached.sendMessage(message, options));

  regenerate: AttachableChat<M>['regenerate'] = (options) => this.#read(() => this.#attached.regenerate(options));

  /** Stops the reply on the server; the text generated so far is stored. */
  stop = async (): Promise<void> => {
    const reading = this.#reading;
    const run = this.#run;
    if (run === null || !isBusy(this.#attached.status)) return this.#attached.stop();
    try {
      await this.#request(`/stream?run=${encodeURIComponent(run)}`, { method: 'DELETE' });
      // The stream ends without an abort, after the stored part of the reply.
      if (this.#attached.status === 'submitted') await this.#attached.stop();
    } catch (error) {
      await this.#attached.stop();
      this.#set({ error: toError(error) });
    }
    await reading;
  };

  async #change(change: TreeChange): Promise<void> {
    await this.#leave();
    this.#moves++;
    try {
      const response = await this.#request('/tree', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(change),
      });
      const state: TreeChatState = JSON.parse(await response.text());
      this.#moves++;
      this.#take(state, true);
    } catch (error) {
      this.#set({ error: toError(error) });
      await this.refresh();
      throw error;
    }
  }

  /**
   * Shows the branch through a variant, the branch with the given end, or the branch of a reply that is being
   * generated.
   */
  select = (id: string): Promise<void> => this.#change({ action: 'select', nodeId: id });

  #step(messageId: string, by: number): Promise<void> {
    const { index, ids } = this.variants(messageId);
    const next = ids[(index + by + ids.length) % ids.length];
    return next === undefined || ids.length < 2 ? Promise.resolve() : this.select(next);
  }

  next = (messageId: string): Promise<void> => this.#step(messageId, 1);

  previous = (messageId: string): Promise<void> => this.#step(messageId, -1);

  /** Adds a new version of a message. A user message is sent to the model; a reply is only stored. */
  edit = async (messageId: string, text: string): Promise<void> => {
    const chat = this.#attached;
    const message = chat.messages.find(({ id }) => id === messageId);
    if (message?.role === 'user') {
      await this.#leave();
      const others = message.parts.filter(({ type }) => type !== 'text');
      const { metadata } = message;
      const input = { ...(metadata === undefined ? {} : { metadata }), parts: [...others, { type: 'text', text }] };
      return this.sendMessage({ ...message, ...input, messageId });
    }
    return this.#change({ action: 'edit', nodeId: this.#requirePlace(messageId).nodeId, text });
  };

  /** Moves a message to the trash. Its descendants stay unless `keepChildren` is false. */
  remove = async (messageId: string, { keepChildren = true }: { readonly keepChildren?: boolean } = {}) =>
    this.#change({ action: 'remove', nodeId: this.#requirePlace(messageId).nodeId, keepChildren });

  undo = (): Promise<void> => this.#change({ action: 'undo' });

  redo = (): Promise<void> => this.#change({ action: 'redo' });

  #placeOf(messageId: string): UiMessageVariants | undefined {
    const { state } = this.#snapshot;
    return state.places[state.messages.findIndex(({ id }) => id === messageId)];
  }

  #requirePlace(messageId: string): UiMessageVariants {
    const place = this.#placeOf(messageId);
    if (place === undefined) throw new Error(`The message ${messageId} is not stored yet.`);
    return place;
  }

  variants = (messageId: string): VariantPosition => {
    const place = this.#placeOf(messageId);
    return place === undefined
      ? { index: 0, count: 1, ids: [] }
      : { index: place.index, count: place.ids.length, ids: place.ids };
  };

  /** Returns the replies that are being generated on branches that are not shown. */
  runsElsewhere(): readonly ChatRunInfo[] {
    return this.#snapshot.state.runs.filter(({ id }) => id !== this.#run);
  }

  #follow(): void {
    const { live = true } = this.#options;
    if (!live || this.#closed || this.#feed !== null || this.#snapshot.state.version === 0) return;
    const feed = new AbortController();
    this.#feed = feed;
    void this.#followUntil(feed.signal);
  }

  async #followUntil(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const since = this.#snapshot.state.version;
        const response = await this.#request(`/events?since=${since}`, { signal });
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        if (failures > 0) void this.refresh();
        failures = 0;
        let rest = '';
        for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
          const lines = (rest + next.value).split('\n');
          rest = lines.pop() ?? '';
          if (lines.some((line) => line.startsWith('data:'))) void this.refresh();
        }
      } catch {
        // The connection was lost; it is opened again below.
      }
      if (!signal.aborted) await wait(reconnectMs[Math.min(failures, reconnectMs.length - 1)] ?? 0, signal);
    }
  }
}

/** Returns a random UUID. `crypto.randomUUID` is missing on pages without HTTPS. */
function newRunId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

function fromState<M extends UIMessage>(state: TreeChatState): M[] {
  return JSON.parse(JSON.stringify(state.messages));
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

async function problemIn(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error }: { readonly error?: { readonly message?: unknown } } = JSON.parse(text);
    if (typeof error?.message === 'string') return error.message;
  } catch {
    // The response did not come from the handler, but for example from a proxy.
  }
  const hint =
    response.status === 404 || response.status === 405
      ? ' The handler needs the routes below its address too, such as /api/chat/*.'
      : '';
  return `The server answered ${response.status}.${hint}`;
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
