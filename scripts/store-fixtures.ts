// tsx scripts/store-fixtures.ts: makes stores with the packed packages of this version, and keeps them for the tests of
// later versions in test/fixtures/stores/<version>. Run before a release; a released version is never made again.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDrivers, ownSystem } from './driver-packages.ts';
import { packAll, packFolder } from './pack.ts';
import { repository } from './tools.ts';

/** The kinds of stores that are kept: those that are files. PostgreSQL has migrations with tests of their own. */
const kinds = { sqlite: 'trees.db', files: 'folder', jsonl: 'sessions' } as const;

const { version } = JSON.parse(readFileSync(join(repository, 'packages/cli/package.json'), 'utf8'));
const kept = join(repository, 'test/fixtures/stores', version);
const folder = mkdtempSync(join(tmpdir(), 'coppice-stores-'));
const staged = join(folder, 'packed');
mkdirSync(staged);
const drivers = buildDrivers(staged, ownSystem()).map((target) => packFolder(target, staged)[1]);
writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
const words = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--prefix', folder];
execFileSync('npm', [...words, ...packAll(staged).values(), ...drivers], { cwd: folder, stdio: 'inherit' });

if (existsSync(kept)) rmSync(kept, { recursive: true });
for (const [kind, name] of Object.entries(kinds)) {
  const made = join(folder, kind);
  mkdirSync(made);
  const store = `${kind}:${join(made, name)}`;
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
  writeFileSync(join(kept, `${kind}.json`), `${JSON.stringify(shown, null, 2)}\n`);
}
rmSync(folder, { recursive: true });
process.stdout.write(`Stores of ${version} are in test/fixtures/stores.\n`);
