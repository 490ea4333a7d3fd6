// Files of Exoloom: nodes by id with parents or child lists, and separate lists of marked nodes.
import type { Json, JsonObject } from '@coppice/core';
import type { ImportedNode, ImportedTree } from '../contract.ts';
import { getFilledText, getTexts, isJsonObject, objectAt, omitKeys, parseAnyTime, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';

/** Whether a document was written by Exoloom. */
export function isExoloom(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && value.loomType === 'Exoloom' && isJsonObject(value.tree);
}

const exoloomChildren = (record: JsonObject) => [...getTexts(record, 'childIds'), ...getTexts(record, 'children')];

/** Returns the ids of a lens: a list of ids, a list of objects with ids, or an object keyed by id. */
function exoloomIds(value: Json | undefined): ReadonlySet<string> {
  if (isJsonObject(value)) return new Set(Object.keys(value));
  const ids = new Set<string>();
  for (const one of Array.isArray(value) ? value : []) {
    const id = typeof one === 'string' ? one : isJsonObject(one) ? getFilledText(one, 'nodeId') : undefined;
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

/** Converts a document to a tree. `titled` derives the title of a bookmark from a text. */
export function exoloomToTree(
  document: JsonObject,
  name: string,
  scope: string,
  found: readonly ImportFinding[],
  titled: (text: string) => string,
): ImportedTree {
  const tree = objectAt(document, 'tree');
  const records = Object.entries(objectAt(tree, 'nodes'));
  const marked = exoloomIds(objectAt(document, 'lens').bookmarks);
  const listed = new Map<string, string>();
  const childOrder = new Map<string, readonly string[]>();
  for (const [id, record] of records) {
    const children = isJsonObject(record) ? exoloomChildren(record) : [];
    if (children.length > 0) childOrder.set(id, children);
    for (const child of children) if (!listed.has(child)) listed.set(child, id);
  }
  const findings = [...found];
  const nodes: ImportedNode[] = [];
  for (const [id, record] of records) {
    const place = `${name}.tree.nodes.${id}`;
    if (!isJsonObject(record)) {
      findings.push(buildFinding('import/record-unreadable', 'loss', place, buildFindingDetail('not-a-node'), 1));
      continue;
    }
    const text = textAt(record, 'text') ?? textAt(record, 'content') ?? '';
    const createdAt = parseAnyTime(record.createdAt);
    nodes.push({
      externalId: id,
      parentExternalId:
        getFilledText(record, 'parentId') ?? getFilledText(record, 'parent_id') ?? listed.get(id) ?? null,
      message: text === '' ? null : { role: 'user', content: [{ type: 'text', text }] },
      record,
      place,
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(marked.has(id) ? { bookmark: titled(text) } : {}),
    });
  }
  const createdAt = parseAnyTime(tree.createdAt);
  return {
    externalId: getFilledText(tree, 'rootNodeId') ?? getFilledText(tree, 'id') ?? name,
    scope,
    title:
      getFilledText(document, 'title') ??
      getFilledText(tree, 'title') ??
      name.slice(name.lastIndexOf('/') + 1).replace(/\.json$/i, ''),
    ...(createdAt === undefined ? {} : { createdAt }),
    nodes,
    childOrder,
    record: { ...omitKeys(document, 'tree'), tree: omitKeys(tree, 'nodes') },
    place: name,
    findings,
  };
}
