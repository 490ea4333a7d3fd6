import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { type Message, textMessage } from '../message.ts';
import type { Marker, NodeKind, NodeMeta } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask } from '../reads.ts';
import {
  free,
  grow,
  idFor,
  messageOf,
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
  return yield* marking(command, context, 'branch-summary', summaryOf(command.summary, node.id), node.id, marker, true);
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
  return yield* marking(command, context, 'compaction', summaryOf(command.summary, leaf), leaf, marker, true);
};

/** Adds an injected message or an extension's state. */
export const mark: Planner<MarkCommand, Marked> = function* (command, context) {
  const row = yield* theTree(context);
  const parentId = command.parentId ?? row.activeNodeId ?? row.rootId;
  const marker: Marker = command.details === undefined ? {} : { details: command.details };
  return yield* marking(
    command,
    context,
    command.kind,
    messageOf(command.message, 'message'),
    parentId,
    marker,
    command.select !== false,
  );
};

function summaryOf(text: string, nodeId: NodeId): Message {
  if (text.trim() === '') return refuse('message/blank', `The summary at ${nodeId} says nothing.`, { nodeId });
  return textMessage('system', text);
}

function* marking(
  command: { readonly id?: string; readonly meta?: NodeMeta },
  context: PlanContext,
  kind: NodeKind,
  message: Message,
  parentId: NodeId,
  marker: Marker,
  select: boolean,
) {
  const row = yield* theTree(context);
  const parent = yield* theNode(parentId);
  const id = idFor(context, command.id);
  if (command.id !== undefined) {
    const there = yield* ask('node', { id });
    if (there?.kind === kind && there.parentId === parentId && there.text === context.kit.text(message))
      return plan<Marked>([], { nodeId: id, added: [] });
    yield* free([id]);
  }
  const position = positionBetween(yield* ask('edge', { of: parentId }), null);
  const meta = command.meta === undefined ? {} : { meta: command.meta };
  const node = grow(context, parent, position, { id, kind, message, marker, ...meta });
  const moves = select || row.activeNodeId === null ? pointing(row, id) : [];
  return plan<Marked>([{ type: 'insert', node }, ...moves], { nodeId: id, added: [id] });
}
