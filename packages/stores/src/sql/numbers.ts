/**
 * Row numbers of nodes. A node's number is the number of its tree times 2^26 plus its creation number. So it is known
 * before the row is written, sorts by creation within a tree, and identifies the tree. Numbers are valid only inside
 * one database; the rest of Coppice uses public ids.
 */
import { refuse } from '@coppice/core';

/** The maximum number of nodes of a tree over its lifetime, including removed and purged ones. */
export const nodeNumbersPerTree = 2 ** 26;

/** The base of a tree that does not exist. No node has a number in its range. */
export const unknownTreeBase = -nodeNumbersPerTree;

/** Returns the first number of a tree's nodes, given the number of the tree. */
export function firstNodeNumberOfTree(treeNo: number): number {
  return treeNo * nodeNumbersPerTree;
}

/** Returns the number of a node, given the base of its tree and its creation number. */
export function nodeNumberOf(base: number, seq: number): number {
  if (seq >= nodeNumbersPerTree)
    refuse('command/invalid', `A tree holds at most ${nodeNumbersPerTree} messages.`, { most: nodeNumbersPerTree });
  return base + seq;
}

/** Returns the SQL condition for nodes of the tree whose base is `$1`. */
export function inTreeSql(table: string): string {
  return `${table}.no BETWEEN CAST($1 AS BIGINT) AND CAST($1 AS BIGINT) + ${nodeNumbersPerTree - 1}`;
}

/**
 * Returns the SQL condition for nodes of the tree whose base is `$1`, in a statement that finds the nodes by their ids.
 * `+ 0` prevents PostgreSQL from using the index on `no`: when its statistics are old, it expects few nodes in a tree,
 * and would read all of them for each id.
 */
export function inTreeByIdSql(table: string): string {
  return `${table}.no + 0 BETWEEN CAST($1 AS BIGINT) AND CAST($1 AS BIGINT) + ${nodeNumbersPerTree - 1}`;
}

/** Returns the SQL expression for the tree number of a node. Partial indexes are built on the same expression. */
export function treeNoSql(table: string): string {
  return `(${table}.no / ${nodeNumbersPerTree})`;
}

/**
 * Returns the SQL condition for nodes of the tree with base `$1`, written so that the database uses a partial index on
 * {@link treeNoSql}.
 */
export function inTreeByIndexSql(table: string): string {
  return `${treeNoSql(table)} = CAST($1 AS BIGINT) / ${nodeNumbersPerTree}`;
}

/** Returns the SQL that looks up the number of a node by its id. */
export function nodeNumberByIdSql(parameter: string): string {
  return `(SELECT x.no FROM node x WHERE x.id = ${parameter})`;
}
