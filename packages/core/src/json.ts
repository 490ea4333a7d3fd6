import { checkRows } from './check.ts';
import { type Fields, finite, isFields, listOf, orNull, shaped, text, whole } from './decode.ts';
import { ok, type Result, refused } from './errors.ts';
import type { Bookmark, Node } from './node.ts';
import { fromRows, rowOf } from './rewind.ts';
import { id, ofTree } from './steps/fields.ts';
import { landed } from './steps/insert.ts';
import { attributes, bookmarkShape, counted, malformed, newNode } from './steps/parse.ts';
import { allBookmarks, allNodes, type Tree, type TreeRow } from './tree.ts';

/** A tree as plain JSON: flat, parents by id, so that its depth does not matter. */
export interface TreeJson extends TreeRow {
  readonly format: 'coppice/tree';
  readonly formatVersion: 1;
  readonly nodes: readonly Node[];
  readonly bookmarks: readonly Bookmark[];
}

/** The tree as plain JSON, removed nodes included. */
export function treeToJson(tree: Tree): TreeJson {
  return {
    format: 'coppice/tree',
    formatVersion: 1,
    ...rowOf(tree),
    nodes: allNodes(tree),
    bookmarks: allBookmarks(tree),
  };
}

/** Reads a tree from untrusted JSON. Refuses what is malformed and what breaks an invariant, naming the first of it. */
export function treeFromJson(json: unknown): Result<Tree> {
  if (!isFields(json) || json.format !== 'coppice/tree')
    return refused('tree/invalid', 'This is no tree of ours: its format is not coppice/tree.');
  if (json.formatVersion !== 1)
    return refused(
      'store/newer',
      `This tree has the format version ${String(json.formatVersion)}; this build reads 1.`,
    );
  try {
    const row = rowFrom(json);
    const nodes = listOf(nodeFrom)(json, 'nodes');
    const bookmarks = listOf(bookmarkFrom)(json, 'bookmarks');
    const broken = checkRows(row, nodes, bookmarks).find((finding) => finding.severity === 'error');
    if (broken !== undefined)
      return refused('tree/invalid', `${broken.code}: ${broken.message}`, { id: broken.id, code: broken.code });
    return ok(fromRows(row, nodes, bookmarks));
  } catch (error) {
    return malformed(error, 'tree/invalid', 'tree');
  }
}

const rowFrom = shaped<TreeRow>({
  id: ofTree,
  owner: text,
  rootId: id,
  version: counted,
  structureVersion: whole,
  activeNodeId: orNull(id),
  nextSeq: whole,
  createdAt: finite,
  updatedAt: finite,
  attributes,
});
const bookmarkFrom = shaped(bookmarkShape);

function nodeFrom(json: Fields): Node {
  return landed(
    newNode(json),
    whole(json, 'seq'),
    counted(json, 'addedIn'),
    counted(json, 'contentIn'),
    orNull(whole)(json, 'removedIn'),
    orNull(id)(json, 'lastChildId'),
  );
}
