import { valueOf } from '../errors.ts';
import { isUuid, type NodeId, nodeId, type TreeId } from '../ids.ts';
import { checkMessage, isBlank, isText, isTextOnly, type Message, type Role, type TextBlock } from '../message.ts';
import { matchParentBelow, type Node, type NodeMeta } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { InsertStep } from '../steps/types.ts';
import type { Prefetch } from '../store.ts';
import {
  buildNode,
  findTakenIds,
  newNodeId,
  type ParentInfo,
  type PlanContext,
  type Planner,
  refuseTakenId,
  requireHead,
  requireTree,
  selectSteps,
  toPlan,
} from './context.ts';

/** A message on its way into a tree. */
export interface NewMessage {
  readonly message: Message;
  /** Chosen by the client, so that a retry is harmless. */
  readonly id?: string;
  readonly meta?: NodeMeta;
  readonly createdAt?: number;
}

/** Adds a chain of messages, reusing what is there already. */
export interface AppendCommand {
  readonly type: 'append';
  readonly treeId: TreeId;
  /** The active node if not given, or the root of an empty tree. */
  readonly parentId?: NodeId;
  readonly messages: readonly NewMessage[];
  /**
   * Messages that are there already are reused, but for those with an id of their own. True reuses also in their place, and
   * answers with the ids that hold them; false adds every message as a new node.
   */
  readonly merge?: boolean;
  /** Whether the last node becomes active; true if not given. A tree's first node always does. */
  readonly select?: boolean;
}

/** What an append did. */
export interface Appended {
  /** The last node of the chain, new or reused; the parent if there was nothing to say. */
  readonly nodeId: NodeId;
  readonly added: readonly NodeId[];
  readonly reused: readonly NodeId[];
}

// A text that was split more often than this is not looked for: it becomes a new variant instead.
const longestAlias = 64;
// Past this many seams only the two plain ways to put pieces together again are tried.
const fewSeams = 6;

/** Walks down while a child equals the next message, then adds the rest as a chain. */
export const append: Planner<AppendCommand, Appended> = function* (command, context) {
  const row = yield* requireTree(context);
  const parent = yield* requireHead(command.parentId ?? row.activeNodeId ?? row.rootId);
  const edge = yield* ask('lastPosition', { of: parent.id });
  const said = nonBlank(command.messages);
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
  const steps = chainSteps(context, parentInfo, place, links);
  const added = steps.map((step) => step.node.id);
  const end = added.at(-1) ?? last ?? parent.id;
  const selects = command.select !== false || row.activeNodeId === null;
  const moves = selects && said.length > 0 ? selectSteps(row, end) : [];
  return toPlan([...steps, ...moves], { nodeId: end, added, reused });
};

/** What an append is going to ask first. An id that is none is refused before anybody asks for it. */
export function prefetchFor({ parentId, messages }: AppendCommand): Prefetch {
  const ids: NodeId[] = [];
  for (const { id } of messages) if (isUuid(id)) ids.push(nodeId(id));
  return { below: parentId ?? null, ids };
}

/** The messages that say something. One that cannot be read is refused, also if it is blank. */
export function nonBlank(messages: readonly NewMessage[]): readonly NewMessage[] {
  const said: NewMessage[] = [];
  for (const [index, item] of messages.entries()) {
    const read = checkMessage(item.message, `messages[${index}]`);
    // An empty list of blocks is as blank as blank text here: appending nothing is no mistake.
    if (!read.ok && read.refusal.code === 'message/blank') continue;
    if (!isBlank(valueOf(read))) said.push(item);
  }
  return said;
}

/** What an append wants to be there, message by message. */
interface AppendRequest {
  readonly ids: readonly (NodeId | undefined)[];
  readonly keys: readonly string[];
  /** The parent that was named, if one was. */
  readonly parentId: NodeId | undefined;
  /** Which messages may be nodes that are there already: those without an id unless the caller says. */
  readonly merge: 'all' | 'unnamed' | 'none';
  /** The parent never had a child: nearly every message of a chat comes to such a place, and nothing can match there. */
  readonly hasNoChildren: boolean;
}

/** The nodes that hold the first messages already: the client's own from an earlier try, else equal ones. */
function* findExisting(context: PlanContext, parent: ParentInfo, wanted: AppendRequest): ReadProgram<NodeId[]> {
  const { ids, keys, merge, hasNoChildren } = wanted;
  const chosen = ids.findIndex((id) => id !== undefined);
  // A message with an id of its own is that node or a new one, unless the caller asks for merging by name.
  const mergeable = merge === 'all' || chosen === -1 ? keys.length : chosen;
  const equal = merge !== 'none' && !hasNoChildren ? yield* matchPrefix(context, parent, keys.slice(0, mergeable)) : [];
  const taken = yield* findTakenIds(ids.filter((id) => id !== undefined));
  const first = ids.findIndex((id, index) => id !== undefined && taken.has(id) && equal[index] !== id);
  if (first === -1) return equal;
  if (merge === 'unnamed' && first !== chosen) return refuseTakenId(ids[first] ?? nodeId(''));
  const own = yield* findRetry(wanted, first, taken, equal.slice(0, first));
  yield* goOn(context, wanted, taken, own);
  for (const [index, id] of ids.entries())
    if (id !== undefined && taken.has(id) && own[index] !== id) refuseTakenId(id);
  return own;
}

/** What follows a client's own nodes: equal messages below them, and more of its own below those. */
function* goOn(
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
 * What an earlier try added from this message on, below what it reused. Refused if an id stands for another message,
 * or for one elsewhere; where no parent was named, the place that the user was at then is not known any more.
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

/** The messages above a node that an earlier try reused, when it went on from where the user was then. */
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

/** The first alias below a node whose pieces still read as the old text: a piece may have been edited or moved since. */
function* findSplitText(
  context: PlanContext,
  from: Pick<ParentInfo, 'id' | 'kind' | 'matchParent'>,
  aliases: readonly NodeId[],
  key: string,
): ReadProgram<NodeId | undefined> {
  const matchParent = matchParentBelow(from);
  for (const id of aliases) {
    const { nodes } = yield* ask('path', { to: id, limit: longestAlias });
    const first = nodes.findIndex((node) => node.kind === 'message' && node.matchParent === matchParent);
    // Below a marker, the same text beside that marker does not count.
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

/** The messages that can have been cut into these pieces: each cut went through a block, or between two. */
function* possibleJoins(role: Role, pieces: readonly Message[]): Generator<Message, void, undefined> {
  const seams = pieces.length - 1;
  // One bit per seam, set for a cut between blocks. Every bit of -1 is set.
  const ways = seams > fewSeams ? [0, -1] : [...new Array(1 << seams).keys()];
  for (const way of ways) {
    const content: TextBlock[] = [];
    for (const [index, piece] of pieces.entries()) {
      const [next, ...rest] = piece.content.filter(isText);
      const last = content.at(-1);
      if (next === undefined) continue;
      if (last === undefined || ((way >> (index - 1)) & 1) === 1) content.push(next);
      else content[content.length - 1] = { ...last, text: last.text + next.text };
      for (const block of rest) content.push(block);
    }
    yield { role, content };
  }
}

/** A message that goes below another, with the id that it gets and its equality key where they are known. */
export interface ChainLink {
  readonly item: NewMessage;
  readonly id: NodeId | undefined;
  readonly key?: string | undefined;
}

/** Insert steps for messages one below the other, the first as the last child of its ground. */
export function chainSteps(
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
