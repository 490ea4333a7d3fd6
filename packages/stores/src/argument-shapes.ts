/**
 * Validates the arguments of store methods, because JavaScript callers have no type check. Reads that planners ask are
 * trusted.
 */
import type { FieldMap, FieldReader, FieldReaders, Read, ReadName, ReadProgram, Reads } from '@coppice/core';
import {
  booleanField,
  createFieldReader,
  describeValue,
  exactObjectField,
  finiteNumberField,
  integerField,
  jsonField,
  limitField,
  listFieldOf,
  MalformedError,
  makeExactFieldsCheck,
  objectField,
  oneOfField,
  optionalField,
  optionalNonNullField,
  ownField,
  refuseIfMalformed,
  requiredText,
  shapeListField,
  textListField,
} from '@coppice/core/decode';

type ArgumentShape<K extends ReadName> = { readonly [A in keyof Required<Reads[K]['args']>]: FieldReader<unknown> };

const id: FieldReader<string> = (fields, key) => {
  const value = ownField(fields, key);
  if (typeof value === 'string') return value;
  throw new MalformedError(key, `${key} must be an id (a string), not ${describeValue(value)}.`, 'id/invalid');
};
const ids = listFieldOf(id);
const numbers = listFieldOf(finiteNumberField);
const node = namedId('tree/unknown-node', 'node');
const tree = namedId('tree/unknown-tree', 'tree');

function namedId(code: 'tree/unknown-node' | 'tree/unknown-tree', what: string): FieldReader<string> {
  return (fields, key) => {
    const value = ownField(fields, key);
    if (typeof value === 'string') return value;
    throw new MalformedError(key, `There is no ${what} ${describeValue(value)}.`, code);
  };
}

const callback: FieldReader<unknown> = createFieldReader(
  (value): value is unknown => typeof value === 'function',
  'a function',
);

const elsewhere = { treeId: optionalNonNullField(id) };
const most = optionalNonNullField(limitField);
const act = { actor: requiredText, actId: optionalNonNullField(requiredText) };

const shapes: { readonly [K in ReadName]: ArgumentShape<K> } = {
  tree: elsewhere,
  node: { id, ...elsewhere },
  nodes: { ids, ...elsewhere },
  head: { id, ...elsewhere },
  anyNode: { id },
  taken: { ids },
  path: { to: id, limit: most, until: optionalField(id), ...elsewhere },
  pathMeta: { to: id, limit: most, until: optionalField(id), ...elsewhere },
  ancestors: { of: id, limit: limitField },
  sharedMatch: { of: id },
  isAncestorOrSelf: { id, below: id },
  withoutDescendants: { ids },
  children: { of: id, ...elsewhere },
  childIds: { of: ids, ...elsewhere },
  subtree: { of: id, depth: optionalNonNullField(integerField), ...elsewhere },
  topology: { of: id, depth: optionalNonNullField(integerField), ...elsewhere },
  links: elsewhere,
  leaves: { limit: limitField, ...elsewhere },
  count: { of: id },
  subtreeInfo: { of: id },
  addedByOthers: { of: id, versions: numbers, since: finiteNumberField, without: ids },
  newestLeaf: { below: id, without: ids },
  lastVisited: { from: id, ...elsewhere },
  match: { from: id, keys: textListField },
  lastPosition: { of: id },
  groupMax: { of: id },
  neighbourPositions: { of: id, position: requiredText },
  childAt: { of: id, position: requiredText },
  bookmark: { on: id },
  bookmarks: { on: optionalNonNullField(ids) },
  undoable: act,
  redoable: act,
  rows: elsewhere,
  pause: {},
  log: { since: finiteNumberField, limit: most },
  home: { id },
  forest: { key: requiredText, project: requiredText },
};

const checks: ReadonlyMap<string, (fields: FieldMap) => void> = new Map(
  Object.entries<FieldReaders>(shapes).map(([name, shape]) => [
    name,
    makeExactFieldsCheck(`The read ${name}`, { ask: jsonField, ...shape }),
  ]),
);

/** Wraps a read program of a caller so that each read is validated before the store answers it. */
export function* validateReads<T>(reading: ReadProgram<T>): ReadProgram<T> {
  let step = reading.next();
  while (!step.done) {
    const read: Read = step.value;
    refuseIfMalformed(() => checks.get(read.ask)?.({ ...read }));
    step = reading.next(yield read);
  }
  return step.value;
}

const treeQuery = exactObjectField('The query', {
  project: optionalNonNullField(requiredText),
  folder: optionalNonNullField(requiredText),
  tag: optionalNonNullField(requiredText),
  pinned: optionalField(booleanField),
  trashed: optionalField(booleanField),
  forest: optionalField(booleanField),
  title: optionalNonNullField(requiredText),
  limit: most,
  cursor: jsonField,
});

const searchQuery = exactObjectField('The query', {
  text: requiredText,
  treeId: optionalNonNullField(requiredText),
  project: optionalNonNullField(requiredText),
  roles: optionalNonNullField(textListField),
  limit: most,
  cursor: jsonField,
});

const historyQuery = exactObjectField('The query', { before: optionalNonNullField(integerField), limit: most });

const byNode = makeExactFieldsCheck('The purge', { nodeId: id });
const byVersion = makeExactFieldsCheck('The purge', { upTo: finiteNumberField });

/** Accepts either the id of a removed node, or the version up to which all removed nodes are purged. */
const purgeQuery: FieldReader<unknown> = (fields, key) => {
  const what = objectField(fields, key);
  return ownField(what, 'upTo') === undefined ? byNode(what) : byVersion(what);
};

const externalIds = shapeListField(
  makeExactFieldsCheck('The external id', {
    treeId: tree,
    nodeId: (fields, key) => (ownField(fields, key) === null ? null : node(fields, key)),
    format: requiredText,
    scope: requiredText,
    id: requiredText,
  }),
);

const provenances = shapeListField(
  makeExactFieldsCheck('The provenance record', {
    treeId: tree,
    source: requiredText,
    firstNodeId: node,
    lastNodeId: node,
    count: finiteNumberField,
    at: finiteNumberField,
  }),
);

/** Checks the fields of a conversation that is stored as a list. Core validates the messages themselves. */
const linearRecord = exactObjectField('The record', {
  treeId: jsonField,
  title: optionalNonNullField(requiredText),
  systemPrompt: optionalNonNullField(requiredText),
  createdAt: finiteNumberField,
  messages: shapeListField(
    makeExactFieldsCheck('The message', {
      id: jsonField,
      message: jsonField,
      createdAt: optionalNonNullField(finiteNumberField),
      meta: jsonField,
    }),
  ),
});

const wantedNames = exactObjectField('The lookup', { format: requiredText, scope: requiredText, ids: textListField });

const fsckOptions = exactObjectField('The check', {
  repair: optionalField(booleanField),
  treeId: optionalNonNullField(id),
  onProgress: optionalField(callback),
});

const backupOptions = exactObjectField('The backup', { onProgress: optionalField(callback) });

/** The options of trimming the history. */
const trimOptions = exactObjectField('The trimming', {
  before: finiteNumberField,
  treeId: optionalNonNullField(id),
  signal: optionalNonNullField(objectField),
  onProgress: optionalField(callback),
});

const backfillOptions = exactObjectField('The backfill', { batch: most, signal: optionalNonNullField(objectField) });

/**
 * The version after which a feed starts; any finite number is allowed, so that a client can start before the first
 * commit.
 */
const version: FieldReader<number> = finiteNumberField;

/** The name of an owner is required: if it could be missing, a caller would silently get the store's default owner. */
const ownerName: FieldReader<string> = requiredText;

const actorName: FieldReader<string> = requiredText;

const actKind = oneOfField(['undoable', 'redoable']);

/** The validators by kind of argument. A validator throws `command/invalid` with the name of the wrong field. */
export const argumentValidators = {
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
  backupOptions,
  trimOptions,
  backfillOptions,
  version,
  ownerName,
  actorName,
  actKind,
} as const;
