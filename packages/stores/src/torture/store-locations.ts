/** Creates, copies and deletes the files and databases in which the torture suite keeps its stores. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '@coppice/core';
import { openStore } from '../index.ts';
import type { StoreOptions } from '../options.ts';

/** The kinds of stores that the suite can test. */
export type StoreKind = 'memory' | 'sqlite' | 'files' | 'jsonl' | 'postgres';

/** A file, folder or database in which one store is kept. */
export interface StoreLocation {
  readonly kind: StoreKind;
  readonly url: string;
  /** Copies the data of the store to a new location. No process may have the store open. */
  copy(): Promise<StoreLocation>;
  /**
   * Resolves when no statement is running any more. A server may still execute the last statement of a killed process.
   */
  waitUntilIdle?(): Promise<void>;
  destroy(): Promise<void>;
}

/** Creates locations for one kind of store. */
export interface StoreLocations {
  readonly kind: StoreKind;
  /** Whether several processes may write to one store. */
  readonly processes: boolean;
  /** Returns a new location that contains no store yet. */
  place(): Promise<StoreLocation>;
  close(): Promise<void>;
}

export function openStoreAt(place: Pick<StoreLocation, 'url'>, options: StoreOptions = {}): Promise<Store> {
  return openStore(place.url, options);
}

function folderLocation(kind: 'sqlite' | 'files' | 'jsonl', folder: string, next: () => string): StoreLocation {
  const inside = kind === 'sqlite' ? join(folder, 'store.db') : join(folder, 'store');
  return {
    kind,
    url: `${kind}:${inside}`,
    async copy() {
      const other = next();
      if (existsSync(folder)) cpSync(folder, other, { recursive: true });
      return folderLocation(kind, other, next);
    },
    async destroy() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates locations in temporary folders. */
export function createFolderLocations(kind: 'sqlite' | 'files' | 'jsonl'): StoreLocations {
  const top = mkdtempSync(join(tmpdir(), `coppice-${kind}-`));
  let count = 0;
  const next = () => {
    const folder = join(top, String(++count));
    mkdirSync(folder);
    return folder;
  };
  return {
    kind,
    processes: kind === 'sqlite',
    place: async () => folderLocation(kind, next(), next),
    close: async () => rmSync(top, { recursive: true, force: true }),
  };
}

/** Creates locations for memory stores. They keep no data: each opening gives a new, empty store. */
export function createMemoryLocations(): StoreLocations {
  const place: StoreLocation = {
    kind: 'memory',
    url: 'memory:',
    copy: async () => place,
    destroy: async () => undefined,
  };
  return { kind: 'memory', processes: false, place: async () => place, close: async () => undefined };
}

/** What is needed of a PostgreSQL server to create locations. */
export interface DatabaseServer {
  createDatabase(): Promise<string>;
  copyDatabase(url: string): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  /** Returns the number of connections to a database, without the one that counts them. */
  connections(url: string): Promise<number>;
  close(): Promise<void>;
}

export const connectionCountSql =
  "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";

const longestQuiet = 60_000;

async function waitForConnectionsToEnd(server: DatabaseServer, url: string): Promise<void> {
  const until = Date.now() + longestQuiet;
  while ((await server.connections(url)) > 0) {
    if (Date.now() > until) throw new Error(`Connections of dead processes to ${new URL(url).pathname} do not end.`);
    await sleep(10);
  }
}

export function createPostgresLocations(server: DatabaseServer): StoreLocations {
  const at = (url: string): StoreLocation => ({
    kind: 'postgres',
    url,
    copy: async () => at(await server.copyDatabase(url)),
    waitUntilIdle: () => waitForConnectionsToEnd(server, url),
    destroy: () => server.dropDatabase(url),
  });
  return {
    kind: 'postgres',
    processes: true,
    place: async () => at(await server.createDatabase()),
    close: () => server.close(),
  };
}
