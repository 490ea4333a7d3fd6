import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openStore, storeSchemes } from './open-store.ts';

const source = dirname(fileURLToPath(import.meta.url));

/** Returns the modules of this package that a module imports statically, itself included. */
function loadedWith(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type)[^;]*? from '(\.[^']+)';/gm,
  ))
    loadedWith(resolve(dirname(file), path), found);
  return found;
}

test('[L179] opening a store loads no other kind of store', async () => {
  const folders = [...loadedWith(join(source, 'open-store.ts'))].map((file) => relative(source, file).split('/')[0]);
  expect(folders.filter((folder) => storeSchemes.includes(folder ?? ''))).toEqual([]);
  const sqlite = [...loadedWith(join(source, 'sqlite/index.ts'))].map((file) => relative(source, file));
  for (const other of ['files/', 'jsonl/', 'memory/', 'postgres/'])
    expect(sqlite.filter((file) => file.startsWith(other))).toEqual([]);
  const store = await openStore('memory:');
  expect((await store.info()).kind).toBe('memory');
  await store.close();
});

test('[K172] an unknown option is refused by name, before anything is opened', async () => {
  const misspelt: object = { readonly: true };
  for (const url of ['memory:', `sqlite:${join(source, 'none', 'trees.db')}`, `jsonl:${join(source, 'none')}`])
    await expect(openStore(url, misspelt)).rejects.toThrow(/readonly/);
  const wrongStore: object = { pool: 3 };
  await expect(openStore('memory:', wrongStore)).rejects.toThrow(/pool/);
  expect(existsSync(join(source, 'none'))).toBe(false);
  const store = await openStore('memory:', { now: Date.now, onMigration: () => undefined, owner: 'me' });
  expect(store.owner).toBe('me');
  await store.close();
});
