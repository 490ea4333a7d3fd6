/** The state that all rounds of a turn share, and where their replies are added. */
import type { ActId, Message, NodeId, RunContext, TreeId } from '@coppice/core';
import type { ToolSpec } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { TurnSpending } from './budget.ts';
import type { ReplyCombination } from './combine.ts';
import type { GenerateOptions, TurnEvent } from './contract.ts';

/** Where the replies of a round are added. */
export type ReplyTarget =
  /** Below a node. `marker` is true if the node is a compaction that this call added. */
  | { readonly type: 'below'; readonly parentId: NodeId; readonly marker?: boolean }
  /** As variants of existing replies. `nodeId` is one of these, or the prompt. */
  | { readonly type: 'again'; readonly parentId: NodeId; readonly nodeId: NodeId }
  /** Into a node that was cut off; `before` is its message so far. */
  | { readonly type: 'into'; readonly parentId: NodeId; readonly nodeId: NodeId; readonly before: Message | null };

export interface TurnState {
  readonly treeId: TreeId;
  readonly actId: ActId;
  readonly actor: string;
  readonly options: GenerateOptions;
  /** The version that the commit inserting the replies expects; empty if the turn appended a message before. */
  readonly expects: Pick<RunContext, 'expectedVersion' | 'onConflict'>;
  /** Where the first round's replies were to be added; the ids of all replies are derived from it. */
  readonly origin: ReplyTarget;
  /** One model per reply. */
  readonly models: readonly Model[];
  readonly fallback: Model | null;
  readonly tools: readonly ToolSpec[];
  /** The answers that the replies are made from; null for ordinary replies. */
  readonly combination: ReplyCombination | null;
  readonly signal: AbortSignal;
  /** Stops the turn as if the user had stopped it. */
  readonly stop: () => void;
  readonly emit: (event: TurnEvent) => void;
  /** Whether the context was compacted for the current model call; compacting it twice would not help. */
  compacted: boolean;
  /** Whether another attempt of the same request writes the replies; then this turn only follows them. */
  attached: boolean;
  /** The number of tool rounds so far. */
  round: number;
  readonly spent: TurnSpending;
  /** The keys of the notices that were already reported. */
  readonly reported: Set<string>;
}
