/** Converts rows of the node, tree and bookmark tables to types of core, and back. */
import {
  type Alias,
  type Block,
  type Bookmark,
  type ContentFields,
  type ConversationFormat,
  type Message,
  type Node,
  type NodeHead,
  type NodeId,
  type NodeKind,
  type NodeLink,
  type NodeMeta,
  type NodeStatus,
  nodeId,
  type PathMeta,
  type Role,
  type RowChange,
  type TreeAttributes,
  type TreeRow,
  treeId,
} from '@coppice/core';
import { firstNodeNumberOfTree, nodeNumberByIdSql, nodeNumberOf, nodeNumbersPerTree } from './numbers.ts';
import {
  hasJsonShape,
  type JsonShape,
  readJsonColumn,
  readNumberColumn,
  readTextColumn,
  readTextColumnOrNull,
  type SqlCells,
  type SqlParameter,
  type SqlRow,
  throwDamagedColumn,
} from './query.ts';

/**
 * The columns of a node without its content. {@link selectCells} and {@link selectNamedColumns} return the SQL of the
 * columns.
 */
export const nodeHeadColumns =
  'id, parent_id, position, seq, kind, role, status, group_id, created_at, match_parent, equality_key, tokens, added_in, content_in, removed_in, last_child_id';

/** All columns of a node, in the order of {@link nodeOfRow}. */
export const nodeColumns = `${nodeHeadColumns}, tool_call_id, content, search_text, meta, marker`;

/** The columns of a node that are needed to count the tokens of a context. */
export const pathMetaColumns =
  'id, parent_id, kind, role, status, equality_key, tokens, added_in, content_in, meta, marker';

export const treeColumns =
  'no, id, owner, root_id, version, structure_version, active_node_id, next_seq, created_at, updated_at, attributes, aliases, format';

export const missingNodePrefix = 'missing-';

/** Returns a placeholder id for a node of which only the number is known, because its row is missing. */
export function missingNodeId(no: number): string {
  return `${missingNodePrefix}${no % nodeNumbersPerTree}`;
}

/** SQL for columns that are not stored: ids of other nodes, and values that follow from the row number. */
const computed: ReadonlyMap<string, (table: string) => string> = new Map([
  ['seq', (table: string) => `(${table}.no % ${nodeNumbersPerTree})`],
  // A placeholder shows that there was a parent, if its row is missing.
  [
    'parent_id',
    (table: string) =>
      `coalesce((SELECT p.id FROM node p WHERE p.no = ${table}.parent_no), '${missingNodePrefix}' || (${table}.parent_no % ${nodeNumbersPerTree}))`,
  ],
  [
    'match_parent',
    // Null if the match parent is also the parent, which is usual.
    (table: string) =>
      `CASE WHEN ${table}.match_no <> ${table}.parent_no THEN coalesce((SELECT m.id FROM node m WHERE m.no = ${table}.match_no), '${missingNodePrefix}' || (${table}.match_no % ${nodeNumbersPerTree})) END`,
  ],
  ['last_child_id', (table: string) => `(SELECT l.id FROM node l WHERE l.no = ${table}.last_no)`],
]);

// The most frequent value of a column is selected as null. The driver creates a string for every other cell, which
// takes longer than the comparison in SQL.
const usual: ReadonlyMap<string, string> = new Map([
  ['kind', "'message'"],
  ['status', "'success'"],
  ['meta', "'{}'"],
]);

function columnSql(table: string, column: string): string {
  return computed.get(column)?.(table) ?? `${table}.${column}`;
}

/** Returns the SELECT list for the cells of a node. The most frequent value of a column is selected as null. */
export function selectCells(table: string, columns: string): string {
  return columns
    .split(', ')
    .map((column) => {
      const sql = columnSql(table, column);
      const value = usual.get(column);
      return value === undefined ? `${sql} AS ${column}` : `nullif(${sql}, ${value}) AS ${column}`;
    })
    .join(', ');
}

/**
 * Returns the SELECT list for the cells of a path. It selects the parent's number instead of its id, and an empty text
 * for a visit mark on the path. {@link fillPathIds} adds both ids, which other rows of the path contain.
 */
export function selectPathCells(table: string, walk: string, columns: string): string {
  return selectCells(table, columns)
    .replace(`${columnSql(table, 'parent_id')} AS`, `${walk}.above AS`)
    .replace(
      `${columnSql(table, 'last_child_id')} AS`,
      `CASE WHEN ${table}.last_no = ${walk}.below THEN '' ELSE ${columnSql(table, 'last_child_id')} END AS`,
    );
}

/** Adds the ids to the cells of {@link selectPathCells}. `top` is the parent's id of the last row. */
export function fillPathIds(found: readonly SqlCells[], top: string | null): SqlCells[] {
  return found.map((cells, at) => {
    const linked = cells.slice();
    linked[1] = found[at + 1]?.[0] ?? top;
    if (linked[lastChildCell] === '') linked[lastChildCell] = found[at - 1]?.[0] ?? null;
    return linked;
  });
}

/** Returns the SELECT list of a node's columns by name. */
export function selectNamedColumns(table: string, columns: string): string {
  return columns
    .split(', ')
    .map((column) => `${columnSql(table, column)} AS ${column}`)
    .join(', ');
}

/** The column names in the order of the cells, for cell indexes and error messages. */
const headNames = nodeHeadColumns.split(', ');
const nodeNames = nodeColumns.split(', ');
const noteNames = pathMetaColumns.split(', ');

const lastChildCell = headNames.indexOf('last_child_id');

/** The number of cells of a whole node. Further columns of a statement follow after them. */
export const nodeCellCount = nodeNames.length;
export const nodeHeadCellCount = headNames.length;

// SQL for links as row numbers. A match parent that is also the parent is null.
const linkSql: ReadonlyMap<string, (table: string) => string> = new Map([
  ['parent_id', (table: string) => `${table}.parent_no`],
  ['match_parent', (table: string) => `nullif(${table}.match_no, ${table}.parent_no)`],
  ['last_child_id', (table: string) => `${table}.last_no`],
]);

/**
 * Returns the SELECT list for the cells of all nodes of a tree. It selects row numbers instead of the ids of other
 * nodes, and the node's own number as one more cell. {@link fillRowIds} replaces the numbers, which is faster than a
 * lookup for each.
 */
export function selectNumberCells(table: string, columns: string): string {
  let list = selectCells(table, columns);
  for (const [column, sql] of linkSql) list = list.replace(`${columnSql(table, column)} AS`, `${sql(table)} AS`);
  return `${list}, ${table}.no`;
}

// Valid for `nodeHeadColumns` and `nodeColumns`, which have the link columns at the same indexes.
const linkNames: ReadonlySet<string> = new Set(linkSql.keys());
const linkCells = headNames.flatMap((name, at) => (linkNames.has(name) ? [at] : []));

/**
 * Replaces the numbers in the cells of {@link selectNumberCells} by ids, for {@link nodeHeadColumns} or {@link
 * nodeColumns}.
 */
export function fillRowIds(found: readonly SqlCells[], width: number): SqlCells[] {
  const ids = new Map(found.map((cells) => [Number(cells[width]), cells[0]]));
  return found.map((cells) => {
    const linked = cells.slice(0, width);
    for (const at of linkCells) {
      const no = cells[at];
      if (no === null) continue;
      const id = ids.get(Number(no));
      // A visit mark that points to a missing node is dropped.
      linked[at] = id ?? (at === lastChildCell ? null : missingNodeId(Number(no)));
    }
    return linked;
  });
}

/** Throws the error for a cell with a value of the wrong type. */
function refuseCell(cells: SqlCells, at: number, names: readonly string[], wanted: string): never {
  const row = { id: cells[0] };
  return throwDamagedColumn(row, names[at] ?? '', `holds ${typeof cells[at]}, not ${wanted}`);
}

function cellText(cells: SqlCells, at: number, names: readonly string[]): string {
  const value = cells[at];
  return typeof value === 'string' ? value : refuseCell(cells, at, names, 'text');
}

function cellTextOrNull(cells: SqlCells, at: number, names: readonly string[]): string | null {
  return cells[at] === null ? null : cellText(cells, at, names);
}

function cellNumber(cells: SqlCells, at: number, names: readonly string[]): number {
  const value = cells[at];
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' ? Number(value) : refuseCell(cells, at, names, 'a number');
}

function cellId(cells: SqlCells, at: number, names: readonly string[]): Node['parentId'] {
  return cellTextOrNull(cells, at, names) as Node['parentId'];
}

function cellKind(cells: SqlCells, at: number, names: readonly string[]): NodeKind {
  return cells[at] === null ? 'message' : (cellText(cells, at, names) as NodeKind);
}

function cellStatus(cells: SqlCells, at: number, names: readonly string[]): NodeStatus {
  return cells[at] === null ? 'success' : (cellText(cells, at, names) as NodeStatus);
}

function cellJson(cells: SqlCells, at: number, names: readonly string[], shape: JsonShape): unknown {
  const json = cellText(cells, at, names);
  try {
    const value: unknown = JSON.parse(json);
    if (hasJsonShape(value, shape)) return value;
  } catch {
    // Invalid JSON is refused below.
  }
  return throwDamagedColumn({ id: cells[0] }, names[at] ?? '', 'is damaged and cannot be read');
}

/** Decodes a node without content from the cells of {@link nodeHeadColumns}. */
export function decodeNodeHead(cells: SqlCells): NodeHead {
  return {
    id: cellText(cells, 0, headNames) as NodeId,
    parentId: cellId(cells, 1, headNames),
    position: cellText(cells, 2, headNames),
    seq: cellNumber(cells, 3, headNames),
    kind: cellKind(cells, 4, headNames),
    role: cellText(cells, 5, headNames) as Role | 'root',
    status: cellStatus(cells, 6, headNames),
    groupId: cellNumber(cells, 7, headNames),
    createdAt: cellNumber(cells, 8, headNames),
    matchParent: cellId(cells, 9, headNames) ?? cellId(cells, 1, headNames),
    key: cellTextOrNull(cells, 10, headNames),
    tokens: cellNumber(cells, 11, headNames),
    addedIn: cellNumber(cells, 12, headNames),
    contentIn: cellNumber(cells, 13, headNames),
    removedIn: cells[14] === null ? null : cellNumber(cells, 14, headNames),
    lastChildId: cellId(cells, 15, headNames),
  };
}

export function nodeLinkOf(row: SqlRow): NodeLink {
  return {
    id: nodeId(readTextColumn(row, 'id')),
    parentId: readTextColumnOrNull(row, 'parent_id') as NodeId | null,
    kind: readTextColumn(row, 'kind') as NodeKind,
    lastChildId: readTextColumnOrNull(row, 'last_child_id') as NodeId | null,
  };
}

/** Copies the fields of a node without its content, so that a cache does not keep the content in memory. */
export function copyNodeHead(node: NodeHead): NodeHead {
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

/** Returns the message of a row; null for the root. */
export function messageOfRow(row: SqlRow, role: Role | 'root'): Message | null {
  if (role === 'root') return null;
  const content = readJsonColumn(row, 'content', 'objects') as readonly Block[];
  const call = readTextColumnOrNull(row, 'tool_call_id');
  return call === null ? { role, content } : { role, content, tool_call_id: call };
}

/** Returns the search text of a row. It is not stored if it is the text of the message's only block. */
export function searchTextOf(row: SqlRow, message: Message | null): string {
  return readTextColumnOrNull(row, 'search_text') ?? firstTextOf(message?.content ?? []);
}

/** Returns the search text of a row without decoding the whole message. */
export function storedTextOf(row: SqlRow): string {
  return (
    readTextColumnOrNull(row, 'search_text') ??
    firstTextOf(readJsonColumn(row, 'content', 'objects') as readonly Block[])
  );
}

function firstTextOf([block]: readonly Block[]): string {
  return block !== undefined && 'text' in block && typeof block.text === 'string' ? block.text : '';
}

const noMeta: NodeMeta = Object.freeze({});

function cellMeta(cells: SqlCells, at: number, names: readonly string[]): NodeMeta {
  return cells[at] === null ? noMeta : (cellJson(cells, at, names, 'object') as NodeMeta);
}

function cellMarker(cells: SqlCells, at: number, names: readonly string[]): Node['marker'] {
  return cells[at] === null ? null : (cellJson(cells, at, names, 'object') as Node['marker']);
}

/** Decodes a node with metadata but without content, from the cells of {@link pathMetaColumns}. */
export function pathMetaOfRow(cells: SqlCells): PathMeta {
  return {
    id: cellText(cells, 0, noteNames) as NodeId,
    parentId: cellId(cells, 1, noteNames),
    kind: cellKind(cells, 2, noteNames),
    role: cellText(cells, 3, noteNames) as Role | 'root',
    status: cellStatus(cells, 4, noteNames),
    key: cellTextOrNull(cells, 5, noteNames),
    tokens: cellNumber(cells, 6, noteNames),
    addedIn: cellNumber(cells, 7, noteNames),
    contentIn: cellNumber(cells, 8, noteNames),
    meta: cellMeta(cells, 9, noteNames),
    marker: cellMarker(cells, 10, noteNames),
  };
}

function cellMessage(cells: SqlCells, role: Role | 'root'): Message | null {
  if (role === 'root') return null;
  const content = cellJson(cells, 17, nodeNames, 'objects') as readonly Block[];
  const call = cellTextOrNull(cells, 16, nodeNames);
  return call === null ? { role, content } : { role, content, tool_call_id: call };
}

/**
 * Decodes a node from the cells of {@link nodeColumns}; its aliases come from another table. The fields are listed
 * instead of spread for speed, because a long path has thousands of nodes.
 */
export function nodeOfRow(cells: SqlCells, aliases: readonly Alias[]): Node {
  const role = cellText(cells, 5, nodeNames) as Role | 'root';
  const message = cellMessage(cells, role);
  return {
    id: cellText(cells, 0, nodeNames) as NodeId,
    parentId: cellId(cells, 1, nodeNames),
    position: cellText(cells, 2, nodeNames),
    seq: cellNumber(cells, 3, nodeNames),
    kind: cellKind(cells, 4, nodeNames),
    role,
    status: cellStatus(cells, 6, nodeNames),
    groupId: cellNumber(cells, 7, nodeNames),
    createdAt: cellNumber(cells, 8, nodeNames),
    matchParent: cellId(cells, 9, nodeNames) ?? cellId(cells, 1, nodeNames),
    key: cellTextOrNull(cells, 10, nodeNames),
    tokens: cellNumber(cells, 11, nodeNames),
    addedIn: cellNumber(cells, 12, nodeNames),
    contentIn: cellNumber(cells, 13, nodeNames),
    removedIn: cells[14] === null ? null : cellNumber(cells, 14, nodeNames),
    lastChildId: cellId(cells, 15, nodeNames),
    message,
    text: cellTextOrNull(cells, 18, nodeNames) ?? firstTextOf(message?.content ?? []),
    meta: cellMeta(cells, 19, nodeNames),
    marker: cellMarker(cells, 20, nodeNames),
    aliases,
  };
}

/**
 * Serialises the content of a message. `JSON.stringify` escapes lone surrogates and NUL, so any column can store the
 * text.
 */
function contentText(message: Message | null): string {
  return message === null ? '[]' : JSON.stringify(message.content);
}

/** Returns the search text to store; null if it can be derived from the content. */
function searchColumn(message: Message | null, searchText: string): string | null {
  if (message === null) return searchText === '' ? null : searchText;
  const block = message.content[0];
  const plain = message.content.length === 1 && block !== undefined && 'text' in block && block.text === searchText;
  return plain ? null : searchText;
}

const columnNames = {
  parentId: 'parent_no',
  position: 'position',
  groupId: 'group_id',
  matchParent: 'match_no',
  lastChildId: 'last_no',
  status: 'status',
  key: 'equality_key',
  tokens: 'tokens',
  contentIn: 'content_in',
} as const;

const linkColumns: ReadonlySet<string> = new Set(['parent_no', 'match_no', 'last_no']);

/** Returns the SQL assignments of a row change and their values. The parameters start at `$3`. */
export function buildColumnAssignments(set: Extract<RowChange, { op: 'updated' }>['set']): {
  readonly sql: string;
  readonly values: readonly SqlParameter[];
} {
  const columns: [string, SqlParameter][] = [];
  for (const [name, column] of Object.entries(columnNames) as [keyof typeof columnNames, string][]) {
    const value = set[name];
    if (value !== undefined) columns.push([column, value]);
  }
  if (set.message !== undefined)
    columns.push(['content', contentText(set.message)], ['search_text', searchColumn(set.message, set.text ?? '')]);
  const assignments = columns.map(([column], index) => {
    const parameter = `$${index + 3}`;
    return `${column} = ${linkColumns.has(column) ? nodeNumberByIdSql(parameter) : parameter}`;
  });
  return { sql: assignments.join(', '), values: columns.map(([, value]) => value) };
}

/** The row numbers of the nodes that a new node refers to. */
export interface LinkedNodeNumbers {
  readonly parent: number | null;
  readonly match: number | null;
  readonly last: number | null;
}

/** The columns of an inserted node, in the order of {@link insertedNodeValues}. */
export const insertedNodeColumns =
  'no, id, parent_no, root_of, position, kind, role, status, group_id, created_at, match_no, equality_key, tokens, added_in, content_in, removed_in, last_no, tool_call_id, content, search_text, meta, marker, meta_in';
export const insertedNodeColumnCount = insertedNodeColumns.split(', ').length;

/** Returns the parameters of an insert into the node table, in the order of {@link insertedNodeColumns}. */
export function insertedNodeValues(
  base: number,
  node: Node,
  { parent, match, last }: LinkedNodeNumbers,
): SqlParameter[] {
  return [
    nodeNumberOf(base, node.seq),
    node.id,
    parent,
    node.parentId === null ? base / nodeNumbersPerTree : null,
    node.position,
    node.kind,
    node.role,
    node.status,
    node.groupId,
    node.createdAt,
    match,
    node.key,
    node.tokens,
    node.addedIn,
    node.contentIn,
    node.removedIn,
    last,
    node.message?.tool_call_id ?? null,
    contentText(node.message),
    searchColumn(node.message, node.text),
    JSON.stringify(node.meta),
    node.marker === null ? null : JSON.stringify(node.marker),
    node.addedIn,
  ];
}

/**
 * A tree row with the columns that only databases need: the base of its row numbers, its format, and whether it has
 * aliases.
 */
export interface StoredTree extends TreeRow {
  /** Whether any message of the tree was split. Only then does matching look for aliases. */
  readonly hasAliases: boolean;
  readonly format: ConversationFormat;
  /** The first number of the tree's nodes. */
  readonly base: number;
}

export function storedTreeOf(row: SqlRow): StoredTree {
  const active = readTextColumnOrNull(row, 'active_node_id');
  return {
    id: treeId(readTextColumn(row, 'id')),
    owner: readTextColumn(row, 'owner'),
    rootId: nodeId(readTextColumn(row, 'root_id')),
    version: readNumberColumn(row, 'version'),
    structureVersion: readNumberColumn(row, 'structure_version'),
    activeNodeId: active === null ? null : nodeId(active),
    nextSeq: readNumberColumn(row, 'next_seq'),
    createdAt: readNumberColumn(row, 'created_at'),
    updatedAt: readNumberColumn(row, 'updated_at'),
    attributes: readJsonColumn(row, 'attributes', 'object') as TreeAttributes,
    hasAliases: readNumberColumn(row, 'aliases') > 0,
    format: readTextColumn(row, 'format') as ConversationFormat,
    base: firstNodeNumberOfTree(readNumberColumn(row, 'no')),
  };
}

export function bookmarkOfRow(row: SqlRow): Bookmark {
  return {
    nodeId: nodeId(readTextColumn(row, 'node_id')),
    title: readTextColumn(row, 'title'),
    createdAt: readNumberColumn(row, 'created_at'),
    updatedAt: readNumberColumn(row, 'updated_at'),
  };
}

/** Decodes the content in a row of the node_content table or the node table. */
export function contentOfRow(row: SqlRow, role: Role, aliases: readonly Alias[], call: string | null): ContentFields {
  const content = readJsonColumn(row, 'content', 'objects') as readonly Block[];
  const message: Message = call === null ? { role, content } : { role, content, tool_call_id: call };
  return {
    message,
    status: readTextColumn(row, 'status') as NodeStatus,
    key: readTextColumnOrNull(row, 'equality_key'),
    text: searchTextOf(row, message),
    tokens: readNumberColumn(row, 'tokens'),
    aliases,
  };
}

/** Returns the values of the columns that repeat attributes, for lists and lookups of trees, and the attributes as JSON. */
export function attributeColumnValues(attributes: TreeAttributes): SqlParameter[] {
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
