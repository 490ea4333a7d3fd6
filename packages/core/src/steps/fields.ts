/** Readers of what steps and trees are made of. */
import { type Fields, finite, flag, isFields, object, oneOf, own, type Reader, text, texts, wrong } from '../decode.ts';
import { type NodeId, nodeId, type TreeId, treeId } from '../ids.ts';
import { nodeKinds, nodeStatuses } from '../node.ts';

/** What a node is. */
export const kind = oneOf(nodeKinds);
/** How a node came out. */
export const status = oneOf(nodeStatuses);

/** A non-empty id. Tree values take any text, so that foreign shapes keep their own ids. */
export function id(fields: Fields, key: string): NodeId {
  return nodeId(text(fields, key) || wrong(key, 'an id'));
}

/** The id of a tree. */
export function ofTree(fields: Fields, key: string): TreeId {
  return treeId(id(fields, key));
}

function origin(fields: Fields, key: string): void {
  lineage(fields, key);
  id(object(fields, key), 'nodeId');
}

function lineage(fields: Fields, key: string): void {
  const from = object(fields, key);
  id(from, 'treeId');
  if (own(from, 'nodeId') != null) id(from, 'nodeId');
}

/** What core itself reads of a patch; every other key is kept as it is. */
export type PatchReaders = ReadonlyMap<string, Reader<unknown>>;

const everywhere = { title: text, autoTitle: text, tags: texts };

/** What core reads of a node's notes. */
export const noteReaders: PatchReaders = new Map<string, Reader<unknown>>(
  Object.entries({
    ...everywhere,
    customData: object,
    source: object,
    excluded: flag,
    splitSource: text,
    continues: text,
    measuredOver: text,
    pickedFrom: origin,
    copiedFrom: origin,
  }),
);

/** What core reads of a marker. */
export const markerReaders: PatchReaders = new Map<string, Reader<unknown>>(
  Object.entries({ firstKept: id, tokensBefore: finite, from: id, mergedFrom: origin, details: object }),
);

/** What core reads of a tree's attributes. */
export const attributeReaders: PatchReaders = new Map<string, Reader<unknown>>(
  Object.entries({
    ...everywhere,
    systemPrompt: text,
    project: text,
    folder: text,
    pinned: flag,
    metadata: object,
    copiedFrom: lineage,
    trashedAt: finite,
  }),
);

/** Throws {@link Malformed} where something that core itself reads is not of its type. Null takes a key away. */
export function checkPatch(values: unknown, readers: PatchReaders): void {
  if (!isFields(values)) return wrong('what is noted', 'an object');
  for (const name of Object.keys(values)) if (values[name] != null) readers.get(name)?.(values, name);
}
