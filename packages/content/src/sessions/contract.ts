// Session files: one session per file of JSON lines; each entry names its parent. This folder only converts lines; the
// stores access the files.
import type { Store } from '@coppice/core';

/** The version of the format that Coppice writes. */
export const sessionVersion = 2;

// The version number that the terminal agent `pi` writes into the header of any file that it opens. It changes nothing
// else.
const stampOfPi = 3;

/** Whether this build can read a header of Coppice's format with this version. */
export function isReadableVersion(version: number): boolean {
  return version <= sessionVersion || version === stampOfPi;
}

/** One line: its type, id and parent entry. Only the header has no parent. */
export interface SessionEntry {
  readonly type: string;
  readonly uuid: string;
  readonly parentUuid: string | null;
  /** The time in ISO 8601, for display. */
  readonly timestamp?: string;
  readonly [key: string]: unknown;
}

/** The first line: the root of the tree. */
export interface SessionHeader extends SessionEntry {
  readonly type: 'session';
  readonly parentUuid: null;
  /** The version of the session format. */
  readonly version: number;
  /** The id of the session, from which the id of its tree is derived. */
  readonly id: string;
  readonly cwd?: string;
  /** The file from which the session was branched or converted. */
  readonly parentSession?: string;
}

/** The tool that wrote a file, detected by the shape of its lines. */
export type SessionDialect =
  /** Lines without ids that form a chain in their order. */
  | 'v1'
  /** Coppice's own format. */
  | 'v2'
  /** Lines with `id` and `parentId`, and a header outside the tree. */
  | 'pi'
  /** Lines with `uuid` and `parentUuid`, without a header, and with several lines per reply. */
  | 'claude-code';

/** A problem with a file. Every entry that is left out or moved has a warning. */
export interface SessionWarning {
  /**
   * - `torn`: the last line is cut off, or the last commit is incomplete; it was never acknowledged;
   * - `damaged`: a line in the middle cannot be read; it stays in the file;
   * - `lost`: lines are missing: the commit numbers have a gap, a commit has fewer lines than it states, or there is no
   *   header;
   * - `order`: a line comes before its parent, or after a later line;
   * - `orphan`: the parent of the entry is missing or one of its descendants, so it is shown below the previous
   *   message;
   * - `twice`: an id is used a second time;
   * - `unkept`: a compaction names a first kept entry that does not exist;
   * - `misfit`: a change cannot be applied to the tree, for example after an earlier line was lost.
   */
  readonly code: 'torn' | 'damaged' | 'lost' | 'order' | 'orphan' | 'twice' | 'unkept' | 'misfit';
  readonly message: string;
  /** The line number, from 1; 0 if it is unknown. */
  readonly line: number;
  /** The byte offset of the line. */
  readonly offset: number;
  readonly uuid?: string;
}

/** The process that holds the lease of a file. */
export interface SessionHolder {
  readonly pid: number;
  readonly host: string;
}

/**
 * An open session file. Line 0 is the header. The other lines follow in file order, without unreadable lines and lines
 * of incomplete commits. A line is parsed when it is needed.
 */
export interface SessionFile {
  readonly path: string;
  readonly dialect: SessionDialect;
  readonly header: SessionHeader;
  /** Whether entries can be added: the file has Coppice's format and this process holds the lease. */
  readonly writable: boolean;
  /** The other process that holds the lease. */
  readonly holder: SessionHolder | null;
  readonly warnings: readonly SessionWarning[];
  /** The number of lines, including the header. */
  readonly size: number;
  /** The number of commits, which is the number of the last one. */
  readonly version: number;
  /** Returns the line with this id; −1 if no line has it. */
  indexOf(uuid: string): number;
  uuidAt(index: number): string;
  typeAt(index: number): string;
  /** Returns the parent of a line; −1 for the header. */
  parentAt(index: number): number;
  /** Returns the parent id of a line if that parent is missing and another line is used as the parent. */
  namedParentAt?(index: number): string | undefined;
  /** Whether Coppice wrote the line. */
  isOurs(index: number): boolean;
  /** Parses a line. A line that is damaged after its ids gives only its type and parent. */
  entryAt(index: number): SessionEntry;
  /**
   * Returns the remainder of a line after type, ids and number, up to the end of its JSON object. These bytes can be
   * copied to another file without parsing. Returns null if the line cannot be copied like this.
   */
  restAt?(index: number): Uint8Array | null;
  /** Reads lines that other processes have added, and returns their number. */
  refresh(): number;
  /**
   * Takes the lease if the file was opened for writing and the lease is free. Returns whether entries can be added.
   * Another process may have ended, or a full disk may have space again. Throws while the disk is full.
   */
  claim?(): boolean;
  /** Adds entries as one commit. They are on disk when it returns. Throws if the file is not writable. */
  append(entries: readonly SessionEntry[], commit?: SessionCommit): void;
  /**
   * Adds a line that is a whole commit, with the next commit number. It is on disk when it returns. Throws like
   * `append`.
   */
  appendLine(line: CommitLine): void;
  close(): void;
}

/** What a list of sessions shows about one file. */
export interface SessionSummary {
  readonly path: string;
  readonly dialect: SessionDialect | null;
  readonly id: string;
  readonly name?: string;
  readonly cwd?: string;
  readonly parentSession?: string;
  /** The creation time in milliseconds; 0 if it is unknown. */
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly bytes: number;
  readonly messages: number;
  /** The beginning of the first message. */
  readonly firstMessage: string;
  /** Why the file cannot be read. Damaged sessions are listed as well. */
  readonly trouble?: string;
}

/** An entry that is copied to another file, where it may get another parent. */
export interface CopiedEntry {
  readonly type: string;
  readonly uuid: string;
  readonly parentUuid: string;
  /** The bytes from {@link SessionFile.restAt}, which are valid until the next line of that file is read. */
  readonly rest: Uint8Array;
}

/** The header fields and entries of a session to be created. */
export interface NewSession {
  readonly uuid: string;
  readonly id: string;
  readonly at: number;
  readonly cwd?: string;
  readonly parentSession?: string;
  /** The entries in order. They are read one by one, so that a long session is never completely in memory. */
  readonly entries?: Iterable<SessionEntry | CopiedEntry>;
  readonly commit: SessionCommit;
}

/**
 * Opens, creates and deletes session files. The engine receives an implementation, because it does not access files
 * itself.
 */
export interface SessionFiles {
  /**
   * Opens a file. For a file of Coppice's format the lease is taken, unless it is opened read-only. Version 1 is
   * migrated; files of other tools are not changed.
   */
  open(path: string, options?: { readonly readOnly?: boolean }): SessionFile;
  /** Creates a file in a folder or at a path; never overwrites a file. */
  create(place: { readonly folder: string } | { readonly path: string }, session: NewSession): SessionFile;
  /** Writes a text to a new file atomically; never overwrites a file. For formats of other tools. */
  save(path: string, pieces: Iterable<string>): void;
  /** Lists the sessions of a folder, newest first. */
  list(folder: string): readonly SessionSummary[];
  /** Moves a file to the trash of its folder, and returns the new path. */
  trash(path: string): string;
  /** Restores a file from the trash, and returns its path. */
  restore(path: string): string;
  /**
   * Opens the session as a store with one tree. Changes of the store are written to the file, and lines that are added
   * to the file appear in the store.
   */
  store(path: string): Promise<Store>;
}

/** What the last line of a commit records about the commit. */
export interface SessionCommit {
  /** The act id. If it is missing, it is derived from the commit number, and the commit is a separate act. */
  readonly actId?: string;
  readonly actor: string;
  /** The time of the commit in milliseconds; the time of the entry if missing. */
  readonly at?: number;
  readonly kind?: 'undo' | 'redo';
  readonly sequence?: number;
  readonly format?: 'linear';
}

/**
 * An entry that is a whole commit, in the form of its line: common fields first, then the fields of the entry and of
 * the commit. Nearly every save has this form, so it is serialised directly.
 */
export interface CommitLine extends SessionEntry, SessionCommit {
  version: number;
  readonly commit: true;
}

/** The names of the commit fields on the last line of a commit; `lines` is the number of lines, if it is above one. */
export const commitFields: readonly (keyof SessionCommit | 'lines')[] = [
  'actId',
  'actor',
  'at',
  'kind',
  'sequence',
  'format',
  'lines',
];

// Entry types that become the leaf: messages and summaries. Other types, such as settings and labels, are in the tree
// but never the leaf.
const leafTypes: ReadonlySet<string> = new Set([
  'message',
  'branch_summary',
  'stack_summary',
  'compaction',
  'custom_message',
]);

/** Whether an entry of this type becomes the leaf when it is added. */
export function isLeafEntryType(type: string): boolean {
  return leafTypes.has(type);
}

// Line types about the session that are not nodes of the tree. Their children count as children of the entry above.
const asides: ReadonlySet<string> = new Set(['leaf', 'change', 'label', 'session_info', 'linear', 'log', 'state']);

/** Whether lines of this type are about the session and not nodes of the tree. */
export function isSideEntryType(type: string): boolean {
  return asides.has(type);
}
