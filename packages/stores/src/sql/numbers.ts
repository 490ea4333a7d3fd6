/**
 * Row numbers. A node's number is the number of its tree times 2^26 plus its creation number: known before the row is
 * written, in creation order within a tree, and enough to tell the tree. Numbers are local to one database schema and
 * never leave the store; everything outside knows public ids.
 */
import { refuse } from '@coppice/core';

/** The number of nodes that a tree can ever have. */
export const numbersPerTree = 2 ** 26;

/** The base of an unknown tree: no node is in its range. */
export const unknownTreeBase = -numbersPerTree;

/** Returns the first number of a tree's nodes, given the number of the tree. */
export function baseOfTreeNo(treeNo: number): number {
  return treeNo * numbersPerTree;
}

/** Returns the number of a node, given the base of its tree and its creation number. */
export function nodeNumberOf(base: number, seq: number): number {
  if (seq >= numbersPerTree)
    refuse('command/invalid', `A tree holds at most ${numbersPerTree} messages.`, { most: numbersPerTree });
  return base + seq;
}

/** Returns the SQL condition for nodes of the tree whose base is `$1`. */
export function inTreeSql(table: string): string {
  return `${table}.no BETWEEN CAST($1 AS BIGINT) AND CAST($1 AS BIGINT) + ${numbersPerTree - 1}`;
}

/** Returns the SQL of the number of a node's tree. The indexes of few rows of a tree have the same expression. */
export function treeNoSql(table: string): string {
  return `(${table}.no / ${numbersPerTree})`;
}

/** Returns the SQL condition for nodes of the tree with base `$1` that is answered by an index of few rows. */
export function inTreeByIndexSql(table: string): string {
  return `${treeNoSql(table)} = CAST($1 AS BIGINT) / ${numbersPerTree}`;
}

/** Returns the SQL of the number of the node with an id. */
export function nodeNumberByIdSql(parameter: string): string {
  return `(SELECT x.no FROM node x WHERE x.id = ${parameter})`;
}
