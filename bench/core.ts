/**
 * Compares the pure tree with alternatives: a mapping that is copied per change, a mutable Map, immutable and immer.
 */
import { type Message, type NewNode, type Node, nodeId, type Step, type Tree, treeId } from '@coppice/core';
import { applyOrThrow, emptyTree, path, positionBetween } from '@coppice/core/tree';
import { produce, setAutoFreeze } from 'immer';
import { Map as ImmutableMap, List } from 'immutable';
import { type BenchCandidate, type Measurement, measureCpuTimes, measureRetainedBytes, repeatWork } from './measure.ts';

const sizes = [1_000, 10_000, 100_000] as const;
const text = 'x'.repeat(500);

function uuid(n: number): string {
  return `01890c2e-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

// A fixed sequence of parents, so that every candidate builds the same tree. Most nodes are children of the newest
// node, and some fork further up.
function parents(count: number): number[] {
  let state = 1;
  const found: number[] = [0];
  for (let i = 1; i < count; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    found.push(state % 4 === 0 ? (state >>> 8) % i : i - 1);
  }
  return found;
}

function newNode(n: number, parent: number | null, position: string): NewNode {
  const said: Message = {
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `${n} ${text}` } as Message['content'][number]],
  };
  const parentId = parent === null ? null : nodeId(uuid(parent));
  return {
    id: nodeId(uuid(n)),
    parentId,
    position,
    kind: parent === null ? 'root' : 'message',
    message: parent === null ? null : said,
    status: 'success',
    groupId: 0,
    createdAt: n,
    matchParent: parentId,
    key: parent === null ? null : `key ${n}`,
    text: parent === null ? '' : `${n} ${text}`,
    tokens: 130,
    meta: {},
    marker: null,
    aliases: [],
  };
}

/** Returns the insert steps for a tree of `count` messages. */
function plan(count: number): NewNode[] {
  const last = new Map<number, string>();
  const nodes: NewNode[] = [newNode(0, null, positionBetween(null, null))];
  for (const [index, parent] of parents(count).entries()) {
    const position = positionBetween(last.get(parent) ?? null, null);
    last.set(parent, position);
    nodes.push(newNode(index + 1, parent, position));
  }
  return nodes;
}

function inserts(nodes: readonly NewNode[]): Step[] {
  return nodes.map((node) => ({ type: 'insert', node }));
}

function coppice(nodes: readonly NewNode[]): Tree {
  const last = nodes[nodes.length - 1];
  if (last === undefined) throw new Error('A tree has at least its root.');
  return applyOrThrow(emptyTree(treeId(uuid(0))), [...inserts(nodes), { type: 'select', after: last.id, before: null }])
    .tree;
}

// Written out as in core, because a spread would make it three times as slow and the comparison unfair.
function rowOf(node: NewNode, seq: number, version: number): Node {
  return {
    id: node.id,
    parentId: node.parentId,
    position: node.position,
    seq,
    kind: node.kind,
    role: node.message === null ? 'root' : node.message.role,
    status: node.status,
    groupId: node.groupId,
    createdAt: node.createdAt,
    matchParent: node.matchParent,
    key: node.key,
    tokens: node.tokens,
    addedIn: version,
    contentIn: version,
    removedIn: null,
    lastChildId: null,
    message: node.message,
    text: node.text,
    meta: node.meta,
    marker: node.marker,
    aliases: node.aliases,
  };
}

/** A mutable Map that does the same work as core: the same checks, rows and ordered children. */
class Mutable {
  readonly nodes = new Map<
    string,
    { readonly node: Node; readonly positions: string[]; readonly children: string[] }
  >();
  seq = 0;

  insert(node: NewNode, version: number): void {
    if (this.nodes.has(node.id)) throw new Error(`The id ${node.id} is taken.`);
    const row = rowOf(node, this.seq++, version);
    if (node.parentId !== null) {
      const parent = this.nodes.get(node.parentId);
      if (parent === undefined) throw new Error(`There is no node ${node.parentId}.`);
      if (parent.positions.includes(node.position)) throw new Error(`The place ${node.position} is taken.`);
      parent.positions.push(node.position);
      parent.children.push(node.id);
    }
    this.nodes.set(node.id, { node: row, positions: [], children: [] });
  }

  path(to: string): Node[] {
    const found: Node[] = [];
    for (
      let at = this.nodes.get(to);
      at !== undefined && at.node.parentId !== null;
      at = this.nodes.get(at.node.parentId)
    )
      found.push(at.node);
    return found.reverse();
  }
}

function mutable(nodes: readonly NewNode[]): Mutable {
  const map = new Mutable();
  for (const node of nodes) map.insert(node, 1);
  return map;
}

interface SketchNode {
  readonly id: string;
  readonly parent: string | null;
  readonly children: readonly string[];
  readonly message: NewNode;
}

/** Adds a message by copying the mapping and the parent's children, as a simple immutable tree would. */
function addNode(mapping: Readonly<Record<string, SketchNode>>, message: NewNode): Record<string, SketchNode> {
  const next = { ...mapping };
  next[message.id] = { id: message.id, parent: message.parentId, children: [], message };
  const parent = next[message.parentId ?? ''];
  if (parent !== undefined) next[parent.id] = { ...parent, children: [...parent.children, message.id] };
  return next;
}

function sketch(nodes: readonly NewNode[]): Record<string, SketchNode> {
  const mapping: Record<string, SketchNode> = {};
  const children = new Map<string, string[]>();
  for (const message of nodes) {
    const own: string[] = [];
    children.set(message.id, own);
    children.get(message.parentId ?? '')?.push(message.id);
    mapping[message.id] = { id: message.id, parent: message.parentId, children: own, message };
  }
  return mapping;
}

interface Held {
  readonly node: NewNode;
  readonly children: List<string>;
}

function immutableInsert(map: ImmutableMap<string, Held>, node: NewNode): ImmutableMap<string, Held> {
  if (map.has(node.id)) throw new Error(`The id ${node.id} is taken.`);
  const added = map.set(node.id, { node, children: List() });
  const parent = added.get(node.parentId ?? '');
  return parent === undefined
    ? added
    : added.set(parent.node.id, { node: parent.node, children: parent.children.push(node.id) });
}

function immutable(nodes: readonly NewNode[]): ImmutableMap<string, Held> {
  return ImmutableMap<string, Held>().withMutations((map) => {
    for (const node of nodes) immutableInsert(map, node);
  });
}

type ImmerMapping = Record<string, { id: string; children: string[]; node: NewNode }>;

function immerInsert(mapping: ImmerMapping, node: NewNode): ImmerMapping {
  return produce(mapping, (draft: ImmerMapping) => {
    draft[node.id] = { id: node.id, children: [], node };
    draft[node.parentId ?? '']?.children.push(node.id);
  });
}

function immer(nodes: readonly NewNode[]): ImmerMapping {
  const mapping: ImmerMapping = {};
  for (const node of nodes) {
    mapping[node.id] = { id: node.id, children: [], node };
    mapping[node.parentId ?? '']?.children.push(node.id);
  }
  return mapping;
}

function fold<T>(start: T, items: readonly NewNode[], step: (value: T, item: NewNode) => T): T {
  let value = start;
  for (const item of items) value = step(value, item);
  return value;
}

const rounded = (count: number) => count.toLocaleString('en');

/** Appends one message at a time, each in its own commit with a new tree value. */
function appends(size: number): Measurement[] {
  const many = 2_000;
  const nodes = plan(size + many);
  const base = nodes.slice(0, size + 1);
  const more = nodes.slice(size + 1);
  const few = more.slice(0, size >= 100_000 ? 3 : 50);
  const steps = more.map((node): Step[] => [{ type: 'insert', node }]);
  const trees = { coppice: coppice(base), sketch: sketch(base), immutable: immutable(base), immer: immer(base) };
  const times = measureCpuTimes({
    coppice: {
      operations: many,
      run: () => {
        let tree = trees.coppice;
        for (const step of steps) tree = applyOrThrow(tree, step).tree;
        return tree;
      },
    },
    'mutable Map': mutableRun(base, more),
    immutable: { operations: many, run: () => fold(trees.immutable, more, immutableInsert) },
    immer: { operations: few.length, run: () => fold(trees.immer, few, immerInsert) },
    'the sketch': { operations: few.length, run: () => fold(trees.sketch, few, addNode) },
  });
  const work = `append to ${rounded(size)} nodes`;
  const ours = times.coppice;
  const large = size === 100_000;
  const toMap = ours / times['mutable Map'];
  const toSketch = times['the sketch'] / ours;
  return [
    {
      work,
      by: 'coppice',
      value: ours,
      unit: 'µs',
      ratio: toMap,
      ...(large ? { budget: '≤ 4× the mutable Map', kept: toMap <= 4 } : {}),
    },
    { work, by: 'mutable Map', value: times['mutable Map'], unit: 'µs', ratio: 1 },
    { work, by: 'immutable', value: times.immutable, unit: 'µs', ratio: times.immutable / times['mutable Map'] },
    { work, by: 'immer', value: times.immer, unit: 'µs', ratio: times.immer / times['mutable Map'] },
    {
      work,
      by: 'the sketch',
      value: times['the sketch'],
      unit: 'µs',
      ratio: times['the sketch'] / times['mutable Map'],
      ...(large
        ? { budget: `≥ 1,000× coppice (${Math.round(toSketch).toLocaleString('en')}×)`, kept: toSketch >= 1000 }
        : {}),
    },
  ];
}

/** Creates a candidate with a new mutable Map for each run, because a Map cannot be reset. */
function mutableRun(base: readonly NewNode[], more: readonly NewNode[]): BenchCandidate {
  let map = new Mutable();
  return {
    operations: more.length,
    prepare: () => {
      map = mutable(base);
    },
    run: () => {
      for (const node of more) map.insert(node, 2);
      return map;
    },
  };
}

/** Reads the path of a node a thousand levels deep in a large tree. */
function paths(): Measurement[] {
  const depth = 1_000;
  const nodes = plan(100_000);
  const tree = coppice(nodes);
  const first = 200_000;
  const chain = [newNode(first, 0, 'z'.repeat(27))];
  for (let i = 1; i < depth; i++) chain.push(newNode(first + i, first + i - 1, positionBetween(null, null)));
  const grown = applyOrThrow(tree, inserts(chain)).tree;
  const map = mutable([...nodes, ...chain]);
  const to = uuid(first + depth - 1);
  const times = measureCpuTimes({
    coppice: { operations: 200, run: () => repeatWork(200, () => path(grown, { to })) },
    'mutable Map': { operations: 200, run: () => repeatWork(200, () => map.path(to)) },
  });
  const ratio = times.coppice / times['mutable Map'];
  const work = 'path of depth 1,000';
  return [
    { work, by: 'coppice', value: times.coppice, unit: 'µs', ratio, budget: '≤ 3× the mutable Map', kept: ratio <= 3 },
    { work, by: 'mutable Map', value: times['mutable Map'], unit: 'µs', ratio: 1 },
  ];
}

/** Measures the memory of a tree without its messages, which are created before and shared by all candidates. */
function memory(): Measurement[] {
  const count = 100_000;
  const nodes = plan(count);
  const work = 'memory per node, content apart';
  const per = (make: () => unknown) => measureRetainedBytes(make) / count;
  const map = per(() => mutable(nodes));
  const rows: readonly (readonly [string, () => unknown])[] = [
    ['coppice', () => coppice(nodes)],
    ['immutable', () => immutable(nodes)],
    ['the sketch', () => sketch(nodes)],
  ];
  const measures = rows.map(([by, make]): Measurement => {
    const value = per(make);
    return { work, by, value, unit: 'bytes', ratio: value / map };
  });
  return [...measures, { work, by: 'mutable Map', value: map, unit: 'bytes', ratio: 1 }];
}

/** Measures appends, paths and memory of core. */
export function benchCore(): Measurement[] {
  setAutoFreeze(false);
  return [...sizes.flatMap(appends), ...paths(), ...memory()];
}
