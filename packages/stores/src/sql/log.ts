/**
 * Reads and writes commits in the table `change`. A logged step contains ids and positions, but no messages: a replace
 * only has the version that wrote the old content. Reading the log adds the contents from the node tables. So a purge
 * has to delete a text in only one place.
 */
import {
  type ActId,
  type ActRecord,
  type Alias,
  actId,
  type Commit,
  type CommitKind,
  type ContentFields,
  type NewestAct,
  type NewNode,
  type Node,
  type NodeKind,
  type NodeMeta,
  type NodeStatus,
  nodeId,
  type Patch,
  type Role,
  type Step,
  type TreeId,
  treeId,
} from '@coppice/core';
import { isPurgedContent, purgedContent } from '@coppice/core/store';
import { applyPatch } from '@coppice/core/tree';
import { redactStep } from '../purge.ts';
import { inTreeByIdSql } from './numbers.ts';
import {
  execute,
  queryCells,
  queryRow,
  queryRows,
  readJsonColumn,
  readNumberColumn,
  readTextColumn,
  type SqlRow,
  type SqlTask,
} from './query.ts';
import { contentOfRow, nodeCellCount, nodeColumns, nodeOfRow, type StoredTree, selectCells } from './rows.ts';
import { baseOfScope, type TreeScope } from './scope.ts';

/** A step as the log stores it. */
type LoggedStep =
  | (LoggedInsert & { readonly type: 'insert' })
  | { readonly type: 'replace'; readonly nodeId: string; readonly since: number }
  | Exclude<Step, { type: 'insert' | 'replace' }>;

/** What the log stores of an inserted node: its position and kind. This is enough to replay the log after a purge. */
interface LoggedInsert {
  readonly id: string;
  readonly parentId: string | null;
  readonly position: string;
  readonly groupId: number;
  readonly matchParent: string | null;
  readonly kind: NodeKind;
  readonly role: Role | 'root';
  readonly status: NodeStatus;
  readonly createdAt: number;
}

export function encodeLoggedSteps(steps: readonly Step[]): string {
  return JSON.stringify(
    steps.map((step): LoggedStep => {
      if (step.type === 'insert') {
        const { id, parentId, position, groupId, matchParent, kind, message, status, createdAt } = step.node;
        return {
          type: 'insert',
          id,
          parentId,
          position,
          groupId,
          matchParent,
          kind,
          role: message?.role ?? 'root',
          status,
          createdAt,
        };
      }
      return step.type === 'replace' ? { type: 'replace', nodeId: step.nodeId, since: step.since } : step;
    }),
  );
}

/** Returns the ids of the nodes whose content a logged commit wrote. */
export function nodesWrittenBy(change: SqlRow): string[] {
  return (readJsonColumn(change, 'steps', 'objects') as readonly LoggedStep[]).flatMap((step) =>
    step.type === 'insert' ? [step.id] : step.type === 'replace' ? [step.nodeId] : [],
  );
}

/** Removes metadata and bookmark titles of purged nodes from logged steps. The steps themselves stay. */
export function* redactLog(tree: TreeId, ids: ReadonlySet<string>): SqlTask<void> {
  for (const one of yield* queryRows(
    "SELECT version, steps FROM change WHERE tree_id = $1 AND (steps LIKE '%annotate%' OR steps LIKE '%bookmark%')",
    tree,
  )) {
    const steps = readJsonColumn(one, 'steps', 'objects') as readonly LoggedStep[];
    const loggedSteps = steps.map((step) =>
      'nodeId' in step && 'after' in step && ids.has(step.nodeId) ? redactStep(step) : step,
    );
    if (loggedSteps.some((step, index) => step !== steps[index]))
      yield* execute(
        'UPDATE change SET steps = $3 WHERE tree_id = $1 AND version = $2',
        tree,
        readNumberColumn(one, 'version'),
        JSON.stringify(loggedSteps),
      );
  }
}

export function countLoggedSteps(change: SqlRow): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const step of readJsonColumn(change, 'steps', 'objects') as readonly LoggedStep[])
    counts[step.type] = (counts[step.type] ?? 0) + 1;
  return counts;
}

/** Decodes the columns of a commit, without its steps. */
function commitHead(found: SqlRow): Omit<Commit, 'steps'> {
  return {
    treeId: treeId(readTextColumn(found, 'tree_id')),
    version: readNumberColumn(found, 'version'),
    actId: actId(readTextColumn(found, 'act_id')),
    actor: readTextColumn(found, 'actor'),
    at: readNumberColumn(found, 'at'),
    kind: readTextColumn(found, 'kind') as CommitKind,
    seq: readNumberColumn(found, 'seq'),
    structural: readNumberColumn(found, 'structural') === 1,
  };
}

/** Returns the commits after a version, oldest first, with the contents of their steps. */
export function* readLogWithContents(scope: TreeScope, since: number, limit = 1_000_000_000): SqlTask<Commit[]> {
  const found = yield* queryRows(
    'SELECT * FROM change WHERE tree_id = $1 AND version > $2 ORDER BY version LIMIT $3',
    scope.treeId,
    since,
    limit,
  );
  return (yield* fillContents(scope, found)).commits;
}

/** Commits with contents; `purged` is true if a content that they need was purged. */
interface Hydrated {
  readonly commits: Commit[];
  readonly purged: boolean;
}

/** Adds contents to logged commits, from the current rows and the former contents of their nodes. */
function* fillContents(scope: TreeScope, found: readonly SqlRow[]): SqlTask<Hydrated> {
  const past = new PastNodes(scope);
  const commits: Commit[] = [];
  for (const one of found) {
    const head = commitHead(one);
    const steps: Step[] = [];
    for (const step of readJsonColumn(one, 'steps', 'objects') as readonly LoggedStep[]) {
      steps.push(yield* wholeStep(past, step, head.version));
    }
    commits.push({ ...head, steps });
  }
  return { commits, purged: past.purged };
}

function* wholeStep(past: PastNodes, step: LoggedStep, version: number): SqlTask<Step> {
  if (step.type === 'insert') {
    const node = yield* past.node(step.id);
    if (node === null) return { type: 'insert', node: purgedNode(step) };
    const content = node.message === null ? null : yield* past.contentAt(step.id, version);
    const meta = yield* past.metaAt(node, version);
    return { type: 'insert', node: { ...loggedNode(node), ...(content ?? {}), ...loggedPosition(step), meta } };
  }
  if (step.type !== 'replace') {
    // Only checks whether the node still exists: an act that moves, marks or restores a purged node cannot be undone.
    if ('nodeId' in step) yield* past.node(step.nodeId);
    return step;
  }
  const after = yield* past.contentAt(step.nodeId, version);
  const before = yield* past.contentAt(step.nodeId, step.since);
  const unsaid = purgedContent('user');
  return {
    type: 'replace',
    nodeId: nodeId(step.nodeId),
    after: after ?? unsaid,
    before: before ?? unsaid,
    since: step.since,
  };
}

function purgedNode(step: LoggedInsert): NewNode {
  const { kind, role, status, createdAt } = step;
  const { message, key, text: said, tokens, aliases } = purgedContent(role === 'root' ? 'user' : role);
  return {
    id: nodeId(step.id),
    ...loggedPosition(step),
    kind,
    status,
    createdAt,
    message: role === 'root' ? null : message,
    key: kind === 'message' ? key : null,
    text: said,
    tokens,
    meta: {},
    marker: null,
    aliases,
  };
}

function loggedPosition(step: LoggedInsert): Pick<NewNode, 'parentId' | 'position' | 'groupId' | 'matchParent'> {
  const { position, groupId } = step;
  const parentId = step.parentId === null ? null : nodeId(step.parentId);
  return { parentId, position, groupId, matchParent: step.matchParent === null ? null : nodeId(step.matchParent) };
}

function loggedNode(node: Node): NewNode {
  const { seq: _, addedIn: __, contentIn: ___, removedIn: ____, lastChildId: _____, role: ______, ...rest } = node;
  return rest;
}

/** Reads nodes and their former contents, each only once. */
class PastNodes {
  purged = false;
  readonly #scope: TreeScope;
  readonly #nodes = new Map<string, Node | null>();
  readonly #contents = new Map<string, ReadonlyMap<number, ContentFields>>();
  readonly #notedIn = new Map<string, number>();
  #notes: PastNotes | null = null;

  constructor(scope: TreeScope) {
    this.#scope = scope;
  }

  *node(id: string): SqlTask<Node | null> {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const [found] = yield* queryCells(
      `SELECT ${selectCells('n', nodeColumns)}, n.meta_in FROM node n WHERE ${inTreeByIdSql('n')} AND n.id = $2`,
      baseOfScope(this.#scope),
      id,
    );
    const node = found === undefined ? null : nodeOfRow(found, yield* presentAliases(this.#scope, id));
    if (node === null) this.purged = true;
    if (found !== undefined) this.#notedIn.set(id, Number(found[nodeCellCount]));
    this.#nodes.set(id, node);
    return node;
  }

  /**
   * Returns the content of a node at a version: the newest one that was written up to that version. Null if the node
   * was purged.
   */
  *contentAt(id: string, version: number): SqlTask<ContentFields | null> {
    const node = yield* this.node(id);
    if (node?.message == null) return null;
    if (node.contentIn <= version) {
      const { message, status, key, text: said, tokens, aliases } = node;
      return { message, status, key, text: said, tokens, aliases };
    }
    const former = yield* this.#former(node, node.message.role, node.message.tool_call_id ?? null);
    let best = -1;
    for (const at of former.keys()) if (at <= version && at > best) best = at;
    const content = former.get(best);
    if (content === undefined || isPurgedContent(content)) this.purged = true;
    return content ?? null;
  }

  /** Returns the metadata of a node at a version, by inverting the changes after that version. */
  *metaAt(node: Node, version: number): SqlTask<Node['meta']> {
    if ((this.#notedIn.get(node.id) ?? 0) <= version) return node.meta;
    this.#notes ??= yield* laterNotes(this.#scope, version);
    if (this.#notes.since > version) this.#notes = yield* laterNotes(this.#scope, version);
    let { meta } = node;
    for (const note of this.#notes.newestFirst)
      if (note.nodeId === node.id && note.version > version) meta = applyPatch(meta, note.before);
    return meta;
  }

  *#former(node: Node, role: Role, call: string | null): SqlTask<ReadonlyMap<number, ContentFields>> {
    const known = this.#contents.get(node.id);
    if (known !== undefined) return known;
    const contents = new Map<number, ContentFields>();
    for (const one of yield* queryRows(
      'SELECT * FROM node_content WHERE tree_id = $1 AND node_id = $2',
      this.#scope.treeId,
      node.id,
    ))
      contents.set(
        readNumberColumn(one, 'version'),
        contentOfRow(one, role, readJsonColumn(one, 'aliases', 'objects') as readonly Alias[], call),
      );
    this.#contents.set(node.id, contents);
    return contents;
  }
}

/** The changes of a node's metadata after a version. */
interface PastNotes {
  readonly since: number;
  readonly newestFirst: readonly {
    readonly nodeId: string;
    readonly version: number;
    readonly before: Patch<NodeMeta>;
  }[];
}

function* laterNotes(scope: TreeScope, since: number): SqlTask<PastNotes> {
  const notes: { nodeId: string; version: number; before: Patch<NodeMeta> }[] = [];
  const found = yield* queryRows(
    `SELECT version, steps FROM change WHERE tree_id = $1 AND version > $2 AND steps LIKE '%"type":"annotate"%' ORDER BY version DESC`,
    scope.treeId,
    since,
  );
  for (const one of found)
    for (const step of (readJsonColumn(one, 'steps', 'objects') as readonly LoggedStep[]).toReversed())
      if (step.type === 'annotate')
        notes.push({ nodeId: step.nodeId, version: readNumberColumn(one, 'version'), before: step.before });
  return { since, newestFirst: notes };
}

function* presentAliases(scope: TreeScope, id: string): SqlTask<Alias[]> {
  if (scope.tree?.hasAliases !== true) return [];
  const found = yield* queryRows(
    'SELECT match_parent, equality_key FROM node_alias WHERE tree_id = $1 AND node_id = $2 ORDER BY place',
    scope.treeId,
    id,
  );
  return found.map((one) => ({
    matchParent: nodeId(readTextColumn(one, 'match_parent')),
    key: readTextColumn(one, 'equality_key'),
  }));
}

const lastKind =
  '(SELECT k.kind FROM change k WHERE k.act_id = c.act_id AND k.tree_id = c.tree_id AND k.is_act = 1 ORDER BY k.version DESC LIMIT 1)';

// SQL for the version of an act's last undo. After a redo, one commit contains all earlier commits of the act.
const lastUndone = (c: string) =>
  `coalesce((SELECT max(u.version) FROM change u WHERE u.tree_id = ${c}.tree_id AND u.act_id = ${c}.act_id AND u.kind = 'undo'), 0)`;

// SQL condition for the first commit of an act. The time of that commit counts, because a reply may end long after
// later acts.
const isFirst = (c: string) =>
  `NOT EXISTS (SELECT 1 FROM change e WHERE e.act_id = ${c}.act_id AND e.tree_id = ${c}.tree_id AND e.actor = ${c}.actor
  AND e.is_act = 1 AND e.version > 1 AND e.version < ${c}.version AND e.version > ${lastUndone(c)})`;

/** Returns the act that an undo or redo would invert, with its commits; null if there is none. */
export function* findUndoRecord(
  scope: TreeScope,
  tree: StoredTree,
  which: 'undoable' | 'redoable',
  actor: string,
  wanted?: ActId,
): SqlTask<ActRecord | null> {
  const found =
    which === 'undoable'
      ? yield* findUndoable(tree.id, actor, wanted ?? null)
      : yield* findRedoable(tree.id, actor, wanted ?? null);
  if (found.length === 0) return null;
  const id = readTextColumn(found[0] ?? {}, 'act_id');
  const { commits, purged } = yield* fillContents(scope, found);
  const elsewhere = yield* queryRows(
    'SELECT DISTINCT c.tree_id FROM change c JOIN tree t ON t.id = c.tree_id WHERE c.act_id = $1 AND c.tree_id <> $2 AND t.owner = $3 AND c.version > 1 AND c.is_act = 1 ORDER BY c.tree_id',
    id,
    tree.id,
    scope.owner,
  );
  return {
    actId: actId(id),
    commits,
    elsewhere: elsewhere.map((one) => treeId(readTextColumn(one, 'tree_id'))),
    purged,
  };
}

function* findUndoable(tree: TreeId, actor: string, wanted: string | null): SqlTask<readonly SqlRow[]> {
  const last = yield* queryRow(
    `SELECT c.act_id FROM change c
    WHERE c.tree_id = $1 AND c.actor = $2 AND c.is_act = 1 AND c.kind <> 'undo' AND c.version > 1
      AND (CAST($3 AS TEXT) IS NULL OR c.act_id = $3) AND ${lastKind} <> 'undo'
      AND c.version > ${lastUndone('c')} AND ${isFirst('c')}
    ORDER BY c.version DESC LIMIT 1`,
    tree,
    actor,
    wanted,
  );
  if (last === undefined) return [];
  const act = readTextColumn(last, 'act_id');
  // Selects the commits of an act since its last undo. After a redo, one commit contains all earlier commits of the
  // act.
  return yield* queryRows(
    `SELECT * FROM change c WHERE tree_id = $1 AND act_id = $2 AND version > 1 AND version > ${lastUndone('c')} ORDER BY version`,
    tree,
    act,
  );
}

// If a reply ends after an undo, that commit belongs to the earlier act and does not clear the list of redoable acts.
function* findRedoable(tree: TreeId, actor: string, wanted: string | null): SqlTask<readonly SqlRow[]> {
  return yield* queryRows(
    `SELECT c.* FROM change c
    WHERE c.tree_id = $1 AND c.actor = $2 AND c.is_act = 1 AND c.kind = 'undo' AND (CAST($3 AS TEXT) IS NULL OR c.act_id = $3)
      AND NOT EXISTS (SELECT 1 FROM change d WHERE d.tree_id = $1 AND d.actor = $2 AND d.is_act = 1 AND d.kind = 'do'
        AND d.version > c.version AND ${isFirst('d')})
      AND c.version = (SELECT max(k.version) FROM change k WHERE k.tree_id = c.tree_id AND k.act_id = c.act_id AND k.is_act = 1)
    ORDER BY c.version DESC LIMIT 1`,
    tree,
    actor,
    wanted,
  );
}

/** Returns an actor's newest act in all trees of an owner, by the order of the log. */
export function* findNewestActInTables(
  owner: string,
  actor: string,
  which: 'undoable' | 'redoable',
): SqlTask<NewestAct | null> {
  // The column with the steps is not selected, because it is long.
  const mine = 'FROM change c WHERE c.owner = $2 AND c.actor = $1 AND c.is_act = 1';
  const sql =
    which === 'undoable'
      ? `SELECT c.tree_id, c.act_id, c.version ${mine} AND c.kind <> 'undo' AND ${lastKind} <> 'undo'
        AND c.version > ${lastUndone('c')} AND ${isFirst('c')} ORDER BY c.id DESC LIMIT 1`
      : `SELECT c.tree_id, c.act_id, c.version ${mine} AND c.kind = 'undo'
        AND c.version = (SELECT max(k.version) FROM change k WHERE k.tree_id = c.tree_id AND k.act_id = c.act_id AND k.is_act = 1)
        AND c.id > coalesce((SELECT d.id FROM change d WHERE d.owner = $2 AND d.actor = $1 AND d.is_act = 1 AND d.kind = 'do'
          AND ${isFirst('d')} ORDER BY d.id DESC LIMIT 1), 0)
        ORDER BY c.id DESC LIMIT 1`;
  const found = yield* queryRow(sql, actor, owner);
  if (found === undefined) return null;
  return {
    treeId: treeId(readTextColumn(found, 'tree_id')),
    actId: actId(readTextColumn(found, 'act_id')),
    madeTree: readNumberColumn(found, 'version') === 1,
  };
}
