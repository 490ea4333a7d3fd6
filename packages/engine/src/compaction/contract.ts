/** Requests and results of compacting, leaving and merging branches. */
import type { ActId, JsonObject, MessageKit, NodeId, NodeMeta, Store, TreeId } from '@coppice/core';
import type { Events } from '../events.ts';
import type { CompactBelowNode } from '../generate/contract.ts';
import type { Clock } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { Summarizer, SummaryAllowance } from '../summaries/contract.ts';
import type { FileTools } from '../summaries/files.ts';

/** Who acts, in which act, and the abort signal. */
export interface ActingUser {
  /** The act that all commits of one user action share; by default a new one. */
  readonly actId?: string | undefined;
  /** By default the compactor's own actor. */
  readonly actor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Who acts, and the version of the tree that the request was made on. */
export interface VersionedActor extends ActingUser {
  /** The version that the caller has read; the request is refused as stale if the tree changed since. */
  readonly expectedVersion?: number | undefined;
}

/** Which branch is to be compacted. */
export interface CompactionRequest extends ActingUser {
  readonly treeId: TreeId;
  /** The last node of the branch; by default the active node. */
  readonly nodeId?: NodeId | undefined;
  /** What the summary should focus on. */
  readonly focus?: string | undefined;
  /** A finished summary, if the caller has one. */
  readonly summary?: string | undefined;
  /** The model whose window counts; by default the one that replied last on the branch. */
  readonly model?: Model | undefined;
  /** About how many tokens of the newest messages are kept; by default derived from the model's window. */
  readonly keep?: number | undefined;
  /** False keeps the active node unchanged. */
  readonly select?: boolean | undefined;
  /** The budget that pays for the summary, if there is a limit. */
  readonly allowance?: SummaryAllowance | undefined;
}

/** The result of a compaction. */
export interface CompactionOutcome {
  /** The node that holds the summary. */
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  /** The first node that the context still includes; null if there is none. */
  readonly firstKept: NodeId | null;
  readonly summary: string;
  /** The author of the summary. */
  readonly source: JsonObject;
  readonly tokensBefore: number;
  /** The size of the new context, estimated. */
  readonly tokensAfter: number;
  /** How many messages the summary replaces. */
  readonly summarised: number;
  readonly actId: ActId;
}

/** Where to move, and what to summarise. */
export interface SwitchRequest extends VersionedActor {
  readonly treeId: TreeId;
  /** The target; may be the root. */
  readonly nodeId: NodeId;
  /** The leaf that is left; by default the active node. */
  readonly from?: NodeId | undefined;
  readonly focus?: string | undefined;
  /** A finished summary, if the caller has one; null for no summary. */
  readonly summary?: string | null | undefined;
}

/** Which branch to merge, and how. */
export interface MergeRequest extends VersionedActor {
  readonly treeId: TreeId;
  /** The last node of the branch to merge. */
  readonly nodeId: NodeId;
  /** The target; by default the active node. */
  readonly into?: NodeId | undefined;
  /** By default a summary. */
  readonly mode?: 'summary' | 'messages' | undefined;
  readonly focus?: string | undefined;
  readonly summary?: string | undefined;
}

/** The new active node, and the summary that was added. */
export interface CompactionCommit {
  readonly nodeId: NodeId;
  readonly added: readonly NodeId[];
  /** Null if there was nothing to summarise. */
  readonly summary: string | null;
  readonly actId: ActId;
}

/** The summary of part of a branch, with metadata. */
export interface RangeSummary {
  readonly text: string;
  readonly meta: NodeMeta;
  readonly details: JsonObject;
}

/** Compacts and summarises branches. */
export interface Compactor {
  /** Replaces older messages of a branch by a summary. Throws `context/nothing-to-compact`. */
  compact(request: CompactionRequest): Promise<CompactionOutcome>;
  /** Compacts for a turn whose context does not fit. */
  readonly compactContext: CompactBelowNode;
  /** Moves the active node and adds a summary of the branch that is left. */
  branchWithSummary(request: SwitchRequest): Promise<CompactionCommit>;
  /** Merges a branch into another one: as a summary, or as its messages. */
  merge(request: MergeRequest): Promise<CompactionCommit>;
  /** Summarises the path from below a node (all of it for null) down to a leaf; null if it has no messages. */
  sumUp(
    stretch: {
      readonly treeId: TreeId;
      readonly above: NodeId | null;
      readonly leaf: NodeId;
      readonly focus?: string | undefined;
    } & Pick<ActingUser, 'signal'>,
  ): Promise<RangeSummary | null>;
}

/** Options of a compactor; everything but the store has a default. */
export interface CompactorOptions {
  readonly store: Store;
  /** By default a summarizer without a model. */
  readonly summarizer?: Summarizer | undefined;
  /** Finds the models that replied on a branch, for their context windows. */
  readonly model?: ((id: string) => Model) | undefined;
  readonly events?: Events | undefined;
  readonly fileTools?: FileTools | undefined;
  readonly actor?: string | undefined;
  readonly kit?: MessageKit | undefined;
  readonly clock?: Pick<Clock, 'now'> | undefined;
  readonly newId?: (() => string) | undefined;
}

/** What all parts of the compactor use. */
export interface CompactorServices {
  readonly store: Store;
  readonly summarizer: Summarizer;
  readonly model: ((id: string) => Model) | null;
  readonly events: Events | null;
  readonly fileTools: FileTools;
  readonly actor: string;
  readonly kit: MessageKit;
  readonly now: () => number;
  readonly newId: () => string;
}
