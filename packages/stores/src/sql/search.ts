/** Search over a database, but for how it finds candidates: that is each database's own. */
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
import { fromCursor, toCursor } from '../cursor.ts';
import { pageLimit } from '../limits.ts';
import { searchTerms, snippetWith } from '../search.ts';
import { type SqlRow, sqlNumber, sqlText, sqlTextOrNull } from './query.ts';
import { storedTextOf } from './rows.ts';

/** Where a hit stands in the order of all hits: newest first. */
export interface HitPlace {
  readonly createdAt: number;
  readonly treeId: TreeId;
  readonly seq: number;
}

/** A search as a database is asked to carry it out. */
export interface SearchRequest {
  readonly owner: string;
  /** In lower case; all of them must be in the text. */
  readonly terms: readonly string[];
  readonly treeId: TreeId | null;
  readonly project: string | null;
  readonly roles: readonly Role[] | null;
  /** Only what stands behind this place. */
  readonly after: HitPlace | null;
  readonly limit: number;
}

/** A hit with its place. */
export interface FoundRow extends SearchHit {
  readonly seq: number;
}

/** The columns of a candidate, from `node n` and `tree t`. */
export const candidateColumns = 'n.tree_id, n.id, n.seq, n.role, n.created_at, n.content, n.search_text, t.title';

/** The order of candidates: newest first, the same in every store. */
export const candidateOrder = 'n.created_at DESC, n.tree_id DESC, n.seq DESC';

/** The condition for what stands behind a place, given three parameters. */
export function searchLag(createdAt: string, tree: string, seq: string): string {
  return `(n.created_at, n.tree_id, n.seq) < (${createdAt}, ${tree}, ${seq})`;
}

/** A candidate as a hit, or null: an index may fold more letters than we do, so that every one is looked at. */
export function hitOfRow(row: SqlRow, terms: readonly string[]): FoundRow | null {
  const snippet = snippetWith(storedTextOf(row), terms);
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

/** What a user asked for, as a database is asked; null where there is no term. */
export function searchOf(owner: string, query: SearchQuery): SearchRequest | null {
  const limit = pageLimit(query.limit);
  const terms = searchTerms(query.text);
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

function hitPlaceOf(cursor: string): HitPlace {
  const [createdAt, tree, seq] = fromCursor('hits', ['number', 'string', 'number'], cursor);
  if (typeof createdAt !== 'number' || typeof tree !== 'string' || typeof seq !== 'number')
    return refuse('cursor/invalid', 'This is no cursor of a search.', {});
  return { createdAt, treeId: treeId(tree), seq };
}

function orderHits(a: HitPlace, b: HitPlace): number {
  return b.createdAt - a.createdAt || (a.treeId === b.treeId ? b.seq - a.seq : a.treeId < b.treeId ? 1 : -1);
}

/** A page of hits from what was found, at most one more than the page holds. */
export function searchPage(found: readonly FoundRow[], limit: number): Page<SearchHit> {
  const sorted = [...found].sort(orderHits);
  const part = sorted.slice(0, limit);
  const last = part[part.length - 1];
  const cursor =
    last === undefined || sorted.length <= limit ? null : toCursor('hits', [last.createdAt, last.treeId, last.seq]);
  return { items: part.map(({ seq: _, ...hit }) => hit), cursor };
}
