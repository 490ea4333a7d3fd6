/** The parts of search that both databases share. Each database finds candidates differently. */
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
import { nodeNumbersPerTree } from './numbers.ts';
import { readNumberColumn, readTextColumn, readTextColumnOrNull, type SqlRow } from './query.ts';
import { storedTextOf } from './rows.ts';

/** The sort key of a hit; newer hits come first. */
export interface HitSortKey {
  readonly createdAt: number;
  readonly treeId: TreeId;
  readonly seq: number;
}

/** A search as a database runs it. */
export interface SearchRequest {
  readonly owner: string;
  /** The terms, with case folded by `foldCase`. A text matches if it contains all of them. */
  readonly terms: readonly string[];
  readonly treeId: TreeId | null;
  readonly project: string | null;
  readonly roles: readonly Role[] | null;
  /** The sort key of the last hit of the page before; null for the first page. */
  readonly after: HitSortKey | null;
  readonly limit: number;
}

/** A hit with its creation number. */
export interface NumberedHit extends SearchHit {
  readonly seq: number;
}

/** The columns of a candidate, selected from `node n` and `tree t`. */
export const searchCandidateColumns = `t.id AS tree_id, n.id, (n.no % ${nodeNumbersPerTree}) AS seq, n.role, n.created_at, n.content, n.search_text, t.title`;

/** The order of candidates, newest first. It is the same in every store. */
export const searchCandidateOrder = 'n.created_at DESC, t.id DESC, n.no DESC';

/** Returns the SQL condition for hits after a sort key. The three arguments are parameters of the statement. */
export function hitsAfterSql(createdAt: string, tree: string, seq: string): string {
  return `(n.created_at, t.id, n.no % ${nodeNumbersPerTree}) < (${createdAt}, ${tree}, ${seq})`;
}

/**
 * Converts a candidate row to a hit; null if the text does not contain every term. The text is compared again, because
 * an index may also find texts that differ in some letters.
 */
export function hitOfRow(row: SqlRow, terms: readonly string[]): NumberedHit | null {
  const snippet = snippetIfMatching(storedTextOf(row), terms);
  if (snippet === null) return null;
  return {
    treeId: treeId(readTextColumn(row, 'tree_id')),
    nodeId: nodeId(readTextColumn(row, 'id')),
    seq: readNumberColumn(row, 'seq'),
    role: readTextColumn(row, 'role') as Role,
    title: readTextColumnOrNull(row, 'title'),
    createdAt: readNumberColumn(row, 'created_at'),
    snippet,
  };
}

/** Converts the query of a caller to a search; null if the query contains no term. */
export function toSearchRequest(owner: string, query: SearchQuery): SearchRequest | null {
  const limit = clampPageLength(query.limit);
  const terms = splitSearchTerms(query.text);
  const after = query.cursor == null ? null : sortKeyOfCursor(query.cursor);
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

function sortKeyOfCursor(cursor: string): HitSortKey {
  const [createdAt, tree, seq] = decodeCursor('hits', ['number', 'string', 'number'], cursor);
  if (typeof createdAt !== 'number' || typeof tree !== 'string' || typeof seq !== 'number')
    return refuse('cursor/invalid', 'This is not a cursor of a search.', {});
  return { createdAt, treeId: treeId(tree), seq };
}

function orderHits(a: HitSortKey, b: HitSortKey): number {
  return b.createdAt - a.createdAt || (a.treeId === b.treeId ? b.seq - a.seq : a.treeId < b.treeId ? 1 : -1);
}

/** Returns a page from the hits. If there is one hit more than the limit, the page gets a cursor. */
export function toHitPage(found: readonly NumberedHit[], limit: number): Page<SearchHit> {
  const sorted = [...found].sort(orderHits);
  const part = sorted.slice(0, limit);
  const last = part[part.length - 1];
  const cursor =
    last === undefined || sorted.length <= limit ? null : encodeCursor('hits', [last.createdAt, last.treeId, last.seq]);
  return { items: part.map(({ seq: _, ...hit }) => hit), cursor };
}
