/** What subcommands work with: the configuration, the store, the engine, and where to write. Each is opened when asked for. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageKit } from '@coppice/content';
import { AppError, isAppError, type RunContext, type Store } from '@coppice/core';
import {
  type Config,
  createProviders,
  defaultGenerateLimits,
  loadConfig,
  type ModelProviders,
  newId,
  recoverRuns,
} from '@coppice/engine';
import { openStore } from '@coppice/stores';
import type { Host, Output } from './output.ts';
import { untilStopped } from './until-stopped.ts';

/** Options that every subcommand has. */
export interface GlobalOptions {
  readonly store?: string | undefined;
  readonly owner?: string | undefined;
  readonly json: boolean;
  /** Whether a store may be begun where none is. */
  readonly begins?: boolean | undefined;
}

/** The place that a subcommand runs at. */
export interface CliContext {
  readonly host: Host;
  readonly output: Output;
  readonly options: GlobalOptions;
  config(): Promise<Config>;
  /** The store's URL: the one asked for, the configured one, or the database in the home directory. */
  storeUrl(): Promise<string>;
  store(): Promise<Store>;
  /** As {@link CliContext.store}, for answers that would be taken for a word about what is kept: refuses where nothing is. */
  keptStore(): Promise<Store>;
  providers(): Promise<ModelProviders>;
  /** What core is run with on behalf of the user. */
  context(): RunContext;
  /** Everything that standard input says. */
  input(): Promise<string>;
  /** Resolves after so many milliseconds, and keeps no process alive. */
  pause(ms: number): Promise<void>;
  /** Why the store could only be opened for reading, where that is so: says more than the refusal of a write. */
  readonly readOnlyBecause: AppError | null;
  /** The same place on another store; closed with this one. */
  on(url: string, owner?: string): CliContext;
  /** Runs when the command is through, last come first. */
  onClose(task: () => Promise<unknown>): void;
  close(): Promise<void>;
}

/** Where the embedded store lies if nobody says otherwise. */
function defaultDatabase(home: string): string {
  return join(home, '.coppice', 'coppice.db');
}

/** A workplace on a host. Nothing is opened yet. */
export function createCliContext(host: Host, output: Output, options: GlobalOptions): CliContext {
  const tasks: (() => Promise<unknown>)[] = [];
  const config = once(() => loadConfig({ env: host.env, home: host.home }));
  const storeUrl = once(async () => options.store ?? (await config()).store ?? `sqlite:${defaultDatabase(host.home)}`);
  /** What to say where a store was named that is not there: a mistyped name must not look like an empty history. */
  const missing = async (): Promise<AppError | null> => {
    const url = await storeUrl();
    const [, place = ''] = /^(?:sqlite|files|jsonl):(.+)$/is.exec(url) ?? [];
    const path = resolve(host.cwd, place);
    const isThere = place === '' || place.startsWith(':') || path === defaultDatabase(host.home) || existsSync(path);
    const message = `No store exists at ${place}. Check --store, or create it with coppice append --new.`;
    return isThere ? null : new AppError({ code: 'cli/no-store', kind: 'not-found', message });
  };
  const context = (): RunContext => ({
    actor: options.owner ?? 'local',
    now: Date.now,
    newId: () => newId(),
    kit: messageKit,
  });
  let readOnlyBecause: AppError | null = null;
  const store = once(async () => {
    const absent = options.begins === true ? null : await missing();
    if (absent !== null) output.note(`${absent.message}\n`);
    const opened = await openOrReadOnly(absent === null ? await storeUrl() : 'memory:', options, (why) => {
      output.note(`${why instanceof Error ? why.message : why}\n`);
      if (isAppError(why)) readOnlyBecause = why;
    });
    tasks.push(() => opened.close());
    await saveLostReplies(opened, context());
    return opened;
  });
  return {
    host,
    output,
    options,
    config,
    storeUrl,
    store,
    async keptStore() {
      const absent = await missing();
      if (absent !== null) throw absent;
      return store();
    },
    providers: once(async () => createProviders({ config: await config() })),
    context,
    async input() {
      const decoder = new TextDecoder();
      const parts: string[] = [];
      for await (const piece of untilStopped(host.stdin, host.signal))
        parts.push(typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true }));
      return parts.join('') + decoder.decode();
    },
    get readOnlyBecause() {
      return readOnlyBecause;
    },
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
    on(url, owner = options.owner) {
      const other = createCliContext(host, output, { ...options, store: url, owner });
      tasks.push(() => other.close());
      return other;
    },
    onClose: (task) => void tasks.push(task),
    async close() {
      for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) await task();
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Opens a store; one that may not be written to is opened for reading, and the user is told. A history that is there is
 * never shown as an empty one.
 */
async function openOrReadOnly(
  url: string,
  options: GlobalOptions,
  tell: (why: string | Error) => void,
): Promise<Store> {
  const owner = options.owner === undefined ? {} : { owner: options.owner };
  try {
    const opened = await openStore(url, owner);
    const { readOnly, notes, damage = [] } = await opened.info();
    if (readOnly) tell(notes.length === 0 ? 'The store is read-only.' : notes.join(' '));
    else for (const text of damage) tell(text);
    return opened;
  } catch (thrown) {
    if (!mayBeReadOnly(thrown)) throw thrown;
    const opened = await openStore(url, { ...owner, readOnly: true }).catch(() => {
      throw thrown;
    });
    tell(thrown instanceof Error ? thrown : String(thrown));
    return opened;
  }
}

/**
 * Replies whose process is gone: whoever comes along next makes what they had said the text of their nodes. Only looked for
 * by reading, so that a list waits for no writer, and never in the way of what was asked for.
 */
async function saveLostReplies(store: Store, context: RunContext): Promise<void> {
  const { staleMs } = defaultGenerateLimits;
  try {
    const before = Date.now() - staleMs;
    if (!(await store.runs.list()).some((run) => run.beatAt < before)) return;
    await recoverRuns({ store, ...context, process: `command ${process.pid}`, staleMs });
  } catch {
    // Somebody else holds the store, or it may only be read: the next one saves them.
  }
}

function mayBeReadOnly(thrown: unknown): boolean {
  if (isAppError(thrown))
    return thrown instanceof AppError && (thrown.kind === 'unavailable' || thrown.code === 'tree/read-only');
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  return ['EACCES', 'EROFS', 'EPERM'].includes(code);
}
