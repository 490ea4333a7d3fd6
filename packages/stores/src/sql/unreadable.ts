/** Finds rows with damaged JSON, and repairs them by keeping the damaged value as text. */
import type { TreeId } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import { inTreeByIdSql, inTreeSql } from './numbers.ts';
import { execute, queryRow, queryRows, readTextColumn, type SqlRow, type SqlTask } from './query.ts';
import { readTreeBase } from './scope.ts';

export const unreadableRowCode = 'row-unreadable';

/** The content of a repaired message whose own content was empty. */
export const repairedEmptyContent = JSON.stringify([{ type: 'text', text: 'This message was empty.' }]);

/** A column of a row that cannot be read. */
interface UnreadableCell {
  readonly id: string;
  readonly column: 'content' | 'meta' | 'marker' | 'attributes';
  readonly raw: string;
}

/** Returns all unreadable columns of a tree and its nodes, and the number of nodes. */
export function* findUnreadableCells(
  tree: TreeId,
): SqlTask<{ readonly cells: readonly UnreadableCell[]; readonly nodes: number }> {
  const cells: UnreadableCell[] = [];
  for (const one of yield* queryRows('SELECT id, attributes FROM tree WHERE id = $1', tree))
    if (!canHold(one, 'attributes')) cells.push({ id: tree, column: 'attributes', raw: rawOf(one, 'attributes') });
  const nodes = yield* queryRows(
    `SELECT n.id, n.content, n.meta, n.marker FROM node n WHERE ${inTreeSql('n')} ORDER BY n.no`,
    yield* readTreeBase(tree),
  );
  for (const one of nodes)
    for (const column of ['content', 'meta', 'marker'] as const)
      if (!canHold(one, column)) cells.push({ id: readTextColumn(one, 'id'), column, raw: rawOf(one, column) });
  return { cells, nodes: nodes.length };
}

function canHold(one: SqlRow, column: UnreadableCell['column']): boolean {
  const value = one[column];
  if (column === 'marker' && value === null) return true;
  if (typeof value !== 'string') return false;
  try {
    const json: unknown = JSON.parse(value);
    if (column === 'content') return Array.isArray(json) && json.every(isFieldMap);
    return column === 'marker' || isFieldMap(json);
  } catch {
    return false;
  }
}

function rawOf(one: SqlRow, column: string): string {
  const value = one[column];
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return typeof value === 'string' ? value : String(value ?? '');
}

/**
 * Makes every row of a tree readable. A damaged content becomes the text of the message; other damaged values are kept
 * in the metadata.
 */
export function* keepUnreadableAsText(tree: TreeId, done: string[]): SqlTask<void> {
  const { cells } = yield* findUnreadableCells(tree);
  const base = yield* readTreeBase(tree);
  // Metadata is repaired before marker and content, because those repairs write into it.
  const order: readonly UnreadableCell['column'][] = ['attributes', 'meta', 'marker', 'content'];
  for (const { id, column, raw } of [...cells].sort((a, b) => order.indexOf(a.column) - order.indexOf(b.column))) {
    if (column === 'attributes') {
      const [found] = yield* queryRows('SELECT project, title FROM tree WHERE id = $1', tree);
      const { project, title } = found ?? {};
      const attributes = { project, ...(title === null ? {} : { title }), metadata: { recoveredAttributes: raw } };
      yield* execute('UPDATE tree SET attributes = $2 WHERE id = $1', tree, JSON.stringify(attributes));
    } else if (column === 'meta') {
      yield* execute(
        `UPDATE node SET meta = $3 WHERE ${inTreeByIdSql('node')} AND id = $2`,
        base,
        id,
        noteUnreadable({}, 'meta', raw),
      );
    } else {
      const found = yield* queryRow(`SELECT role, meta FROM node WHERE ${inTreeByIdSql('node')} AND id = $2`, base, id);
      if (found === undefined) continue;
      if (column === 'content' && readTextColumn(found, 'role') !== 'root') {
        const content = raw.trim() === '' ? repairedEmptyContent : JSON.stringify([{ type: 'text', text: raw }]);
        yield* execute(`UPDATE node SET content = $3 WHERE ${inTreeByIdSql('node')} AND id = $2`, base, id, content);
      } else {
        const empty = column === 'content' ? "'[]'" : 'NULL';
        const notes = noteUnreadable(JSON.parse(readTextColumn(found, 'meta')), column, raw);
        yield* execute(
          `UPDATE node SET ${column} = ${empty}, meta = $3 WHERE ${inTreeByIdSql('node')} AND id = $2`,
          base,
          id,
          notes,
        );
      }
    }
    done.push(`the ${column} of ${id} could not be read and is kept as text`);
  }
}

function noteUnreadable(meta: object, column: string, raw: string): string {
  const key = `recovered${column.charAt(0).toUpperCase()}${column.slice(1)}`;
  return JSON.stringify(raw === '' ? meta : { ...meta, [key]: raw });
}
