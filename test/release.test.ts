/** Tests which facts prevent a release. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findReleaseObstacles, type ReleaseFacts, readFixtureTableVersions } from '../scripts/release.ts';

const ready: ReleaseFacts = {
  versions: new Map([
    ['core', '1.2.0'],
    ['cli', '1.2.0'],
  ]),
  changelog: '# Changes\n\n## 1.2.0\n\n- More.\n',
  fixtures: ['1.2.0'],
  tables: new Map([['sqlite', { kept: 3, written: 3 }]]),
  changes: '',
  tags: ['v1.2.0'],
  offered: true,
  vouched: true,
};

test('a release with a changelog entry, a commit, a tag and provenance has no obstacle', () => {
  expect(findReleaseObstacles(ready, true)).toEqual([]);
});

test.each<[string, Partial<ReleaseFacts>, RegExp]>([
  [
    'packages of two versions',
    { versions: new Map([...ready.versions, ['cli', '1.1.0']]) },
    /one version: 1\.2\.0, 1\.1\.0/,
  ],
  ['a version that the changes do not tell of', { changelog: '## 1.2.01\n\nSince 1.2.0.\n' }, /no section for 1\.2\.0/],
  ['packages without a store for later versions', { fixtures: ['1.1.0'] }, /no store of 1\.2\.0/],
  [
    'stores with tables of an earlier build',
    { tables: new Map([['postgres', { kept: 12, written: 16 }]]) },
    /The postgres store of 1\.2\.0 has tables of version 12, and the code writes 16/,
  ],
  ['changes that are not committed', { changes: ' M README.md' }, /not committed/],
  ['a commit with another tag', { tags: ['v1.1.0'] }, /no tag v1\.2\.0/],
  ['packages that the site does not offer', { offered: false }, /set `published`/],
  ['a machine that nobody vouches for', { vouched: false }, /Provenance/],
])('%s are not published', (_what, facts, sentence) => {
  const found = findReleaseObstacles({ ...ready, ...facts }, true);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(sentence);
});

test('a rehearsal requires one version, and none of the release conditions', () => {
  const early = {
    ...ready,
    changelog: '',
    fixtures: [],
    changes: ' M README.md',
    tags: [],
    offered: false,
    vouched: false,
  };
  expect(findReleaseObstacles(early, false)).toEqual([]);
  expect(
    findReleaseObstacles({ ...early, versions: new Map([...ready.versions, ['cli', '1.1.0']]) }, false),
  ).toHaveLength(1);
});

test('the table versions of kept stores are read from their files', () => {
  const tables = readFixtureTableVersions(join(import.meta.dirname, 'fixtures/stores/0.1.0'));
  expect([...tables.keys()]).toEqual(['sqlite', 'postgres']);
  for (const { kept, written } of tables.values()) {
    expect(kept).toBeGreaterThan(10);
    expect(kept).toBeLessThanOrEqual(written);
  }
  expect([...readFixtureTableVersions('nowhere').values()].map(({ kept }) => kept)).toEqual([null, null]);
});
