// Session files: one session per file of JSON lines, each entry naming its parent. This folder defines the meaning of
// the lines without a file system; code that reads and writes files uses it.
import type { JsonObject, Store } from '@coppice/core';

/** The version of written lines. */
export const sessionVersion = 2;

// The terminal agent `pi` writes its own version number into the header of any file it opens, and changes nothing else.
const stampOfPi = 3;

/** Whether a header of our format has a version that this build can read. */
export function isReadableVersion(version: number): boolean {
  return version <= sessionVersion || version === stampOfPi;
}

/** One line: its type, id and parent entry (null for the header only). */
export interface SessionEntry {
  readonly type: string;
  readonly uuid: string;
  readonly parentUuid: string | null;
  /** ISO 8601, for display. */
  readonly timestamp?: string;
  readonly [key: string]: unknown;
}

/** The first line: the root of the tree. */
export interface SessionHeader extends SessionEntry {
  readonly type: 'session';
  readonly parentUuid: null;
  /** The version of the format. */
  readonly version: number;
  /** The session's id. */
  readonly id: string;
  readonly cwd?: string;
  /** The file from which the session was branched or converted. */
  readonly parentSession?: string;
}

/** A message. */
export interface MessageEntry extends SessionEntry {
  readonly type: 'message';
  readonly message: unknown;
}

/** The summary of a branch that was left, as `branch_summary` or by its older name `stack_summary`. */
export interface BranchSummaryEntry extends SessionEntry {
  readonly type: 'branch_summary' | 'stack_summary';
  readonly summary: string;
  /** The leaf that was left. */
  readonly fromUuid?: string;
  readonly details?: JsonObject;
}

/** Marks where a summary replaces older messages. */
export interface CompactionEntry extends SessionEntry {
  readonly type: 'compaction';
  readonly summary: string;
  readonly firstKeptEntryUuid?: string;
  readonly tokensBefore?: number;
  readonly details?: JsonObject;
}

/** Makes its parent the active node. */
export interface LeafEntry extends SessionEntry {
  readonly type: 'leaf';
}

/** Steps other than inserts. */
export interface ChangeEntry extends SessionEntry {
  readonly type: 'change';
  readonly steps: readonly unknown[];
}

/** A label on an entry; without `label` it removes the label. */
export interface LabelEntry extends SessionEntry {
  readonly type: 'label';
  readonly targetUuid: string;
  readonly label?: string;
}

/** The tool that wrote a file, detected by the shape of its lines. */
export type SessionDialect =
  /** No ids: the lines form a chain in their order. */
  | 'v1'
  /** Our format. */
  | 'v2'
  /** `id` and `parentId`, the header outside the tree. */
  | 'pi'
  /** `uuid` and `parentUuid`, no header, several lines per reply. */
  | 'claude-code';

/** A finding about a file. Nothing is left out or moved without one. */
export interface SessionWarning {
  /**
   * - `torn`: the last line is cut off, or the last commit is incomplete; it was never acknowledged;
   * - `damaged`: a line in the middle cannot be read; it stays in the file;
   * - `lost`: lines are missing, as the line numbers show;
   * - `order`: a line comes before its parent, or after a later line;
   * - `orphan`: the entry names a parent that is missing or a descendant of it, and is shown below the message before
   *   it;
   * - `twice`: an id is used a second time;
   * - `unkept`: a compaction names a first kept entry that does not exist;
   * - `misfit`: a change does not fit the tree, for example after an earlier line was lost.
   */
  readonly code: 'torn' | 'damaged' | 'lost' | 'order' | 'orphan' | 'twice' | 'unkept' | 'misfit';
  readonly message: string;
  /** Counted from 1. */
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
 * An open session file. Line 0 is the header; the others follow in file order, without unreadable and unacknowledged
 * ones. A line is parsed when it is needed.
 */
export interface SessionFile {
  readonly path: string;
  readonly dialect: SessionDialect;
  readonly header: SessionHeader;
  /** Whether entries can be added: the format is ours and this process holds the lease. */
  readonly writable: boolean;
  /** The other process that holds the lease. */
  readonly holder: SessionHolder | null;
  readonly warnings: readonly SessionWarning[];
  /** The number of lines, the header included. */
  readonly size: number;
  /** The number of commits, which is the number of the last one. */
  readonly version: number;
  /** Returns the line with this id; −1 if there is none. */
  indexOf(uuid: string): number;
  uuidAt(index: number): string;
  typeAt(index: number): string;
  /** Returns the parent of a line; −1 for the header. */
  parentAt(index: number): number;
  /** Returns the parent that a line names, if that is missing and the line is shown below another one. */
  namedParentAt?(index: number): string | undefined;
  /** Whether Coppice wrote the line, not another tool. */
  isOurs(index: number): boolean;
  /** Parses a line. A damaged line gives only its type and parent. */
  entryAt(index: number): SessionEntry;
  /**
   * Returns the rest of a line after type, ids and number, as bytes that end the line's object, so that it can be
   * copied to another file without parsing; null if that is not possible.
   */
  restAt?(index: number): Uint8Array | null;
  /** Reads lines that others have added, and returns their number. */
  refresh(): number;
  /**
   * Takes the lease if the file was opened for writing and the lease is free now, and returns whether entries can be
   * added: another process may have ended, or a full disk may have space again. Throws while the disk is full.
   */
  claim?(): boolean;
  /** Adds entries as one commit, written to disk when it returns. Throws if the file is not writable. */
  append(entries: readonly SessionEntry[], commit?: SessionCommit): void;
  /**
   * Adds a line that is a whole commit and fills in its number; written to disk when it returns. Throws like `append`.
   */
  appendLine(line: CommitLine): void;
  close(): void;
}

/** A session in a list. */
export interface SessionSummary {
  readonly path: string;
  readonly dialect: SessionDialect | null;
  readonly id: string;
  readonly name?: string;
  readonly cwd?: string;
  readonly parentSession?: string;
  /** In milliseconds; 0 if unknown. */
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly bytes: number;
  readonly messages: number;
  /** The beginning of the first message. */
  readonly firstMessage: string;
  /** Why the file cannot be read. A damaged session is still listed. */
  readonly trouble?: string;
}

/** An entry that is copied to another file, possibly with another parent. */
export interface CopiedEntry {
  readonly type: string;
  readonly uuid: string;
  readonly parentUuid: string;
  /** From {@link SessionFile.restAt}; valid until the next line of that file is read. */
  readonly rest: Uint8Array;
}

/** The contents of a new session. */
export interface NewSession {
  readonly uuid: string;
  readonly id: string;
  readonly at: number;
  readonly cwd?: string;
  readonly parentSession?: string;
  /** In order; consumed one by one, so that a long session is never in memory as a whole. */
  readonly entries?: Iterable<SessionEntry | CopiedEntry>;
  readonly commit: SessionCommit;
}

/** Opens, creates and deletes session files. Passed to the engine, which has no file access. */
export interface SessionFiles {
  /** Opens a file. Our format is leased unless read-only; version 1 is migrated; other formats are read as they are. */
  open(path: string, options?: { readonly readOnly?: boolean }): SessionFile;
  /** Creates a file in a folder or at a path; never overwrites a file. */
  create(place: { readonly folder: string } | { readonly path: string }, session: NewSession): SessionFile;
  /** Writes a text to a new file atomically, never over an existing one; for formats of other tools. */
  save(path: string, pieces: Iterable<string>): void;
  /** Lists the sessions of a folder, newest first. */
  list(folder: string): readonly SessionSummary[];
  /** Moves a file to the trash of its folder, and returns the new path. */
  trash(path: string): string;
  /** Restores a file from the trash, and returns its path. */
  restore(path: string): string;
  /** Returns the session as a tree in a store; store and file see each other's changes. */
  store(path: string): Promise<Store>;
}

/** The fields about a commit on its last line. */
export interface SessionCommit {
  /** Derived from the number of the commit if missing, as for a commit that is a whole act. */
  readonly actId?: string;
  readonly actor: string;
  /** In milliseconds; the time of the entry if missing. */
  readonly at?: number;
  readonly kind?: 'undo' | 'redo';
  readonly sequence?: number;
  readonly format?: 'linear';
}

/**
 * One entry that is a whole commit, in the form of its line: common fields first, then the entry's fields and those of
 * the commit. Nearly every save is one, and it is serialised directly.
 */
export interface CommitLine extends SessionEntry, SessionCommit {
  version: number;
  readonly commit: true;
}

/** The names of the commit fields on its last line. */
export const commitFields: readonly (keyof SessionCommit)[] = ['actId', 'actor', 'at', 'kind', 'sequence', 'format'];

// Types that move the leaf: messages and summaries. Settings, labels and the like are in the tree but never the leaf.
const leafTypes: ReadonlySet<string> = new Set([
  'message',
  'branch_summary',
  'stack_summary',
  'compaction',
  'custom_message',
]);

/** Whether an entry of this type becomes the leaf when it is added. */
export function isLeafType(type: string): boolean {
  return leafTypes.has(type);
}

// Lines about the session that are not nodes of the tree: their children count as children of the entry above them.
const asides: ReadonlySet<string> = new Set(['leaf', 'change', 'label', 'session_info', 'linear', 'log', 'state']);

/** Whether lines of this type are about the session and not nodes of the tree. */
export function isSideEntry(type: string): boolean {
  return asides.has(type);
}
