// COPPICE_FIXTURE_POSTGRES=postgres://… tsx scripts/store-fixtures.ts: creates stores with the packed packages of this
// version, and keeps them for the tests of later versions in test/fixtures/stores/<version>. Run before a release; the
// stores of a released version are never created again. The variable names an empty database; pg_dump of the same
// version must be on the path. `-- postgres` creates only one kind.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDriverPackages, listOwnDriverSystem } from './driver-packages.ts';
import { packAll, packFolder } from './pack.ts';
import { repositoryRoot } from './tools.ts';

/** The kinds of stores, with the name of the file or folder of each. */
const kinds = { sqlite: 'trees.db', files: 'folder', jsonl: 'sessions', postgres: 'dump.sql' } as const;

const database = process.env['COPPICE_FIXTURE_POSTGRES'] ?? '';
if (database === '') throw new Error('COPPICE_FIXTURE_POSTGRES is not set: there would be no PostgreSQL store.');
const wanted = process.argv.slice(2);

/** The packages of the command, in dependency order. */
const commandFolders = ['core', 'content', 'stores', 'engine', 'server', 'client', 'web', 'cli'];

const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'packages/cli/package.json'), 'utf8'));
const kept = join(repositoryRoot, 'test/fixtures/stores', version);
const folder = mkdtempSync(join(tmpdir(), 'coppice-stores-'));
const staged = join(repositoryRoot, '.tmp', 'store-fixtures');
mkdirSync(staged, { recursive: true });
const drivers = buildDriverPackages(staged, listOwnDriverSystem()).map((target) => packFolder(target, staged)[1]);
writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
const words = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--prefix', folder];
execFileSync('npm', [...words, ...packAll(staged, commandFolders).values(), ...drivers], {
  cwd: folder,
  stdio: 'inherit',
});

/** Returns the statements that restore the database, without settings of this server. */
function dumpDatabase(): string {
  const options = ['--inserts', '--no-owner', '--no-privileges', '--no-comments'];
  const text = execFileSync('pg_dump', [...options, '--dbname', database], { encoding: 'utf8' });
  // Lines for psql, and the optional search index, which needs an extension, are left out.
  const skipped = /^(?:\\|--|$|CREATE EXTENSION)|gin_trgm_ops/;
  return `${text
    .split('\n')
    .filter((line) => !skipped.test(line))
    .join('\n')}\n`;
}

for (const [kind, name] of Object.entries(kinds).filter(([each]) => wanted.length === 0 || wanted.includes(each))) {
  if (existsSync(join(kept, kind))) rmSync(join(kept, kind), { recursive: true });
  const made = join(folder, kind);
  mkdirSync(made);
  const store = kind === 'postgres' ? database : `${kind}:${join(made, name)}`;
  const run = (...line: readonly string[]): string =>
    execFileSync(process.execPath, [join(folder, 'node_modules/coppice/bin/coppice.mjs'), ...line, '--store', store], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  run('append', '--new', 'How do I start a sourdough?');
  run('append', 'last', 'Flour and water. 🍞', '--role', 'assistant');
  run('append', 'last', 'What about rye?');
  run('edit', 'last', '@', 'What about spelt?');
  run('bookmark', 'last', '@', 'spelt');
  run('append', 'last', 'A message that is deleted.');
  run('rm', 'last', '@');
  run('append', 'last', 'A message that is taken back.');
  run('undo', 'last');
  run('rename', 'last', 'Sourdough');
  mkdirSync(join(kept, kind), { recursive: true });
  cpSync(made, join(kept, kind), { recursive: true });
  const shown = { show: run('show', 'last'), tree: run('tree', 'last') };
  if (kind === 'postgres') writeFileSync(join(kept, kind, name), dumpDatabase());
  writeFileSync(join(kept, `${kind}.json`), `${JSON.stringify(shown, null, 2)}\n`);
}
for (const each of [folder, staged]) rmSync(each, { recursive: true });
process.stdout.write(`Stores of ${version} are in test/fixtures/stores.\n`);
