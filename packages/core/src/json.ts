import { checkRows } from './check.ts';
import {
  type FieldMap,
  finiteNumberField,
  integerField,
  isFieldMap,
  nullableField,
  requiredText,
  shapeListField,
  shapeReader,
} from './decode.ts';
import { makeRefusedResult, ok, type Result } from './errors.ts';
import type { Bookmark, Node } from './node.ts';
import { treeFromRows } from './rewind.ts';
import { nodeIdField, treeIdField } from './steps/fields.ts';
import { toStoredNode } from './steps/insert.ts';
import { attributesField, bookmarkShape, readNewNode, toMalformedResult, versionField } from './steps/parse.ts';
import { allBookmarks, allNodes, rowOf, type Tree, type TreeRow } from './tree.ts';

/** A tree as plain JSON: a flat list of nodes with parent ids, so that depth does not matter. */
export interface TreeJson extends TreeRow {
  readonly format: 'coppice/tree';
  readonly formatVersion: 1;
  readonly nodes: readonly Node[];
  readonly bookmarks: readonly Bookmark[];
}

/** Converts a tree to plain JSON, removed nodes included. */
export function treeToJson(tree: Tree): TreeJson {
  return {
    format: 'coppice/tree',
    formatVersion: 1,
    ...rowOf(tree),
    nodes: allNodes(tree),
    bookmarks: allBookmarks(tree),
  };
}

/** Parses a tree from untrusted JSON. Refuses malformed input and broken invariants, naming the first problem. */
export function treeFromJson(json: unknown): Result<Tree> {
  if (!isFieldMap(json) || json.format !== 'coppice/tree')
    return makeRefusedResult('tree/invalid', 'This is not a Coppice tree: its format is not coppice/tree.');
  if (json.formatVersion !== 1)
    return makeRefusedResult(
      'store/newer',
      `This tree has the format version ${String(json.formatVersion)}; this build reads 1.`,
    );
  try {
    const row = rowFrom(json);
    const nodes = shapeListField(nodeFrom)(json, 'nodes');
    const bookmarks = shapeListField(bookmarkFrom)(json, 'bookmarks');
    const broken = checkRows(row, nodes, bookmarks).find((finding) => finding.severity === 'error');
    if (broken !== undefined)
      return makeRefusedResult('tree/invalid', `${broken.code}: ${broken.message}`, {
        id: broken.id,
        code: broken.code,
      });
    return ok(treeFromRows(row, nodes, bookmarks));
  } catch (error) {
    return toMalformedResult(error, 'tree/invalid', 'tree');
  }
}

const rowFrom = shapeReader<TreeRow>({
  id: treeIdField,
  owner: requiredText,
  rootId: nodeIdField,
  version: versionField,
  structureVersion: integerField,
  activeNodeId: nullableField(nodeIdField),
  nextSeq: integerField,
  createdAt: finiteNumberField,
  updatedAt: finiteNumberField,
  attributes: attributesField,
});
const bookmarkFrom = shapeReader(bookmarkShape);

function nodeFrom(json: FieldMap): Node {
  return toStoredNode(
    readNewNode(json),
    integerField(json, 'seq'),
    versionField(json, 'addedIn'),
    versionField(json, 'contentIn'),
    nullableField(integerField)(json, 'removedIn'),
    nullableField(nodeIdField)(json, 'lastChildId'),
  );
}
