/** What is asked of whoever makes room, leaves a branch or brings one back, and what comes of it. */
import type { ActId, JsonObject, MessageKit, NodeId, NodeMeta, Store, TreeId } from '@coppice/core';
import type { Events } from '../events.ts';
import type { Compact } from '../generate/contract.ts';
import type { Clock } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { Summarizer, SummaryAllowance } from '../summaries/contract.ts';
import type { FileTools } from '../summaries/files.ts';

/** Who acts, as part of what, and until when. */
export interface ActingUser {
  /** All commits of one user action share it; a fresh one if not given. */
  readonly actId?: string | undefined;
  /** The compactor's own actor if not given. */
  readonly actor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Which branch is to be compacted. */
export interface CompactionRequest extends ActingUser {
  readonly treeId: TreeId;
  /** The end of the branch; the active node if not given. */
  readonly nodeId?: NodeId | undefined;
  /** What the summary is to go into most. */
  readonly focus?: string | undefined;
  /** The summary itself, where somebody has written it already. */
  readonly summary?: string | undefined;
  /** For whose window; the model that spoke last on the branch if not given. */
  readonly model?: Model | undefined;
  /** About how many tokens of the newest messages stay; by the model's window if not given. */
  readonly keep?: number | undefined;
  /** False leaves the pointer where it is. */
  readonly select?: boolean | undefined;
  /** Who pays for the summary, where there is a limit to it. */
  readonly allowance?: SummaryAllowance | undefined;
}

/** What came of a compaction. */
export interface Compacted {
  /** The node that holds the summary. */
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  /** The first node that stays in force as it is; null if none does. */
  readonly firstKept: NodeId | null;
  readonly summary: string;
  /** Who wrote it. */
  readonly source: JsonObject;
  readonly tokensBefore: number;
  /** What is in force now, by our estimate. */
  readonly tokensAfter: number;
  /** How many messages gave way. */
  readonly summarised: number;
  readonly actId: ActId;
}

/** Where to go and what to take along. */
export interface SwitchRequest extends ActingUser {
  readonly treeId: TreeId;
  /** The place to go to; also the root. */
  readonly nodeId: NodeId;
  /** The leaf that is left; the active node if not given. */
  readonly from?: NodeId | undefined;
  readonly focus?: string | undefined;
  /** The summary itself, where somebody has written it already. */
  readonly summary?: string | undefined;
}

/** Which branch is brought back. */
export interface MergeRequest extends ActingUser {
  readonly treeId: TreeId;
  /** The tip of the branch that is brought back. */
  readonly nodeId: NodeId;
  /** Where to; the active node if not given. */
  readonly into?: NodeId | undefined;
  /** A summary if not given. */
  readonly mode?: 'summary' | 'messages' | undefined;
  readonly focus?: string | undefined;
  readonly summary?: string | undefined;
}

/** Where one is now, and what was added. */
export interface CompactionCommit {
  readonly nodeId: NodeId;
  readonly added: readonly NodeId[];
  /** Null where nothing was left behind that could be summed up. */
  readonly summary: string | null;
  readonly actId: ActId;
}

/** What a stretch of a branch comes to, with what is noted beside it. */
export interface RangeSummary {
  readonly text: string;
  readonly meta: NodeMeta;
  readonly details: JsonObject;
}

/** Makes room, and sums branches up. */
export interface Compactor {
  /** Has older messages of a branch give way to a summary. Refuses `context/nothing-to-compact`. */
  compact(request: CompactionRequest): Promise<Compacted>;
  /** The same for a turn that is short of room. */
  readonly compactContext: Compact;
  /** Goes elsewhere, with a summary of what is left behind there. */
  branchWithSummary(request: SwitchRequest): Promise<CompactionCommit>;
  /** Brings a branch back to another one: as a summary, or as its messages. */
  merge(request: MergeRequest): Promise<CompactionCommit>;
  /** Sums up the way from below a node (all of it for null) down to a leaf; null where nothing was said on it. */
  sumUp(
    stretch: {
      readonly treeId: TreeId;
      readonly above: NodeId | null;
      readonly leaf: NodeId;
      readonly focus?: string | undefined;
    } & Pick<ActingUser, 'signal'>,
  ): Promise<RangeSummary | null>;
}

/** What a compactor is made of; all but the store has a default. */
export interface CompactorOptions {
  readonly store: Store;
  /** One without a model if not given. */
  readonly summarizer?: Summarizer | undefined;
  /** Finds the models that spoke on a branch, for their windows. */
  readonly model?: ((id: string) => Model) | undefined;
  readonly events?: Events | undefined;
  readonly fileTools?: FileTools | undefined;
  readonly actor?: string | undefined;
  readonly kit?: MessageKit | undefined;
  readonly clock?: Pick<Clock, 'now'> | undefined;
  readonly newId?: (() => string) | undefined;
}

/** What every part works with. */
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
