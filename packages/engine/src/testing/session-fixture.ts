/** Session files in a temporary folder, for tests. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@coppice/core';
import { openStore, sessionFiles } from '@coppice/stores';
import { type SessionContext, SessionManager, type SessionOptions } from '../sessions/index.ts';

/** A folder with session files, and the options for managers. */
export interface SessionFixture {
  readonly folder: string;
  readonly options: SessionOptions;
  /** Writes a file with these lines, as another tool would; returns its path. */
  write(name: string, lines: readonly object[]): string;
  lines(path: string): Record<string, unknown>[];
  open(path: string): SessionManager;
  create(): SessionManager;
  /** Opens a store; `closeStores` closes it. */
  store(url?: string): Promise<Store>;
  closeStores(): Promise<void>;
  destroy(): Promise<void>;
}

/** Creates the fixture. Ids and times are the same in every run. */
export function openSessionFixture(): SessionFixture {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-sessions-'));
  const opened: SessionManager[] = [];
  const stores: Store[] = [];
  let count = 0;
  const options: SessionOptions = {
    files: sessionFiles,
    now: () => 1_767_323_045_000 + ++count * 1000,
    newId: () => `00000000-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}`,
  };
  const kept = (manager: SessionManager) => {
    opened.push(manager);
    return manager;
  };
  const closeStores = async () => {
    for (const store of stores.splice(0)) await store.close();
  };
  return {
    folder,
    options,
    write(name, lines) {
      const path = join(folder, name);
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return path;
    },
    lines: (path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    open: (path) => kept(SessionManager.open(path, options)),
    create: () => kept(SessionManager.create({ ...options, folder })),
    async store(url = 'memory:') {
      const store = await openStore(url);
      stores.push(store);
      return store;
    },
    closeStores,
    async destroy() {
      await closeStores();
      for (const manager of opened)
        try {
          manager.close();
        } catch {
          // The test has closed the session already.
        }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the texts of a context, one per entry. */
export function describeContext(context: SessionContext): string[] {
  return context.entries.map(({ kind, message }) => {
    const text = message.content.map((block) => ('text' in block ? String(block.text) : `<${block.type}>`)).join('');
    return kind === 'message' ? `${message.role}: ${text}` : `${kind}: ${text}`;
  });
}
