/**
 * A chat in a terminal: the position in the tree, the running reply, and the possible actions. It does not depend on
 * the terminal, so that plain mode, the interface and the tests can share it.
 */
import {
  AppError,
  type Node,
  type NodeId,
  readTree,
  type Store,
  type TreeId,
  type TreeRow,
  textMessage,
} from '@coppice/core';
import type { ApprovalDecision, ApprovalRequest, CommandResult, LineCompletions, TurnEvent } from '@coppice/engine';
import type { ChatEngine, EngineTurn } from '../chat-engine.ts';
import { toCliError } from '../exit-codes.ts';
import { shortenIdsIn } from '../short-ids.ts';
import { addUndoHint, formatCountedNoun } from '../tree-changes.ts';
import { ActionQueue } from './action-queue.ts';
import { ChatPosition } from './chat-position.ts';
import {
  type ApprovalQuestion,
  applyReplyEvent,
  type ChatState,
  createChatState,
  emptyReply,
  thinkingEfforts,
} from './chat-state.ts';
import { buildMessageWithFiles } from './file-attachments.ts';
import { formatShellMessage, runShellCommand } from './shell-command.ts';

/** The engine, the tree and the model of a chat. */
export interface ChatSessionOptions {
  readonly cliEngine: ChatEngine;
  /** The tree to continue; by default a new one is created with the first message. */
  readonly treeId?: TreeId | undefined;
  readonly model?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly title?: string | undefined;
  readonly temperature?: number | undefined;
  /** The names of the tools that the model may call. Defaults to all. */
  readonly tools?: readonly string[] | undefined;
}

/** Commands that may run during a reply or another command, because they neither move the view nor change the branch. */
const atOnce = /^\/(?:help|tree|branches|context|name)(?:\s|$)/;

/** The shortest time between two reports of a growing reply. */
const framePauseMs = 30;

export class ChatSession {
  readonly #cliEngine: ChatEngine;
  #options: ChatSessionOptions;
  readonly #listeners = new Set<() => void>();
  /** Whether the running reply has grown since the listeners were last called. */
  #isGrown = false;
  /** Whether a timer is running; the listeners are called for a grown reply only when the timer ends. */
  #isPaused = false;
  readonly #place: ChatPosition;
  #turn: EngineTurn | null = null;
  readonly #turns = new ActionQueue(() => this.#turned());
  #busyNotice: ChatState['notice'] = null;
  #retryNotice: ChatState['notice'] = null;
  #state: ChatState;
  /** Whether shell commands run without asking, in every chat that this session opens. */
  #shellAllowed = false;
  /** The keys of the notices about changed requests that this chat has shown. */
  readonly #shownNotices = new Set<string>();

  private constructor(options: ChatSessionOptions, place: ChatPosition, model: string) {
    this.#cliEngine = options.cliEngine;
    this.#options = options;
    this.#place = place;
    this.#state = createChatState(model, options.title ?? null);
  }

  /** Opens a chat at its active node, or a new chat. */
  static async open(options: ChatSessionOptions): Promise<ChatSession> {
    const { cliEngine, treeId: id } = options;
    const place = new ChatPosition(cliEngine);
    const used = await place.open(id ?? null);
    // Checked before anything is sent; otherwise an invalid model would be stored with the tree.
    const requestedModel = options.model === undefined ? undefined : cliEngine.models.find(options.model);
    const model = requestedModel ?? used ?? (await cliEngine.models.defaultModel());
    const chatSession = new ChatSession(options, place, model);
    await chatSession.#refresh();
    place.remember(chatSession.#state.nodes);
    return chatSession;
  }

  get state(): ChatState {
    return this.#state;
  }

  get treeId(): TreeId | null {
    return this.#place.treeId;
  }

  get here(): NodeId | null {
    return this.#place.here;
  }

  get store(): Store {
    return this.#cliEngine.store;
  }

  /** Whether a reply is running or about to start. */
  get busy(): boolean {
    return this.#turns.doing === 'reply';
  }

  /** Whether a command is running. */
  get working(): boolean {
    return this.#turns.doing === 'command';
  }

  /** Calls the listener after each change. Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #set(change: Partial<ChatState>): void {
    // Listeners that collect the text of a reply must see its end before the next state.
    if (this.#isGrown) this.#notify();
    this.#state = { ...this.#state, ...change };
    this.#notify();
  }

  /** Adds to the running reply. Pieces that arrive faster than a screen can show them are reported together. */
  #grow(growing: ChatState['growing']): void {
    this.#state = { ...this.#state, growing };
    this.#isGrown = true;
    if (this.#isPaused) return;
    this.#notify();
    this.#isPaused = true;
    setTimeout(() => {
      this.#isPaused = false;
      if (this.#isGrown) this.#grow(this.#state.growing);
    }, framePauseMs);
  }

  #notify(): void {
    this.#isGrown = false;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Sends a message after the running action has ended, and waits for the reply. Resolves with whether the message was
   * stored; never rejects. With a folder, the files that the message names with `@` are read from it and sent too.
   */
  async send(text: string, folder?: string): Promise<boolean> {
    let stored = false;
    await this.#replied(async (signal) => {
      const before = this.#place.here;
      // Checked before the tree is created: a file that cannot be sent must not leave an empty tree.
      const { images } = this.#cliEngine.models.requireReady(this.#state.model);
      const message =
        folder === undefined
          ? textMessage('user', text)
          : await buildMessageWithFiles(text, { store: this.store, folder, images });
      const isNew = this.#place.row === null;
      const row = await this.#place.ensureTree(this.#options);
      const messages = [{ message }];
      try {
        signal.throwIfAborted();
        await this.#follow({ type: 'send', treeId: row.id, parentId: this.#place.here ?? row.rootId, messages });
      } finally {
        stored = this.#place.here !== before;
        // The original error is shown; a failure to remove the empty tree must not hide it.
        if (isNew && !stored) await this.#place.forgetUntouched(row).catch(() => undefined);
      }
    }, text);
    return stored;
  }

  say(text: string): Promise<void> {
    return this.#guarded(() => this.#append(text));
  }

  /**
   * Runs a command of the user's shell in a folder and adds its output as a message, without generating a reply. Asks
   * first, unless the user has chosen "always" earlier in this session. Resolves with whether the output was added.
   */
  async shell(command: string, folder: string): Promise<boolean> {
    let added = false;
    const act = async (signal: AbortSignal) => {
      if (!this.#shellAllowed) {
        const approved = await this.#askFirst(`Run ${command} and add its output to the chat?`, true, signal);
        if (approved === false) return this.note('The command was not run.');
        this.#shellAllowed = approved === 'always';
      }
      const result = await runShellCommand(command, folder, signal);
      await this.#append(formatShellMessage(command, result));
      added = true;
    };
    await this.#guarded(act, false, `!${command}`);
    return added;
  }

  async #append(text: string): Promise<void> {
    await this.#place.append(text, this.#options);
    await this.#refresh();
  }

  /** Generates another reply to the last prompt. The old reply stays as a variant. */
  again(): Promise<void> {
    return this.#replied(async () => {
      const [row, here] = this.#somewhere();
      await this.#follow({ type: 'regenerate', treeId: row.id, nodeId: here });
    });
  }

  /** Continues a reply that was cut off. */
  goOn(): Promise<void> {
    return this.#replied(async () => {
      const [row, here] = this.#somewhere();
      await this.#follow({ type: 'continue', treeId: row.id, nodeId: here });
    });
  }

  /** Moves to the previous or next variant of a node, and from there to its last visited leaf. */
  vary(nodeId: NodeId, direction: 'next' | 'previous'): Promise<void> {
    return this.#guarded(async () => {
      const [row] = this.#somewhere();
      await this.#place.navigate(row.id, nodeId, direction);
      await this.#refresh();
    });
  }

  /**
   * Runs a line such as `/switch 2`. Returns its result, or null if it was refused. During a reply or
   * another command, a command that neither moves nor changes the branch runs immediately; the others wait for its end.
   */
  async command(line: string): Promise<CommandResult | null> {
    let result: CommandResult | null = null;
    const isAtOnce = this.#turns.doing !== null && this.#place.row !== null && atOnce.test(line);
    await this.#guarded(
      async (signal) => {
        const isNew = this.#place.row === null;
        const row = await this.#place.ensureTree(this.#options);
        try {
          signal.throwIfAborted();
          const before = await this.#place.branchModel();
          result = await this.#cliEngine.commands.run(line, {
            store: this.store,
            treeId: row.id,
            activeNodeId: this.#place.here,
            list: this.#place.list,
            signal,
          });
          await this.#showResult(result);
          const after = await this.#place.branchModel();
          // The user's choice of a model is kept, unless the command set the model or moved to a branch with another
          // model.
          if (after !== null && (after !== before || /^\/model\s+\S/.test(line))) this.#set({ model: after });
        } finally {
          if (isNew) await this.#place.forgetUntouched(row);
        }
      },
      false,
      line,
      isAtOnce,
    );
    return result;
  }

  async #showResult({ place, list, said, undo }: CommandResult): Promise<void> {
    if (place !== undefined) await this.#place.move(place.treeId, place.activeNodeId);
    if (list !== undefined) this.#place.list = list;
    await this.#refresh();
    this.#set({ notice: { text: addUndoHint(said, undo), bad: false } });
  }

  /** Opens another chat at its active node, or a new chat for null, after the running action has ended. */
  openChat(id: TreeId | null): Promise<void> {
    const act = async () => {
      const model = await this.#place.open(id);
      this.#options = { ...this.#options, title: undefined };
      this.#shownNotices.clear();
      const shown = await this.#place.view();
      // The chosen model is kept, unless the other chat has its own model.
      const { thinking } = this.#state;
      const empty = createChatState(model ?? this.#state.model, null);
      this.#set({ ...empty, opened: id, thinking, waiting: this.#turns.waiting, ...shown });
      this.#place.remember(this.#state.nodes);
    };
    return this.#guarded(act, false, id === null ? '/new' : '/resume');
  }

  /** The messages of the shown thread that were added since the chat was opened. */
  get added(): readonly Node[] {
    return this.#place.addedOf(this.#state.nodes);
  }

  /** Completes a line that begins with a slash. */
  async complete(line: string): Promise<LineCompletions> {
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
      activeNodeId: this.#place.here,
      list: this.#place.list,
    });
  }

  /** Sets the model of the next reply. */
  use(model: string): void {
    this.#set({ model, notice: { text: `Using ${model} from now on.`, bad: false } });
  }

  /** Sets the next level of thinking. After the highest level, the model decides again. */
  cycleThinking(): void {
    const { thinking } = this.#state;
    const next = thinkingEfforts[thinking === null ? 0 : thinkingEfforts.indexOf(thinking) + 1] ?? null;
    const text =
      next === null ? 'The model decides how much it thinks.' : `The next replies think with ${next} effort.`;
    this.#set({ thinking: next, notice: { text, bad: false } });
  }

  /** Stops the running command, or the running reply, whose text is kept. Returns false if neither is running. */
  stop(): boolean {
    this.#turn?.abort();
    return this.#turns.stop();
  }

  /** Cancels the messages that wait for the reply, and returns their texts. */
  takeBack(): readonly string[] {
    return this.#turns.takeBack();
  }

  /** Ends the session: stops the running action and returns the texts of queued messages and commands. */
  end(): readonly string[] {
    this.#turn?.abort();
    return this.#turns.end();
  }

  /** Shows a notice, replacing the last one. */
  note(text: string, bad = false): void {
    this.#set({ notice: { text, bad } });
  }

  /** Removes a notice if it is still shown. */
  dismiss(text: string): void {
    if (this.#state.notice?.text === text) this.#set({ notice: null });
  }

  /** Shows the notice that a reply is running. */
  tellBusy(): void {
    this.#busyNotice = { text: 'A reply is being written; Esc stops it.', bad: true };
    this.#set({ notice: this.#busyNotice });
  }

  #somewhere(): readonly [TreeRow, NodeId] {
    if (this.#place.row !== null && this.#place.here !== null) return [this.#place.row, this.#place.here];
    throw new AppError({ code: 'chat/nothing-said', kind: 'refused', message: 'There is no message here yet.' });
  }

  /** Queues an action. Its errors are shown as notices. */
  async #guarded(
    act: (signal: AbortSignal) => Promise<void>,
    isReply = false,
    what?: string,
    isAtOnce = false,
  ): Promise<void> {
    const reported = async (signal: AbortSignal) => {
      this.#set({ notice: null });
      try {
        await act(signal);
      } catch (thrown) {
        const error = toCliError(thrown);
        this.#set({ notice: { text: shortenIdsIn(error.message), bad: true, error } });
      }
    };
    if (isAtOnce) return reported(new AbortController().signal);
    if ((await this.#turns.take(reported, isReply, what)) === 'busy') this.tellBusy();
  }

  #replied(act: (signal: AbortSignal) => Promise<void>, what?: string): Promise<void> {
    return this.#guarded(act, true, what);
  }

  /** Updates the queued texts in the state, and removes the busy notice when no reply is running. */
  #turned(): void {
    const { notice } = this.#state;
    const isPast = notice === this.#busyNotice && !this.busy;
    this.#set({ waiting: this.#turns.waiting, notice: isPast ? null : notice });
  }

  async #follow(start: Parameters<ChatEngine['generator']['generate']>[0]): Promise<void> {
    const { temperature, tools } = this.#options;
    const { thinking } = this.#state;
    const turn = this.#cliEngine.generator.generate(start, {
      models: [this.#state.model],
      tools: tools ?? this.#cliEngine.tools.list().map((tool) => tool.name),
      approve: (request) => this.#approve(request),
      ...(temperature === undefined ? {} : { temperature }),
      ...(thinking === null ? {} : { thinking: { effort: thinking } }),
    });
    this.#turn = turn;
    this.#set({ growing: emptyReply });
    try {
      for await (const event of turn.events()) await this.#take(event);
    } finally {
      this.#turn = null;
      this.#set({ growing: null, question: null });
      await this.#refresh();
      // This runs in the background, and the store may be closed meanwhile.
      this.#retitle().catch(() => undefined);
    }
  }

  /** Shows the automatic title as soon as the engine has written it. */
  async #retitle(): Promise<void> {
    await this.#cliEngine.titled();
    const id = this.treeId;
    if (id === null) return;
    const { attributes } = await this.store.read(id, () => readTree(id));
    if (this.treeId === id) this.#set({ title: attributes.title ?? attributes.autoTitle ?? null });
  }

  async #take(event: TurnEvent): Promise<void> {
    if (event.type === 'node') {
      this.#place.here = event.nodeId;
      await this.#refresh();
    }
    if (event.type === 'error') {
      const { code, kind, message } = event;
      this.#set({ notice: { text: message, bad: true, error: new AppError({ code, kind, message }) } });
    }
    if (event.type === 'notice') this.#showNotice(event);
    if (event.type === 'retry') this.#showRetry(event);
    if (event.type === 'text-delta' && this.#retryNotice !== null && this.#state.notice === this.#retryNotice)
      this.#set({ notice: null });
    const before = this.#state.growing ?? emptyReply;
    const growing = applyReplyEvent(before, event);
    if (growing !== before) this.#grow(growing);
  }

  /** Shows the notice about a changed request once per chat, because every later reply of the branch repeats it. */
  #showNotice({ code, data, message }: Extract<TurnEvent, { readonly type: 'notice' }>): void {
    const key = JSON.stringify([code, data['model'], data['name'], data['blockType']]);
    if (this.#shownNotices.has(key)) return;
    this.#shownNotices.add(key);
    this.#set({ notice: { text: message, bad: false } });
  }

  /** Shows that the provider failed and is called again. The notice disappears when the reply begins. */
  #showRetry({ message, waitMs, attempt, retries }: Extract<TurnEvent, { readonly type: 'retry' }>): void {
    const wait = formatCountedNoun(Math.max(1, Math.round(waitMs / 1000)), 'second');
    const text = `${message} Trying again in ${wait} (${attempt} of ${retries}).`;
    this.#retryNotice = { text, bad: false };
    this.#set({ notice: this.#retryNotice });
  }

  async #approve({ name, parameters, hash, signal }: ApprovalRequest): Promise<ApprovalDecision> {
    const approved = await this.#askFirst(`Run ${name} ${JSON.stringify(parameters)}?`, false, signal);
    return approved === false ? { approved: false, reason: 'The user declined.' } : { approved: true, hash };
  }

  #askFirst(text: string, canAllow: boolean, signal: AbortSignal): Promise<boolean | 'always'> {
    return new Promise((resolve) => {
      const answer = (approved: boolean | 'always') => {
        if (this.#state.question === question) this.#set({ question: null });
        resolve(approved);
      };
      const question: ApprovalQuestion = { text, canAllow, answer };
      signal.addEventListener('abort', () => answer(false), { once: true });
      this.#set({ question });
    });
  }

  /** Reads the thread again. */
  async #refresh(): Promise<void> {
    const shown = await this.#place.view();
    if (shown !== null) this.#set(shown);
  }
}
