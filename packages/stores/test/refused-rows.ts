/** Changes of node rows that a database itself refuses, whatever program makes them. */
import type { TreeId } from '@coppice/core';
import { nodeNumbersPerTree } from '../src/sql/numbers.ts';

const columns =
  'no, id, parent_no, root_of, position, kind, role, status, group_id, created_at, tokens, added_in, content_in, content, meta, meta_in';

/** Returns the number of a tree's root as SQL. */
export const rootNumberSql = (tree: TreeId) => `(SELECT no * ${nodeNumbersPerTree} FROM tree WHERE id = '${tree}')`;

/**
 * Returns statements that would break an invariant, each with its name. The first tree has the messages `a` and `b`,
 * the second one has none.
 */
export function listRefusedChanges(first: TreeId, second: TreeId): readonly (readonly [name: string, sql: string])[] {
  const inserted = (values: string) =>
    `INSERT INTO node (${columns}) SELECT no * ${nodeNumbersPerTree} + 9, 'x', NULL, ${values}, '{}', 1 FROM tree WHERE id = '${first}'`;
  return [
    ['a second root', inserted("no, 'a0', 'root', 'root', 'success', 0, 1, 0, 1, 1, '[]'")],
    [
      'a root that says of no tree that it is its root',
      inserted("NULL, 'a0', 'root', 'root', 'success', 0, 1, 0, 1, 1, '[]'"),
    ],
    ['a message without parent', inserted("no, 'a0', 'message', 'user', 'success', 0, 1, 0, 1, 1, '[1]'")],
    ['a parent of another tree', `UPDATE node SET no = ${rootNumberSql(second)} + 9 WHERE content LIKE '%"b"%'`],
    ['a parent that is missing', `UPDATE node SET parent_no = no + 1000 WHERE content LIKE '%"b"%'`],
    ['a tree without its root', `DELETE FROM tree WHERE id = '${second}'`],
    ['a node that is active', `DELETE FROM node WHERE content LIKE '%"b"%'`],
    ['a role that there is not', "UPDATE node SET role = 'robot' WHERE role = 'user'"],
    ['a tool message without its call', "UPDATE node SET role = 'tool' WHERE role = 'user'"],
    ['a group below zero', "UPDATE node SET group_id = -1 WHERE role = 'user'"],
    ['a root that says something', "UPDATE node SET content = '[1]' WHERE role = 'root'"],
    ['an active root', `UPDATE tree SET active_node_id = root_id WHERE id = '${first}'`],
    [
      'an active node of another tree',
      `UPDATE tree SET active_node_id = (SELECT active_node_id FROM tree WHERE id = '${first}') WHERE id = '${second}'`,
    ],
    ['a node without its parent', `DELETE FROM node WHERE content LIKE '%"a"%'`],
    [
      'an id that is used twice',
      `UPDATE node SET id = (SELECT id FROM node WHERE content LIKE '%"a"%') WHERE no = ${rootNumberSql(second)}`,
    ],
  ];
}
