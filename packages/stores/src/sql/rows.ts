/** Rows of the node, tree and bookmark tables as core knows them, and back. */
import {
  type Alias,
  type Block,
  type Bookmark,
  type Content,
  type ConversationFormat,
  type Message,
  type Node,
  type NodeHead,
  type NodeKind,
  type NodeMeta,
  type NodeStatus,
  nodeId,
  type PathMeta,
  type Role,
  type TreeAttributes,
  type TreeRow,
  treeId,
} from '@coppice/core';
import { type Param, parsed, type SqlRow, sqlNumber, sqlNumberOrNull, sqlText, sqlTextOrNull } from './query.ts';

/** The columns of a node without what it says. */
export const headColumns =
  'id, parent_id, position, seq, kind, role, status, group_id, created_at, match_parent, equality_key, tokens, added_in, content_in, removed_in, last_child_id';

/** All columns of a node. */
export const nodeColumns = `${headColumns}, tool_call_id, content, search_text, meta, marker`;

/** The columns of a node that weigh a context. */
export const noteColumns =
  'id, parent_id, kind, role, status, equality_key, tokens, added_in, content_in, meta, marker';

/** The columns of a tree. */
export const treeColumns =
  'id, owner, root_id, version, structure_version, active_node_id, next_seq, created_at, updated_at, attributes, aliases, format';

/** A list of columns, each of a named table. */
export function prefixed(table: string, columns: string): string {
  return columns
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ');
}

function idOrNull(row: SqlRow, column: string): Node['parentId'] {
  const value = sqlTextOrNull(row, column);
  return value === null ? null : nodeId(value);
}

/** A node without what it says. */
export function nodeHeadOf(row: SqlRow): NodeHead {
  return {
    id: nodeId(sqlText(row, 'id')),
    parentId: idOrNull(row, 'parent_id'),
    position: sqlText(row, 'position'),
    seq: sqlNumber(row, 'seq'),
    kind: sqlText(row, 'kind') as NodeKind,
    role: sqlText(row, 'role') as Role | 'root',
    status: sqlText(row, 'status') as NodeStatus,
    groupId: sqlNumber(row, 'group_id'),
    createdAt: sqlNumber(row, 'created_at'),
    matchParent: idOrNull(row, 'match_parent'),
    key: sqlTextOrNull(row, 'equality_key'),
    tokens: sqlNumber(row, 'tokens'),
    addedIn: sqlNumber(row, 'added_in'),
    contentIn: sqlNumber(row, 'content_in'),
    removedIn: sqlNumberOrNull(row, 'removed_in'),
    lastChildId: idOrNull(row, 'last_child_id'),
  };
}

/** A node without what it says, from a whole one: what is kept for later must not keep contents in memory. */
export function plainHead(node: NodeHead): NodeHead {
  const { id, parentId, position, seq, kind, role, status, groupId } = node;
  const { createdAt, matchParent, key, tokens, addedIn, contentIn, removedIn, lastChildId } = node;
  return {
    id,
    parentId,
    position,
    seq,
    kind,
    role,
    status,
    groupId,
    createdAt,
    matchParent,
    key,
    tokens,
    addedIn,
    contentIn,
    removedIn,
    lastChildId,
  };
}

/** The message of a row; the root has none. */
export function messageOfRow(row: SqlRow, role: Role | 'root'): Message | null {
  if (role === 'root') return null;
  const content = parsed(row, 'content') as readonly Block[];
  const call = sqlTextOrNull(row, 'tool_call_id');
  return call === null ? { role, content } : { role, content, tool_call_id: call };
}

/** The search text of a row. It is stored only where it is not simply the text of the one block. */
export function searchTextOf(row: SqlRow, message: Message | null): string {
  const stored = sqlTextOrNull(row, 'search_text');
  if (stored !== null) return stored;
  const block = message?.content[0];
  return block !== undefined && 'text' in block && typeof block.text === 'string' ? block.text : '';
}

/** The search text of a row that is no root's, without the message around it. */
export function storedTextOf(row: SqlRow): string {
  const stored = sqlTextOrNull(row, 'search_text');
  if (stored !== null) return stored;
  const [block] = parsed(row, 'content') as readonly Block[];
  return block !== undefined && 'text' in block && typeof block.text === 'string' ? block.text : '';
}

const noMeta: NodeMeta = Object.freeze({});

function metaOfRow(row: SqlRow): NodeMeta {
  const meta = sqlText(row, 'meta');
  return meta === '{}' ? noMeta : (parsed(row, 'meta') as NodeMeta);
}

function markerOfRow(row: SqlRow): Node['marker'] {
  const marker = sqlTextOrNull(row, 'marker');
  return marker === null ? null : (parsed(row, 'marker') as Node['marker']);
}

/** A node without what it says, with what is noted about it. */
export function noteOfRow(row: SqlRow): PathMeta {
  return {
    id: nodeId(sqlText(row, 'id')),
    parentId: idOrNull(row, 'parent_id'),
    kind: sqlText(row, 'kind') as NodeKind,
    role: sqlText(row, 'role') as Role | 'root',
    status: sqlText(row, 'status') as NodeStatus,
    key: sqlTextOrNull(row, 'equality_key'),
    tokens: sqlNumber(row, 'tokens'),
    addedIn: sqlNumber(row, 'added_in'),
    contentIn: sqlNumber(row, 'content_in'),
    meta: metaOfRow(row),
    marker: markerOfRow(row),
  };
}

/** A whole node. Its aliases are in a table of their own. Spelt out, not spread: a long path makes thousands of these. */
export function nodeOfRow(row: SqlRow, aliases: readonly Alias[]): Node {
  const role = sqlText(row, 'role') as Role | 'root';
  const message = messageOfRow(row, role);
  return {
    id: nodeId(sqlText(row, 'id')),
    parentId: idOrNull(row, 'parent_id'),
    position: sqlText(row, 'position'),
    seq: sqlNumber(row, 'seq'),
    kind: sqlText(row, 'kind') as NodeKind,
    role,
    status: sqlText(row, 'status') as NodeStatus,
    groupId: sqlNumber(row, 'group_id'),
    createdAt: sqlNumber(row, 'created_at'),
    matchParent: idOrNull(row, 'match_parent'),
    key: sqlTextOrNull(row, 'equality_key'),
    tokens: sqlNumber(row, 'tokens'),
    addedIn: sqlNumber(row, 'added_in'),
    contentIn: sqlNumber(row, 'content_in'),
    removedIn: sqlNumberOrNull(row, 'removed_in'),
    lastChildId: idOrNull(row, 'last_child_id'),
    message,
    text: searchTextOf(row, message),
    meta: metaOfRow(row),
    marker: markerOfRow(row),
    aliases,
  };
}

/** Content as its JSON text. `JSON.stringify` writes lone surrogates and NUL as escapes, so both survive any column. */
export function contentText(message: Message | null): string {
  return message === null ? '[]' : JSON.stringify(message.content);
}

/** The search text to store: null where reading it from the content gives the same. */
export function searchColumn(message: Message | null, searchText: string): string | null {
  if (message === null) return searchText === '' ? null : searchText;
  const block = message.content[0];
  const plain = message.content.length === 1 && block !== undefined && 'text' in block && block.text === searchText;
  return plain ? null : searchText;
}

/** The parameters of an insert into the node table, in the order of {@link nodeColumns}. */
export function nodeParams(tree: string, node: Node, lastChildId = node.lastChildId): Param[] {
  return [
    tree,
    node.id,
    node.parentId,
    node.position,
    node.seq,
    node.kind,
    node.role,
    node.status,
    node.groupId,
    node.createdAt,
    node.matchParent,
    node.key,
    node.tokens,
    node.addedIn,
    node.contentIn,
    node.removedIn,
    lastChildId,
    node.message?.tool_call_id ?? null,
    contentText(node.message),
    searchColumn(node.message, node.text),
    JSON.stringify(node.meta),
    node.marker === null ? null : JSON.stringify(node.marker),
  ];
}

/** A tree row, with what only stores know of it. */
export interface StoredTree extends TreeRow {
  /** Whether any text of the tree was split: only then matching looks for aliases. */
  readonly hasAliases: boolean;
  readonly format: ConversationFormat;
}

/** A tree row as stored. */
export function storedTreeOf(row: SqlRow): StoredTree {
  const active = sqlTextOrNull(row, 'active_node_id');
  return {
    id: treeId(sqlText(row, 'id')),
    owner: sqlText(row, 'owner'),
    rootId: nodeId(sqlText(row, 'root_id')),
    version: sqlNumber(row, 'version'),
    structureVersion: sqlNumber(row, 'structure_version'),
    activeNodeId: active === null ? null : nodeId(active),
    nextSeq: sqlNumber(row, 'next_seq'),
    createdAt: sqlNumber(row, 'created_at'),
    updatedAt: sqlNumber(row, 'updated_at'),
    attributes: parsed(row, 'attributes') as TreeAttributes,
    hasAliases: sqlNumber(row, 'aliases') > 0,
    format: sqlText(row, 'format') as ConversationFormat,
  };
}

/** The tree row that core is shown. Spelt out: every planner asks for one. */
export function toTreeRow(tree: StoredTree): TreeRow {
  return {
    id: tree.id,
    owner: tree.owner,
    rootId: tree.rootId,
    version: tree.version,
    structureVersion: tree.structureVersion,
    activeNodeId: tree.activeNodeId,
    nextSeq: tree.nextSeq,
    createdAt: tree.createdAt,
    updatedAt: tree.updatedAt,
    attributes: tree.attributes,
  };
}

/** A bookmark row. */
export function bookmarkOfRow(row: SqlRow): Bookmark {
  return {
    nodeId: nodeId(sqlText(row, 'node_id')),
    title: sqlText(row, 'title'),
    createdAt: sqlNumber(row, 'created_at'),
    updatedAt: sqlNumber(row, 'updated_at'),
  };
}

/** Content as node_content keeps it, or as the node table has it now. */
export function contentOfRow(row: SqlRow, role: Role, aliases: readonly Alias[], call: string | null): Content {
  const content = parsed(row, 'content') as readonly Block[];
  const message: Message = call === null ? { role, content } : { role, content, tool_call_id: call };
  return {
    message,
    status: sqlText(row, 'status') as NodeStatus,
    key: sqlTextOrNull(row, 'equality_key'),
    text: searchTextOf(row, message),
    tokens: sqlNumber(row, 'tokens'),
    aliases,
  };
}

/** The columns that a tree's attributes are also found by. */
export function attributeColumns(attributes: TreeAttributes): Param[] {
  const { project, folder, title, autoTitle, pinned, trashedAt, forestKey } = attributes;
  const shown = title ?? autoTitle ?? null;
  return [
    project ?? 'default',
    folder ?? null,
    shown,
    pinned === true ? 1 : 0,
    trashedAt ?? null,
    typeof forestKey === 'string' ? forestKey : null,
    JSON.stringify(attributes),
  ];
}
