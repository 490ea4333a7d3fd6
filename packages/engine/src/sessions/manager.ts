/** One session file by its entries: read at once from the loaded index, added to durably. */
import { messageKit } from '@coppice/content';
import {
  isLeafType,
  type SessionCommit,
  type SessionEntry,
  type SessionFile,
  type SessionFiles,
  type SessionHeader,
  SessionIndex,
  type SessionSummary,
  type SessionWarning,
} from '@coppice/content/sessions';
import { type MessageKit, refuse } from '@coppice/core';
import { newId } from '../new-id.ts';
import { contextAt } from './context.ts';
import type { AppMessage, NewCompaction, NewEntry, SessionContext } from './contract.ts';
import { isoTime, isSame, isSoonCounted, plainEntry, readOnly, saidBy, saysSomething } from './saving.ts';

/** What a manager is made with; all but the files has a default. */
export interface SessionOptions {
  readonly files: SessionFiles;
  /** Who writes; `local` if not given. */
  readonly actor?: string;
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly kit?: MessageKit;
}

/** Where a new session begins. */
export interface NewSessionOptions extends SessionOptions {
  readonly folder: string;
  readonly cwd?: string;
  readonly parentSession?: string;
}

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
  readonly #by: SessionCommit;

  private constructor(options: SessionOptions, file: SessionFile) {
    this.#options = options;
    this.#file = file;
    this.#tree = new SessionIndex(file);
    this.#at = this.#tree.leaf;
    this.#seen = file.size;
    this.#by = { actor: options.actor ?? 'local' };
  }

  /** Opens a file. One that another process holds, or another tool wrote, is read only. */
  static open(path: string, options: SessionOptions & { readonly readOnly?: boolean }): SessionManager {
    const { readOnly = false } = options;
    return new SessionManager(options, options.files.open(path, { readOnly }));
  }

  /** Takes a file that is open already. */
  static over(file: SessionFile, options: SessionOptions): SessionManager {
    return new SessionManager(options, file);
  }

  /** Begins a session in a new file of a folder. */
  static create(options: NewSessionOptions): SessionManager {
    const { files, folder, cwd, parentSession, now = Date.now } = options;
    const makeId = options.newId ?? (() => newId());
    const at = now();
    const file = files.create(
      { folder },
      {
        uuid: makeId(),
        id: makeId(),
        at,
        ...(cwd === undefined ? {} : { cwd }),
        ...(parentSession === undefined ? {} : { parentSession }),
        commit: { actId: makeId(), actor: options.actor ?? 'local', at },
      },
    );
    return new SessionManager(options, file);
  }

  /** Goes on with the newest session of a folder, of one working folder if named; begins one where there is none. */
  static resume(options: NewSessionOptions): SessionManager {
    for (const { path, trouble, cwd, dialect } of options.files.list(options.folder)) {
      const known = trouble === undefined && (dialect === 'v2' || dialect === 'v1');
      if (!known || (options.cwd !== undefined && cwd !== options.cwd)) continue;
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
    return this.#index;
  }

  get #index(): SessionIndex {
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
    return this.#file.writable;
  }

  /** What is to be said about the file's lines, and who else writes to it. */
  getWarnings(): readonly SessionWarning[] {
    return this.#file.warnings;
  }

  /** Takes in what others have added. The leaf stays, unless another part of this project moved it. */
  refresh(): void {
    this.#index.refresh();
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
    if (at >= this.#seen) this.#index.take();
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
    return this.#index.path(to).map((at) => this.#entry(at));
  }

  /** An entry by its id. */
  getEntry(uuid: string): SessionEntry | undefined {
    const at = this.#file.indexOf(uuid);
    return at < 0 ? undefined : this.#entry(at);
  }

  /** Every live entry in the order of the file, the header left out. */
  getEntries(): SessionEntry[] {
    const found: SessionEntry[] = [];
    for (let at = 1; at < this.#file.size; at++) if (this.#index.isLive(at)) found.push(this.#entry(at));
    return found;
  }

  /** The entries that hang on one. */
  getChildren(uuid: string): SessionEntry[] {
    return this.#index.children(this.#liveAt(uuid)).map((at) => this.#entry(at));
  }

  /** An entry with what later lines say about it: another parent, other content. */
  #entry(at: number): SessionEntry {
    if (at === 0) return this.#file.header;
    const entry = this.#file.entryAt(at);
    const parentUuid = this.#file.uuidAt(this.#index.parent(at));
    const message = this.#index.amendment(at)?.message;
    return message === undefined
      ? { ...entry, parentUuid }
      : { ...entry, parentUuid, ...(entry.type === 'message' ? { message } : { amended: message }) };
  }

  /** The label on an entry. */
  getLabel(uuid: string): string | undefined {
    return this.#index.labels.get(this.#file.indexOf(uuid))?.title;
  }

  getName(): string | undefined {
    return this.#index.name;
  }

  /** What a model sees at an entry, or at the leaf, with the settings that hold there. */
  buildSessionContext(fromUuid?: string): SessionContext {
    const at = fromUuid === undefined ? this.#leaf : this.#liveAt(fromUuid);
    return contextAt(this.#index, at, this.kit);
  }

  #newId(): string {
    const make = this.#options.newId;
    if (make === undefined) return newId();
    const made = make();
    if (this.#file.indexOf(made) >= 0) refuse('id/taken', `The id ${made} is taken.`, { nodeId: made });
    return made;
  }

  #time(): string {
    return isoTime((this.#options.now ?? Date.now)());
  }

  /**
   * Adds entries as one commit; on the disk when this returns, so that the next save finds the leaf where this one put it.
   * Gives the uuid of the first.
   */
  #add(...entries: readonly [SessionEntry, ...SessionEntry[]]): string {
    if (!this.#file.writable && this.#file.claim?.() !== true) throw readOnly(this.#file);
    // What others wrote meanwhile is read first; it hangs where they put it, beside what is added now.
    this.#file.append(entries, this.#by);
    const first = entries[0];
    if (entries.length === 1 && isLeafType(first.type)) this.#saved = first.uuid;
    else {
      this.#index.take();
      this.#follow();
    }
    return first.uuid;
  }

  /**
   * Goes to an entry, as given, to go on from there; the header is before the first message. Gives the uuid of the line
   * that says so, or of the leaf where nothing moves.
   */
  async branch(parentUuid: string): Promise<string> {
    const at = this.#liveAt(parentUuid);
    if (this.#index.standing(at) === this.#leaf) return this.getLeafUuid();
    const uuid = this.#newId();
    return this.#add({ type: 'leaf', uuid, parentUuid, timestamp: this.#time() });
  }

  /** Goes to an entry and puts a summary of what was left there. Gives the uuid of the summary. */
  async branchWithSummary(
    parentUuid: string,
    summary: string,
    details?: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    this.#liveAt(parentUuid);
    if (!saysSomething(summary)) refuse('message/blank', 'The summary says nothing.', { nodeId: parentUuid });
    const uuid = this.#newId();
    const timestamp = this.#time();
    const fromUuid = this.getLeafUuid();
    if (details === undefined && fromUuid !== this.#file.header.uuid)
      return this.#add({ type: 'branch_summary', uuid, parentUuid, timestamp, summary, fromUuid });
    const left = fromUuid === this.#file.header.uuid ? {} : { fromUuid };
    return this.#add({ type: 'branch_summary', uuid, parentUuid, timestamp, summary, ...left, details });
  }

  /** Marks where older messages give way to a summary, below the leaf. */
  async saveCompaction(entry: NewCompaction): Promise<string> {
    const { summary, firstKeptEntryUuid: kept } = entry;
    if (!saysSomething(summary)) refuse('message/blank', 'The summary says nothing.', {});
    if (kept !== undefined && !this.#index.path(this.#leaf).includes(this.#liveAt(kept)))
      refuse('tree/not-on-path', `The entry ${kept} is not on the way to the leaf.`, { nodeId: kept });
    return this.#save({ type: 'compaction', ...entry });
  }

  /** Saves a message below an entry, or below the leaf, and goes there. Refuses one that says nothing. */
  async saveMessage(message: AppMessage, parentUuid?: string): Promise<string> {
    const said = saidBy(message);
    const parent = parentUuid === undefined ? this.getLeafUuid() : this.#file.uuidAt(this.#liveAt(parentUuid));
    const entry = { type: 'message', uuid: this.#newId(), parentUuid: parent, timestamp: this.#time(), message: said };
    return this.#add(isSoonCounted(said) ? entry : { ...entry, node: { tokens: this.kit.tokens(said) } });
  }

  /** Saves an entry of any type. Id, place and time are filled in; an id that is taken by another entry is refused. */
  async saveEntry(entry: NewEntry): Promise<string> {
    return this.#save(entry);
  }

  #save(given: NewEntry): string {
    const entry = plainEntry(given);
    const { type } = entry;
    // An id that is given may be one that somebody else has used since anybody looked.
    if (entry.uuid !== undefined) this.#file.refresh();
    const uuid = entry.uuid ?? this.#newId();
    if (type === 'session') refuse('tree/root-protected', 'A session has one header.', { nodeId: uuid });
    // Lines by which a file is kept: whoever wrote one by hand could lose what the session holds.
    if (kept.has(type))
      refuse('command/invalid', `Entries of the type ${type} are written by the session alone.`, { nodeId: uuid });
    const below = entry.parentUuid ?? null;
    const parentUuid = below === null ? this.getLeafUuid() : this.#file.uuidAt(this.#liveAt(below));
    const at = entry.uuid === undefined ? -1 : this.#file.indexOf(uuid);
    if (at >= 0) {
      if (!isSame(this.#entry(at), entry))
        refuse('id/taken', `The id ${uuid} is taken by another entry.`, { nodeId: uuid });
      return uuid;
    }
    if (entry['version'] !== undefined || entry['commit'] !== undefined)
      refuse('command/invalid', 'The session notes version and commit itself: put yours below another name.', {
        nodeId: uuid,
      });
    // What settings and labels hang on is where the session is; what is said moves the session below its place.
    return this.#add({ ...entry, uuid, parentUuid, timestamp: entry.timestamp ?? this.#time() });
  }

  /** Puts a label on an entry; without one it is taken away. */
  async setLabel(uuid: string, label?: string): Promise<string> {
    if (this.#liveAt(uuid) === 0) refuse('tree/root-protected', 'The header cannot be labelled.', { nodeId: uuid });
    return this.saveEntry({
      type: 'label',
      targetUuid: uuid,
      ...(label === undefined || label === '' ? {} : { label }),
    });
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
    const timestamp = this.#time();
    return this.#add(
      { ...entry, uuid, parentUuid: this.getLeafUuid(), timestamp },
      { type: 'leaf', uuid: this.#newId(), parentUuid: uuid, timestamp },
    );
  }

  close(): void {
    this.#file.close();
  }
}

const kept: ReadonlySet<string> = new Set(['change', 'linear', 'log', 'state']);
