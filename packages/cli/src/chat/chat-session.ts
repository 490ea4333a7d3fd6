/**
 * A conversation as a person at a terminal has it: where they are in the tree, what is being said, and what they can do
 * next. It knows no terminal, so that the plain mode, the interface and the tests are thin.
 */
import {
  AppError,
  type NodeId,
  readTree,
  run,
  type Store,
  type TreeId,
  type TreeRow,
  textMessage,
  treeId,
} from '@coppice/core';
import {
  type ApprovalDecision,
  type ApprovalRequest,
  type CommandResult,
  type Completions,
  readBranchModel,
  requireReady,
  type Turn,
  type TurnEvent,
} from '@coppice/engine';
import type { CliEngine } from '../cli-engine.ts';
import { toCliError } from '../exit-codes.ts';
import { applyEvent, type ChatState, emptyChatState, emptyReply, readChatView } from './chat-state.ts';
import { OneAtATime } from './one-at-a-time.ts';

/** What a talk is opened with. */
export interface ChatSessionOptions {
  readonly cliEngine: CliEngine;
  /** The tree to go on with; a new one begins with the first message if not given. */
  readonly treeId?: TreeId | undefined;
  readonly model?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly title?: string | undefined;
  readonly temperature?: number | undefined;
  /** Names of tools; all that there are if not given. */
  readonly tools?: readonly string[] | undefined;
}

/** One conversation on a store. */
export class ChatSession {
  readonly #cliEngine: CliEngine;
  readonly #options: ChatSessionOptions;
  readonly #listeners = new Set<() => void>();
  #row: TreeRow | null = null;
  /** Where this view is; null before the first message. */
  #here: NodeId | null = null;
  #turn: Turn | null = null;
  readonly #turns = new OneAtATime(() => this.#turned());
  #busyNotice: ChatState['notice'] = null;
  #state: ChatState;
  #list: readonly NodeId[] = [];

  private constructor(options: ChatSessionOptions, model: string) {
    this.#cliEngine = options.cliEngine;
    this.#options = options;
    this.#state = emptyChatState(model, options.title ?? null);
  }

  /** Opens a conversation where it was left, or a new one. */
  static async open(options: ChatSessionOptions): Promise<ChatSession> {
    const { cliEngine, treeId: id } = options;
    const chosen =
      id === undefined
        ? null
        : await cliEngine.store.read(id, function* () {
            const row = yield* readTree(id);
            return { row, model: yield* readBranchModel(id, row.activeNodeId) };
          });
    // Refused before anything is said: a tree goes on with the model that it was told, also with one that is none.
    const asked = options.model === undefined ? undefined : cliEngine.providers.model(options.model).id;
    const model = asked ?? chosen?.model?.model ?? (await cliEngine.providers.defaultModel());
    const chatSession = new ChatSession(options, model);
    if (chosen !== null) {
      chatSession.#row = chosen.row;
      chatSession.#here = chosen.row.activeNodeId;
      await chatSession.#refresh();
    }
    return chatSession;
  }

  get state(): ChatState {
    return this.#state;
  }

  get treeId(): TreeId | null {
    return this.#row?.id ?? null;
  }

  get here(): NodeId | null {
    return this.#here;
  }

  get store(): Store {
    return this.#cliEngine.store;
  }

  /** Whether a reply is on its way, or about to be asked for. */
  get busy(): boolean {
    return this.#turns.doing === 'reply';
  }

  /** Whether a command is at work. */
  get working(): boolean {
    return this.#turns.doing === 'command';
  }

  /** Calls back after every change; what is returned ends it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #set(change: Partial<ChatState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Says something and has it answered. Resolves when the reply is through, with whether what was said is stored; never rejects. */
  async send(text: string): Promise<boolean> {
    const before = this.#here;
    await this.#replied(async (signal) => {
      requireReady(this.#cliEngine.providers.model(this.#state.model));
      const isNew = this.#row === null;
      const row = await this.#tree();
      const messages = [{ message: textMessage('user', text) }];
      try {
        signal.throwIfAborted();
        await this.#follow({ type: 'send', treeId: row.id, parentId: this.#here ?? row.rootId, messages });
      } finally {
        // What went wrong is told; that an empty tree could not be taken away is not worth hiding it.
        if (isNew && this.#here === before) await this.#forgetUntouched(row).catch(() => undefined);
      }
    }, text);
    return this.#here !== before;
  }

  /** Says something without having it answered. */
  say(text: string): Promise<void> {
    return this.#guarded(async () => {
      const row = await this.#tree();
      const parentId = this.#here ?? row.rootId;
      const messages = [{ message: textMessage('user', text) }];
      const { result } = await run(
        this.store,
        { type: 'append', treeId: row.id, parentId, messages },
        this.#cliEngine.context(),
      );
      this.#here = result.nodeId;
      await this.#refresh();
    });
  }

  /** Has the last prompt answered again, as a variant beside the old reply. */
  again(): Promise<void> {
    return this.#replied(async () => {
      const [row, here] = this.#somewhere();
      await this.#follow({ type: 'regenerate', treeId: row.id, nodeId: here });
    });
  }

  /** Goes on with a reply that was cut short. */
  goOn(): Promise<void> {
    return this.#replied(async () => {
      const [row, here] = this.#somewhere();
      await this.#follow({ type: 'continue', treeId: row.id, nodeId: here });
    });
  }

  /** Goes to the variant before or after a node, and down to where one last was there. */
  vary(nodeId: NodeId, direction: 'next' | 'previous'): Promise<void> {
    return this.#guarded(async () => {
      const [row] = this.#somewhere();
      const { result } = await run(
        this.store,
        { type: 'navigate', treeId: row.id, nodeId, direction },
        this.#cliEngine.context(),
      );
      this.#here = result.nodeId;
      await this.#refresh();
    });
  }

  /** Runs a line such as `/switch 2`. Gives what came of it, or null where it was refused. */
  async command(line: string): Promise<CommandResult | null> {
    let result: CommandResult | null = null;
    await this.#guarded(
      async (signal) => {
        const isNew = this.#row === null;
        const row = await this.#tree();
        try {
          signal.throwIfAborted();
          result = await this.#cliEngine.commands.run(line, {
            store: this.store,
            treeId: row.id,
            activeNodeId: this.#here,
            list: this.#list,
            signal,
          });
          await this.#land(result);
        } finally {
          if (isNew) await this.#forgetUntouched(row);
        }
      },
      false,
      line,
    );
    return result;
  }

  /** Takes a tree away that was made for what left it as it was: `/help`, or a message that is refused. */
  async #forgetUntouched({ id, version }: TreeRow): Promise<void> {
    if (this.#row?.id === id && this.#row.version !== version) return;
    await run(this.store, { type: 'delete-tree', treeId: id }, this.#cliEngine.context());
    await this.store.purgeTree(id);
    if (this.#row?.id !== id) return;
    this.#row = null;
    this.#here = null;
  }

  async #land({ place, list, said, undo }: CommandResult): Promise<void> {
    if (place !== undefined) {
      // Numbers are those of a list of the tree that one came from.
      if (place.treeId !== this.treeId) this.#list = [];
      this.#here = place.activeNodeId;
      this.#row = await this.store.read(place.treeId, () => readTree(place.treeId));
    }
    if (list !== undefined) this.#list = list;
    await this.#refresh();
    const id = this.treeId;
    const here = this.#here;
    const model = id === null ? null : await this.store.read(id, () => readBranchModel(id, here));
    this.#set({
      notice: { text: undo === undefined ? said : `${said} Undo with ${undo}.`, bad: false },
      ...(model === null ? {} : { model: model.model }),
    });
  }

  /** What could stand at the end of a line that begins with a slash. */
  async complete(line: string): Promise<Completions> {
    const id = this.treeId;
    if (id === null) {
      const items = this.#cliEngine.commands.list.filter((command) => `/${command.name}`.startsWith(line));
      return {
        from: 0,
        items: items.map((command) => ({
          value: `/${command.name}`,
          label: `/${command.name}`,
          about: command.summary,
        })),
      };
    }
    return this.#cliEngine.commands.complete(line, {
      store: this.store,
      treeId: id,
      activeNodeId: this.#here,
      list: this.#list,
    });
  }

  /** Sets the model that answers next. */
  use(model: string): void {
    this.#set({ model, notice: { text: `Using ${model} from now on.`, bad: false } });
  }

  /** Stops the reply, of which what was said is kept, or the command that is at work. False if there is neither. */
  stop(): boolean {
    this.#turn?.abort();
    return this.#turns.stop();
  }

  /** Ends it: what is at work is stopped, and what waited for that is given back. */
  end(): readonly string[] {
    this.#turn?.abort();
    return this.#turns.end();
  }

  /** Says something in the place of the last notice. */
  note(text: string, bad = false): void {
    this.#set({ notice: { text, bad } });
  }

  /** Says that a reply is on its way, until it is not. */
  tellBusy(more = ''): void {
    this.#busyNotice = { text: `A reply is being written; Ctrl-C stops it.${more}`, bad: true };
    this.#set({ notice: this.#busyNotice });
  }

  #somewhere(): readonly [TreeRow, NodeId] {
    if (this.#row !== null && this.#here !== null) return [this.#row, this.#here];
    throw new AppError({ code: 'chat/nothing-said', kind: 'refused', message: 'There is no message here yet.' });
  }

  /** Does something in its turn; what goes wrong is told. */
  async #guarded(act: (signal: AbortSignal) => Promise<void>, isReply = false, what?: string): Promise<void> {
    const reported = async (signal: AbortSignal) => {
      this.#set({ notice: null });
      try {
        await act(signal);
      } catch (thrown) {
        const error = toCliError(thrown);
        this.#set({ notice: { text: error.message, bad: true, error } });
      }
    };
    if ((await this.#turns.take(reported, isReply, what)) === 'busy') this.tellBusy();
  }

  #replied(act: (signal: AbortSignal) => Promise<void>, what?: string): Promise<void> {
    return this.#guarded(act, true, what);
  }

  /** Shows what waits; that a reply is on its way is told as long as one is. */
  #turned(): void {
    const { notice } = this.#state;
    const isPast = notice === this.#busyNotice && !this.busy;
    this.#set({ waiting: this.#turns.waiting, notice: isPast ? null : notice });
  }

  /** The tree; a new one is made when something is said, so that looking leaves nothing behind. */
  async #tree(): Promise<TreeRow> {
    if (this.#row !== null) return this.#row;
    const context = this.#cliEngine.context();
    const id = treeId(context.newId());
    const { systemPrompt, title } = this.#options;
    const attributes = {
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(title === undefined ? {} : { title }),
    };
    await run(this.store, { type: 'create', treeId: id, attributes }, context);
    this.#row = await this.store.read(id, () => readTree(id));
    return this.#row;
  }

  async #follow(start: Parameters<CliEngine['generator']['generate']>[0]): Promise<void> {
    const { temperature, tools } = this.#options;
    const turn = this.#cliEngine.generator.generate(start, {
      models: [this.#state.model],
      tools: tools ?? this.#cliEngine.tools.list().map((tool) => tool.name),
      approve: (request) => this.#approve(request),
      ...(temperature === undefined ? {} : { temperature }),
    });
    this.#turn = turn;
    this.#set({ growing: emptyReply });
    try {
      for await (const event of turn.events()) await this.#take(event);
    } finally {
      this.#turn = null;
      this.#set({ growing: null, question: null });
      await this.#refresh();
      // Nobody waits for a title, and a store that is closed meanwhile has none to show.
      this.#retitle().catch(() => undefined);
    }
  }

  /** Shows the title that was found for what was said, as soon as it is there. */
  async #retitle(): Promise<void> {
    await this.#cliEngine.titled();
    const id = this.treeId;
    if (id === null) return;
    const { attributes } = await this.store.read(id, () => readTree(id));
    if (this.treeId === id) this.#set({ title: attributes.title ?? attributes.autoTitle ?? null });
  }

  async #take(event: TurnEvent): Promise<void> {
    if (event.type === 'node') {
      this.#here = event.nodeId;
      await this.#refresh();
    }
    if (event.type === 'error') {
      const { code, kind, message } = event;
      this.#set({ notice: { text: message, bad: true, error: new AppError({ code, kind, message }) } });
    }
    if (event.type === 'notice') this.#set({ notice: { text: event.message, bad: false } });
    const before = this.#state.growing ?? emptyReply;
    const growing = applyEvent(before, event);
    if (growing !== before) this.#set({ growing });
  }

  #approve(request: ApprovalRequest): Promise<ApprovalDecision> {
    return new Promise((resolve) => {
      const answer = (approved: boolean) => {
        if (this.#state.question?.request === request) this.#set({ question: null });
        resolve(approved ? { approved: true, hash: request.hash } : { approved: false, reason: 'The user declined.' });
      };
      request.signal.addEventListener('abort', () => answer(false), { once: true });
      this.#set({ question: { request, answer } });
    });
  }

  /** Reads the thread again. */
  async #refresh(): Promise<void> {
    const id = this.#row?.id;
    if (id === undefined) return;
    const seen = await readChatView(this.store, id, this.#here);
    this.#row = seen.row;
    this.#set(seen.shown);
  }
}
