import { findNearestRecordedPrompt } from '../context-entries.ts';
import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { isBlank, type Message, textMessage } from '../message.ts';
import type { Marker, Node, NodeKind, NodeMeta } from '../node.ts';
import { ask, type ReadProgram } from '../reads.ts';
import { omitNullish } from '../rows.ts';
import type { TreeRow } from '../tree.ts';
import {
  assertIdsFree,
  buildNode,
  buildSelectSteps,
  newNodeId,
  type Plan,
  type PlanContext,
  type Planner,
  parseNewMessage,
  positionAfterLast,
  requireMessage,
  requireNode,
  requireTree,
  toPlan,
} from './context.ts';
import type { MergeCommand } from './copy.ts';

/** Makes another node active to continue from there, optionally with a summary of the branch that is left. */
export interface BranchCommand {
  readonly type: 'branch';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly summary?: string;
  /**
   * The leaf of the branch that was left; the active node by default. It is given explicitly because writing a summary
   * takes time, and the user may select another node in the meantime.
   */
  readonly from?: NodeId;
  readonly id?: string;
  readonly meta?: NodeMeta;
  readonly details?: Marker['details'];
}

/** Adds a marker whose summary replaces the older messages in the context. */
export interface CompactCommand {
  readonly type: 'compact';
  readonly treeId: TreeId;
  readonly summary: string;
  /**
   * The parent of the compaction; the active node by default. The compaction becomes active only if its parent was
   * active.
   */
  readonly nodeId?: NodeId;
  /** Whether the compaction may become active; default true. */
  readonly select?: boolean;
  /**
   * Whether to add nothing if the node has a child now, because the summary would become a sibling of newer messages.
   */
  readonly onlyLeaf?: boolean;
  /** The first node that the model still sees in full; it must be on the path. */
  readonly firstKept?: NodeId;
  readonly tokensBefore?: number;
  readonly details?: Marker['details'];
  readonly id?: string;
  readonly meta?: NodeMeta;
}

/** Adds an injected message or the state of an extension at the end of the active branch. */
export interface MarkCommand {
  readonly type: 'mark';
  readonly treeId: TreeId;
  readonly kind: Extract<NodeKind, 'injected' | 'state'>;
  readonly message: Message;
  readonly parentId?: NodeId;
  readonly details?: Marker['details'];
  readonly id?: string;
  readonly meta?: NodeMeta;
  readonly select?: boolean;
}

/** The node that is active now, and the marker that was added. */
export interface MarkResult {
  readonly nodeId: NodeId;
  readonly added: readonly NodeId[];
}

/** Makes a node active; a summary is added below it as a marker. */
export const planBranch: Planner<BranchCommand, MarkResult> = function* (command, context) {
  const row = yield* requireTree(context);
  if (command.summary === undefined) {
    const { id } = yield* requireMessage(command.nodeId, 'selected');
    return toPlan(buildSelectSteps(row, id), { nodeId: id, added: [] });
  }
  const node = yield* requireNode(command.nodeId);
  const from = command.from === undefined ? row.activeNodeId : (yield* requireNode(command.from)).id;
  const marker = omitNullish<Marker>({ from, details: command.details });
  const message = parseSummary(command.summary, node.id);
  return yield* planMarkerInsertion(command, context, row, { kind: 'branch-summary', message, parent: node, marker });
};

/**
 * Adds a compaction below the given node or the active node. The compaction stores the recorded prompt of its path, so
 * that reading a context need not read further up.
 */
export const planCompact: Planner<CompactCommand, MarkResult> = function* (command, context) {
  const row = yield* requireTree(context);
  const leaf =
    command.nodeId ??
    row.activeNodeId ??
    refuse('context/nothing-to-compact', 'There is nothing to compact: the chat has no messages.', { treeId: row.id });
  const { firstKept, tokensBefore, details } = command;
  if (firstKept !== undefined) {
    const kept = yield* requireNode(firstKept);
    if (kept.parentId === null || !(yield* ask('isAncestorOrSelf', { id: kept.id, below: leaf })))
      refuse('tree/not-on-path', `The message ${firstKept} is not on the path to ${leaf}.`, { nodeId: firstKept });
  }
  const parent = yield* requireNode(leaf);
  if (parent.parentId === null)
    refuse('context/nothing-to-compact', 'There is nothing to compact: the chat has no messages.', { nodeId: leaf });
  const marker = omitNullish<Marker>({ firstKept, tokensBefore, details });
  const message = parseSummary(command.summary, leaf);
  if (command.onlyLeaf === true && (yield* hasOtherChildren(command, leaf)))
    return toPlan([], { nodeId: leaf, added: [] });
  const recordedPrompt = findNearestRecordedPrompt((yield* ask('pathMeta', { to: leaf })).entries);
  const noted = recordedPrompt === undefined ? command : { ...command, meta: { recordedPrompt, ...command.meta } };
  return yield* planMarkerInsertion(noted, context, row, { kind: 'compaction', message, parent, marker });
};

/** Whether a node has children other than the marker of an earlier try. */
function* hasOtherChildren({ id }: CompactCommand, leaf: NodeId): ReadProgram<boolean> {
  const children = yield* ask('children', { of: leaf });
  return children.length > 0 && !children.some((child) => child.id === id);
}

/**
 * Adds an injected message or an extension's state. A state may have a blank message, because its content is in the
 * details.
 */
export const planMark: Planner<MarkCommand, MarkResult> = function* (command, context) {
  const row = yield* requireTree(context);
  const { kind } = command;
  const message = parseNewMessage(command.message, 'message');
  if (kind === 'injected' && isBlank(message)) refuse('message/blank', 'The injected message is empty.');
  const parent = yield* requireNode(command.parentId ?? row.activeNodeId ?? row.rootId);
  const marker = omitNullish<Marker>({ details: command.details });
  return yield* planMarkerInsertion(command, context, row, { kind, message, parent, marker });
};

/** Builds the message of a marker from a summary; throws if the summary is blank. */
export function parseSummary(text: string | undefined, nodeId: NodeId): Message {
  if (text === undefined || text.trim() === '')
    return refuse('message/blank', `The summary for ${nodeId} is empty.`, { nodeId });
  return textMessage('system', text);
}

type MarkingCommand = BranchCommand | CompactCommand | MarkCommand | (MergeCommand & { readonly id?: string });

interface NewMarker {
  readonly kind: NodeKind;
  readonly message: Message;
  readonly parent: Node;
  readonly marker: Marker;
}

/** Plans the insertion of a marker as the last child of its parent. A retry with the same id adds nothing. */
export function* planMarkerInsertion(
  command: MarkingCommand,
  context: PlanContext,
  row: TreeRow,
  made: NewMarker,
): ReadProgram<Plan<MarkResult>> {
  const { kind, message, parent, marker } = made;
  const { meta } = command;
  const id = newNodeId(context, command.id);
  if (command.id !== undefined) {
    if (yield* findMarker(command, context, id, made)) return toPlan([], { nodeId: id, added: [] });
    yield* assertIdsFree([id]);
  }
  const node = buildNode(context, parent, yield* positionAfterLast(parent.id), { id, kind, message, marker, meta });
  const selects = row.activeNodeId === null || selectMarker(command, row.activeNodeId);
  return toPlan([{ type: 'insert', node }, ...(selects ? buildSelectSteps(row, id) : [])], { nodeId: id, added: [id] });
}

/** Whether the new marker becomes the active node. */
function selectMarker(command: MarkingCommand, active: NodeId): boolean {
  if (command.type === 'branch' || command.type === 'merge') return true;
  if (command.select === false) return false;
  // A summary for another node does not change the active node.
  return command.type === 'mark' || command.nodeId === undefined || command.nodeId === active;
}

/**
 * Whether a retry finds the marker of the first try. Without a given parent the parent is not compared, because the
 * first try moved the active node.
 */
function* findMarker(
  command: MarkingCommand,
  context: PlanContext,
  id: NodeId,
  { kind, message, parent }: NewMarker,
): ReadProgram<boolean> {
  const there = yield* ask('node', { id });
  const named =
    command.type === 'branch' ||
    (command.type === 'mark' && command.parentId !== undefined) ||
    (command.type === 'compact' && command.nodeId !== undefined);
  return (
    there?.message != null &&
    there.kind === kind &&
    (!named || there.parentId === parent.id) &&
    context.kit.key(there.message) === context.kit.key(message)
  );
}
