// npm run release: checks, tests and packs everything, then publishes it with provenance. Without --publish it is a dry
// run: npm only reports what it would publish.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { newestSchemaVersion, newestSqliteVersion } from '@coppice/stores/testing/table-versions';
import { buildDriverPackages } from './driver-packages.ts';
import { packAll, packFolder, publishedPackages } from './pack.ts';
import { projectAddresses } from './project-addresses.ts';
import { repositoryRoot } from './tools.ts';

const fixtureRoot = join(repositoryRoot, 'test/fixtures/stores');

/** The facts that a release depends on. */
export interface ReleaseFacts {
  /** The versions of the packages by folder. */
  readonly versions: ReadonlyMap<string, string>;
  readonly changelog: string;
  /** The versions whose stores are kept as fixtures for later versions. */
  readonly fixtures: readonly string[];
  /** The table versions of this version's fixtures, and those that its code writes, by kind of store. */
  readonly tables: ReadonlyMap<string, { readonly kept: number | null; readonly written: number }>;
  /** Uncommitted changes, as reported by git. */
  readonly changes: string;
  /** The tags of the released commit. */
  readonly tags: readonly string[];
  /** Whether the site offers the packages of the registry. */
  readonly offered: boolean;
  /** Whether this is a build server that attests provenance; elsewhere npm cannot sign. */
  readonly vouched: boolean;
}

/** Returns the reasons against a release, one sentence each; empty if it may be published. A dry run needs less. */
export function findReleaseObstacles(facts: ReleaseFacts, publishes: boolean): readonly string[] {
  const found: string[] = [];
  const versions = new Set(facts.versions.values());
  const [version = ''] = versions;
  if (versions.size !== 1) found.push(`The packages do not have one version: ${[...versions].join(', ')}.`);
  const reported = facts.changelog
    .split('\n')
    .some((line) => line.startsWith('## ') && line.split(/[\s[\]]+/).includes(version));
  if (!publishes) return found;
  if (!reported) found.push(`CHANGELOG.md has no section for ${version}.`);
  if (!facts.fixtures.includes(version)) found.push(`There is no store of ${version} in test/fixtures/stores.`);
  for (const [kind, { kept, written }] of facts.fixtures.includes(version) ? facts.tables : [])
    if (kept !== written)
      found.push(
        `The ${kind} store of ${version} has tables of version ${kept ?? 'none'}, and the code writes ${written}: create it again (scripts/store-fixtures.ts).`,
      );
  if (facts.changes !== '') found.push('There are changes that are not committed.');
  if (!facts.tags.includes(`v${version}`)) found.push(`The commit has no tag v${version}.`);
  if (!facts.offered)
    found.push('The site does not offer the packages yet: set `published` in scripts/project-addresses.ts.');
  if (!facts.vouched) found.push('Provenance needs a build server that issues identity tokens; this is none.');
  return found;
}

function git(...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: repositoryRoot, encoding: 'utf8' }).trim();
}

/** Reads the table version of a SQLite file from its header, and of a dump from its row. */
export function readFixtureTableVersions(folder: string): ReleaseFacts['tables'] {
  const read = (path: string) => (existsSync(path) ? readFileSync(path) : null);
  const dump = read(join(folder, 'postgres/dump.sql'))?.toString('utf8') ?? '';
  const row = /^INSERT INTO public\.coppice_schema VALUES \((\d+),/m.exec(dump)?.[1];
  return new Map([
    // The SQLite file format has `user_version` at byte 60.
    ['sqlite', { kept: read(join(folder, 'sqlite/trees.db'))?.readUInt32BE(60) ?? null, written: newestSqliteVersion }],
    ['postgres', { kept: row === undefined ? null : Number(row), written: newestSchemaVersion }],
  ]);
}

function readFacts(): ReleaseFacts {
  const versionOf = (folder: string): string =>
    JSON.parse(readFileSync(join(repositoryRoot, 'packages', folder, 'package.json'), 'utf8')).version;
  return {
    versions: new Map(publishedPackages.map((folder) => [folder, versionOf(folder)])),
    changelog: readFileSync(join(repositoryRoot, 'CHANGELOG.md'), 'utf8'),
    fixtures: readdirSync(fixtureRoot),
    tables: readFixtureTableVersions(join(fixtureRoot, versionOf('cli'))),
    changes: git('status', '--porcelain'),
    tags: git('tag', '--points-at', 'HEAD').split('\n'),
    offered: projectAddresses.published,
    vouched:
      process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] !== undefined || process.env['SIGSTORE_ID_TOKEN'] !== undefined,
  };
}

function npm(words: readonly string[]): void {
  execFileSync('npm', words, { cwd: repositoryRoot, stdio: 'inherit' });
}

function release(publishes: boolean): number {
  const found = findReleaseObstacles(readFacts(), publishes);
  for (const sentence of found) process.stderr.write(`${sentence}\n`);
  if (found.length > 0) return 1;
  npm(['run', 'check']);
  // A dry run tests only the packages; a release runs all tests.
  if (publishes) for (const tier of ['test', 'test:full', 'test:sum']) npm(['run', tier]);
  else npm(['run', 'test:full', '--', 'test/packages.test.ts']);
  const into = join(repositoryRoot, '.tmp', 'release');
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  // Published in dependency order, so that no package is published before its dependencies.
  const drivers = buildDriverPackages(into).map((target) => packFolder(target, into));
  for (const tarball of new Map([...drivers, ...packAll(into)]).values())
    npm([
      'publish',
      tarball,
      '--access',
      'public',
      ...(publishes ? ['--provenance'] : ['--dry-run', '--provenance=false']),
    ]);
  process.stdout.write(publishes ? 'Published.\n' : 'Nothing was published; npm run release -- --publish does it.\n');
  const left = publishes ? [] : findReleaseObstacles(readFacts(), true);
  for (const sentence of left) process.stdout.write(`Before that: ${sentence}\n`);
  return 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.exitCode = release(process.argv.slice(2).includes('--publish'));
