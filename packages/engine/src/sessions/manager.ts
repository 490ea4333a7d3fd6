/** Manages one session file: reads from an index in memory, and appends durably. */
import { messageKit } from '@coppice/content';
import {
  type CommitLine,
  isLeafEntryType,
  type SessionEntry,
  type SessionFile,
  type SessionHeader,
  SessionIndex,
  type SessionSummary,
  type SessionWarning,
} from '@coppice/content/sessions';
import { type MessageKit, refuse } from '@coppice/core';
import { readSessionContext } from './context.ts';
import type {
  AppMessage,
  NewCompaction,
  NewEntry,
  NewSessionOptions,
  ReadOnlyOption,
  SessionContext,
  SessionOptions,
} from './contract.ts';
import { readChangedEntry } from './nodes.ts';
import {
  assertCallerEntryType,
  assertNoReservedFields,
  createEntryIdGenerator,
  formatEntryTime,
  hasVisibleText,
  isMessageQuickToCount,
  isSameEntry,
  listContinuableSessions,
  makeReadOnlySessionError,
  newSessionHeader,
  toPlainEntry,
  toStoredMessage,
} from './saving.ts';

/**
 * A session: a tree of entries in one file, and its current leaf. Reads use the index in memory; saves resolve when
 * they are on disk.
 */
export class SessionManager {
  readonly #options: SessionOptions;
  readonly #file: SessionFile;
  readonly #tree: SessionIndex;
  // The line number of the current leaf. Lines that other tools append do not change it.
  #leafLine: number;
  #indexedLines: number;
  // The uuid of the leaf after a save, until the index is updated.
  #savedLeaf: string | null = null;
  #isWritable = false;
  // Why this manager refuses to save, even if the process writes to the file through another manager.
  #closedReason: 'read-only' | 'closed' | null;
  readonly #actor: string;
  readonly #now: () => number;
  // If entries use the system time, the generated id contains the entry's timestamp.
  readonly #newId: (now?: number) => string;

  private constructor(options: SessionOptions & ReadOnlyOption, file: SessionFile) {
    this.#options = options;
    this.#file = file;
    this.#closedReason = options.readOnly === true ? 'read-only' : null;
    this.#tree = new SessionIndex(file);
    this.#leafLine = this.#tree.leaf;
    this.#indexedLines = file.size;
    this.#actor = options.actor ?? 'local';
    this.#now = options.now ?? Date.now;
    this.#newId = createEntryIdGenerator(options, file);
  }

  /** Opens a file. It is read-only if another process has locked it or another tool wrote it. */
  static open(path: string, options: SessionOptions & ReadOnlyOption): SessionManager {
    return new SessionManager(options, options.files.open(path, { readOnly: options.readOnly === true }));
  }

  /** Creates a manager for a file that is already open. */
  static over(file: SessionFile, options: SessionOptions): SessionManager {
    return new SessionManager(options, file);
  }

  /** Creates a session in a new file of a folder. */
  static create(options: NewSessionOptions): SessionManager {
    return new SessionManager(options, options.files.create({ folder: options.folder }, newSessionHeader(options)));
  }

  /** Opens the newest session of a folder, optionally of one working directory; creates a session if there is none. */
  static resume(options: NewSessionOptions): SessionManager {
    for (const path of listContinuableSessions(options)) {
      const found = SessionManager.open(path, options);
      // Opening a file converts an older version, but not a file of another tool.
      if (found.file.dialect === 'v2') return found;
      found.close();
    }
    return SessionManager.create(options);
  }

  /** Lists the sessions of a folder, newest first. */
  static list(folder: string, options: Pick<SessionOptions, 'files'>): readonly SessionSummary[] {
    return options.files.list(folder);
  }

  get path(): string {
    return this.#file.path;
  }

  get file(): SessionFile {
    return this.#file;
  }

  /** The index of the file, up to date with this manager's saves. */
  get index(): SessionIndex {
    this.#catchUp();
    return this.#tree;
  }

  get #leaf(): number {
    this.#catchUp();
    return this.#leafLine;
  }

  /** Adds saved entries to the index. This is deferred, because consecutive saves do not need the index. */
  #catchUp(): void {
    if (this.#savedLeaf === null) return;
    const at = this.#file.indexOf(this.#savedLeaf);
    // If another program truncated the file, the saved line no longer exists.
    if (at >= 0) [this.#leafLine, this.#indexedLines] = [at, at + 1];
    this.#savedLeaf = null;
    this.#tree.readAppended();
  }

  get kit(): MessageKit {
    return this.#options.kit ?? messageKit;
  }

  getHeader(): SessionHeader {
    return this.#file.header;
  }

  getSessionId(): string {
    return this.#file.header.id;
  }

  /** Whether this manager can save entries. */
  get writable(): boolean {
    return this.#closedReason === null && this.#file.writable;
  }

  /** Returns warnings about invalid lines and about other writers. */
  getWarnings(): readonly SessionWarning[] {
    return this.#file.warnings;
  }

  /**
   * Reads lines that other processes have appended. The leaf does not change, unless another part of this process moved
   * it.
   */
  refresh(): void {
    this.index.refresh();
    this.#follow();
  }

  #follow(): void {
    const { file } = this.#tree;
    for (const { size } = file; this.#indexedLines < size; this.#indexedLines++) {
      if (!file.isOurs(this.#indexedLines)) continue;
      const type = file.typeAt(this.#indexedLines);
      if (isLeafEntryType(type)) this.#leafLine = this.#indexedLines;
      else if (type === 'leaf') this.#leafLine = this.#tree.leafTarget(this.#indexedLines) ?? this.#leafLine;
    }
  }

  /** Returns the line number of an entry. Throws if it does not exist or is deleted. */
  #requireLiveLine(uuid: string): number {
    const at = this.#file.indexOf(uuid);
    // A line that is already indexed needs no update of the index.
    if (at >= this.#indexedLines) this.index.readAppended();
    if (at < 0 || !this.#tree.isLive(at))
      refuse('tree/unknown-node', `There is no entry ${uuid} in ${this.path}.`, { nodeId: uuid });
    return at;
  }

  /**
   * Returns the uuid of the current leaf; the header's if the session is empty or positioned before the first message.
   */
  getLeafUuid(): string {
    return this.#savedLeaf ?? this.#file.uuidAt(this.#leafLine);
  }

  /** Returns the current leaf; the header if the session is empty. */
  getCurrentLeaf(): SessionEntry {
    return this.#entry(this.#leaf);
  }

  /** Returns the entries from the header down to an entry, by default the leaf. */
  getPath(fromUuid?: string): SessionEntry[] {
    const to = fromUuid === undefined ? this.#leaf : this.#requireLiveLine(fromUuid);
    return this.index.path(to).map((at) => this.#entry(at));
  }

  /** Returns an entry, even a deleted one; undefined if the id is unknown. */
  getEntry(uuid: string): SessionEntry | undefined {
    const at = this.#file.indexOf(uuid);
    return at < 0 ? undefined : this.#entry(at);
  }

  /** Returns all live entries in file order, without the header. */
  getEntries(): SessionEntry[] {
    const found: SessionEntry[] = [];
    for (let at = 1; at < this.#file.size; at++) if (this.index.isLive(at)) found.push(this.#entry(at));
    return found;
  }

  /** Returns the children of an entry, in order. */
  getChildren(uuid: string): SessionEntry[] {
    return this.index.children(this.#requireLiveLine(uuid)).map((at) => this.#entry(at));
  }

  #entry(at: number): SessionEntry {
    return readChangedEntry(this.index, at);
  }

  /** Returns the label of an entry; undefined if it has none. */
  getLabel(uuid: string): string | undefined {
    return this.index.labels.get(this.#file.indexOf(uuid))?.title;
  }

  getName(): string | undefined {
    return this.index.name;
  }

  /** Returns the context and settings at an entry, by default the leaf. */
  buildSessionContext(fromUuid?: string): SessionContext {
    const at = fromUuid === undefined ? this.#leaf : this.#requireLiveLine(fromUuid);
    return readSessionContext(this.index, at, this.kit);
  }

  // Throws if the file is read-only or closed. Checked once; later the file itself refuses writes.
  #checkWritable(): void {
    if (this.#isWritable) return;
    const file = this.#file;
    if (this.#closedReason !== null || !(file.writable || file.claim?.()))
      throw makeReadOnlySessionError(file, this.#closedReason);
    this.#isWritable = true;
  }

  /**
   * Appends entries as one commit. They are on disk when this returns, and the next save continues below them. Returns
   * the uuid of the first one.
   */
  #add(...entries: readonly [SessionEntry, ...SessionEntry[]]): string {
    this.#checkWritable();
    // Lines that other processes wrote meanwhile are read first; the new entries become their siblings.
    this.#file.append(entries, { actor: this.#actor });
    const first = entries[0];
    if (entries.length === 1 && isLeafEntryType(first.type)) this.#savedLeaf = first.uuid;
    else {
      this.index.readAppended();
      this.#follow();
    }
    return first.uuid;
  }

  /**
   * Appends one message like {@link #add}. This is the common case, so the line is formatted without an entry object.
   */
  #addLine(line: CommitLine): string {
    this.#checkWritable();
    this.#file.appendLine(line);
    this.#savedLeaf = line.uuid;
    return line.uuid;
  }

  /**
   * Moves to an entry; the header is the position before the first message. Returns the uuid of the line that records
   * the move, or of the leaf if nothing changed.
   */
  async branch(parentUuid: string): Promise<string> {
    const at = this.#requireLiveLine(parentUuid);
    if (this.index.nearestNode(at) === this.#leaf && this.#isLeafCurrent()) return this.getLeafUuid();
    return this.#add({ type: 'leaf', uuid: this.#newId(), parentUuid, timestamp: formatEntryTime(this.#now()) });
  }

  /**
   * Returns whether reopening the file would give the same leaf. It would not if another process appended a message, or
   * if a save that seemed to fail was stored.
   */
  #isLeafCurrent(): boolean {
    this.index.refresh();
    return this.#tree.leaf === this.#leafLine || !this.#tree.isLive(this.#leafLine);
  }

  /** Moves to an entry and adds a summary of the branch that is left. Returns the uuid of the summary. */
  async branchWithSummary(
    parentUuid: string,
    summary: string,
    details?: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    this.#requireLiveLine(parentUuid);
    if (!hasVisibleText(summary)) refuse('message/blank', 'The summary is empty.', { nodeId: parentUuid });
    const now = this.#now();
    const uuid = this.#newId(now);
    const left = this.getLeafUuid();
    return this.#addLine({
      type: 'branch_summary',
      uuid,
      parentUuid,
      version: 0,
      commit: true,
      timestamp: formatEntryTime(now),
      summary,
      // Undefined fields are left out of the line.
      fromUuid: left === this.#file.header.uuid ? undefined : left,
      details,
      actor: this.#actor,
    });
  }

  /** Adds a compaction marker below the leaf or below `parentUuid`. Throws on a blank summary. */
  async saveCompaction(entry: NewCompaction): Promise<string> {
    const { summary, firstKeptEntryUuid: kept, parentUuid } = entry;
    if (!hasVisibleText(summary)) refuse('message/blank', 'The summary is empty.', {});
    const end = parentUuid === undefined ? this.#leaf : this.#requireLiveLine(parentUuid);
    if (kept !== undefined && !this.index.path(end).includes(this.#requireLiveLine(kept)))
      refuse('tree/not-on-path', `The entry ${kept} is not on the path to ${this.#file.uuidAt(end)}.`, {
        nodeId: kept,
      });
    return this.#save({ type: 'compaction', ...entry });
  }

  /** Saves a message below an entry, by default the leaf, and makes it the leaf. Throws on a blank message. */
  async saveMessage(message: AppMessage, parentUuid?: string): Promise<string> {
    const storedMessage = toStoredMessage(message);
    const parent = parentUuid === undefined ? this.getLeafUuid() : this.#file.uuidAt(this.#requireLiveLine(parentUuid));
    const now = this.#now();
    const uuid = this.#newId(now);
    // Undefined fields are left out of the line.
    const node = isMessageQuickToCount(storedMessage) ? undefined : { tokens: this.kit.tokens(storedMessage) };
    return this.#addLine({
      type: 'message',
      uuid,
      parentUuid: parent,
      version: 0,
      commit: true,
      timestamp: formatEntryTime(now),
      message: storedMessage,
      node,
      actor: this.#actor,
    });
  }

  /** Saves an entry of any type. Missing id, parent and time are filled in; an id that is already used is refused. */
  async saveEntry(entry: NewEntry): Promise<string> {
    return this.#save(entry);
  }

  #save(given: NewEntry): string {
    const entry = toPlainEntry(given);
    // Another process may have used the given id since the last read.
    if (entry.uuid !== undefined) this.#file.refresh();
    const uuid = entry.uuid ?? this.#newId();
    assertCallerEntryType(entry.type, uuid);
    const below = entry.parentUuid ?? null;
    const parentUuid = below === null ? this.getLeafUuid() : this.#file.uuidAt(this.#requireLiveLine(below));
    const at = entry.uuid === undefined ? -1 : this.#file.indexOf(uuid);
    if (at >= 0) {
      if (!isSameEntry(this.#entry(at), entry))
        refuse('id/taken', `The id ${uuid} is taken by another entry.`, { nodeId: uuid });
      return uuid;
    }
    assertNoReservedFields(entry, uuid);
    // A message becomes the leaf; settings and labels do not.
    return this.#add({ ...entry, uuid, parentUuid, timestamp: entry.timestamp ?? formatEntryTime(this.#now()) });
  }

  /** Sets the label of an entry; without a label removes it. */
  async setLabel(uuid: string, label?: string): Promise<string> {
    if (this.#requireLiveLine(uuid) === 0)
      refuse('tree/root-protected', 'The header cannot be labelled.', { nodeId: uuid });
    const given = label === undefined || label === '' ? {} : { label };
    return this.saveEntry({ type: 'label', targetUuid: uuid, ...given });
  }

  /** Sets the session's name; the empty string removes it. */
  async setName(name: string): Promise<string> {
    return this.saveEntry({ type: 'session_info', name: name.trim() });
  }

  /** Sets the model for entries below the leaf. */
  async setModel(provider: string, modelId: string): Promise<string> {
    return this.#setting({ type: 'model_change', provider, modelId });
  }

  /** Sets the thinking level for entries below the leaf. */
  async setThinkingLevel(thinkingLevel: string): Promise<string> {
    return this.#setting({ type: 'thinking_level_change', thinkingLevel });
  }

  // A setting applies to its descendants, so it becomes the leaf in the same commit.
  #setting(entry: NewEntry): string {
    const uuid = this.#newId();
    const timestamp = formatEntryTime(this.#now());
    return this.#add(
      { ...entry, uuid, parentUuid: this.getLeafUuid(), timestamp },
      { type: 'leaf', uuid: this.#newId(), parentUuid: uuid, timestamp },
    );
  }

  /**
   * Closes the file for this manager; other parts of the process may still have it open. Calling it again has no
   * effect.
   */
  close(): void {
    if (this.#closedReason !== 'closed') this.#file.close();
    [this.#closedReason, this.#isWritable] = ['closed', false];
  }
}
