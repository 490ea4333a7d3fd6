/** Measures the time from the start of a process to the first read of a thread, with installed packages. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@coppice/stores';
import { buildPackage } from '../../scripts/pack.ts';
import { repositoryRoot } from '../../scripts/tools.ts';
import { measureAlternating } from '../measure.ts';
import { benchBranchDepth, buildBenchTree } from '../stores/bench-tree.ts';
import { buildMinimalTree, MinimalSqlite } from './minimal-sqlite.ts';

const ours = `import { openStore } from '@coppice/stores/open';
import { readPage } from '@coppice/core';
const [, , path, id] = process.argv;
const store = await openStore('sqlite:' + path);
const page = await store.read(id, () => readPage(id, { limit: ${benchBranchDepth} }));
if (page.nodes.length !== ${benchBranchDepth}) process.exit(1);
`;

const least = `const get = process.getBuiltinModule;
const builtIn = get && get('node:sqlite');
const { DatabaseSync } = builtIn ?? require('@photostructure/sqlite');
const [, , path, leaf] = process.argv;
const rows = new DatabaseSync(path).prepare(\`WITH RECURSIVE up(no, parent, content, level) AS (
  SELECT no, parent, content, 1 FROM message WHERE no = ?1 UNION ALL
  SELECT m.no, m.parent, m.content, up.level + 1 FROM up JOIN message m ON m.no = up.parent WHERE up.level < ${benchBranchDepth}
) SELECT content FROM up\`).all(Number(leaf)).map((row) => JSON.parse(row.content));
if (rows.length !== ${benchBranchDepth}) process.exit(1);
`;

/** Returns the times of a process for reading the thread from a narrow table and from a store, in microseconds. */
export async function measureStartTimes(folder: string): Promise<{ readonly least: number; readonly ours: number }> {
  const place = join(folder, 'start');
  const packages = join(place, 'node_modules', '@coppice');
  mkdirSync(packages, { recursive: true });
  for (const name of ['core', 'content', 'stores']) buildPackage(name, packages);
  for (const name of ['pg', '@photostructure', 'tokenx', 'fflate'])
    symlinkSync(join(repositoryRoot, 'node_modules', name), join(place, 'node_modules', name));
  writeFileSync(join(place, 'ours.mjs'), ours);
  writeFileSync(join(place, 'least.cjs'), least);
  const store = await openStore(`sqlite:${join(place, 'ours.db')}`);
  const { id } = await buildBenchTree(store, 1_000);
  await store.close();
  const bare = new MinimalSqlite(join(place, 'least.db'));
  const { leaf } = buildMinimalTree(bare, 1_000);
  bare.close();
  // Settings of this machine, such as further certificates, would make every start slower and the ratio smaller.
  const env = { PATH: process.env['PATH'], HOME: place };
  const start = (...words: readonly string[]) => execFileSync(process.execPath, words, { cwd: place, env });
  return measureAlternating(
    {
      least: () => start('least.cjs', 'least.db', String(leaf)),
      ours: () => start('ours.mjs', 'ours.db', id),
    },
    9,
    2,
  );
}
