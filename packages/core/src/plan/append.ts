import { unwrapResult } from '../errors.ts';
import { isUuid, type NodeId, nodeId, type TreeId } from '../ids.ts';
import { checkMessage, isBlank, isText, isTextOnly, type Message, type Role, type TextBlock } from '../message.ts';
import { matchParentOfChildren, type Node, type NodeMeta } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { InsertStep } from '../steps/types.ts';
import type { Prefetch } from '../store.ts';
import {
  buildNode,
  buildSelectSteps,
  findTakenIds,
  newNodeId,
  type ParentInfo,
  type PlanContext,
  type Planner,
  refuseTakenId,
  requireHead,
  requireTree,
  toPlan,
} from './context.ts';

/** A message to be added to a tree, with the fields of its node that the caller may choose. */
export interface NewMessage {
  readonly message: Message;
  /** Chosen by the client, so that a retry finds the same node. */
  readonly id?: string;
  readonly meta?: NodeMeta;
  readonly createdAt?: number;
}

/** Adds a chain of messages and reuses messages that already exist. */
export interface AppendCommand {
  readonly type: 'append';
  readonly treeId: TreeId;
  /** Defaults to the active node, or to the root of an empty tree. */
  readonly parentId?: NodeId;
  readonly messages: readonly NewMessage[];
  /**
   * By default existing messages are reused, except for messages with a chosen id. True reuses an equal message even
   * for a chosen id, and the result has the id of the existing node. False adds every message as a new node.
   */
  readonly merge?: boolean;
  /** Whether the last node becomes active; default true. The first node of a tree always becomes active. */
  readonly select?: boolean;
}

/** The nodes of an append: which were added, and which existed already. */
export interface AppendResult {
  /** The last node of the chain, new or reused; the parent if all messages were blank. */
  readonly nodeId: NodeId;
  readonly added: readonly NodeId[];
  readonly reused: readonly NodeId[];
}

// The maximum number of pieces of a split text that is recognised. A text with more pieces becomes a new variant.
const longestAlias = 64;
// With more seams than this, only two joins are tried: all pieces in one block, or each piece in its own block.
const fewSeams = 6;

/** Walks down while a child equals the next message, then adds the rest as a chain. */
export const append: Planner<AppendCommand, AppendResult> = function* (command, context) {
  const row = yield* requireTree(context);
  const parent = yield* requireHead(command.parentId ?? row.activeNodeId ?? row.rootId);
  const edge = yield* ask('lastPosition', { of: parent.id });
  const said = dropBlankMessages(command.messages);
  const wanted: AppendRequest = {
    ids: said.map(({ id }) => (id === undefined ? undefined : newNodeId(context, id))),
    keys: said.map(({ message }) => context.kit.key(message)),
    parentId: command.parentId,
    merge: command.merge === undefined ? 'unnamed' : command.merge ? 'all' : 'none',
    hasNoChildren: edge === null,
  };
  const reused = yield* findExisting(context, parent, wanted);
  const last = reused.at(-1);
  const links = said.map((item, at) => ({ item, id: wanted.ids[at], key: wanted.keys[at] })).slice(reused.length);
  const goesOn = last !== undefined && links.length > 0;
  const parentInfo = goesOn ? yield* requireHead(last) : parent;
  const place = goesOn ? yield* ask('lastPosition', { of: last }) : edge;
  const steps = buildChainSteps(context, parentInfo, place, links);
  const added = steps.map((step) => step.node.id);
  const end = added.at(-1) ?? last ?? parent.id;
  const selects = command.select !== false || row.activeNodeId === null;
  const moves = selects && said.length > 0 ? buildSelectSteps(row, end) : [];
  return toPlan([...steps, ...moves], { nodeId: end, added, reused });
};

/**
 * Lists the first reads of an append, so that a store can fetch them in one query. Malformed ids are left out, because
 * the planner refuses them before it reads.
 */
export function prefetchForAppend({ parentId, messages }: AppendCommand): Prefetch {
  const ids: NodeId[] = [];
  for (const { id } of messages) if (isUuid(id)) ids.push(nodeId(id));
  return { below: parentId ?? null, ids };
}

/** Returns the messages that are not blank. A malformed message is refused even if it is blank. */
export function dropBlankMessages(messages: readonly NewMessage[]): readonly NewMessage[] {
  const said: NewMessage[] = [];
  for (const [index, item] of messages.entries()) {
    const read = checkMessage(item.message, `messages[${index}]`);
    // An empty list of blocks counts as blank: appending nothing is not an error.
    if (!read.ok && read.refusal.code === 'message/blank') continue;
    if (!isBlank(unwrapResult(read))) said.push(item);
  }
  return said;
}

/** The messages of an append as ids and equality keys, which is all that matching needs. */
interface AppendRequest {
  readonly ids: readonly (NodeId | undefined)[];
  readonly keys: readonly string[];
  /** The parent that the command named, if any. */
  readonly parentId: NodeId | undefined;
  /** Which messages may match existing nodes; `unnamed` means those without a chosen id. */
  readonly merge: 'all' | 'unnamed' | 'none';
  /** Whether the parent never had a child, so that nothing can match below it. This is the usual case in a chat. */
  readonly hasNoChildren: boolean;
}

/**
 * Finds the existing nodes for the first messages: nodes that an earlier try created with the same ids, else equal
 * messages.
 */
function* findExisting(context: PlanContext, parent: ParentInfo, wanted: AppendRequest): ReadProgram<NodeId[]> {
  const { ids, keys, merge, hasNoChildren } = wanted;
  const chosen = ids.findIndex((id) => id !== undefined);
  // A message with a chosen id is never merged with another node, unless the caller requests merging.
  const mergeable = merge === 'all' || chosen === -1 ? keys.length : chosen;
  const equal = merge !== 'none' && !hasNoChildren ? yield* matchPrefix(context, parent, keys.slice(0, mergeable)) : [];
  const taken = yield* findTakenIds(ids.filter((id) => id !== undefined));
  const first = ids.findIndex((id, index) => id !== undefined && taken.has(id) && equal[index] !== id);
  if (first === -1) return equal;
  if (merge === 'unnamed' && first !== chosen) return refuseTakenId(ids[first] ?? nodeId(''));
  const found = yield* findRetry(wanted, first, taken, equal.slice(0, first));
  yield* continueRetry(context, wanted, taken, found);
  for (const [index, id] of ids.entries())
    if (id !== undefined && taken.has(id) && found[index] !== id) refuseTakenId(id);
  return found;
}

/** Continues below the nodes of an earlier try: matches equal messages, and further nodes that the try created. */
function* continueRetry(
  context: PlanContext,
  wanted: AppendRequest,
  taken: ReadonlySet<string>,
  own: NodeId[],
): ReadProgram<void> {
  const { ids, keys, merge } = wanted;
  for (let last = own.at(-1); merge !== 'none' && last !== undefined && own.length < keys.length; last = own.at(-1)) {
    const from = own.length;
    const next = merge === 'all' ? -1 : ids.findIndex((id, index) => index >= from && id !== undefined);
    const end = next === -1 ? keys.length : next;
    if (end > from)
      for (const id of yield* matchPrefix(context, yield* requireHead(last), keys.slice(from, end))) own.push(id);
    const id = ids[end];
    if (own.length < end || id === undefined || !taken.has(id)) return;
    const node = yield* ask('node', { id });
    if (node === null || node.key !== keys[end] || node.parentId !== own.at(-1)) return refuseTakenId(id);
    own.push(id);
  }
}

/**
 * Finds the nodes that an earlier try added from message `first` on, below the nodes that it reused. Throws if an id
 * belongs to another message or to another parent. Without a given parent the parent is not checked, because the active
 * node at the time of that try is unknown.
 */
function* findRetry(
  wanted: AppendRequest,
  first: number,
  taken: ReadonlySet<string>,
  equal: readonly NodeId[],
): ReadProgram<NodeId[]> {
  const { ids, keys, parentId } = wanted;
  const own: NodeId[] = [];
  for (let index = first; index < ids.length; index++) {
    const id = ids[index];
    if (id === undefined || !taken.has(id)) break;
    const node = yield* ask('node', { id });
    if (node === null || node.key !== keys[index]) return refuseTakenId(id);
    if (index === first)
      for (const up of parentId === undefined ? yield* reusedPrefix(node, keys.slice(0, first)) : equal) own.push(up);
    const home = own[index - 1] ?? (index === 0 ? (parentId ?? node.parentId) : null);
    if (node.parentId !== home) return refuseTakenId(id);
    own.push(id);
  }
  return own;
}

/** Finds the ancestors that an earlier try reused. That try started at the node that was active then. */
function* reusedPrefix(node: Node, keys: readonly string[]): ReadProgram<NodeId[]> {
  const above: NodeId[] = [];
  let at: Node | null = node;
  for (const key of [...keys].reverse()) {
    at = at.matchParent === null ? null : yield* ask('node', { id: at.matchParent });
    if (at === null || at.key !== key) return refuseTakenId(node.id);
    above.push(at.id);
  }
  return above.reverse();
}

function* matchPrefix(context: PlanContext, from: ParentInfo, keys: readonly string[]): ReadProgram<NodeId[]> {
  const reused: NodeId[] = [];
  let parentInfo: Pick<ParentInfo, 'id' | 'kind' | 'matchParent'> = from;
  while (reused.length < keys.length) {
    const { nodes, aliases } = yield* ask('match', { from: parentInfo.id, keys: keys.slice(reused.length) });
    for (const id of nodes) reused.push(id);
    if (reused.length === keys.length || aliases.length === 0) break;
    const last = nodes.at(-1);
    if (last !== undefined) parentInfo = { id: last, kind: 'message', matchParent: null };
    const whole = yield* findSplitText(context, parentInfo, aliases, keys[reused.length] ?? '');
    if (whole === undefined) break;
    reused.push(whole);
    parentInfo = { id: whole, kind: 'message', matchParent: null };
  }
  return reused;
}

/**
 * Returns the first alias below a node whose pieces still form the old text. A piece may have been edited or moved
 * since.
 */
function* findSplitText(
  context: PlanContext,
  from: Pick<ParentInfo, 'id' | 'kind' | 'matchParent'>,
  aliases: readonly NodeId[],
  key: string,
): ReadProgram<NodeId | undefined> {
  const matchParent = matchParentOfChildren(from);
  for (const id of aliases) {
    const { nodes } = yield* ask('path', { to: id, limit: longestAlias });
    const first = nodes.findIndex((node) => node.kind === 'message' && node.matchParent === matchParent);
    // Below a marker only descendants of the marker count, not equal texts elsewhere.
    const below = from.id === matchParent || nodes.slice(0, Math.max(first, 0)).some((node) => node.id === from.id);
    if (first === -1 || !below) continue;
    const pieces: Message[] = [];
    for (const { kind, message } of nodes.slice(first))
      if (kind === 'message' && message !== null) pieces.push(message);
    const role = pieces[0]?.role;
    if (role === undefined || !pieces.every((piece) => piece.role === role && isTextOnly(piece))) continue;
    for (const whole of possibleJoins(role, pieces)) if (context.kit.key(whole) === key) return id;
  }
  return undefined;
}

/**
 * Yields the messages that may have been split into these pieces. Each cut was either inside a block or between two
 * blocks.
 */
function* possibleJoins(role: Role, pieces: readonly Message[]): Generator<Message, void, undefined> {
  const seams = pieces.length - 1;
  // Each seam has one bit, which is set for a cut between blocks. -1 has all bits set.
  const cutMasks = seams > fewSeams ? [0, -1] : [...new Array(1 << seams).keys()];
  for (const mask of cutMasks) {
    const content: TextBlock[] = [];
    for (const [index, piece] of pieces.entries()) {
      const [next, ...rest] = piece.content.filter(isText);
      const last = content.at(-1);
      if (next === undefined) continue;
      if (last === undefined || ((mask >> (index - 1)) & 1) === 1) content.push(next);
      else content[content.length - 1] = { ...last, text: last.text + next.text };
      for (const block of rest) content.push(block);
    }
    yield { role, content };
  }
}

/** A message of a chain. The id and the equality key are set if the planner knows them already. */
export interface ChainLink {
  readonly item: NewMessage;
  readonly id: NodeId | undefined;
  readonly key?: string | undefined;
}

/** Builds the insert steps for a chain of messages. The first message becomes the last child of the parent. */
export function buildChainSteps(
  context: PlanContext,
  parentInfo: ParentInfo,
  edge: string | null,
  links: readonly ChainLink[],
): InsertStep[] {
  const steps: InsertStep[] = [];
  let position = positionBetween(edge, null);
  let parent: ParentInfo = parentInfo;
  for (const { item, key, id = newNodeId(context, undefined) } of links) {
    const { message, meta, createdAt } = item;
    const node = buildNode(context, parent, position, { id, message, meta, createdAt, key });
    steps.push({ type: 'insert', node });
    parent = node;
    position = positionBetween(null, null);
  }
  return steps;
}
