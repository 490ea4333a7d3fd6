/**
 * A database of schema version 9, from before row numbers. The program of that time wrote it; its answers are stored
 * too.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { ask, type Store, treeId } from '@coppice/core';
import { loadSqliteModule, SqliteConnection } from '../sqlite/driver.ts';

function unpacked(name: string): Buffer {
  return gunzipSync(readFileSync(new URL(`../sqlite/fixtures/${name}.gz`, import.meta.url)));
}

export const schemaFixtureVersion = 9;

/** The answers that the program with this schema version gave about the trees of the fixture. */
export const schemaFixtureAnswers = JSON.parse(unpacked('schema-9.json').toString()) as {
  readonly trees: readonly string[];
} & Readonly<Record<string, unknown>>;

/** Writes the SQLite file of the fixture. */
export function writeSchemaFixture(path: string): void {
  writeFileSync(path, unpacked('schema-9.db'));
}

/** Runs work on a SQLite file directly, without a store. */
export function withSqliteFile<T>(path: string, work: (connection: SqliteConnection) => T): T {
  const connection = new SqliteConnection(new (loadSqliteModule().DatabaseSync)(path));
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/** The id of the tree that {@link addLongTree} adds. */
export const longTreeId = treeId('01890c2e-0000-7000-a000-000000000000');

/** Adds a tree with a chain of messages to a file of the fixture's version. */
export function addLongTree(path: string, nodes: number): void {
  const node = (at: string) => `printf('01890c2e-0000-7000-a000-%012d', ${at})`;
  const text = `'[{"type":"text","text":"message ' || i || ' ' || hex(zeroblob(200)) || '"}]'`;
  withSqliteFile(path, ({ database }) =>
    database.exec(`PRAGMA foreign_keys = OFF; BEGIN;
      INSERT INTO tree (id, owner, root_id, version, structure_version, active_node_id, next_seq, created_at, updated_at, project, pinned, attributes)
        VALUES ('${longTreeId}', 'local', ${node('1')}, 1, 1, ${node(String(nodes + 1))}, ${nodes + 1}, 1, 1, 'default', 0, '{"project":"default"}');
      INSERT INTO change (tree_id, version, act_id, actor, at, kind, seq, structural, is_act, steps, owner)
        VALUES ('${longTreeId}', 1, 'added', 'me', 1, 'do', 0, 1, 1, '[]', 'local');
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${nodes})
      INSERT INTO node (tree_id, id, parent_id, position, seq, kind, role, status, group_id, created_at, match_parent, equality_key, tokens,
        added_in, content_in, last_child_id, content, meta, meta_in)
      SELECT '${longTreeId}', ${node('i + 1')}, CASE WHEN i > 0 THEN ${node('i')} END, 'a0', i, CASE WHEN i > 0 THEN 'message' ELSE 'root' END,
        CASE WHEN i > 0 THEN 'user' ELSE 'root' END, 'success', 0, 1, CASE WHEN i > 0 THEN ${node('i')} END,
        CASE WHEN i > 0 THEN 'key ' || i END, 1, 1, 1, CASE WHEN i < ${nodes} THEN ${node('i + 2')} END,
        CASE WHEN i > 0 THEN ${text} ELSE '[]' END, '{}', 1 FROM n;
      COMMIT`),
  );
}

/** Returns the answers of a store about the trees of the fixture, in the form of {@link schemaFixtureAnswers}. */
export async function readSchemaFixtureAnswers(store: Store): Promise<unknown> {
  const dump: unknown[] = [];
  for (const id of schemaFixtureAnswers.trees.map(treeId))
    dump.push({
      rows: await store.read(id, () => ask('rows', {})),
      log: await store.read(id, () => ask('log', { since: 0 })),
      trash: await store.trash(id),
      links: await store.read(id, () => ask('links', {})),
      names: await store.externalIdsOf(id),
      history: await store.history(id),
    });
  const list = await store.trees({ limit: 100 });
  const known = { ...list, items: list.items.filter(({ id }) => schemaFixtureAnswers.trees.includes(id)) };
  const answers = {
    trees: schemaFixtureAnswers.trees,
    dump,
    search: await store.search({ text: 'today' }),
    list: known,
  };
  return JSON.parse(JSON.stringify(answers)) as unknown;
}
