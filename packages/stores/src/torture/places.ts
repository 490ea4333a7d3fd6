/** Places that stores are opened at, copied to and taken away from. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '@coppice/core';
import { openStore } from '../index.ts';
import type { StoreOptions } from '../options.ts';

/** The stores that can be tortured. */
export type Kind = 'memory' | 'sqlite' | 'files' | 'jsonl' | 'postgres';

/** A place of a store. */
export interface Place {
  readonly kind: Kind;
  readonly url: string;
  /** Makes another place with the same in it; nobody may have this one open. */
  copy(): Promise<Place>;
  /** Resolves when nothing is on its way any more: a server may still carry out what a dead process sent last. */
  quiet?(): Promise<void>;
  destroy(): Promise<void>;
}

/** A way to new places of one kind. */
export interface StoreSite {
  readonly kind: Kind;
  /** Several processes may write at one place. */
  readonly processes: boolean;
  /** A new place with nothing in it, or not even there. */
  place(): Promise<Place>;
  close(): Promise<void>;
}

/** Opens the store of a place. */
export function openPlace(place: Pick<Place, 'url'>, options: StoreOptions = {}): Promise<Store> {
  return openStore(place.url, options);
}

function folderPlace(kind: 'sqlite' | 'files' | 'jsonl', folder: string, next: () => string): Place {
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

/** Places in folders of the machine's own. */
export function folderSite(kind: 'sqlite' | 'files' | 'jsonl'): StoreSite {
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

/** Places in memory: each store opened there is new. */
export function memorySite(): StoreSite {
  const place: Place = { kind: 'memory', url: 'memory:', copy: async () => place, destroy: async () => undefined };
  return { kind: 'memory', processes: false, place: async () => place, close: async () => undefined };
}

/** A server of PostgreSQL as places need it. */
export interface DatabaseServer {
  createDatabase(): Promise<string>;
  copyDatabase(url: string): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  /** How many connections to a database there are, but for the one that asks. */
  connections(url: string): Promise<number>;
  close(): Promise<void>;
}

/** The question that tells it, on the database itself. */
export const countConnections =
  "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";

const longestQuiet = 60_000;

async function untilAlone(server: DatabaseServer, url: string): Promise<void> {
  const until = Date.now() + longestQuiet;
  while ((await server.connections(url)) > 0) {
    if (Date.now() > until) throw new Error(`Connections of dead processes to ${new URL(url).pathname} do not end.`);
    await sleep(10);
  }
}

/** Places in databases of a server. */
export function postgresSite(server: DatabaseServer): StoreSite {
  const at = (url: string): Place => ({
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
