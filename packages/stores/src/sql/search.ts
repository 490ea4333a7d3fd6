/** Search over a database, except for finding candidates, which each database does itself. */
import {
  nodeId,
  type Page,
  type Role,
  refuse,
  type SearchHit,
  type SearchQuery,
  type TreeId,
  treeId,
} from '@coppice/core';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { clampPageLength } from '../limits.ts';
import { snippetIfMatching, splitSearchTerms } from '../search.ts';
import { numbersPerTree } from './numbers.ts';
import { type SqlRow, sqlNumber, sqlText, sqlTextOrNull } from './query.ts';
import { storedTextOf } from './rows.ts';

/** The sort key of a hit: newest first. */
export interface HitSortKey {
  readonly createdAt: number;
  readonly treeId: TreeId;
  readonly seq: number;
}

/** A search for a database. */
export interface SearchRequest {
  readonly owner: string;
  /** In lower case; the text must contain all of them. */
  readonly terms: readonly string[];
  readonly treeId: TreeId | null;
  readonly project: string | null;
  readonly roles: readonly Role[] | null;
  /** Only hits after this place. */
  readonly after: HitSortKey | null;
  readonly limit: number;
}

/** A hit with its place. */
export interface FoundHit extends SearchHit {
  readonly seq: number;
}

/** The columns of a candidate, from `node n` and `tree t`. */
export const candidateColumns = `t.id AS tree_id, n.id, (n.no % ${numbersPerTree}) AS seq, n.role, n.created_at, n.content, n.search_text, t.title`;

/** The order of candidates: newest first, the same in every store. */
export const candidateOrder = 'n.created_at DESC, t.id DESC, n.no DESC';

/** Returns the condition for hits after a place, given three parameters. */
export function hitsAfterSql(createdAt: string, tree: string, seq: string): string {
  return `(n.created_at, t.id, n.no % ${numbersPerTree}) < (${createdAt}, ${tree}, ${seq})`;
}

/** Converts a candidate to a hit, or null: an index may fold more letters than we do, so every candidate is checked. */
export function hitOfRow(row: SqlRow, terms: readonly string[]): FoundHit | null {
  const snippet = snippetIfMatching(storedTextOf(row), terms);
  if (snippet === null) return null;
  return {
    treeId: treeId(sqlText(row, 'tree_id')),
    nodeId: nodeId(sqlText(row, 'id')),
    seq: sqlNumber(row, 'seq'),
    role: sqlText(row, 'role') as Role,
    title: sqlTextOrNull(row, 'title'),
    createdAt: sqlNumber(row, 'created_at'),
    snippet,
  };
}

/** Converts a user's query for a database; null without a term. */
export function toSearchRequest(owner: string, query: SearchQuery): SearchRequest | null {
  const limit = clampPageLength(query.limit);
  const terms = splitSearchTerms(query.text);
  const after = query.cursor == null ? null : hitPlaceOf(query.cursor);
  if (terms.length === 0) return null;
  return {
    owner,
    terms,
    treeId: query.treeId ?? null,
    project: query.project ?? null,
    roles: query.roles ?? null,
    after,
    limit,
  };
}

function hitPlaceOf(cursor: string): HitSortKey {
  const [createdAt, tree, seq] = decodeCursor('hits', ['number', 'string', 'number'], cursor);
  if (typeof createdAt !== 'number' || typeof tree !== 'string' || typeof seq !== 'number')
    return refuse('cursor/invalid', 'This is not a cursor of a search.', {});
  return { createdAt, treeId: treeId(tree), seq };
}

function orderHits(a: HitSortKey, b: HitSortKey): number {
  return b.createdAt - a.createdAt || (a.treeId === b.treeId ? b.seq - a.seq : a.treeId < b.treeId ? 1 : -1);
}

/** Returns a page of hits from the found ones, which may be one more than the page holds. */
export function toHitPage(found: readonly FoundHit[], limit: number): Page<SearchHit> {
  const sorted = [...found].sort(orderHits);
  const part = sorted.slice(0, limit);
  const last = part[part.length - 1];
  const cursor =
    last === undefined || sorted.length <= limit ? null : encodeCursor('hits', [last.createdAt, last.treeId, last.seq]);
  return { items: part.map(({ seq: _, ...hit }) => hit), cursor };
}
