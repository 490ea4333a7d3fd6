/** Checks a whole database: the invariants as SQL, then every tree by core's check. */
import { type Answer, type FsckReport, isAppError, type TreeId, treeId } from '@coppice/core';
import { checkRows } from '@coppice/core/tree';
import { answerRead } from './answers.ts';
import { queryRows, type SqlDialect, type SqlTask, sqlText } from './query.ts';
import { repairDatabase, treeOfFinding } from './repair.ts';
import { type TreeScope, treeRow } from './scope.ts';
import { rowUnreadable, unreadableOf } from './unreadable.ts';

type DatabaseFinding = FsckReport['findings'][number];

/**
 * Invariants over the read-only views, the same on every database. Each row is a fault: a code and an id. If only one
 * tree is checked, `v_node` and `v_conversation` contain that tree's rows and `v_anywhere` all rows, found by id.
 */
const invariants = `
SELECT 'I01 root-count' AS c, t.id AS id FROM v_conversation t LEFT JOIN v_node n ON n.conversation_id=t.id AND n.parent_id IS NULL GROUP BY t.id HAVING count(n.id)<>1
UNION ALL SELECT 'I02 root<=>null-parent', id FROM v_node WHERE (role='root')<>(parent_id IS NULL)
UNION ALL SELECT 'I03 dangling-parent', n.id FROM v_node n LEFT JOIN v_anywhere p ON p.id=n.parent_id WHERE n.parent_id IS NOT NULL AND p.id IS NULL
UNION ALL SELECT 'I04 cross-conversation-parent', n.id FROM v_node n JOIN v_anywhere p ON p.id=n.parent_id WHERE p.conversation_id<>n.conversation_id
UNION ALL SELECT 'I05 node-without-conversation', n.id FROM v_node n LEFT JOIN v_conversation t ON t.id=n.conversation_id WHERE t.id IS NULL
UNION ALL SELECT 'I06 unreachable(cycle/orphan)', id FROM v_node WHERE id NOT IN (WITH RECURSIVE r(id) AS (SELECT id FROM v_node WHERE parent_id IS NULL UNION SELECT n.id FROM v_node n JOIN r ON n.parent_id=r.id) SELECT id FROM r)
UNION ALL SELECT 'I07 duplicate-id', n.id FROM v_node n JOIN v_anywhere p ON p.id=n.id GROUP BY n.id HAVING count(*)>1
UNION ALL SELECT 'I08 active-missing-or-foreign', t.id FROM v_conversation t LEFT JOIN v_node n ON n.id=t.active_node_id AND n.conversation_id=t.id WHERE t.active_node_id IS NOT NULL AND n.id IS NULL
UNION ALL SELECT 'I09 active-is-root', t.id FROM v_conversation t JOIN v_node n ON n.id=t.active_node_id WHERE n.role='root'
UNION ALL SELECT 'I10 active-null-iff-empty', t.id FROM v_conversation t WHERE (t.active_node_id IS NULL)<>(NOT EXISTS(SELECT 1 FROM v_node n WHERE n.conversation_id=t.id AND n.parent_id IS NOT NULL))
UNION ALL SELECT 'I11 bad-role', id FROM v_node WHERE role NOT IN ('root','system','user','assistant','tool')
UNION ALL SELECT 'I12 tool_call_id<=>tool-role', id FROM v_node WHERE (role='tool')<>(tool_call_id IS NOT NULL)
UNION ALL SELECT 'I13 bad-group', id FROM v_node WHERE siblings_group_id<0 OR (role='root' AND siblings_group_id<>0)
UNION ALL SELECT 'I14 version-negative', id FROM v_conversation WHERE version<0
UNION ALL SELECT 'I15 root-has-content', id FROM v_node WHERE role='root' AND content NOT IN ('','[]','{"parts":[]}')
UNION ALL SELECT 'I16 empty-content', id FROM v_node WHERE role<>'root' AND (content IS NULL OR content IN ('','[]','null'))`;

/** Dangling references from outside of a tree; of one tree if `$1` is its id. */
const references = (one: boolean): string => `
SELECT 'bookmark-dangling' AS c, b.node_id AS id, b.tree_id AS tree FROM bookmark b LEFT JOIN v_node n ON n.id=b.node_id AND n.conversation_id=b.tree_id WHERE n.id IS NULL${one ? ' AND b.tree_id=$1' : ''}
UNION ALL SELECT 'run-dangling', r.id, r.tree_id FROM run r LEFT JOIN v_node n ON n.id=r.node_id AND n.conversation_id=r.tree_id WHERE n.id IS NULL${one ? ' AND r.tree_id=$1' : ''}
UNION ALL SELECT 'share-dangling', s.id, s.tree_id FROM share s LEFT JOIN tree t ON t.id=s.tree_id WHERE t.id IS NULL${one ? ' AND s.tree_id=$1' : ''}
UNION ALL SELECT 'log-gap', t.id, t.id FROM tree t WHERE t.version<>(SELECT count(*) FROM change c WHERE c.tree_id=t.id)${one ? ' AND t.id=$1' : ''}
UNION ALL SELECT 'J27 pending-without-run', n.id, n.tree_id FROM node n WHERE n.status='pending' AND n.removed_in IS NULL AND NOT EXISTS (SELECT 1 FROM run r WHERE r.node_id=n.id AND r.tree_id=n.tree_id)${one ? ' AND n.tree_id=$1' : ''}`;

// Written out instead of the views, so that every join starts from the tree and costs no more than the tree.
const nodesOfOne = `(SELECT id, tree_id AS conversation_id, parent_id, role, content, tool_call_id, group_id AS siblings_group_id
  FROM node WHERE removed_in IS NULL AND tree_id=$1)`;
const conversationOfOne = '(SELECT id, version, active_node_id FROM tree WHERE id=$1)';

/** Returns the invariants of all trees, or of one. */
function invariantsOf(one: boolean): string {
  if (!one) return invariants.replaceAll('v_anywhere', 'v_node');
  const named = (view: string, rows: string) => (text: string) =>
    text.replace(
      new RegExp(`\\b${view}\\b( [a-z]\\b)?`, 'g'),
      (_, alias: string | undefined) => `${rows}${alias ?? ` ${view}`}`,
    );
  return named(
    'v_conversation',
    conversationOfOne,
  )(named('v_node', nodesOfOne)(invariants)).replaceAll('v_anywhere', 'v_node');
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
  const broken = yield* queryRows(`${invariantsOf(one)} ORDER BY 1, 2`, ...params);
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
