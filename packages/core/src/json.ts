import { checkRows } from './check.ts';
import { isAppError, ok, type Result, refused } from './errors.ts';
import { type Bookmark, type Node, roleOf } from './node.ts';
import { fromRows } from './rewind.ts';
import {
  attributes,
  bookmark,
  type Fields,
  finite,
  id,
  isFields,
  Malformed,
  newNode,
  objects,
  ofTree,
  orNull,
  text,
  whole,
} from './steps/parse.ts';
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
  const { id, owner, rootId, version, structureVersion, activeNodeId, nextSeq, createdAt, updatedAt, attributes } =
    tree;
  return {
    format: 'coppice/tree',
    formatVersion: 1,
    id,
    owner,
    rootId,
    version,
    structureVersion,
    activeNodeId,
    nextSeq,
    createdAt,
    updatedAt,
    attributes,
    nodes: allNodes(tree),
    bookmarks: allBookmarks(tree),
  };
}

/** Reads a tree from untrusted JSON. Refuses what is malformed and what breaks an invariant, naming the first of it. */
export function treeFromJson(json: unknown): Result<Tree> {
  try {
    if (!isFields(json) || json.format !== 'coppice/tree')
      return refused('tree/invalid', 'This is no tree of ours: its format is not coppice/tree.');
    if (json.formatVersion !== 1)
      return refused(
        'store/newer',
        `This tree has the format version ${String(json.formatVersion)}; this build reads 1.`,
      );
    const row = rowFrom(json);
    const nodes = objects(json, 'nodes').map(nodeFrom);
    const bookmarks = objects(json, 'bookmarks').map((item) => bookmark({ item }, 'item'));
    const broken = checkRows(row, nodes, bookmarks).find((finding) => finding.severity === 'error');
    if (broken !== undefined)
      return refused('tree/invalid', `${broken.code}: ${broken.message}`, { id: broken.id, code: broken.code });
    return ok(fromRows(row, nodes, bookmarks));
  } catch (error) {
    if (error instanceof Malformed) return refused('tree/invalid', `In a tree: ${error.message}.`);
    if (isAppError(error)) return { ok: false, refusal: error.toJSON() };
    throw error;
  }
}

function rowFrom(json: Fields): TreeRow {
  return {
    id: ofTree(json, 'id'),
    owner: text(json, 'owner'),
    rootId: id(json, 'rootId'),
    version: whole(json, 'version', 1),
    structureVersion: whole(json, 'structureVersion'),
    activeNodeId: orNull(json, 'activeNodeId', id),
    nextSeq: whole(json, 'nextSeq'),
    createdAt: finite(json, 'createdAt'),
    updatedAt: finite(json, 'updatedAt'),
    attributes: attributes(json, 'attributes'),
  };
}

// Spelt out, not spread: this runs for every node of every file that is read.
function nodeFrom(json: Fields): Node {
  const node = newNode(json);
  return {
    id: node.id,
    parentId: node.parentId,
    position: node.position,
    seq: whole(json, 'seq'),
    kind: node.kind,
    role: roleOf(node.message),
    status: node.status,
    groupId: node.groupId,
    createdAt: node.createdAt,
    matchParent: node.matchParent,
    key: node.key,
    tokens: node.tokens,
    addedIn: whole(json, 'addedIn', 1),
    contentIn: whole(json, 'contentIn', 1),
    removedIn: orNull(json, 'removedIn', whole),
    lastChildId: orNull(json, 'lastChildId', id),
    message: node.message,
    text: node.text,
    meta: node.meta,
    marker: node.marker,
    aliases: node.aliases,
  };
}
