/** Requests and results of compacting, leaving and merging branches. */
import type { ActId, JsonObject, MessageKit, NodeId, NodeMeta, Store, TreeId } from '@coppice/core';
import type { EventBus } from '../events.ts';
import type { CompactBelowNode } from '../generate/contract.ts';
import type { Clock } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { Summarizer, SummaryAllowance } from '../summaries/contract.ts';
import type { FileToolNames } from '../summaries/files.ts';

/** The user and the act that a change belongs to, and the signal that aborts it. */
export interface ActOptions {
  /** The act that all commits of one user action share; by default a new one. */
  readonly actId?: string | undefined;
  /** By default the compactor's own actor. */
  readonly actor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An acting user, and the version of the tree that the user has read. */
export interface VersionedActOptions extends ActOptions {
  /** The version that the caller has read; the request is refused if structure or content changed since. */
  readonly expectedVersion?: number | undefined;
}

/** The branch to compact, and how much of it to keep. */
export interface CompactionRequest extends ActOptions {
  readonly treeId: TreeId;
  /** The last node of the branch; by default the active node. */
  readonly nodeId?: NodeId | undefined;
  /** The topic that the summary must cover in detail. */
  readonly focus?: string | undefined;
  /** A summary that the caller has written; then no model is called. */
  readonly summary?: string | undefined;
  /** The model whose window counts; by default the one that replied last on the branch. */
  readonly model?: Model | undefined;
  /** About how many tokens of the newest messages are kept; by default derived from the model's window. */
  readonly keep?: number | undefined;
  /** False keeps the active node unchanged. */
  readonly select?: boolean | undefined;
  /** The budget that the summary's tokens are charged to; undefined means no limit. */
  readonly allowance?: SummaryAllowance | undefined;
}

/** The summary node of a compaction, and what it replaces. */
export interface CompactionOutcome {
  /** The node that holds the summary. */
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  /** The first node that remains in the context after the summary; null if none remains. */
  readonly firstKept: NodeId | null;
  readonly summary: string;
  /**
   * The `source` of the summary node's metadata: the model that wrote the summary, or the extraction without a model.
   */
  readonly source: JsonObject;
  readonly tokensBefore: number;
  /** The estimated tokens of the context with the summary. */
  readonly tokensAfter: number;
  /** How many messages the summary replaces. */
  readonly summarised: number;
  readonly actId: ActId;
}

/** Where to move, and what to summarise. */
export interface SwitchRequest extends VersionedActOptions {
  readonly treeId: TreeId;
  /** The node to move to; it may be the root. */
  readonly nodeId: NodeId;
  /** The leaf that is left; by default the active node. */
  readonly from?: NodeId | undefined;
  readonly focus?: string | undefined;
  /** A summary that the caller has written; null adds none. */
  readonly summary?: string | null | undefined;
}

/** The branch to merge, the node to merge it into, and whether as a summary or as messages. */
export interface MergeRequest extends VersionedActOptions {
  readonly treeId: TreeId;
  /** The last node of the branch to merge. */
  readonly nodeId: NodeId;
  /** The node to merge into; by default the active node. */
  readonly into?: NodeId | undefined;
  /** By default a summary. */
  readonly mode?: 'summary' | 'messages' | undefined;
  readonly focus?: string | undefined;
  readonly summary?: string | undefined;
}

/** The active node after a switch or merge, and the nodes that were added. */
export interface BranchChangeResult {
  readonly nodeId: NodeId;
  readonly added: readonly NodeId[];
  /** Null if the branch had no messages to summarise. */
  readonly summary: string | null;
  readonly actId: ActId;
}

/** The summary of part of a branch, with the metadata and details of its node. */
export interface RangeSummary {
  readonly text: string;
  readonly meta: NodeMeta;
  readonly details: JsonObject;
}

/** Compacts branches, and summarises those that the user leaves or merges. */
export interface Compactor {
  /**
   * Replaces older messages of a branch by a summary. Throws `context/nothing-to-compact` if the context is too short.
   */
  compact(request: CompactionRequest): Promise<CompactionOutcome>;
  /** Compacts the branch of a running turn whose context does not fit the window. */
  readonly compactContext: CompactBelowNode;
  /** Moves the active node and adds a summary of the branch that is left. */
  branchWithSummary(request: SwitchRequest): Promise<BranchChangeResult>;
  /** Merges a branch into another one: as a summary, or as its messages. */
  merge(request: MergeRequest): Promise<BranchChangeResult>;
  /**
   * Summarises the path below `above` down to `leaf`, the whole path if `above` is null. Resolves with null if that
   * part of the path has no messages.
   */
  summarizeRange(
    stretch: {
      readonly treeId: TreeId;
      readonly above: NodeId | null;
      readonly leaf: NodeId;
      readonly focus?: string | undefined;
    } & Pick<ActOptions, 'signal'>,
  ): Promise<RangeSummary | null>;
}

/** The store of a compactor, and optional replacements for its defaults. */
export interface CompactorOptions {
  readonly store: Store;
  /** By default summaries are extracted from the messages without a model. */
  readonly summarizer?: Summarizer | undefined;
  /** Finds the models that replied on a branch, for their context windows. */
  readonly model?: ((id: string) => Model) | undefined;
  readonly events?: EventBus | undefined;
  readonly fileTools?: FileToolNames | undefined;
  readonly actor?: string | undefined;
  readonly kit?: MessageKit | undefined;
  readonly clock?: Pick<Clock, 'now'> | undefined;
  readonly newId?: (() => string) | undefined;
}

/** The compactor's options with all defaults filled in. */
export interface CompactorServices {
  readonly store: Store;
  readonly summarizer: Summarizer;
  readonly model: ((id: string) => Model) | null;
  readonly events: EventBus | null;
  readonly fileTools: FileToolNames;
  readonly actor: string;
  readonly kit: MessageKit;
  readonly now: () => number;
  readonly newId: () => string;
}
