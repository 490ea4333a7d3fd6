import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { isBlank, type Message, textMessage, textOf } from '../message.ts';
import type { NodeMeta } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type Reading } from '../reads.ts';
import type { Step } from '../steps/types.ts';
import {
  free,
  type Ground,
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
  /** False adds every message as a new node, also beside an equal one: what imports do unless asked otherwise. */
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

/** Walks down while a child equals the next message, then adds the rest as a chain. */
export const append: Planner<AppendCommand, Appended> = function* (command, context) {
  const row = yield* theTree(context);
  const parent = yield* theNode(command.parentId ?? row.activeNodeId ?? row.rootId);
  const said = spoken(command.messages);
  const keys = said.map(({ message }) => context.kit.key(message));
  const reused = command.merge === false ? [] : yield* matched(context, parent.id, keys);
  const last = reused[reused.length - 1];
  const rest = said.slice(reused.length);
  const ground = last === undefined ? parent : yield* theNode(last);
  const chosen = rest.map((item) => idFor(context, item.id));
  yield* free(chosen.filter((_, index) => rest[index]?.id !== undefined));
  const steps = yield* chain(context, ground, rest, chosen);
  const end = chosen[chosen.length - 1] ?? last ?? parent.id;
  const selects = command.select !== false || row.activeNodeId === null;
  const moves = selects && said.length > 0 ? pointing(row, end) : [];
  return plan([...steps, ...moves], { nodeId: end, added: chosen, reused });
};

function spoken(messages: readonly NewMessage[]): readonly NewMessage[] {
  const said: NewMessage[] = [];
  for (const [index, item] of messages.entries()) {
    // An empty list of blocks is as blank as blank text here: appending nothing is no mistake.
    if (Array.isArray(item.message?.content) && isBlank(item.message)) continue;
    messageOf(item.message, `messages[${index}]`);
    said.push(item);
  }
  return said;
}

function* matched(context: PlanContext, from: NodeId, keys: readonly string[]): Reading<NodeId[]> {
  const reused: NodeId[] = [];
  while (reused.length < keys.length) {
    const at = reused[reused.length - 1] ?? from;
    const { nodes, aliases } = yield* ask('match', { from: at, keys: keys.slice(reused.length) });
    for (const id of nodes) reused.push(id);
    if (reused.length === keys.length || aliases.length === 0) break;
    const whole = yield* completing(context, reused[reused.length - 1] ?? from, aliases, keys[reused.length] ?? '');
    if (whole === undefined) break;
    reused.push(whole);
  }
  return reused;
}

/** The first alias whose pieces still read as the old text: a piece may have been edited or moved since. */
function* completing(
  context: PlanContext,
  from: NodeId,
  aliases: readonly NodeId[],
  key: string,
): Reading<NodeId | undefined> {
  for (const id of aliases) {
    const { nodes } = yield* ask('path', { to: id, limit: longestAlias });
    const first = nodes.findIndex((node) => node.kind === 'message' && node.matchParent === from);
    if (first === -1) continue;
    const pieces: Message[] = [];
    for (const { kind, message } of nodes.slice(first))
      if (kind === 'message' && message !== null) pieces.push(message);
    const role = pieces[0]?.role;
    if (role === undefined || pieces.some((piece) => piece.role !== role)) continue;
    if (context.kit.key(textMessage(role, pieces.map(textOf).join(''))) === key) return id;
  }
  return undefined;
}

function* chain(
  context: PlanContext,
  ground: Ground,
  items: readonly NewMessage[],
  ids: readonly NodeId[],
): Reading<Step[]> {
  if (items.length === 0) return [];
  return chainOf(context, ground, yield* ask('edge', { of: ground.id }), items, ids);
}

/** Insert steps for messages one below the other, the first as the last child of its ground. */
export function chainOf(
  context: PlanContext,
  ground: Ground,
  edge: string | null,
  items: readonly NewMessage[],
  ids: readonly NodeId[],
): Step[] {
  const steps: Step[] = [];
  let position = positionBetween(edge, null);
  let parent: Ground = ground;
  for (const [index, item] of items.entries()) {
    const id = ids[index] ?? refuse('command/invalid', 'There are fewer ids than messages.', {});
    const node = grow(context, parent, position, {
      id,
      message: item.message,
      ...(item.meta === undefined ? {} : { meta: item.meta }),
      ...(item.createdAt === undefined ? {} : { createdAt: item.createdAt }),
    });
    steps.push({ type: 'insert', node });
    parent = node;
    position = positionBetween(null, null);
  }
  return steps;
}
