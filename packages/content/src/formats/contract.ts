// The contract of a format, which converts bytes to conversations and findings, and back. Formats are pure: the caller
// opens files, provides the time and writes the output.
import type {
  AbortSignalLike,
  Bookmark,
  ExternalId,
  ImportNode,
  Json,
  JsonObject,
  Node,
  NodeId,
  NodeKind,
  NodeMeta,
  NodeStatus,
  TreeAttributes,
  TreeId,
} from '@coppice/core';
import type { PauseFunction } from './cooperative.ts';
import type { FormatLoss, ImportFinding } from './findings.ts';
import type { ImportInput, InputSample } from './input.ts';

/** The fields of a marker besides its text. `firstKept` and `from` are external ids of nodes. */
export interface ImportedMarker {
  readonly firstKept?: string;
  readonly from?: string;
  readonly tokensBefore?: number;
  readonly details?: JsonObject;
}

/**
 * A node as found in the source. Readers repair nothing. Cycles, orphans, duplicate ids, and blank or unreadable
 * messages are repaired afterwards, by the same code for all formats.
 */
export interface ImportedNode {
  /** The id of the record in the source, unique in its conversation. A source without ids gets ids by position. */
  readonly externalId: string;
  /** Null for a first message. */
  readonly parentExternalId: string | null;
  /** The message in canonical or legacy form, not validated; `null` for a record without a message. */
  readonly message: unknown;
  /** The kind of the node; defaults to `message`. */
  readonly kind?: Exclude<NodeKind, 'root'>;
  readonly marker?: ImportedMarker;
  readonly status?: NodeStatus;
  /** Siblings with the same value form a group of variants. */
  readonly group?: string;
  /** The creation time in milliseconds. */
  readonly createdAt?: number;
  /** The metadata: title, tags, source (author, model, usage), excluded, customData. */
  readonly meta?: NodeMeta;
  /** The title of the node's bookmark, or the whole bookmark. */
  readonly bookmark?: string | NonNullable<ImportNode['bookmark']>;
  /** The creation number, if the source has one; otherwise times decide the order. */
  readonly sequence?: number;
  /** Whether the node is imported into the trash. */
  readonly removed?: boolean;
  /** The unchanged record of the source. It is stored with the message, so that a writer can restore it. */
  readonly record?: Json;
  /** The number of source records that the node represents; 1 by default, and 0 for a node that a reader added. */
  readonly records?: number;
  /**
   * Whether the node only repeats another record, for example because it was sent again. If the node exists already,
   * nothing is imported for it.
   */
  readonly repeats?: boolean;
  /**
   * Whether an export of Coppice added the record, because the format has no field for the tree's title, bookmarks or
   * active node. The record is not imported into an existing tree.
   */
  readonly companion?: boolean;
  /** Where the record is in the source: file, line or path. */
  readonly place: string;
}

/** Bytes that messages refer to by SHA-256. */
export interface ImportedBlob {
  readonly hash: string;
  readonly size: number;
  readonly mediaType: string;
  read(): Promise<Uint8Array>;
}

/** The session and the call that spawned a subagent, by their ids in the source. */
export interface SpawnedBy {
  /** The id of the session, which is the `externalId` of its tree. */
  readonly session: string;
  /** The id of the tool call that started the subagent. */
  readonly call?: string;
  /** The kind of the agent, such as `general-purpose`. */
  readonly agentType?: string;
}

/** One conversation as found in the source. */
export interface ImportedTree {
  /** The id of the conversation in the source. A reader derives it from the content if the source has none. */
  readonly externalId: string;
  /**
   * The file or account to which the ids belong. Empty for globally unique ids, so that a newer export of the same
   * account finds the nodes of an older import under any file name.
   */
  readonly scope: string;
  readonly title?: string;
  readonly systemPrompt?: string;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** Attributes such as pinned, folder and tags; title, prompt and record are added. */
  readonly attributes?: TreeAttributes;
  readonly nodes: readonly ImportedNode[];
  /** The children of each parent in order, if the source lists them. The empty text stands for the root. */
  readonly childOrder?: ReadonlyMap<string, readonly string[]>;
  /** Null if the source has no active message; undefined if the source does not record it. */
  readonly activeExternalId?: string | null;
  /** The unchanged record of the conversation, without its messages. */
  readonly record?: JsonObject;
  /** The number of source records that became part of the tree itself, such as a leading system message; default 0. */
  readonly ownRecords?: number;
  readonly blobs?: readonly ImportedBlob[];
  /** Whether the tree is moved to the trash after the import. */
  readonly trashed?: boolean;
  /**
   * For a tree that Coppice exported: its ids are UUIDs that are kept, its metadata is complete, and it has these
   * external ids.
   */
  readonly restores?: {
    readonly rootId: string;
    readonly names: readonly Omit<ExternalId, 'treeId'>[];
  };
  /** For a subagent: the session that spawned it. */
  readonly spawnedBy?: SpawnedBy;
  readonly place: string;
  /** Findings within this conversation. */
  readonly findings: readonly ImportFinding[];
}

/** The events of a reader. At a `pause` the caller may run other work. */
export type ReadEvent =
  | { readonly type: 'tree'; readonly tree: ImportedTree }
  | { readonly type: 'finding'; readonly finding: ImportFinding }
  /** Bytes that belong to no conversation. The caller must store them at once, so that they do not stay in memory. */
  | { readonly type: 'blob'; readonly blob: ImportedBlob }
  | { readonly type: 'pause' };

/** Options of a reader; all may be left out. */
export interface ReadOptions {
  /** A name for the source of ids that are not globally unique: an account or a file. */
  readonly scope?: string;
  readonly signal?: AbortSignalLike;
  /** Called often inside long conversations, so that other work can run. */
  readonly rest?: PauseFunction;
}

/** Detects and reads the files of one format. */
export interface FormatReader {
  /** Returns the confidence, from 0 to 1, that an input has this format, judged by the first bytes of each file. */
  detect(sample: InputSample): number;
  /**
   * Reads the conversations one at a time and keeps one, or a batch of limited size, in memory. Throws only if it
   * cannot start.
   */
  read(input: ImportInput, options: ReadOptions): AsyncIterable<ReadEvent>;
}

/** One conversation to export: live nodes without the root in creation order, but parents before children. */
export interface ExportedTree {
  readonly treeId: TreeId;
  readonly rootId: NodeId;
  readonly attributes: TreeAttributes;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly activeNodeId: NodeId | null;
  readonly nodes: readonly Node[];
  /** Removed nodes in creation order; only if the whole tree is exported. */
  readonly trash: readonly Node[];
  readonly bookmarks: readonly Bookmark[];
  /** The external ids of the nodes and the tree. */
  readonly names: readonly ExternalId[];
}

/** The events of a writer: files one after another, with their text or bytes in pieces, and losses. */
export type WriteEvent =
  | { readonly type: 'file'; readonly name: string; readonly mediaType: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'loss'; readonly loss: FormatLoss }
  /** The number of nodes that were written, merged into another record, or left out. */
  | { readonly type: 'count'; readonly written: number; readonly merged?: number; readonly left?: number };

/** What a writer needs besides the trees. */
export interface WriteOptions {
  /** The time of the export in milliseconds, because formats have no clock. */
  readonly now: number;
  /** Returns the bytes of an attachment; null if the store does not have them. */
  readonly blob?: (hash: string) => Promise<Uint8Array | null>;
  /** Whether to write only the active branch of each tree; ignored by formats that cannot choose. */
  readonly thread?: boolean;
  readonly signal?: AbortSignalLike;
}

/** Writes trees as files of one format. */
export interface FormatWriter {
  readonly extension: string;
  readonly mediaType: string;
  /** Whether all trees are written to one file, or each to one or several files. */
  readonly files: 'one' | 'per-tree';
  /** The features that the format cannot store: the code that losses use, and a sentence about it. */
  readonly loses: { readonly [what: string]: string };
  /**
   * Whether the writer stores the prompts that were recorded with messages. Otherwise the writer gets the system prompt
   * of the active node as the prompt of the tree.
   */
  readonly recordedPrompts?: true;
  /**
   * Whether the writer stores blobs separately from the messages. Otherwise the writer gets original records with their
   * bytes inline.
   */
  readonly storesBlobs?: true;
  write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncIterable<WriteEvent>;
}

/** A feature that a reader keeps besides the texts, for the documentation of the formats. */
export type KeptFeature =
  | 'branches'
  | 'titles'
  | 'folders'
  | 'system prompts'
  | 'models'
  | 'times'
  | 'reasoning'
  | 'tools'
  | 'pictures'
  | 'files'
  | 'usage'
  | 'compactions'
  | 'bookmarks'
  | 'sub-agents';

/** A format that Coppice can read, write, or both. */
export interface Format {
  /** The public key, which is also the name of the folder. */
  readonly name: string;
  /** The name that people see. */
  readonly label: string;
  readonly summary: string;
  /**
   * The features that the reader keeps, in the order of {@link KeptFeature}. The test of the format checks each of
   * them.
   */
  readonly keeps?: readonly KeptFeature[];
  readonly reader?: FormatReader;
  readonly writer?: FormatWriter;
}

/** Returns the format unchanged; lets TypeScript check it where it is defined. */
export function defineFormat<F extends Format>(format: F): F {
  return format;
}
