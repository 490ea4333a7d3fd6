/**
 * Row numbers. The number of a node is the number of its tree times 2^26 plus its creation number. So it is known
 * before the row is written, sorts by creation within a tree, and shows the tree. Numbers belong to one database
 * schema. Outside of the store, only public ids are used.
 */
import { refuse } from '@coppice/core';

/** The most nodes that a tree can ever have, removed ones included. */
export const numbersPerTree = 2 ** 26;

/** The base for an unknown tree. No node has a number in its range. */
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

/** Returns the SQL of the tree number of a node. Indexes that contain few rows of a tree use the same expression. */
export function treeNoSql(table: string): string {
  return `(${table}.no / ${numbersPerTree})`;
}

/**
 * Returns the SQL condition for nodes of the tree with base `$1`, for queries that use an index with few rows per tree.
 */
export function inTreeByIndexSql(table: string): string {
  return `${treeNoSql(table)} = CAST($1 AS BIGINT) / ${numbersPerTree}`;
}

/** Returns the SQL that looks up the number of a node by its id. */
export function nodeNumberByIdSql(parameter: string): string {
  return `(SELECT x.no FROM node x WHERE x.id = ${parameter})`;
}
