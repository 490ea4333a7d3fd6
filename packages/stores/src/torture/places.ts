/** Creates, copies and deletes the files and databases of stores. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '@coppice/core';
import { openStore } from '../index.ts';
import type { StoreOptions } from '../options.ts';

/** The kinds of stores that the suite can test. */
export type StoreKind = 'memory' | 'sqlite' | 'files' | 'jsonl' | 'postgres';

/** The location of a store. */
export interface StorePlace {
  readonly kind: StoreKind;
  readonly url: string;
  /** Copies the store with its content. No process may have it open. */
  copy(): Promise<StorePlace>;
  /** Resolves when no work is pending. A server may still execute what a killed process sent last. */
  quiet?(): Promise<void>;
  destroy(): Promise<void>;
}

/** Creates locations for stores of one kind. */
export interface StorePlaces {
  readonly kind: StoreKind;
  /** Whether several processes may write to one store. */
  readonly processes: boolean;
  /** Returns a new location, which is empty or does not exist yet. */
  place(): Promise<StorePlace>;
  close(): Promise<void>;
}

/** Opens the store at a location. */
export function openStoreAt(place: Pick<StorePlace, 'url'>, options: StoreOptions = {}): Promise<Store> {
  return openStore(place.url, options);
}

function folderPlace(kind: 'sqlite' | 'files' | 'jsonl', folder: string, next: () => string): StorePlace {
  const inside = kind === 'sqlite' ? join(folder, 'store.db') : join(folder, 'store');
  return {
    kind,
    url: `${kind}:${inside}`,
    async copy() {
      const other = next();
      if (existsSync(folder)) cpSync(folder, other, { recursive: true });
      return folderPlace(kind, other, next);
    },
    async destroy() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates locations in temporary folders. */
export function createFolderPlaces(kind: 'sqlite' | 'files' | 'jsonl'): StorePlaces {
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
    place: async () => folderPlace(kind, next(), next),
    close: async () => rmSync(top, { recursive: true, force: true }),
  };
}

/** Creates locations in memory. Each store that is opened there is new. */
export function createMemoryPlaces(): StorePlaces {
  const place: StorePlace = { kind: 'memory', url: 'memory:', copy: async () => place, destroy: async () => undefined };
  return { kind: 'memory', processes: false, place: async () => place, close: async () => undefined };
}

/** The functions of a PostgreSQL server that locations need. */
export interface DatabaseServer {
  createDatabase(): Promise<string>;
  copyDatabase(url: string): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  /** Returns the number of connections to a database, without the one that counts them. */
  connections(url: string): Promise<number>;
  close(): Promise<void>;
}

/** The query that counts the connections to a database. */
export const countConnectionsSql =
  "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";

const longestQuiet = 60_000;

async function untilAlone(server: DatabaseServer, url: string): Promise<void> {
  const until = Date.now() + longestQuiet;
  while ((await server.connections(url)) > 0) {
    if (Date.now() > until) throw new Error(`Connections of dead processes to ${new URL(url).pathname} do not end.`);
    await sleep(10);
  }
}

/** Creates locations as databases of a server. */
export function createPostgresPlaces(server: DatabaseServer): StorePlaces {
  const at = (url: string): StorePlace => ({
    kind: 'postgres',
    url,
    copy: async () => at(await server.copyDatabase(url)),
    quiet: () => untilAlone(server, url),
    destroy: () => server.dropDatabase(url),
  });
  return {
    kind: 'postgres',
    processes: true,
    place: async () => at(await server.createDatabase()),
    close: () => server.close(),
  };
}
