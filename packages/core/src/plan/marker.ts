import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { isBlank, type Message, textMessage } from '../message.ts';
import type { Marker, Node, NodeKind, NodeMeta } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type Reading } from '../reads.ts';
import type { TreeRow } from '../tree.ts';
import {
  free,
  grow,
  idFor,
  messageOf,
  type Plan,
  type PlanContext,
  type Planner,
  plan,
  pointing,
  theNode,
  theTree,
} from './context.ts';

/** Goes elsewhere in the tree to go on from there, with a summary of what is left behind if there is one. */
export interface BranchCommand {
  readonly type: 'branch';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly summary?: string;
  readonly id?: string;
  readonly meta?: NodeMeta;
  readonly details?: Marker['details'];
}

/** Marks where older messages give way to a summary. */
export interface CompactCommand {
  readonly type: 'compact';
  readonly treeId: TreeId;
  readonly summary: string;
  /** The first node that stays in force as it is; on the path. */
  readonly firstKept?: NodeId;
  readonly tokensBefore?: number;
  readonly details?: Marker['details'];
  readonly id?: string;
  readonly meta?: NodeMeta;
}

/** Adds a message that an extension injects, or a state that it keeps, at the end of the active branch. */
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
export interface Marked {
  readonly nodeId: NodeId;
  readonly added: readonly NodeId[];
}

/** Moves the pointer; with a summary also adds a node there that holds it. */
export const branch: Planner<BranchCommand, Marked> = function* (command, context) {
  const row = yield* theTree(context);
  const node = yield* theNode(command.nodeId);
  if (command.summary === undefined) {
    if (node.parentId === null)
      return refuse('tree/root-protected', 'The root is no message: it cannot be active.', { nodeId: node.id });
    return plan(pointing(row, node.id), { nodeId: node.id, added: [] });
  }
  const from = row.activeNodeId === null ? {} : { from: row.activeNodeId };
  const marker: Marker = command.details === undefined ? from : { ...from, details: command.details };
  const message = summaryOf(command.summary, node.id);
  return yield* marking(command, context, row, { kind: 'branch-summary', message, parent: node, marker });
};

/** Adds a compaction below the active node. */
export const compact: Planner<CompactCommand, Marked> = function* (command, context) {
  const row = yield* theTree(context);
  const leaf =
    row.activeNodeId ??
    refuse('context/nothing-to-compact', 'An empty tree has nothing to compact.', { treeId: row.id });
  const { firstKept, tokensBefore, details } = command;
  if (firstKept !== undefined) {
    const kept = yield* theNode(firstKept);
    if (kept.parentId === null || !(yield* ask('above', { id: kept.id, below: leaf })))
      refuse('tree/not-on-path', `The node ${firstKept} is not on the active path.`, { nodeId: firstKept });
  }
  const marker: Marker = {
    ...(firstKept === undefined ? {} : { firstKept }),
    ...(tokensBefore === undefined ? {} : { tokensBefore }),
    ...(details === undefined ? {} : { details }),
  };
  const message = summaryOf(command.summary, leaf);
  return yield* marking(command, context, row, { kind: 'compaction', message, parent: yield* theNode(leaf), marker });
};

/** Adds an injected message or an extension's state. A state may be blank, for it speaks by its details. */
export const mark: Planner<MarkCommand, Marked> = function* (command, context) {
  const row = yield* theTree(context);
  const { kind } = command;
  const message = messageOf(command.message, 'message');
  if (kind === 'injected' && isBlank(message)) refuse('message/blank', 'The injected message says nothing.', {});
  const parent = yield* theNode(command.parentId ?? row.activeNodeId ?? row.rootId);
  const marker: Marker = command.details === undefined ? {} : { details: command.details };
  return yield* marking(command, context, row, { kind, message, parent, marker });
};

function summaryOf(text: string, nodeId: NodeId): Message {
  if (text.trim() === '') return refuse('message/blank', `The summary at ${nodeId} says nothing.`, { nodeId });
  return textMessage('system', text);
}

interface NewMarker {
  readonly kind: NodeKind;
  readonly message: Message;
  readonly parent: Node;
  readonly marker: Marker;
}

function* marking(
  command: BranchCommand | CompactCommand | MarkCommand,
  context: PlanContext,
  row: TreeRow,
  made: NewMarker,
): Reading<Plan<Marked>> {
  const { kind, message, parent, marker } = made;
  const id = idFor(context, command.id);
  if (command.id !== undefined) {
    if (yield* isThere(command, context, id, made)) return plan([], { nodeId: id, added: [] });
    yield* free([id]);
  }
  const position = positionBetween(yield* ask('edge', { of: parent.id }), null);
  const meta = command.meta === undefined ? {} : { meta: command.meta };
  const node = grow(context, parent, position, { id, kind, message, marker, ...meta });
  const selects = command.type !== 'mark' || command.select !== false || row.activeNodeId === null;
  return plan([{ type: 'insert', node }, ...(selects ? pointing(row, id) : [])], { nodeId: id, added: [id] });
}

/** Whether a retry finds its own marker. Where no parent was named, the first try has moved the place it would go to. */
function* isThere(
  command: BranchCommand | CompactCommand | MarkCommand,
  context: PlanContext,
  id: NodeId,
  { kind, message, parent }: NewMarker,
): Reading<boolean> {
  const there = yield* ask('node', { id });
  const named = command.type === 'branch' || (command.type === 'mark' && command.parentId !== undefined);
  return (
    there?.message != null &&
    there.kind === kind &&
    (!named || there.parentId === parent.id) &&
    context.kit.key(there.message) === context.kit.key(message)
  );
}
