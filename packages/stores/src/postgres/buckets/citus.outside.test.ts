/**
 * Runs the store suite with a bucket that Citus distributes. `COPPICE_CITUS_URL` names a database with the extension on a
 * coordinator that has workers.
 */
import { readPage, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCitus } from '../../../test/citus.ts';
import { createBucketSubject, createTestBuckets } from '../../../test/postgres-subject.ts';
import { runStoreConformance } from '../../conformance/index.ts';
import { open } from '../index.ts';

let citus: Awaited<ReturnType<typeof openCitus>>;
beforeAll(async () => {
  const url = process.env['COPPICE_CITUS_URL'];
  if (url === undefined) throw new Error('Set COPPICE_CITUS_URL to a database with Citus.');
  citus = await openCitus(url);
});
afterAll(() => citus?.close());

runStoreConformance(createBucketSubject('a bucket on Citus', () => citus));

test('[L241] a bucket that Citus moves to another worker goes on, with its feed', async () => {
  const at = await createTestBuckets(citus);
  const { schema } = at.far;
  const store = await open(at.directory.url);
  const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
  await fixture.addMessages(['before the move']);
  const versions: number[] = [];
  const ended = new AbortController();
  const feed = (async () => {
    for await (const event of store.feedAll(null, ended.signal)) versions.push(event.version);
  })();
  const homeSql = `SELECT nodename, nodeport FROM citus_shards WHERE table_name = '"${schema}".node'::regclass`;
  const [from] = await at.elsewhere(homeSql);
  const [to] = await at.elsewhere(
    `SELECT nodename, nodeport FROM pg_dist_node WHERE shouldhaveshards AND noderole = 'primary'
    AND (nodename, nodeport) <> ('${String(from?.['nodename'])}', ${Number(from?.['nodeport'])}) LIMIT 1`,
  );
  await at.elsewhere(
    `SELECT citus_schema_move('"${schema}"', '${String(to?.['nodename'])}', ${Number(to?.['nodeport'])}, 'block_writes')`,
  );
  expect(await at.elsewhere(homeSql)).toEqual([to]);
  await fixture.addMessages(['after the move']);
  const { nodes, version } = await store.read(fixture.treeId, () => readPage(fixture.treeId));
  expect(nodes.map(({ text }) => text)).toEqual(['before the move', 'after the move']);
  await expect.poll(() => versions.at(-1)).toBe(version);
  expect(versions).toEqual([...versions].sort((a, b) => a - b));
  ended.abort();
  await feed;
  await store.close();
});
