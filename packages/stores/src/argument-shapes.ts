/** What a store is asked and given, for callers without types. What planners ask is not looked at again. */
import {
  anything,
  exact,
  exactly,
  type Fields,
  finite,
  flag,
  limit,
  list,
  listOf,
  Malformed,
  maybe,
  object,
  oneOf,
  optional,
  own,
  type Read,
  type Reader,
  type Readers,
  type Reading,
  type ReadName,
  type Reads,
  refuseMalformed,
  shown,
  text,
  texts,
  whole,
} from '@coppice/core';

type Shape<K extends ReadName> = { readonly [A in keyof Required<Reads[K]['args']>]: Reader<unknown> };

const id: Reader<string> = (fields, key) => {
  const value = own(fields, key);
  if (typeof value === 'string') return value;
  throw new Malformed(key, `An id is a text, not ${shown(value)}.`, 'id/invalid');
};
const ids: Reader<unknown> = (fields, key) => {
  const items = list(fields, key) as unknown as Fields;
  for (const index of Object.keys(items)) id(items, index);
};
const numbers: Reader<unknown> = (fields, key) => {
  const items = list(fields, key) as unknown as Fields;
  for (const index of Object.keys(items)) finite(items, index);
};
const node = named('tree/unknown-node', 'node');
const tree = named('tree/unknown-tree', 'tree');

function named(code: 'tree/unknown-node' | 'tree/unknown-tree', what: string): Reader<string> {
  return (fields, key) => {
    const value = own(fields, key);
    if (typeof value === 'string') return value;
    throw new Malformed(key, `There is no ${what} ${shown(value)}.`, code);
  };
}

const elsewhere = { treeId: maybe(id) };
const most = maybe(limit);
const act = { actor: text, actId: maybe(text) };

const shapes: { readonly [K in ReadName]: Shape<K> } = {
  tree: elsewhere,
  node: { id, ...elsewhere },
  nodes: { ids, ...elsewhere },
  head: { id, ...elsewhere },
  anyNode: { id },
  taken: { ids },
  path: { to: id, limit: most, ...elsewhere },
  pathNotes: { to: id, limit: most, ...elsewhere },
  above: { id, below: id },
  topmost: { ids },
  children: { of: id, ...elsewhere },
  childIds: { of: ids, ...elsewhere },
  subtree: { of: id, depth: maybe(whole), ...elsewhere },
  topology: { of: id, depth: maybe(whole), ...elsewhere },
  links: elsewhere,
  leaves: { limit, ...elsewhere },
  count: { of: id },
  inside: { of: id },
  strangers: { of: id, versions: numbers, since: finite, without: ids },
  newestLeaf: { below: id, without: ids },
  lastVisited: { from: id, ...elsewhere },
  match: { from: id, keys: texts },
  edge: { of: id },
  groupMax: { of: id },
  gap: { of: id, position: text },
  at: { of: id, position: text },
  bookmark: { on: id },
  bookmarks: { on: maybe(ids) },
  undoable: act,
  redoable: act,
  rows: elsewhere,
  log: { since: finite },
  home: { id },
  forest: { key: text, project: text },
};

const checks: ReadonlyMap<string, (fields: Fields) => void> = new Map(
  Object.entries<Readers>(shapes).map(([name, shape]) => [
    name,
    exactly(`The question ${name}`, { ask: anything, ...shape }),
  ]),
);

/** A reading of which every question is looked at before it is answered. */
export function* lookedAt<T>(reading: Reading<T>): Reading<T> {
  let step = reading.next();
  while (!step.done) {
    const read: Read = step.value;
    refuseMalformed(() => checks.get(read.ask)?.({ ...read }));
    step = reading.next(yield read);
  }
  return step.value;
}

/** How trees are listed. */
const treeQuery = exact('The query', {
  project: maybe(text),
  folder: maybe(text),
  tag: maybe(text),
  pinned: optional(flag),
  trashed: optional(flag),
  forest: optional(flag),
  title: maybe(text),
  limit: most,
  cursor: anything,
});

/** What is searched for, and where. */
const searchQuery = exact('The query', {
  text,
  treeId: maybe(text),
  project: maybe(text),
  roles: maybe(texts),
  limit: most,
  cursor: anything,
});

/** How a history is read. */
const historyQuery = exact('The query', { before: maybe(whole), limit: most });

const byNode = exactly('The purge', { nodeId: id });
const byVersion = exactly('The purge', { upTo: finite });

/** What a purge takes: a node, or what went up to a version. */
const purgeQuery: Reader<unknown> = (fields, key) => {
  const what = object(fields, key);
  return own(what, 'upTo') === undefined ? byNode(what) : byVersion(what);
};

/** Other names of trees and nodes. */
const externalIds = listOf(
  exactly('The name', {
    treeId: tree,
    nodeId: (fields, key) => (own(fields, key) === null ? null : node(fields, key)),
    format: text,
    scope: text,
    id: text,
  }),
);

/** Notes of who sent what is there already. */
const provenances = listOf(
  exactly('The reuse', { treeId: tree, source: text, firstNodeId: node, lastNodeId: node, count: finite, at: finite }),
);

/** A conversation that is a list; its messages are read by core. */
const linearRecord = exact('The record', {
  treeId: anything,
  title: maybe(text),
  systemPrompt: maybe(text),
  createdAt: finite,
  messages: listOf(
    exactly('The message', { id: anything, message: anything, createdAt: maybe(finite), meta: anything }),
  ),
});

/** What other names are looked for. */
const wantedNames = exact('The question', { format: text, scope: text, ids: texts });

/** How a check of the whole store is made. */
const fsckOptions = exact('The check', { repair: optional(flag), treeId: maybe(id) });

/** How lists are stored as trees. */
const backfillOptions = exact('The backfill', { batch: most, signal: maybe(object) });

/** The version that a feed goes on from. */
const version: Reader<number> = finite;

/** Whose trees are meant. Nobody is not the owner that a store is opened for. */
const ownerName: Reader<string> = text;

/** Whose acts are meant. */
const actorName: Reader<string> = text;

/** Which acts are meant: those to take back, or those to bring back. */
const actKind = oneOf(['undoable', 'redoable']);

/** The arguments of a store's calls, by what they are. */
export const argument = {
  nodeIds: ids,
  treeQuery,
  searchQuery,
  historyQuery,
  purgeQuery,
  externalIds,
  provenances,
  linearRecord,
  wantedNames,
  fsckOptions,
  backfillOptions,
  version,
  ownerName,
  actorName,
  actKind,
} as const;
