/** Readers of what steps and trees are made of. */
import {
  type FieldMap,
  type FieldReader,
  finite,
  flag,
  isFieldMap,
  object,
  oneOf,
  ownField,
  requiredText,
  texts,
  throwMalformed,
} from '../decode.ts';
import { type NodeId, nodeId, type TreeId, treeId } from '../ids.ts';
import { nodeKinds, nodeStatuses } from '../node.ts';

/** What a node is. */
export const kind = oneOf(nodeKinds);
/** How a node came out. */
export const status = oneOf(nodeStatuses);

/** A non-empty id. Tree values take any text, so that foreign shapes keep their own ids. */
export function readId(fields: FieldMap, key: string): NodeId {
  return nodeId(requiredText(fields, key) || throwMalformed(key, 'an id'));
}

/** The id of a tree. */
export function ofTree(fields: FieldMap, key: string): TreeId {
  return treeId(readId(fields, key));
}

function origin(fields: FieldMap, key: string): void {
  lineage(fields, key);
  readId(object(fields, key), 'nodeId');
}

function lineage(fields: FieldMap, key: string): void {
  const from = object(fields, key);
  readId(from, 'treeId');
  if (ownField(from, 'nodeId') != null) readId(from, 'nodeId');
}

/** What core itself reads of a patch; every other key is kept as it is. */
export type PatchReaders = ReadonlyMap<string, FieldReader<unknown>>;

const everywhere = { title: requiredText, autoTitle: requiredText, tags: texts };

/** What core reads of a node's notes. */
export const noteReaders: PatchReaders = new Map<string, FieldReader<unknown>>(
  Object.entries({
    ...everywhere,
    customData: object,
    source: object,
    excluded: flag,
    splitSource: requiredText,
    continues: requiredText,
    measuredOver: requiredText,
    pickedFrom: origin,
    copiedFrom: origin,
  }),
);

/** What core reads of a marker. */
export const markerReaders: PatchReaders = new Map<string, FieldReader<unknown>>(
  Object.entries({ firstKept: readId, tokensBefore: finite, from: readId, mergedFrom: origin, details: object }),
);

/** What core reads of a tree's attributes. */
export const attributeReaders: PatchReaders = new Map<string, FieldReader<unknown>>(
  Object.entries({
    ...everywhere,
    systemPrompt: requiredText,
    project: requiredText,
    folder: requiredText,
    pinned: flag,
    metadata: object,
    copiedFrom: lineage,
    trashedAt: finite,
  }),
);

/** Throws {@link Malformed} where something that core itself reads is not of its type. Null takes a key away. */
export function checkPatch(values: unknown, readers: PatchReaders): void {
  if (!isFieldMap(values)) return throwMalformed('what is noted', 'an object');
  for (const name of Object.keys(values)) if (values[name] != null) readers.get(name)?.(values, name);
}
