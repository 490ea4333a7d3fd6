/** One session file by its entries: read at once from the loaded index, added to durably. */
import { messageKit } from '@coppice/content';
import {
  isLeafType,
  type NewLine,
  type SessionEntry,
  type SessionFile,
  type SessionHeader,
  SessionIndex,
  type SessionSummary,
  type SessionWarning,
} from '@coppice/content/sessions';
import { type MessageKit, refuse } from '@coppice/core';
import { contextAt } from './context.ts';
import type {
  AppMessage,
  NewCompaction,
  NewEntry,
  NewSessionOptions,
  ReadOnly,
  SessionContext,
  SessionOptions,
} from './contract.ts';
import { entryIn } from './nodes.ts';
import {
  authorOf,
  checkType,
  checkUnnumbered,
  idMaker,
  isAlmostNumbered,
  isoTimeToSecond,
  isSameEntry,
  newSession,
  ownSessions,
  plainEntry,
  readOnlySession,
  saysSomething,
} from './saving.ts';

/**
 * A session: a tree of entries in one file, and the leaf where it goes on. Reads are answered from the index in memory;
 * whatever saves resolves when it is on the disk.
 */
export class SessionManager {
  readonly #options: SessionOptions;
  readonly #file: SessionFile;
  readonly #tree: SessionIndex;
  // Where this session is. What other tools add to the file does not move it.
  #at: number;
  #seen: number;
  // The leaf after a save, as long as nobody has asked for more than where to go on.
  #saved: string | null = null;
  #isWritable = false;
  // Why nothing is saved here, whoever else in this process writes to the file.
  #shut: 'read-only' | 'closed' | null;
  readonly #actor: string;
  readonly #now: () => number;
  // Ids that are made here say the time that is noted with them, if it is the system's.
  readonly #newId: (now?: number) => string;

  private constructor(options: SessionOptions & ReadOnly, file: SessionFile) {
    this.#options = options;
    this.#file = file;
    this.#shut = options.readOnly === true ? 'read-only' : null;
    this.#tree = new SessionIndex(file);
    this.#at = this.#tree.leaf;
    this.#seen = file.size;
    this.#actor = options.actor ?? 'local';
    this.#now = options.now ?? Date.now;
    this.#newId = idMaker(options, file);
  }

  /** Opens a file. One that another process holds, or another tool wrote, is read only. */
  static open(path: string, options: SessionOptions & ReadOnly): SessionManager {
    return new SessionManager(options, options.files.open(path, { readOnly: options.readOnly === true }));
  }

  /** Takes a file that is open already. */
  static over(file: SessionFile, options: SessionOptions): SessionManager {
    return new SessionManager(options, file);
  }

  /** Begins a session in a new file of a folder. */
  static create(options: NewSessionOptions): SessionManager {
    return new SessionManager(options, options.files.create({ folder: options.folder }, newSession(options)));
  }

  /** Goes on with the newest session of a folder, of one working folder if named; begins one where there is none. */
  static resume(options: NewSessionOptions): SessionManager {
    for (const path of ownSessions(options)) {
      const found = SessionManager.open(path, options);
      // An older file is migrated by opening it, unless it belongs to another tool.
      if (found.file.dialect === 'v2') return found;
      found.close();
    }
    return SessionManager.create(options);
  }

  /** The sessions of a folder, newest first. */
  static list(folder: string, options: Pick<SessionOptions, 'files'>): readonly SessionSummary[] {
    return options.files.list(folder);
  }

  get path(): string {
    return this.#file.path;
  }

  get file(): SessionFile {
    return this.#file;
  }

  /** The tree over the file. */
  get index(): SessionIndex {
    this.#catchUp();
    return this.#tree;
  }

  get #leaf(): number {
    this.#catchUp();
    return this.#at;
  }

  /** Takes in what was saved here: in a row of saves nobody asks for the tree between them. */
  #catchUp(): void {
    if (this.#saved === null) return;
    const at = this.#file.indexOf(this.#saved);
    // A file that somebody cut may not have it any more.
    if (at >= 0) [this.#at, this.#seen] = [at, at + 1];
    this.#saved = null;
    this.#tree.take();
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

  /** Whether entries can be saved here. */
  get writable(): boolean {
    return this.#shut === null && this.#file.writable;
  }

  /** What is to be said about the file's lines, and who else writes to it. */
  getWarnings(): readonly SessionWarning[] {
    return this.#file.warnings;
  }

  /** Takes in what others have added. The leaf stays, unless another part of this project moved it. */
  refresh(): void {
    this.index.refresh();
    this.#follow();
  }

  #follow(): void {
    const { file } = this.#tree;
    for (const { size } = file; this.#seen < size; this.#seen++) {
      if (!file.isOurs(this.#seen)) continue;
      const type = file.typeAt(this.#seen);
      if (isLeafType(type)) this.#at = this.#seen;
      else if (type === 'leaf') this.#at = this.#tree.leafBy(this.#seen) ?? this.#at;
    }
  }

  /** The line of an entry that is a live point of the session; refused where there is none. */
  #liveAt(uuid: string): number {
    const at = this.#file.indexOf(uuid);
    // Lines that were taken in need no look at the newest ones.
    if (at >= this.#seen) this.index.take();
    if (at < 0 || !this.#tree.isLive(at))
      refuse('tree/unknown-node', `There is no entry ${uuid} in ${this.path}.`, { nodeId: uuid });
    return at;
  }

  /** The uuid of the current leaf; the header's while nothing was said, or before the first message. */
  getLeafUuid(): string {
    return this.#saved ?? this.#file.uuidAt(this.#at);
  }

  /** The entry where the session goes on; the header while nothing was said. */
  getCurrentLeaf(): SessionEntry {
    return this.#entry(this.#leaf);
  }

  /** The entries from the header down to an entry, or to the leaf. */
  getPath(fromUuid?: string): SessionEntry[] {
    const to = fromUuid === undefined ? this.#leaf : this.#liveAt(fromUuid);
    return this.index.path(to).map((at) => this.#entry(at));
  }

  /** An entry by its id. */
  getEntry(uuid: string): SessionEntry | undefined {
    const at = this.#file.indexOf(uuid);
    return at < 0 ? undefined : this.#entry(at);
  }

  /** Every live entry in the order of the file, the header left out. */
  getEntries(): SessionEntry[] {
    const found: SessionEntry[] = [];
    for (let at = 1; at < this.#file.size; at++) if (this.index.isLive(at)) found.push(this.#entry(at));
    return found;
  }

  /** The entries that hang on one. */
  getChildren(uuid: string): SessionEntry[] {
    return this.index.children(this.#liveAt(uuid)).map((at) => this.#entry(at));
  }

  #entry(at: number): SessionEntry {
    return entryIn(this.index, at);
  }

  /** The label on an entry. */
  getLabel(uuid: string): string | undefined {
    return this.index.labels.get(this.#file.indexOf(uuid))?.title;
  }

  getName(): string | undefined {
    return this.index.name;
  }

  /** What a model sees at an entry, or at the leaf, with the settings that hold there. */
  buildSessionContext(fromUuid?: string): SessionContext {
    const at = fromUuid === undefined ? this.#leaf : this.#liveAt(fromUuid);
    return contextAt(this.index, at, this.kit);
  }

  // What was writable once is asked no more: the file itself refuses what it cannot take.
  #checkWritable(): void {
    if (this.#isWritable) return;
    const file = this.#file;
    if (this.#shut !== null || !(file.writable || file.claim?.())) throw readOnlySession(file, this.#shut);
    this.#isWritable = true;
  }

  /**
   * Adds entries as one commit; on the disk when this returns, so that the next save finds the leaf where this one put it.
   * Gives the uuid of the first.
   */
  #add(...entries: readonly [SessionEntry, ...SessionEntry[]]): string {
    this.#checkWritable();
    // What others wrote meanwhile is read first; it hangs where they put it, beside what is added now.
    this.#file.append(entries, { actor: this.#actor });
    const first = entries[0];
    if (entries.length === 1 && isLeafType(first.type)) this.#saved = first.uuid;
    else {
      this.index.take();
      this.#follow();
    }
    return first.uuid;
  }

  /** Adds something that is said, alone, as {@link #add} does: what agents do all day, made as the line that it becomes. */
  #addLine(line: NewLine): string {
    this.#checkWritable();
    this.#file.appendLine(line);
    this.#saved = line.uuid;
    return line.uuid;
  }

  /**
   * Goes to an entry, as given, to go on from there; the header is before the first message. Gives the uuid of the line
   * that says so, or of the leaf where nothing moves.
   */
  async branch(parentUuid: string): Promise<string> {
    const at = this.#liveAt(parentUuid);
    if (this.index.standing(at) === this.#leaf && this.#isStanding()) return this.getLeafUuid();
    return this.#add({ type: 'leaf', uuid: this.#newId(), parentUuid, timestamp: isoTimeToSecond(this.#now()) });
  }

  /** Whether a restart would go where this is: not if somebody has spoken since, or a save that failed turned up. */
  #isStanding(): boolean {
    this.index.refresh();
    return this.#tree.leaf === this.#at || !this.#tree.isLive(this.#at);
  }

  /** Goes to an entry and puts a summary of what was left there. Gives the uuid of the summary. */
  async branchWithSummary(
    parentUuid: string,
    summary: string,
    details?: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    this.#liveAt(parentUuid);
    if (!saysSomething(summary)) refuse('message/blank', 'The summary says nothing.', { nodeId: parentUuid });
    const now = this.#now();
    const uuid = this.#newId(now);
    const left = this.getLeafUuid();
    return this.#addLine({
      type: 'branch_summary',
      uuid,
      parentUuid,
      version: 0,
      commit: true,
      timestamp: isoTimeToSecond(now),
      summary,
      // Where there is nothing to say a field is left out of the line.
      fromUuid: left === this.#file.header.uuid ? undefined : left,
      details,
      actor: this.#actor,
    });
  }

  /** Marks where older messages give way to a summary, below the leaf. */
  async saveCompaction(entry: NewCompaction): Promise<string> {
    const { summary, firstKeptEntryUuid: kept, parentUuid } = entry;
    if (!saysSomething(summary)) refuse('message/blank', 'The summary says nothing.', {});
    const end = parentUuid === undefined ? this.#leaf : this.#liveAt(parentUuid);
    if (kept !== undefined && !this.index.path(end).includes(this.#liveAt(kept)))
      refuse('tree/not-on-path', `The entry ${kept} is not on the path to ${this.#file.uuidAt(end)}.`, {
        nodeId: kept,
      });
    return this.#save({ type: 'compaction', ...entry });
  }

  /** Saves a message below an entry, or below the leaf, and goes there. Refuses one that says nothing. */
  async saveMessage(message: AppMessage, parentUuid?: string): Promise<string> {
    const said = authorOf(message);
    const parent = parentUuid === undefined ? this.getLeafUuid() : this.#file.uuidAt(this.#liveAt(parentUuid));
    const now = this.#now();
    const uuid = this.#newId(now);
    // Where there is nothing to note a field is left out of the line.
    const node = isAlmostNumbered(said) ? undefined : { tokens: this.kit.tokens(said) };
    return this.#addLine({
      type: 'message',
      uuid,
      parentUuid: parent,
      version: 0,
      commit: true,
      timestamp: isoTimeToSecond(now),
      message: said,
      node,
      actor: this.#actor,
    });
  }

  /** Saves an entry of any type. Id, place and time are filled in; an id that is taken by another entry is refused. */
  async saveEntry(entry: NewEntry): Promise<string> {
    return this.#save(entry);
  }

  #save(given: NewEntry): string {
    const entry = plainEntry(given);
    // An id that is given may be one that somebody else has used since anybody looked.
    if (entry.uuid !== undefined) this.#file.refresh();
    const uuid = entry.uuid ?? this.#newId();
    checkType(entry.type, uuid);
    const below = entry.parentUuid ?? null;
    const parentUuid = below === null ? this.getLeafUuid() : this.#file.uuidAt(this.#liveAt(below));
    const at = entry.uuid === undefined ? -1 : this.#file.indexOf(uuid);
    if (at >= 0) {
      if (!isSameEntry(this.#entry(at), entry))
        refuse('id/taken', `The id ${uuid} is taken by another entry.`, { nodeId: uuid });
      return uuid;
    }
    checkUnnumbered(entry, uuid);
    // What settings and labels hang on is where the session is; what is said moves the session below its place.
    return this.#add({ ...entry, uuid, parentUuid, timestamp: entry.timestamp ?? isoTimeToSecond(this.#now()) });
  }

  /** Puts a label on an entry; without one it is taken away. */
  async setLabel(uuid: string, label?: string): Promise<string> {
    if (this.#liveAt(uuid) === 0) refuse('tree/root-protected', 'The header cannot be labelled.', { nodeId: uuid });
    const given = label === undefined || label === '' ? {} : { label };
    return this.saveEntry({ type: 'label', targetUuid: uuid, ...given });
  }

  /** Names the session; the empty text takes the name away. */
  async setName(name: string): Promise<string> {
    return this.saveEntry({ type: 'session_info', name: name.trim() });
  }

  /** Chooses the model for what follows on this branch. */
  async setModel(provider: string, modelId: string): Promise<string> {
    return this.#setting({ type: 'model_change', provider, modelId });
  }

  /** Chooses how much the model is to think on this branch. */
  async setThinkingLevel(thinkingLevel: string): Promise<string> {
    return this.#setting({ type: 'thinking_level_change', thinkingLevel });
  }

  // A setting holds for what hangs below it, so the session goes on there, in the same commit.
  #setting(entry: NewEntry): string {
    const uuid = this.#newId();
    const timestamp = isoTimeToSecond(this.#now());
    return this.#add(
      { ...entry, uuid, parentUuid: this.getLeafUuid(), timestamp },
      { type: 'leaf', uuid: this.#newId(), parentUuid: uuid, timestamp },
    );
  }

  /** Closes it, once: others in this process may have the file open. */
  close(): void {
    if (this.#shut !== 'closed') this.#file.close();
    [this.#shut, this.#isWritable] = ['closed', false];
  }
}
