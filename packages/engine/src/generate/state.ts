/** What all rounds of a turn share, and where their replies go. */
import { type ActId, type Message, type NodeId, nodeId, type RunContext, type TreeId } from '@coppice/core';
import type { ToolSpec } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { TurnSpent } from './budget.ts';
import type { GenerateOptions, TurnEvent } from './contract.ts';
import { deterministicId } from './deterministic-id.ts';
import type { TurnServices } from './turn-services.ts';

/** Where replies go. */
export type ReplyTarget =
  /** `marker`: the parent is a compaction that this call made. */
  | { readonly type: 'below'; readonly parentId: NodeId; readonly marker?: boolean }
  /** Beside the replies that a prompt has; `nodeId` is one of them, or the prompt. */
  | { readonly type: 'again'; readonly parentId: NodeId; readonly nodeId: NodeId }
  /** Into a node that was cut short and says this already. */
  | { readonly type: 'into'; readonly parentId: NodeId; readonly nodeId: NodeId; readonly before: Message | null };

/** What all rounds of a turn share. */
export interface TurnState {
  readonly treeId: TreeId;
  readonly actId: ActId;
  readonly actor: string;
  readonly options: GenerateOptions;
  /** What the commit that begins the replies expects of the tree; nothing where a message was said before them. */
  readonly expects: Pick<RunContext, 'expectedVersion' | 'onConflict'>;
  /** Where the turn's first replies were to go; their ids are made from it. */
  readonly origin: ReplyTarget;
  /** One per reply. */
  readonly models: readonly Model[];
  readonly fallback: Model | null;
  readonly tools: readonly ToolSpec[];
  readonly signal: AbortSignal;
  /** Stops the turn as its user would. */
  readonly stop: () => void;
  readonly emit: (event: TurnEvent) => void;
  /** Whether room was made for this call already: a second summary of the same would help nobody. */
  compacted: boolean;
  /** Whether another try of the same request writes the replies: then this one only follows. */
  attached: boolean;
  /** Rounds of tools so far. */
  round: number;
  readonly spent: TurnSpent;
  /** The notices that were reported already, by their keys. */
  readonly reported: Set<string>;
}

/**
 * The id of a reply: by the request where there is one, so that the request made twice finds it. A reply that came after
 * room was made has another id than the one before, which may have failed and gone.
 */
export function idOfTarget(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
  index: number,
  compacted: boolean,
): NodeId {
  const { origin, options, treeId, round } = state;
  if (target.type === 'into') return target.nodeId;
  if (options.requestId === undefined || round > 0) return nodeId(services.newId());
  const at = origin.type === 'below' ? origin.parentId : origin.nodeId;
  return nodeId(deterministicId(treeId, at, options.requestId, origin.type, index, compacted ? 'compacted' : 'first'));
}
