import { isAppError } from '../errors.ts';
import { type NodeId, nodeId, type TreeId, treeId } from '../ids.ts';
import { type Block, type Message, type Role, textMessage } from '../message.ts';
import type { Node, NodeStatus } from '../node.ts';
import type { NewMessage } from '../plan/append.ts';
import type { ImportNode } from '../plan/import.ts';
import type { Command } from '../plan/index.ts';
import type { NewReply } from '../plan/reply.ts';
import { ask, type Commit, type Reads } from '../reads.ts';
import { type MoveToTreeOptions, moveToTree, type RunContext, run } from '../run.ts';
import type { TreeStore } from '../store.ts';
import { type AbstractCommand, maxNodeNumber } from './arbitraries.ts';
import { testKit } from './kit.ts';
import { testUuid } from './test-tree.ts';

/** Every row of one tree, removed nodes included. */
export type AllTreeRows = NonNullable<Reads['rows']['answer']>;

/** The rows of the trees in which an abstract command is resolved. */
export interface CommandResolutionContext {
  /** The rows of the tree that the command changes. */
  readonly rows: AllTreeRows;
  /** The rows of another tree; of the same tree if there is only one. */
  readonly other: AllTreeRows;
  /** Returns an id that no node has. */
  readonly fresh: () => string;
}

/** A command with actual ids, or the move of a branch to another tree. */
export type ResolvedCommand = Command | ({ readonly type: 'transplant' } & MoveToTreeOptions);

/** What running one abstract command did. */
export interface AbstractCommandResult {
  readonly index: number;
  readonly abstract: AbstractCommand;
  readonly resolved: ResolvedCommand;
  readonly treeId: TreeId;
  readonly actor: string;
  /** The code of the refusal, or null if the command succeeded. */
  readonly refusal: string | null;
  /** The last commit; null if nothing changed. */
  readonly commit: Commit | null;
  /** The command's result; undefined if it was refused. */
  readonly result: unknown;
  /** All trees so far, in creation order. */
  readonly treeIds: readonly TreeId[];
}

const actors = ['ann', 'ben', 'cem'] as const;
const unknownId = nodeId('ffffffff-ffff-7fff-8fff-ffffffffffff');

/**
 * Runs abstract commands one after another and yields the result of each. Ids and times depend only on the index of a
 * command, so that two equivalent stores have the same rows at the end.
 */
export async function* runCommands(
  store: TreeStore,
  commands: readonly AbstractCommand[],
): AsyncGenerator<AbstractCommandResult, void, undefined> {
  const treeIds: TreeId[] = [];
  for (const [at, systemPrompt] of ['Be brief.', undefined].entries()) {
    const id = treeId(testUuid(at + 1));
    const attributes = systemPrompt === undefined ? {} : { systemPrompt };
    await run(store, { type: 'create', treeId: id, attributes }, contextOf(at, 'ann'));
    treeIds.push(id);
  }
  for (const [at, abstract] of commands.entries()) {
    const index = at + treeIds.length;
    const base = contextOf(100 + at, actors[abstract.actor % actors.length] ?? actors[0]);
    const about = treeIds[abstract.tree % treeIds.length] ?? treeId('');
    const rows = await rowsOf(store, about);
    const other = await rowsOf(store, treeIds[(abstract.tree + 1) % treeIds.length] ?? about);
    const resolved = resolveCommand(abstract, { rows, other, fresh: base.newId });
    const context = expecting(base, abstract, rows.row.version);
    const turn = await take(store, resolved, context);
    for (const id of [turn.made, about]) if (id !== null && !treeIds.includes(id)) treeIds.push(id);
    const { actor } = base;
    const { refusal, commit, result } = turn;
    yield { index, abstract, resolved, treeId: about, actor, refusal, commit, result, treeIds };
  }
}

async function rowsOf(store: TreeStore, id: TreeId): Promise<AllTreeRows> {
  const rows = await store.read(id, () => ask('rows', {}));
  if (rows === null) throw new Error(`The tree ${id} is gone from the store.`);
  return rows;
}

function contextOf(index: number, actor: string): RunContext {
  let id = 0;
  return { actor, kit: testKit, now: () => index * 1000, newId: () => testUuid((index + 1) * 1_000_000 + ++id) };
}

function expecting(context: RunContext, { behind, choice }: AbstractCommand, version: number): RunContext {
  if (behind === 0) return context;
  const expectedVersion = Math.max(1, version - behind + 1);
  return (choice & 128) === 0 ? { ...context, expectedVersion } : { ...context, expectedVersion, onConflict: 'branch' };
}

async function take(
  store: TreeStore,
  resolved: ResolvedCommand,
  context: RunContext,
): Promise<Pick<AbstractCommandResult, 'refusal' | 'commit' | 'result'> & { readonly made: TreeId | null }> {
  try {
    if (resolved.type === 'transplant') {
      const { commit, result } = await moveToTree(store, resolved, context);
      return { refusal: null, commit, result, made: null };
    }
    const { commit, result } = await run(store, resolved, context);
    return { refusal: null, commit, result, made: commit?.version === 1 ? commit.treeId : null };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { refusal: error.code, commit: null, result: undefined, made: null };
  }
}

/** Resolves numbers to nodes of the given trees. */
class Picker {
  readonly #live: readonly Node[];
  readonly #gone: readonly Node[];
  readonly #trees: CommandResolutionContext;
  readonly #numbers: readonly number[];

  constructor(trees: CommandResolutionContext, numbers: readonly number[]) {
    this.#trees = trees;
    this.#numbers = numbers;
    this.#live = trees.rows.nodes.filter((node) => node.removedIn === null && node.parentId !== null);
    this.#gone = trees.rows.nodes.filter((node) => node.removedIn !== null);
  }

  /**
   * Returns a live node of the tree for most numbers. The highest numbers return the root and nodes that do not exist.
   */
  node(at: number): NodeId {
    const number = this.#numbers[at % this.#numbers.length] ?? 0;
    const { row } = this.#trees.rows;
    if (number === maxNodeNumber) return unknownId;
    if (number > maxNodeNumber - 16) return row.rootId;
    if (number > maxNodeNumber - 32) return this.gone(at) ?? unknownId;
    if (number > maxNodeNumber - 48) return this.foreign(at);
    return this.#live[number % Math.max(1, this.#live.length)]?.id ?? row.rootId;
  }

  /** Returns a removed node; undefined if no node is removed. */
  gone(at: number): NodeId | undefined {
    const number = this.#numbers[at % this.#numbers.length] ?? 0;
    return this.#gone[number % Math.max(1, this.#gone.length)]?.id;
  }

  /** Returns a live node of the other tree; its root if the tree is empty. */
  foreign(at: number): NodeId {
    const number = this.#numbers[at % this.#numbers.length] ?? 0;
    const { row, nodes } = this.#trees.other;
    const live = nodes.filter((node) => node.removedIn === null && node.parentId !== null);
    return live[number % Math.max(1, live.length)]?.id ?? row.rootId;
  }

  /** Returns a live node that fulfils a condition, counted from the given number; any node if no node does. */
  fitting(at: number, fits: (node: Node) => boolean): NodeId {
    const number = this.#numbers[at % this.#numbers.length] ?? 0;
    const found = number > maxNodeNumber - 64 ? [] : this.#live.filter(fits);
    return found[number % Math.max(1, found.length)]?.id ?? this.node(at);
  }

  /** Returns the text of a live node; empty for any other id. */
  textOf(id: NodeId): string {
    return this.#live.find((node) => node.id === id)?.text ?? '';
  }

  get all(): NodeId[] {
    return this.#numbers.map((_, at) => this.node(at));
  }
}

/** Converts an abstract command to a command with ids of the given trees. The result may be invalid on purpose. */
export function resolveCommand(abstract: AbstractCommand, trees: CommandResolutionContext): ResolvedCommand {
  const { choice, type } = abstract;
  const { row } = trees.rows;
  const { id: treeId } = row;
  const pick = new Picker(trees, abstract.nodes);
  const nodeId = pick.node(0);
  const word = abstract.texts[0] ?? '';
  const bit = (place: number) => ((choice >> place) & 1) === 1;
  const chosenId = bit(6) && bit(5) ? { id: bit(4) ? trees.fresh() : (pick.gone(0) ?? 'No-UUID') } : {};
  const select = bit(3) && bit(2) ? { select: false } : {};
  switch (type) {
    case 'append': {
      const parent = bit(0) ? { parentId: nodeId } : {};
      const merge = bit(4) && bit(5) ? { merge: false } : {};
      return { type, treeId, messages: messagesOf(abstract), ...parent, ...merge, ...select };
    }
    case 'edit': {
      const mode = (['branch', 'in-place', 'prefix', 'prefix'] as const)[choice & 3] ?? 'branch';
      const content = bit(4) ? pick.textOf(nodeId).slice(0, choice >> 5) + word : word;
      return { type, treeId, nodeId, content, mode, moveBookmark: bit(2), ...select, ...chosenId };
    }
    case 'split': {
      const target = pick.fitting(0, (node) => node.text.length > 1);
      return { type, treeId, nodeId: target, position: choice % Math.max(2, pick.textOf(target).length), ...chosenId };
    }
    case 'join':
      return { type, treeId, nodeId: bit(0) ? nodeId : pick.fitting(0, (node) => node.meta.splitSource !== undefined) };
    case 'reply': {
      const join = bit(5) && bit(1) ? { join: 1 + (choice & 1) } : {};
      return { type, treeId, parentId: nodeId, replies: repliesOf(abstract), ...join, ...select };
    }
    case 'regenerate':
      return { type, treeId, nodeId, replies: repliesOf(abstract), ...select };
    case 'finish':
      return {
        type,
        treeId,
        nodeId: pick.fitting(0, (node) => node.status !== 'success'),
        status:
          (['success', 'success', 'interrupted', 'aborted', 'error', 'pending'] as const)[choice % 6] ?? 'success',
        ...(bit(4) ? {} : { message: textMessage('assistant', word) }),
        ...(bit(5) ? { meta: { source: { type: 'model', model: word } } } : {}),
      };
    case 'select':
      return { type, treeId, nodeId };
    case 'navigate':
      return { type, treeId, nodeId, direction: bit(0) ? 'next' : 'previous' };
    case 'delete': {
      const nodeIds = bit(2) ? pick.all : [nodeId];
      return { type, treeId, nodeIds, ...(bit(1) ? { mode: bit(0) ? 'cascade' : 'splice' } : {}) };
    }
    case 'delete-group':
      return { type, treeId, nodeId: pick.fitting(0, (node) => node.groupId > 0) };
    case 'clear':
    case 'delete-tree':
    case 'restore-tree':
      return { type, treeId };
    case 'move': {
      const before = bit(0) ? { before: pick.node(2) } : {};
      return { type, treeId, nodeId, parentId: bit(5) && bit(4) ? row.rootId : pick.node(1), ...before };
    }
    case 'graft':
      return {
        type,
        treeId,
        from: { treeId: trees.other.row.id, nodeId: pick.foreign(0) },
        parentId: pick.node(1),
        select: bit(0),
      };
    case 'cherry-pick': {
      const to = bit(0) ? { to: bit(1) ? pick.foreign(1) : pick.node(1) } : {};
      if (bit(1)) return { type, treeId, nodeId: pick.foreign(0), from: trees.other.row.id, ...to };
      return { type, treeId, nodeId, ...to };
    }
    case 'merge':
      return { type, treeId, nodeId, ...(bit(0) ? { mode: 'messages' } : { summary: word }) };
    case 'branch':
      return { type, treeId, nodeId, ...(bit(0) ? { summary: word } : {}), ...chosenId };
    case 'compact':
      return { type, treeId, summary: word, ...(bit(0) ? { firstKept: nodeId, tokensBefore: choice } : {}) };
    case 'mark': {
      const parent = bit(1) ? { parentId: nodeId } : {};
      const message = textMessage(bit(2) ? 'user' : 'system', word);
      return { type, treeId, kind: bit(0) ? 'injected' : 'state', message, ...parent, ...select, ...chosenId };
    }
    case 'duplicate': {
      const end = bit(0) ? { nodeId } : {};
      const attributes = bit(2) ? { attributes: { systemPrompt: word, title: null } } : {};
      return { type, treeId: asTree(trees.fresh()), from: treeId, whole: bit(1), ...end, ...attributes };
    }
    case 'import': {
      const known = bit(0) && nodeId !== unknownId && nodeId !== row.rootId ? nodeId : null;
      return { type, treeId, nodes: importsOf(abstract, known, trees.fresh) };
    }
    case 'bookmark':
      return { type, treeId, nodeId, title: bit(0) && bit(1) ? null : word };
    case 'title':
      return { type, treeId, nodeId, title: bit(0) && bit(1) ? null : word, ...(bit(2) ? { auto: true } : {}) };
    case 'tag':
      return { type, treeId, nodeId, tags: abstract.texts };
    case 'annotate': {
      const key = (['customData', 'excluded', 'note', '__proto__', 'copiedFrom'] as const)[choice % 5] ?? 'note';
      const value = key === 'customData' ? { word } : key === 'excluded' ? bit(4) : word;
      return { type, treeId, nodeId, set: Object.fromEntries([[key, bit(5) && bit(6) ? null : value]]) };
    }
    case 'group':
      return { type, treeId, nodeIds: bit(0) ? siblingsOf(trees, nodeId) : pick.all };
    case 'attributes': {
      const key = (['title', 'folder', 'pinned', '__proto__', 'systemPrompt'] as const)[choice % 5] ?? 'title';
      const value = key === 'pinned' ? bit(4) : word;
      return { type, treeId, set: Object.fromEntries([[key, bit(5) ? null : value]]) };
    }
    case 'create': {
      if (bit(0)) return { type, treeId, attributes: { systemPrompt: word } };
      return { type, treeId: asTree(trees.fresh()), forest: true, attributes: bit(1) ? {} : { systemPrompt: word } };
    }
    case 'restore':
      return { type, treeId, nodeId: bit(0) && bit(1) ? nodeId : (pick.gone(0) ?? nodeId) };
    case 'restore-version':
      return { type, treeId, version: Math.max(0, row.version - (choice & 31)) };
    case 'undo':
    case 'redo':
      return { type, treeId, force: bit(0) && bit(1) };
    case 'transplant':
      return {
        type,
        from: { treeId: trees.other.row.id, nodeId: pick.foreign(0) },
        to: { treeId, parentId: pick.node(1) },
      };
  }
}

function asTree(text: string): TreeId {
  return treeId(text);
}

function siblingsOf({ rows }: CommandResolutionContext, id: NodeId): NodeId[] {
  const node = rows.nodes.find((one) => one.id === id);
  const live = rows.nodes.filter((one) => one.removedIn === null && one.parentId === (node?.parentId ?? null));
  return live.slice(0, 3).map((one) => one.id);
}

/** Builds a chain of messages: alternating roles, a tool call with its result, or one malformed message. */
function messagesOf({ texts, choice, nodes }: AbstractCommand): NewMessage[] {
  const first: Role = (choice & 2) === 0 ? 'user' : 'assistant';
  const second: Role = first === 'user' ? 'assistant' : 'user';
  const messages = texts.map((text, at) => textMessage(at % 2 === 0 ? first : second, text));
  const number = nodes[0] ?? 0;
  if (number % 11 === 3) messages.push(...toolExchange(`call-${choice & 3}`, texts[0] ?? ''));
  if (number % 29 === 5) messages.push({ role: 'tool', content: [] }, { role: 'user', content: [{ type: '' }] });
  if (number % 31 === 7) messages.push({ role: 'tool', content: [textBlock('a result of nothing')] });
  return messages.map((message) => ({ message }));
}

function textBlock(text: string): Block {
  const block = { type: 'text', text };
  return block;
}

function toolExchange(call: string, text: string): Message[] {
  const use = { type: 'tool-use', id: call, name: 'look', parameters: { word: text } };
  return [
    { role: 'assistant', content: [textBlock(text), use] },
    { role: 'tool', content: [textBlock(`seen ${text}`)], tool_call_id: call },
  ];
}

/**
 * Builds nodes to import: below an existing node or as first messages, as a chain or as siblings, some of them in the
 * trash.
 */
function importsOf({ texts, choice }: AbstractCommand, known: NodeId | null, fresh: () => string): ImportNode[] {
  const nodes: ImportNode[] = [];
  if (known !== null) nodes.push({ id: known, parentId: null, order: 0, message: textMessage('user', 'as it was') });
  let parentId: string | null = known;
  for (const [order, text] of texts.entries()) {
    const id = fresh();
    const kind = text.trim() === '' ? 'state' : 'message';
    const group = (choice & 4) === 0 ? {} : { group: 1 };
    const removed = ((choice >> 3) & 3) === 3 && order === 1 ? { removed: true } : {};
    nodes.push({ id, parentId, order, kind, message: textMessage('assistant', text), ...group, ...removed });
    if ((choice & 2) === 0) parentId = id;
  }
  return nodes;
}

/** Builds replies; some are pending, others finished with any status. */
function repliesOf({ texts, choice }: AbstractCommand): NewReply[] {
  const statuses: readonly NodeStatus[] = ['success', 'error', 'aborted', 'interrupted'];
  return texts.map((text, at) => {
    const open = ((choice >> (at + 4)) & 1) === 1;
    const status = statuses[(choice >> at) & 3] ?? 'success';
    return open ? {} : { message: textMessage('assistant', text), ...(status === 'success' ? {} : { status }) };
  });
}
