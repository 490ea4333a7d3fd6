import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@coppice/core';
import { runStoreConformance } from '../conformance/index.ts';
import { loadSqliteModule, SqliteConnection } from './driver.ts';
import { open } from './index.ts';

const paths = new WeakMap<Store, string>();

async function openAt(path: string, options = {}): Promise<Store> {
  const store = await open(path, options);
  paths.set(store, path);
  return store;
}

function placeOf(store: Store): string {
  const path = paths.get(store);
  if (path === undefined) throw new Error('This store was not opened by these tests.');
  return path;
}

function spoil(path: string, how: 'damaged' | 'newer'): void {
  if (how === 'damaged') {
    truncateSync(path, 5000);
    return;
  }
  const connection = new SqliteConnection(new (loadSqliteModule().DatabaseSync)(path));
  connection.database.exec('PRAGMA user_version = 9999');
  connection.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  connection.close();
}

runStoreConformance({
  name: 'sqlite',
  open: (options) => openAt(join(mkdtempSync(join(tmpdir(), 'coppice-sqlite-')), 'trees.db'), options),
  async reopen(store, options) {
    await store.close();
    return openAt(placeOf(store), options);
  },
  openSecond: (store, options) => openAt(placeOf(store), options),
  async damage(store, how) {
    const path = placeOf(store);
    await store.close();
    spoil(path, how);
    const bytes = readFileSync(path);
    return { open: () => openAt(path), unchanged: async () => readFileSync(path).equals(bytes) };
  },
  async backup(store) {
    const to = `${placeOf(store)}.backup`;
    return {
      to,
      open: async () => {
        copyFileSync(to, `${to}.opened`);
        return openAt(`${to}.opened`);
      },
    };
  },
  async destroy(store) {
    await store.close();
    rmSync(join(placeOf(store), '..'), { recursive: true, force: true });
  },
});
