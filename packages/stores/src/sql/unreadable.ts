/** Rows whose JSON was damaged: finding them one by one, and keeping what they say as a text. */
import type { TreeId } from '@coppice/core';
import { exec, type Row, row, rows, text, type Work } from './query.ts';

/** The code of the finding. */
export const rowUnreadable = 'row-unreadable';

/** What a message says that said nothing. */
export const emptyText = JSON.stringify([{ type: 'text', text: 'This message was empty.' }]);

/** A column of a row that cannot be read. */
interface Cell {
  readonly id: string;
  readonly column: 'content' | 'meta' | 'marker' | 'attributes';
  readonly raw: string;
}

/** Every such column of a tree and its nodes, and how many nodes there are. */
export function* unreadableOf(tree: TreeId): Work<{ readonly cells: readonly Cell[]; readonly nodes: number }> {
  const cells: Cell[] = [];
  for (const one of yield* rows('SELECT id, attributes FROM tree WHERE id = $1', tree))
    if (!holds(one, 'attributes')) cells.push({ id: tree, column: 'attributes', raw: rawOf(one, 'attributes') });
  const nodes = yield* rows('SELECT id, content, meta, marker FROM node WHERE tree_id = $1 ORDER BY seq', tree);
  for (const one of nodes)
    for (const column of ['content', 'meta', 'marker'] as const)
      if (!holds(one, column)) cells.push({ id: text(one, 'id'), column, raw: rawOf(one, column) });
  return { cells, nodes: nodes.length };
}

function holds(one: Row, column: Cell['column']): boolean {
  const value = one[column];
  if (column === 'marker' && value === null) return true;
  if (typeof value !== 'string') return false;
  try {
    const json: unknown = JSON.parse(value);
    if (column === 'content') return Array.isArray(json) && json.every((block) => isFields(block));
    return column === 'marker' || isFields(json);
  } catch {
    return false;
  }
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function rawOf(one: Row, column: string): string {
  const value = one[column];
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return typeof value === 'string' ? value : String(value ?? '');
}

/** Makes every row of a tree readable again. What stood there is the message's text, or in its notes. */
export function* keepUnreadable(tree: TreeId, done: string[]): Work<void> {
  const { cells } = yield* unreadableOf(tree);
  // Notes first: the others write into them.
  const order: readonly Cell['column'][] = ['attributes', 'meta', 'marker', 'content'];
  for (const { id, column, raw } of [...cells].sort((a, b) => order.indexOf(a.column) - order.indexOf(b.column))) {
    if (column === 'attributes') {
      const [found] = yield* rows('SELECT project, title FROM tree WHERE id = $1', tree);
      const { project, title } = found ?? {};
      const attributes = { project, ...(title === null ? {} : { title }), metadata: { recoveredAttributes: raw } };
      yield* exec('UPDATE tree SET attributes = $2 WHERE id = $1', tree, JSON.stringify(attributes));
    } else if (column === 'meta') {
      yield* exec('UPDATE node SET meta = $3 WHERE tree_id = $1 AND id = $2', tree, id, noted({}, 'meta', raw));
    } else {
      const found = yield* row('SELECT role, meta FROM node WHERE tree_id = $1 AND id = $2', tree, id);
      if (found === undefined) continue;
      if (column === 'content' && text(found, 'role') !== 'root') {
        const content = raw.trim() === '' ? emptyText : JSON.stringify([{ type: 'text', text: raw }]);
        yield* exec('UPDATE node SET content = $3 WHERE tree_id = $1 AND id = $2', tree, id, content);
      } else {
        const empty = column === 'content' ? "'[]'" : 'NULL';
        const notes = noted(JSON.parse(text(found, 'meta')), column, raw);
        yield* exec(`UPDATE node SET ${column} = ${empty}, meta = $3 WHERE tree_id = $1 AND id = $2`, tree, id, notes);
      }
    }
    done.push(`the ${column} of ${id} could not be read, and is kept as a text`);
  }
}

function noted(meta: object, column: string, raw: string): string {
  const key = `recovered${column.charAt(0).toUpperCase()}${column.slice(1)}`;
  return JSON.stringify(raw === '' ? meta : { ...meta, [key]: raw });
}
