// What a format is: bytes in, conversations and findings out, and the other way round. Pure: no file access, no clock, no
// randomness; the caller opens files, keeps time and writes what comes out.
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
import type { Pause } from './cooperative.ts';
import type { ImportFinding, Loss } from './findings.ts';
import type { Input, Sample } from './input.ts';

/** What a marker says beyond its text, its pointers by external ids. */
export interface ImportedMarker {
  readonly firstKept?: string;
  readonly from?: string;
  readonly tokensBefore?: number;
  readonly details?: JsonObject;
}

/**
 * A node as a reader found it. Readers say what the source says and repair nothing: cycles, orphans and doubled ids are
 * put right for all formats alike, and so is a message that is blank or cannot be read.
 */
export interface ImportedNode {
  /** Its id in the source, unique in its conversation; derived from its place where the source has none. */
  readonly externalId: string;
  /** Null is a first turn. */
  readonly parentExternalId: string | null;
  /** The message in canonical or legacy form, unchecked; `null` for what has a record but nothing to say. */
  readonly message: unknown;
  /** What it is; `message` if not said. */
  readonly kind?: Exclude<NodeKind, 'root'>;
  readonly marker?: ImportedMarker;
  readonly status?: NodeStatus;
  /** Siblings with the same text are one group of variants. */
  readonly group?: string;
  /** Milliseconds. */
  readonly createdAt?: number;
  /** Title, tags, source (who made it: model, usage …), excluded, customData. */
  readonly meta?: NodeMeta;
  /** The title of its bookmark, or the whole of it. */
  readonly bookmark?: string | NonNullable<ImportNode['bookmark']>;
  /** Its creation number, where the source has one; times decide the order otherwise. */
  readonly sequence?: number;
  /** Comes into the trash. */
  readonly removed?: boolean;
  /** The source's record, verbatim; kept beside the message so that a writer can give it back. */
  readonly record?: Json;
  /** How many records of the source it stands for; 1 if not said, 0 for a node that a reader made up. */
  readonly records?: number;
  /** A mere repetition of what another record brought, as somebody sent it again: it says nothing new where the node is there. */
  readonly repeats?: boolean;
  /**
   * Stands beside the messages in an export of ours, since the format has no other way to say what the tree says itself:
   * its name, its bookmarks, where it goes on. It does not come into a tree that is there.
   */
  readonly companion?: boolean;
  /** Where it was found. */
  readonly place: string;
}

/** Bytes that messages refer to by their SHA-256. */
export interface ImportedBlob {
  readonly hash: string;
  readonly size: number;
  readonly mediaType: string;
  read(): Promise<Uint8Array>;
}

/** One conversation as a reader found it. */
export interface ImportedTree {
  /** Its id in the source; derived from what it says where the source has none. */
  readonly externalId: string;
  /**
   * Which file or account its ids belong to. The empty text for ids that are unique everywhere, so that a newer export
   * of the same account, under whatever file name, finds what an older one brought in.
   */
  readonly scope: string;
  readonly title?: string;
  readonly systemPrompt?: string;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** Pinned, folder, tags and their like; title, prompt and the record are added. */
  readonly attributes?: TreeAttributes;
  readonly nodes: readonly ImportedNode[];
  /** The children of a parent in order, where the source lists them; the empty text stands for the root. */
  readonly childOrder?: ReadonlyMap<string, readonly string[]>;
  /** Null where the source says that nothing is current; undefined where it cannot say. */
  readonly activeExternalId?: string | null;
  /** The conversation's own record, verbatim, without what the nodes hold. */
  readonly record?: JsonObject;
  /** How many records of the source became the tree itself, such as a leading system message; none if not said. */
  readonly ownRecords?: number;
  readonly blobs?: readonly ImportedBlob[];
  /** Goes to the trash once it is in. */
  readonly trashed?: boolean;
  /** A tree of our own that comes back: its ids are UUIDs that it keeps, its notes are complete, and it has these names. */
  readonly restores?: {
    readonly rootId: string;
    readonly names: readonly Omit<ExternalId, 'treeId'>[];
  };
  readonly place: string;
  /** What the reader noticed inside this conversation. */
  readonly findings: readonly ImportFinding[];
}

/** What a reader yields. `pause` marks a place where the caller may give others a turn. */
export type ReadEvent =
  | { readonly type: 'tree'; readonly tree: ImportedTree }
  | { readonly type: 'finding'; readonly finding: ImportFinding }
  /** Bytes that stand by themselves, to be kept at once so that none are held. */
  | { readonly type: 'blob'; readonly blob: ImportedBlob }
  | { readonly type: 'pause' };

/** How an input is read. */
export interface ReadOptions {
  /** A name for the source of ids that are not unique by themselves: an account or a file. */
  readonly scope?: string;
  readonly signal?: AbortSignalLike;
  /** Asked inside long conversations, where others may have a turn. */
  readonly rest?: Pause;
}

/** Reads one format. */
export interface FormatReader {
  /** How sure it is that this is its format, from the first bytes of each file: 0 not at all, 1 certainly. */
  detect(sample: Sample): number;
  /** Reads the conversations, one at a time, never holding more than one. Throws only for an input it cannot begin on. */
  read(input: Input, options: ReadOptions): AsyncIterable<ReadEvent>;
}

/** One conversation on its way out: live nodes without the root, parents before children, siblings in order. */
export interface ExportedTree {
  readonly treeId: TreeId;
  readonly rootId: NodeId;
  readonly attributes: TreeAttributes;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly activeNodeId: NodeId | null;
  readonly nodes: readonly Node[];
  /** Removed nodes, in the order of their creation; only where the whole tree goes out. */
  readonly trash: readonly Node[];
  readonly bookmarks: readonly Bookmark[];
  /** Names that nodes and tree have elsewhere. */
  readonly names: readonly ExternalId[];
}

/** What a writer yields: files one after the other, their text or bytes in pieces, and what the target cannot hold. */
export type WriteEvent =
  | { readonly type: 'file'; readonly name: string; readonly mediaType: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'loss'; readonly loss: Loss }
  /** Nodes that were written, merged into another record, or left out. */
  | { readonly type: 'count'; readonly written: number; readonly merged?: number; readonly left?: number };

/** What a writer may ask of its caller. */
export interface WriteOptions {
  /** The time of the export, in milliseconds: formats have no clock. */
  readonly now: number;
  /** Bytes of an attachment, where they are at hand. */
  readonly blob?: (hash: string) => Promise<Uint8Array | null>;
  /** Only the thread of each tree, where a format can do both. */
  readonly thread?: boolean;
  readonly signal?: AbortSignalLike;
}

/** Writes one format. */
export interface FormatWriter {
  readonly extension: string;
  readonly mediaType: string;
  /** Whether all trees go into one file, or each into one or several of its own. */
  readonly files: 'one' | 'per-tree';
  /** What the format cannot hold, by short names that losses use; a sentence each. */
  readonly loses: { readonly [what: string]: string };
  write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncIterable<WriteEvent>;
}

/** A member of the registry. */
export interface Format {
  /** Its public key, and the name of its folder. */
  readonly name: string;
  /** What people call it. */
  readonly label: string;
  readonly summary: string;
  readonly reader?: FormatReader;
  readonly writer?: FormatWriter;
}

/** Completes nothing, and lets the compiler check a member where it is written. */
export function defineFormat<F extends Format>(format: F): F {
  return format;
}
