/** Checks a whole database: the invariants as SQL, then every tree by core's check. */
import { type Answer, type FsckReport, isAppError, type TreeId, treeId } from '@coppice/core';
import { checkRows } from '@coppice/core/tree';
import { answerRead } from './answers.ts';
import { inTree, numbersPerTree, treeNoOf } from './numbers.ts';
import { queryRows, type SqlDialect, type SqlTask, sqlText } from './query.ts';
import { repairDatabase, treeOfFinding } from './repair.ts';
import { baseOfTree, type TreeScope, treeRow } from './scope.ts';
import { rowUnreadable, unreadableOf } from './unreadable.ts';

type DatabaseFinding = FsckReport['findings'][number];

/**
 * Invariants, the same on every database. Each row is a fault: a code and an id. `nodes` and `trees` stand for the live
 * rows that are checked, `anywhere` for those that they may refer to.
 */
const invariants = `
SELECT 'I01 root-count' AS c, t.id AS id FROM trees t LEFT JOIN nodes n ON n.tree_no=t.no AND n.parent_no IS NULL GROUP BY t.id HAVING count(n.id)<>1
UNION ALL SELECT 'I02 root<=>null-parent', n.id FROM nodes n WHERE (n.role='root')<>(n.parent_no IS NULL)
UNION ALL SELECT 'I03 dangling-parent', n.id FROM nodes n LEFT JOIN anywhere p ON p.no=n.parent_no WHERE n.parent_no IS NOT NULL AND p.no IS NULL
UNION ALL SELECT 'I04 cross-conversation-parent', n.id FROM nodes n JOIN anywhere p ON p.no=n.parent_no WHERE p.tree_no<>n.tree_no
UNION ALL SELECT 'I05 node-without-conversation', n.id FROM nodes n LEFT JOIN trees t ON t.no=n.tree_no WHERE t.no IS NULL
UNION ALL SELECT 'I06 unreachable(cycle/orphan)', n.id FROM nodes n WHERE n.no NOT IN (WITH RECURSIVE r(no) AS (SELECT s.no FROM nodes s WHERE s.parent_no IS NULL UNION SELECT n.no FROM r JOIN node n ON n.parent_no = r.no WHERE n.removed_in IS NULL) SELECT no FROM r)
UNION ALL SELECT 'I07 duplicate-id', n.id FROM nodes n JOIN anywhere p ON p.id=n.id GROUP BY n.id HAVING count(*)>1
UNION ALL SELECT 'I08 active-missing-or-foreign', t.id FROM trees t LEFT JOIN nodes n ON n.id=t.active_node_id AND n.tree_no=t.no WHERE t.active_node_id IS NOT NULL AND n.id IS NULL
UNION ALL SELECT 'I09 active-is-root', t.id FROM trees t JOIN nodes n ON n.id=t.active_node_id WHERE n.role='root'
UNION ALL SELECT 'I10 active-null-iff-empty', t.id FROM trees t WHERE (t.active_node_id IS NULL)<>(NOT EXISTS(SELECT 1 FROM nodes n WHERE n.tree_no=t.no AND n.parent_no IS NOT NULL))
UNION ALL SELECT 'I11 bad-role', n.id FROM nodes n WHERE n.role NOT IN ('root','system','user','assistant','tool')
UNION ALL SELECT 'I12 tool_call_id<=>tool-role', n.id FROM nodes n WHERE (n.role='tool')<>(n.tool_call_id IS NOT NULL)
UNION ALL SELECT 'I13 bad-group', n.id FROM nodes n WHERE n.group_id<0 OR (n.role='root' AND n.group_id<>0)
UNION ALL SELECT 'I14 version-negative', t.id FROM trees t WHERE t.version<0
UNION ALL SELECT 'I15 root-has-content', n.id FROM nodes n WHERE n.role='root' AND n.content NOT IN ('','[]','{"parts":[]}')
UNION ALL SELECT 'I16 empty-content', n.id FROM nodes n WHERE n.role<>'root' AND (n.content IS NULL OR n.content IN ('','[]','null'))`;

/** Whether a row is the live node that a side table names. */
const named = (table: string): string =>
  `n.id=${table}.node_id AND n.removed_in IS NULL AND ${treeNoOf('n')}=(SELECT t.no FROM tree t WHERE t.id=${table}.tree_id)`;

/** Dangling references from outside of a tree; of one tree if `$1` is its id. */
const references = (one: boolean): string => `
SELECT 'bookmark-dangling' AS c, b.node_id AS id, b.tree_id AS tree FROM bookmark b LEFT JOIN node n ON ${named('b')} WHERE n.id IS NULL${one ? ' AND b.tree_id=$1' : ''}
UNION ALL SELECT 'run-dangling', r.id, r.tree_id FROM run r LEFT JOIN node n ON ${named('r')} WHERE n.id IS NULL${one ? ' AND r.tree_id=$1' : ''}
UNION ALL SELECT 'share-dangling', s.id, s.tree_id FROM share s LEFT JOIN tree t ON t.id=s.tree_id WHERE t.id IS NULL${one ? ' AND s.tree_id=$1' : ''}
UNION ALL SELECT 'log-gap', t.id, t.id FROM tree t WHERE t.version<>(SELECT count(*) FROM change c WHERE c.tree_id=t.id)${one ? ' AND t.id=$1' : ''}
UNION ALL SELECT 'J27 pending-without-run', n.id, t.id FROM node n JOIN tree t ON t.no=${treeNoOf('n')} WHERE n.status='pending' AND n.removed_in IS NULL AND NOT EXISTS (SELECT 1 FROM run r WHERE r.node_id=n.id AND r.tree_id=t.id)${one ? ' AND t.id=$1' : ''}`;

const liveNodes = `SELECT x.no, x.id, ${treeNoOf('x')} AS tree_no, x.parent_no, x.role, x.content, x.tool_call_id, x.group_id
  FROM node x WHERE x.removed_in IS NULL`;

/** Returns the invariants of all trees, or of the one with base `$1`, whose check costs no more than the tree. */
function invariantsOf(one: boolean): string {
  const rows: Readonly<Record<string, string>> = {
    nodes: one ? `(${liveNodes} AND ${inTree('x')})` : `(${liveNodes})`,
    trees: one ? `(SELECT * FROM tree WHERE no = CAST($1 AS BIGINT) / ${numbersPerTree})` : 'tree',
    anywhere: `(${liveNodes})`,
  };
  return invariants.replace(/\b(nodes|trees|anywhere)\b/g, (name) => rows[name] ?? name);
}

// A run is recorded before its reply exists: a crash in between leaves a run that recovery ends. Nothing is broken.
const warnings = new Set(['J27 pending-without-run', 'run-dangling']);

/** Checks an owner's trees (all owners' by SQL), and repairs what can be repaired without loss. */
export function* fsckDatabase(
  dialect: SqlDialect,
  owner: string,
  options: { readonly repair?: boolean; readonly treeId?: TreeId },
  damage: readonly string[],
  mendDamage: ((damage: readonly string[]) => SqlTask<string[]>) | undefined,
): SqlTask<FsckReport> {
  const findings: DatabaseFinding[] = damage.map((message) => ({
    code: 'database',
    severity: 'error',
    id: '',
    message,
    treeId: null,
  }));
  const one = options.treeId !== undefined;
  const params = options.treeId === undefined ? [] : [options.treeId];
  const bases = options.treeId === undefined ? [] : [yield* baseOfTree(options.treeId)];
  const broken = yield* queryRows(`${invariantsOf(one)} ORDER BY 1, 2`, ...bases);
  for (const found of [...broken, ...(yield* queryRows(`${references(one)} ORDER BY 1, 2`, ...params))]) {
    const code = sqlText(found, 'c');
    const id = sqlText(found, 'id');
    findings.push({
      code,
      severity: warnings.has(code) ? 'warning' : 'error',
      id,
      message: `${code} at ${id}.`,
      treeId: 'tree' in found ? treeId(sqlText(found, 'tree')) : yield* treeOfFinding(id),
    });
  }
  const trees = yield* queryRows(
    'SELECT id FROM tree WHERE owner = $1 AND (CAST($2 AS TEXT) IS NULL OR id = $2) ORDER BY id',
    owner,
    options.treeId ?? null,
  );
  let nodes = 0;
  for (const one of trees) nodes += yield* checkStoredTree(dialect, owner, treeId(sqlText(one, 'id')), findings);
  const wanted =
    options.treeId === undefined
      ? findings
      : findings.filter((finding) => finding.treeId === null || finding.treeId === options.treeId);
  const repaired: string[] = [];
  if (options.repair === true) {
    for (const sentence of yield* repairDatabase(dialect, owner, wanted)) repaired.push(sentence);
    // Last, because it is derived from the rows.
    if (mendDamage !== undefined) for (const sentence of yield* mendDamage(damage)) repaired.push(sentence);
  }
  return { trees: trees.length, nodes, findings: wanted, repaired };
}

/** Adds the findings of core's check of a tree, and returns its number of nodes. */
function* checkStoredTree(
  dialect: SqlDialect,
  owner: string,
  id: TreeId,
  findings: DatabaseFinding[],
): SqlTask<number> {
  const seen = new Set(findings.map((finding) => `${finding.code} ${finding.id}`));
  try {
    const scope: TreeScope = { dialect, owner, treeId: id, tree: yield* treeRow(owner, id) };
    if (scope.tree === null) return 0;
    const all: Answer = yield* answerRead(scope, { ask: 'rows' });
    if (all === null || typeof all !== 'object' || !('nodes' in all) || !('bookmarks' in all) || !('row' in all))
      return 0;
    for (const finding of checkRows(all.row, all.nodes, all.bookmarks))
      if (!seen.has(`${finding.code} ${finding.id}`)) findings.push({ ...finding, treeId: id });
    return all.nodes.length;
  } catch (error) {
    // Invalid JSON, or a column of another type; any other error is not a finding.
    const isRow = isAppError(error) && error.code === 'store/damaged';
    if (!isRow && !(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error;
    const unreadable = yield* unreadableOf(id);
    for (const { id: at, column } of unreadable.cells)
      findings.push({
        code: rowUnreadable,
        severity: 'error',
        id: at,
        message: `The ${column} of ${at} cannot be read.`,
        treeId: id,
      });
    if (unreadable.cells.length === 0)
      findings.push({ code: rowUnreadable, severity: 'error', id, message: error.message, treeId: id });
    return unreadable.nodes;
  }
}
