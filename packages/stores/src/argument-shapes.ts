/** Validates the arguments of a store's methods, for untyped callers. Reads of planners are not validated again. */
import type { FieldMap, FieldReader, FieldReaders, Read, ReadName, ReadProgram, Reads } from '@coppice/core';
import {
  anyValue,
  assertExactFields,
  describeValue,
  eachItem,
  exactFields,
  finite,
  flag,
  integer,
  limit,
  listOfShapes,
  Malformed,
  object,
  oneOf,
  optionalField,
  optionalOrNull,
  ownField,
  refuseMalformed,
  requiredText,
  texts,
} from '@coppice/core/decode';

type ArgumentShape<K extends ReadName> = { readonly [A in keyof Required<Reads[K]['args']>]: FieldReader<unknown> };

const id: FieldReader<string> = (fields, key) => {
  const value = ownField(fields, key);
  if (typeof value === 'string') return value;
  throw new Malformed(key, `${key} must be an id, a text, not ${describeValue(value)}.`, 'id/invalid');
};
const ids = eachItem(id);
const numbers = eachItem(finite);
const node = namedId('tree/unknown-node', 'node');
const tree = namedId('tree/unknown-tree', 'tree');

function namedId(code: 'tree/unknown-node' | 'tree/unknown-tree', what: string): FieldReader<string> {
  return (fields, key) => {
    const value = ownField(fields, key);
    if (typeof value === 'string') return value;
    throw new Malformed(key, `There is no ${what} ${describeValue(value)}.`, code);
  };
}

const elsewhere = { treeId: optionalOrNull(id) };
const most = optionalOrNull(limit);
const act = { actor: requiredText, actId: optionalOrNull(requiredText) };

const shapes: { readonly [K in ReadName]: ArgumentShape<K> } = {
  tree: elsewhere,
  node: { id, ...elsewhere },
  nodes: { ids, ...elsewhere },
  head: { id, ...elsewhere },
  anyNode: { id },
  taken: { ids },
  path: { to: id, limit: most, until: optionalField(id), ...elsewhere },
  pathMeta: { to: id, limit: most, until: optionalField(id), ...elsewhere },
  ancestors: { of: id, limit },
  sharedMatch: { of: id },
  isAncestorOrSelf: { id, below: id },
  withoutDescendants: { ids },
  children: { of: id, ...elsewhere },
  childIds: { of: ids, ...elsewhere },
  subtree: { of: id, depth: optionalOrNull(integer), ...elsewhere },
  topology: { of: id, depth: optionalOrNull(integer), ...elsewhere },
  links: elsewhere,
  leaves: { limit, ...elsewhere },
  count: { of: id },
  subtreeInfo: { of: id },
  addedByOthers: { of: id, versions: numbers, since: finite, without: ids },
  newestLeaf: { below: id, without: ids },
  lastVisited: { from: id, ...elsewhere },
  match: { from: id, keys: texts },
  lastPosition: { of: id },
  groupMax: { of: id },
  neighbourPositions: { of: id, position: requiredText },
  childAt: { of: id, position: requiredText },
  bookmark: { on: id },
  bookmarks: { on: optionalOrNull(ids) },
  undoable: act,
  redoable: act,
  rows: elsewhere,
  pause: {},
  log: { since: finite },
  home: { id },
  forest: { key: requiredText, project: requiredText },
};

const checks: ReadonlyMap<string, (fields: FieldMap) => void> = new Map(
  Object.entries<FieldReaders>(shapes).map(([name, shape]) => [
    name,
    assertExactFields(`The question ${name}`, { ask: anyValue, ...shape }),
  ]),
);

/** Wraps a read program so that every read is validated before it is answered. */
export function* checkedReads<T>(reading: ReadProgram<T>): ReadProgram<T> {
  let step = reading.next();
  while (!step.done) {
    const read: Read = step.value;
    refuseMalformed(() => checks.get(read.ask)?.({ ...read }));
    step = reading.next(yield read);
  }
  return step.value;
}

/** The filter of a tree list. */
const treeQuery = exactFields('The query', {
  project: optionalOrNull(requiredText),
  folder: optionalOrNull(requiredText),
  tag: optionalOrNull(requiredText),
  pinned: optionalField(flag),
  trashed: optionalField(flag),
  forest: optionalField(flag),
  title: optionalOrNull(requiredText),
  limit: most,
  cursor: anyValue,
});

/** A search. */
const searchQuery = exactFields('The query', {
  text: requiredText,
  treeId: optionalOrNull(requiredText),
  project: optionalOrNull(requiredText),
  roles: optionalOrNull(texts),
  limit: most,
  cursor: anyValue,
});

/** The range of a history. */
const historyQuery = exactFields('The query', { before: optionalOrNull(integer), limit: most });

const byNode = assertExactFields('The purge', { nodeId: id });
const byVersion = assertExactFields('The purge', { upTo: finite });

/** What to purge: a node, or everything removed up to a version. */
const purgeQuery: FieldReader<unknown> = (fields, key) => {
  const what = object(fields, key);
  return ownField(what, 'upTo') === undefined ? byNode(what) : byVersion(what);
};

/** External ids of trees and nodes. */
const externalIds = listOfShapes(
  assertExactFields('The name', {
    treeId: tree,
    nodeId: (fields, key) => (ownField(fields, key) === null ? null : node(fields, key)),
    format: requiredText,
    scope: requiredText,
    id: requiredText,
  }),
);

/** Provenance records. */
const provenances = listOfShapes(
  assertExactFields('The reuse', {
    treeId: tree,
    source: requiredText,
    firstNodeId: node,
    lastNodeId: node,
    count: finite,
    at: finite,
  }),
);

/** A conversation that is a list; core validates its messages. */
const linearRecord = exactFields('The record', {
  treeId: anyValue,
  title: optionalOrNull(requiredText),
  systemPrompt: optionalOrNull(requiredText),
  createdAt: finite,
  messages: listOfShapes(
    assertExactFields('The message', {
      id: anyValue,
      message: anyValue,
      createdAt: optionalOrNull(finite),
      meta: anyValue,
    }),
  ),
});

/** External ids to look up. */
const wantedNames = exactFields('The question', { format: requiredText, scope: requiredText, ids: texts });

/** The options of a store check. */
const fsckOptions = exactFields('The check', { repair: optionalField(flag), treeId: optionalOrNull(id) });

/** The options of a backfill. */
const backfillOptions = exactFields('The backfill', { batch: most, signal: optionalOrNull(object) });

/** The version after which a feed starts. */
const version: FieldReader<number> = finite;

/** An owner. A missing one must not mean the store's default owner. */
const ownerName: FieldReader<string> = requiredText;

/** An actor. */
const actorName: FieldReader<string> = requiredText;

/** The kind of act: one to undo, or one to redo. */
const actKind = oneOf(['undoable', 'redoable']);

/** The validators by kind of argument. */
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
