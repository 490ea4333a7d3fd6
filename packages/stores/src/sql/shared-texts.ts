/** Purges former contents of remaining messages that contain the texts of purged ones; see `../shared-texts.ts`. */
import { type Block, type NodeId, type TreeId, textOf } from '@coppice/core';
import { fieldsOrEmpty } from '@coppice/core/decode';
import { purgedContent } from '@coppice/core/store';
import { containsPurgedText, findSharedTextHistories, JoinedMessages, type SplitOrigin } from '../shared-texts.ts';
import { inTreeByIdSql } from './numbers.ts';
import {
  execute,
  queryRows,
  readJsonColumn,
  readNumberColumn,
  readTextColumn,
  type SqlRow,
  type SqlTask,
} from './query.ts';
import { baseOfScope, type TreeScope } from './scope.ts';

/**
 * Replaces former contents that contain texts of the purged nodes by placeholders. Returns the number of replaced
 * contents. Must be called before the nodes are deleted.
 */
export function* purgeSharedContents(scope: TreeScope, purged: readonly NodeId[]): SqlTask<number> {
  const splits = yield* readSplits(scope, purged);
  const joins = yield* readJoins(scope.treeId);
  const texts = yield* readTexts(scope, relatedTo(purged, splits, joins));
  const histories = findSharedTextHistories(purged, splits, joins, (id) => texts.get(id) ?? []);
  let contents = 0;
  for (const [id, history] of histories)
    for (const former of yield* readFormerContents(scope, [id]))
      if (containsPurgedText(history, readNumberColumn(former, 'version'), textOfRow(former)))
        contents += yield* blankFormerContent(scope.treeId, id, readNumberColumn(former, 'version'));
  return contents;
}

/** Returns the purged nodes that come from a split or were joined; only their texts have to be read. */
function relatedTo(
  purged: readonly NodeId[],
  splits: ReadonlyMap<string, SplitOrigin>,
  joins: JoinedMessages,
): readonly NodeId[] {
  return purged.filter((id) => splits.has(id) || joins.has(id));
}

/** Returns the split origins of the given nodes, of the nodes that they were split from, and so on. */
function* readSplits(scope: TreeScope, ids: readonly string[]): SqlTask<ReadonlyMap<string, SplitOrigin>> {
  const splits = new Map<string, SplitOrigin>();
  for (let wanted = ids; wanted.length > 0; ) {
    const sources: string[] = [];
    for (const half of yield* queryRows(
      `SELECT id, added_in, meta FROM node WHERE ${inTreeByIdSql('node')} AND id IN ${scope.dialect.list('$2')} AND meta LIKE '%"splitSource"%'`,
      baseOfScope(scope),
      JSON.stringify(wanted),
    )) {
      const source = fieldsOrEmpty(readJsonColumn(half, 'meta', 'object'))['splitSource'];
      const id = readTextColumn(half, 'id');
      if (typeof source !== 'string' || splits.has(id)) continue;
      splits.set(id, { source, addedIn: readNumberColumn(half, 'added_in') });
      sources.push(source);
    }
    wanted = sources;
  }
  return splits;
}

function* readJoins(tree: TreeId): SqlTask<JoinedMessages> {
  const joins = new JoinedMessages();
  for (const change of yield* queryRows(
    `SELECT steps FROM change WHERE tree_id = $1 AND steps LIKE '%"type":"replace"%'
      AND (steps LIKE '%"type":"remove"%' OR steps LIKE '%"type":"restore"%')`,
    tree,
  ))
    joins.add(readJsonColumn(change, 'steps', 'objects') as Parameters<typeof joins.add>[0]);
  return joins;
}

/** Returns the current and former texts of nodes. */
function* readTexts(scope: TreeScope, ids: readonly NodeId[]): SqlTask<ReadonlyMap<string, ReadonlySet<string>>> {
  const texts = new Map<string, Set<string>>();
  if (ids.length === 0) return texts;
  const current = yield* queryRows(
    `SELECT id AS node_id, content FROM node WHERE ${inTreeByIdSql('node')} AND id IN ${scope.dialect.list('$2')}`,
    baseOfScope(scope),
    JSON.stringify(ids),
  );
  for (const one of [...current, ...(yield* readFormerContents(scope, ids))]) {
    const id = readTextColumn(one, 'node_id');
    const found = texts.get(id) ?? new Set<string>();
    texts.set(id, found.add(textOfRow(one)));
  }
  return texts;
}

function readFormerContents({ dialect, treeId }: TreeScope, ids: readonly string[]): SqlTask<readonly SqlRow[]> {
  return queryRows(
    `SELECT node_id, version, content FROM node_content WHERE tree_id = $1 AND node_id IN ${dialect.list('$2')}`,
    treeId,
    JSON.stringify(ids),
  );
}

function textOfRow(row: SqlRow): string {
  return textOf({ role: 'user', content: readJsonColumn(row, 'content', 'objects') as readonly Block[] });
}

function blankFormerContent(tree: TreeId, id: string, version: number): SqlTask<number> {
  const { message, key } = purgedContent('user');
  return execute(
    `UPDATE node_content SET content = $4, equality_key = $5, search_text = NULL, tokens = 0, aliases = '[]'
      WHERE tree_id = $1 AND node_id = $2 AND version = $3`,
    tree,
    id,
    version,
    JSON.stringify(message.content),
    key,
  );
}
