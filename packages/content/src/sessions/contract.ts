// Session files: one session, one file of JSON lines, each entry naming the one it hangs on. What the lines mean is said
// here and in the files beside this one, without a file system; who reads and writes them is handed the meaning.
import type { JsonObject, Store } from '@coppice/core';

/** The version of the lines that are written. */
export const sessionVersion = 2;

// The terminal agent `pi` writes its own version into the header of whatever it opens, and nothing else about it.
const stampOfPi = 3;

/** Whether a header of ours with a version is read: one of a newer build is not. */
export function isReadableVersion(version: number): boolean {
  return version <= sessionVersion || version === stampOfPi;
}

/** One line: what it is, its own id, and the entry that it hangs on (null for the header only). */
export interface SessionEntry {
  readonly type: string;
  readonly uuid: string;
  readonly parentUuid: string | null;
  /** ISO 8601, for display. */
  readonly timestamp?: string;
  readonly [key: string]: unknown;
}

/** The first line. It is the root of the tree. */
export interface SessionHeader extends SessionEntry {
  readonly type: 'session';
  readonly parentUuid: null;
  /** The version of the format. */
  readonly version: number;
  /** The session's own id. */
  readonly id: string;
  readonly cwd?: string;
  /** The file that the session was branched or converted from. */
  readonly parentSession?: string;
}

/** A message. */
export interface MessageEntry extends SessionEntry {
  readonly type: 'message';
  readonly message: unknown;
}

/** What was done on a branch that was left, as `branch_summary` or by its older name `stack_summary`. */
export interface BranchSummaryEntry extends SessionEntry {
  readonly type: 'branch_summary' | 'stack_summary';
  readonly summary: string;
  /** The leaf that was left. */
  readonly fromUuid?: string;
  readonly details?: JsonObject;
}

/** Where older messages give way to a summary. */
export interface CompactionEntry extends SessionEntry {
  readonly type: 'compaction';
  readonly summary: string;
  readonly firstKeptEntryUuid?: string;
  readonly tokensBefore?: number;
  readonly details?: JsonObject;
}

/** The pointer moved: the entry it hangs on is the leaf. */
export interface LeafEntry extends SessionEntry {
  readonly type: 'leaf';
}

/** Steps that are no insert. */
export interface ChangeEntry extends SessionEntry {
  readonly type: 'change';
  readonly steps: readonly unknown[];
}

/** A label on an entry; without `label` it is taken away. */
export interface LabelEntry extends SessionEntry {
  readonly type: 'label';
  readonly targetUuid: string;
  readonly label?: string;
}

/** Which tool wrote a file, told by the shape of its lines. */
export type SessionDialect =
  /** No ids: the order of the lines is the chain. */
  | 'v1'
  /** Ours. */
  | 'v2'
  /** `id` and `parentId`, the header outside the tree. */
  | 'pi'
  /** `uuid` and `parentUuid`, no header, several lines per reply. */
  | 'claude-code';

/** Something about a file that its reader should know. Nothing is left out or put elsewhere without one. */
export interface SessionWarning {
  /**
   * - `torn`: the last line is cut off, or the last commit is not complete; it was never acknowledged;
   * - `damaged`: a line in the middle cannot be read; it stays where it is;
   * - `lost`: lines are missing, as the numbers of the others show;
   * - `order`: a line stands before one that it belongs below, or after a later one;
   * - `orphan`: the entry names a parent that is missing or below itself, and is shown below the message before it;
   * - `twice`: an id is used a second time;
   * - `unkept`: a compaction names a first kept entry that is not there;
   * - `misfit`: a change does not fit the tree, as after a line before it was lost.
   */
  readonly code: 'torn' | 'damaged' | 'lost' | 'order' | 'orphan' | 'twice' | 'unkept' | 'misfit';
  readonly message: string;
  /** Counted from 1. */
  readonly line: number;
  /** The byte that the line begins at. */
  readonly offset: number;
  readonly uuid?: string;
}

/** Who may write to a file. */
export interface SessionHolder {
  readonly pid: number;
  readonly host: string;
}

/**
 * An open session file. Line 0 is the header; the others follow in the order of the file, those left out that cannot be
 * read or were never acknowledged. What a line says is read when it is asked for.
 */
export interface SessionFile {
  readonly path: string;
  readonly dialect: SessionDialect;
  readonly header: SessionHeader;
  /** Whether entries can be added here: the format is ours and the lease is this process's. */
  readonly writable: boolean;
  /** Who else holds the lease. */
  readonly holder: SessionHolder | null;
  readonly warnings: readonly SessionWarning[];
  /** How many lines there are, the header included. */
  readonly size: number;
  /** How many commits there are: the number of the last one. */
  readonly version: number;
  /** The line of an id; −1 where there is none. */
  indexOf(uuid: string): number;
  uuidAt(index: number): string;
  typeAt(index: number): string;
  /** The line that a line hangs on; −1 for the header. */
  parentAt(index: number): number;
  /** The parent that a line names, where it is shown below another line because that parent is nowhere. */
  namedParentAt?(index: number): string | undefined;
  /** Whether a line was written by this project and not slipped in by another tool. */
  isOurs(index: number): boolean;
  /** What a line says. A line that turns out to be damaged says only what it is and where it hangs. */
  entryAt(index: number): SessionEntry;
  /**
   * What a line says after type, ids and number, as bytes that end the line's object, so that it can go into another file
   * without being read; null where that cannot be told.
   */
  restAt?(index: number): Uint8Array | null;
  /** Takes in what others have added meanwhile, and says how many lines that were. */
  refresh(): number;
  /**
   * Takes the lease if the file was opened to be written and it can be had by now, and says whether entries can be added:
   * who held it may be gone, and a disk that was full have room again. Refuses while it is full.
   */
  claim?(): boolean;
  /** Adds entries as one commit; on the disk when it returns. Refuses where nothing may be written. */
  append(entries: readonly SessionEntry[], commit?: SessionCommit): void;
  /** Adds a line that is a commit of its own and puts its number in; on the disk when it returns. Refuses as `append` does. */
  appendLine(line: NewLine): void;
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
  /** Milliseconds; 0 where the file does not say. */
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly bytes: number;
  readonly messages: number;
  /** The beginning of what was said first. */
  readonly firstMessage: string;
  /** Why the file cannot be read. A session is never hidden because it is damaged. */
  readonly trouble?: string;
}

/** An entry that goes into another file as it is, with another parent perhaps. */
export interface CarriedEntry {
  readonly type: string;
  readonly uuid: string;
  readonly parentUuid: string;
  /** As {@link SessionFile.restAt} gives it; good until the next line of that file is read. */
  readonly rest: Uint8Array;
}

/** What a new session begins with. */
export interface NewSession {
  readonly uuid: string;
  readonly id: string;
  readonly at: number;
  readonly cwd?: string;
  readonly parentSession?: string;
  /** In order; taken one by one, so that a long session is never held as a whole. */
  readonly entries?: Iterable<SessionEntry | CarriedEntry>;
  readonly commit: SessionCommit;
}

/** Where session files are opened, made and put away: what the engine is handed, since it has no files of its own. */
export interface SessionFiles {
  /** Opens a file. Ours is leased unless read-only is asked for; version 1 is migrated; others are read as they are. */
  open(path: string, options?: { readonly readOnly?: boolean }): SessionFile;
  /** Makes a file in a folder, or at a path, never over another one. */
  create(place: { readonly folder: string } | { readonly path: string }, session: NewSession): SessionFile;
  /** Writes a text into a new file, whole or not at all, never over another one; for formats of other tools. */
  save(path: string, pieces: Iterable<string>): void;
  /** The sessions of a folder, newest first. */
  list(folder: string): readonly SessionSummary[];
  /** Puts a file into the trash of its folder, and says where it lies now. */
  trash(path: string): string;
  /** Takes a file out of the trash, and says where it lies now. */
  restore(path: string): string;
  /** The session as a tree in a store, which sees what is added to the file here, and the other way round. */
  store(path: string): Promise<Store>;
}

/** What is noted about a commit on its last line. */
export interface SessionCommit {
  /** Made from the number of the commit where it is not said, as for what is an act of its own. */
  readonly actId?: string;
  readonly actor: string;
  /** Milliseconds; the time of the entry where it is not said. */
  readonly at?: number;
  readonly kind?: 'undo' | 'redo';
  readonly sequence?: number;
  readonly format?: 'linear';
}

/**
 * One entry that is a commit of its own, as the line that it becomes: what every line begins with in its order, what the
 * entry says, and the notes about the commit. Nearly every save is one, and is printed as it is.
 */
export interface NewLine extends SessionEntry, SessionCommit {
  version: number;
  readonly commit: true;
}

/** The fields that the notes about a commit take on its last line. */
export const commitFields: readonly (keyof SessionCommit)[] = ['actId', 'actor', 'at', 'kind', 'sequence', 'format'];

// Types that move the leaf: what is said in the session. Settings, labels and the like hang in the tree and never do.
const leafTypes: ReadonlySet<string> = new Set([
  'message',
  'branch_summary',
  'stack_summary',
  'compaction',
  'custom_message',
]);

/** Whether an entry of a type becomes the leaf when it is added. */
export function isLeafType(type: string): boolean {
  return leafTypes.has(type);
}

// Lines about the session that are no points of it: nothing of them is shown in the tree, and what hangs on one hangs on
// the entry above it.
const asides: ReadonlySet<string> = new Set(['leaf', 'change', 'label', 'session_info', 'linear', 'log', 'state']);

/** Whether lines of a type are about the session and no points of it. */
export function isSideEntry(type: string): boolean {
  return asides.has(type);
}
