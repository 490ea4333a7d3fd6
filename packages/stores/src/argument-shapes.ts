/** What a store is asked and given, for callers without types. What planners ask is not looked at again. */
import type { Read, Reading, ReadName, Reads } from '@coppice/core';
import {
  anything,
  check,
  flag,
  id,
  listOf,
  maybe,
  node,
  number,
  objectOf,
  oneOf,
  type Part,
  text,
  tree,
  whole,
} from './shapes.ts';

type Shape<K extends ReadName> = { readonly [A in keyof Required<Reads[K]['args']>]: Part };

const elsewhere = { treeId: maybe(id) };
const ids = listOf(id);
const size = maybe(whole);
const act = { actor: text, actId: maybe(text) };

const shapes: { readonly [K in ReadName]: Shape<K> } = {
  tree: elsewhere,
  node: { id, ...elsewhere },
  nodes: { ids, ...elsewhere },
  head: { id, ...elsewhere },
  anyNode: { id },
  taken: { ids },
  path: { to: id, limit: size, ...elsewhere },
  pathNotes: { to: id, limit: size, ...elsewhere },
  above: { id, below: id },
  topmost: { ids },
  children: { of: id, ...elsewhere },
  childIds: { of: ids, ...elsewhere },
  subtree: { of: id, depth: size, ...elsewhere },
  topology: { of: id, depth: size, ...elsewhere },
  links: elsewhere,
  leaves: { limit: whole, ...elsewhere },
  count: { of: id },
  inside: { of: id },
  strangers: { of: id, versions: listOf(number), since: number, without: ids },
  newestLeaf: { below: id, without: ids },
  lastVisited: { from: id, ...elsewhere },
  match: { from: id, keys: listOf(text) },
  edge: { of: id },
  groupMax: { of: id },
  gap: { of: id, position: text },
  at: { of: id, position: text },
  bookmark: { on: id },
  bookmarks: { on: maybe(ids) },
  undoable: act,
  redoable: act,
  rows: elsewhere,
  log: { since: number },
  home: { id },
  forest: { key: text, project: text },
};

const shapeOf: ReadonlyMap<string, Part> = new Map(
  Object.entries(shapes).map(([name, shape]) => [name, objectOf(shape)]),
);

/** A reading of which every question is looked at before it is answered. */
export function* lookedAt<T>(reading: Reading<T>): Reading<T> {
  let step = reading.next();
  while (!step.done) {
    const read: Read = step.value;
    check(read.ask, read, shapeOf.get(read.ask) ?? anything);
    step = reading.next(yield read);
  }
  return step.value;
}

/** Ids of nodes, as the messages of some are asked for. */
const nodeIds: Part = ids;

/** How trees are listed. */
const treeQuery: Part = objectOf({
  project: maybe(text),
  folder: maybe(text),
  tag: maybe(text),
  pinned: flag,
  trashed: flag,
  forest: flag,
  title: maybe(text),
});

/** What is searched for, and where. */
const searchQuery: Part = objectOf({
  text,
  treeId: maybe(text),
  project: maybe(text),
  roles: maybe(listOf(text)),
});

/** How a history is read. */
const historyQuery: Part = objectOf({ before: maybe(whole) });

const byNode = objectOf({ nodeId: id });
const byVersion = objectOf({ upTo: number });

/** What a purge takes: a node, or what went up to a version. */
const purgeQuery: Part = (what) => (byVersion(what) === null ? null : byNode(what));

/** Other names of trees and nodes. */
const externalIds: Part = listOf(
  objectOf({
    treeId: tree,
    nodeId: (value) => (value === null ? null : node(value)),
    format: text,
    scope: text,
    id: text,
  }),
);

/** Notes of who sent what is there already. */
const provenances: Part = listOf(
  objectOf({ treeId: tree, source: text, firstNodeId: node, lastNodeId: node, count: number, at: number }),
);

/** A conversation that is a list; its messages are read by core. */
const linearRecord: Part = objectOf({
  title: maybe(text),
  systemPrompt: maybe(text),
  createdAt: number,
  messages: listOf(objectOf({ id: anything, message: anything, createdAt: maybe(number) })),
});

/** What other names are looked for. */
const wantedNames: Part = objectOf({ format: text, scope: text, ids: listOf(text) });

/** The version that a feed goes on from. */
const version: Part = number;

/** Whose trees are meant. Nobody is not the owner that a store is opened for. */
const ownerName: Part = text;

/** Whose acts are meant. */
const actorName: Part = text;

/** Which acts are meant: those to take back, or those to bring back. */
const actKind: Part = oneOf('undoable', 'redoable');

/** The arguments of a store's calls, by what they are. */
export const argument = {
  nodeIds,
  treeQuery,
  searchQuery,
  historyQuery,
  purgeQuery,
  externalIds,
  provenances,
  linearRecord,
  wantedNames,
  version,
  ownerName,
  actorName,
  actKind,
} as const;
