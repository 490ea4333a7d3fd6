/**
 * The context of subcommands: the configuration, the store, the engine, and the output. Each is opened on first use.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CoppiceClient } from '@coppice/client';
import { messageKit } from '@coppice/content';
import { AppError, isAppError, type RunContext, type Store } from '@coppice/core';
import type { ModelProviders } from '@coppice/engine';
import {
  type Config,
  createEncryptedSecretRecords,
  createFileSecretRecords,
  createFoundModelRecords,
  createStoreSecretRecords,
  defaultGenerateLimits,
  keysFilePath,
  type LiveConfig,
  openLiveConfig,
  openRecordSecret,
  type SecretRecords,
  sharedKeysFilePath,
} from '@coppice/engine/config';
import { newId } from '@coppice/engine/new-id';
import type { StoreOptions } from '@coppice/stores';
import { openStore } from '@coppice/stores/open';
import type { ModelSource } from './chat-engine.ts';
import type { OutputWriter, ProcessHost } from './output.ts';
import { readUntilStopped } from './read-until-stopped.ts';
import { toStoreUrl } from './store-address.ts';
import { createProgressBar } from './terminal/progress.ts';

/** The options that every subcommand has. */
export interface GlobalOptions {
  readonly store?: string | undefined;
  /** The URL of a running server to work on instead of a store. */
  readonly server?: string | undefined;
  readonly owner?: string | undefined;
  readonly json: boolean;
  /** Whether the subcommand may create the store. */
  readonly begins?: boolean | undefined;
  /** Whether the subcommand only prints. It reads each page of the database once, so a small memory map is enough. */
  readonly prints?: boolean | undefined;
  /** Whether the command line was only `coppice`, without arguments. */
  readonly bare?: boolean | undefined;
}

export interface CliContext {
  readonly host: ProcessHost;
  readonly output: OutputWriter;
  readonly options: GlobalOptions;
  config(): Promise<Config>;
  /** The configuration with the keys that this user entered. It follows changes of the file. */
  live(): Promise<LiveConfig>;
  /** The configuration of a shared server. Its keys are encrypted, and its users cannot enter private addresses. */
  sharedLive(): Promise<LiveConfig>;
  /** The encrypted key records of a shared server. */
  sharedRecords(): Promise<SecretRecords>;
  /**
   * Returns the URL of the store: from the option, from the configuration, or of the database in the home directory.
   */
  storeUrl(): Promise<string>;
  store(): Promise<Store>;
  /**
   * Like {@link CliContext.store}, but throws if the store does not exist, because an empty list would look like an
   * empty history.
   */
  keptStore(): Promise<Store>;
  providers(): Promise<ModelProviders>;
  /** Returns the models of the server that the option names, otherwise those of this computer. */
  models(): Promise<ModelSource>;
  /** Returns the client of the server that the option names; null for a command on a store. */
  server(): Promise<CoppiceClient | null>;
  /** Returns the context of core commands, with the user as actor. */
  context(): RunContext;
  /** Reads all of standard input. */
  input(): Promise<string>;
  /** Resolves after `ms`. The timer does not keep the process alive. */
  pause(ms: number): Promise<void>;
  /** Why the store was opened read-only; null if it is writable. It explains more than the error of a write. */
  readonly readOnlyBecause: AppError | null;
  /** Returns the same context for another store. It is closed together with this one. */
  on(url: string, owner?: string): CliContext;
  /** Adds a task that runs when the command ends, before tasks that were added earlier. */
  onClose(task: () => Promise<unknown>): void;
  close(): Promise<void>;
}

/** Returns the default path of the database. */
function defaultDatabase(home: string): string {
  return join(home, '.coppice', 'coppice.db');
}

/** The values from which the parts of a context are created. */
interface ContextParts {
  readonly host: ProcessHost;
  readonly output: OutputWriter;
  readonly options: GlobalOptions;
  /** The tasks that run when the command ends. */
  readonly tasks: (() => Promise<unknown>)[];
}

type Configuration = Pick<CliContext, 'config' | 'live' | 'sharedLive' | 'sharedRecords'>;

/** Opens the configuration of this user, and that of a shared server, whose keys are stored with the trees. */
function createConfiguration({ host }: ContextParts, store: () => Promise<Store>): Configuration {
  const source = { env: host.env, home: host.home };
  const live = once(() =>
    openLiveConfig({
      ...source,
      records: createFileSecretRecords(keysFilePath(source)),
      found: createFoundModelRecords(source),
      rules: { privateAddresses: true },
    }),
  );
  // The records are rows of the database, which all servers share. A store without rows has a file beside the
  // configuration.
  const sharedRecords = async (): Promise<SecretRecords> => {
    const { sealed } = await store();
    return sealed === null ? createFileSecretRecords(sharedKeysFilePath(source)) : createStoreSecretRecords(sealed);
  };
  const sharedLive = once(async () =>
    openLiveConfig({
      ...source,
      records: createEncryptedSecretRecords(await sharedRecords(), await openRecordSecret(source)),
      rules: { privateAddresses: false },
    }),
  );
  return { config: async () => (await live()).current, live, sharedLive, sharedRecords };
}

interface OpenedStore extends Pick<CliContext, 'storeUrl' | 'store' | 'keptStore'> {
  readOnlyBecause(): AppError | null;
}

/** Opens the store that the options or the configuration name, or the store of a server. */
function createStoreOpener(
  { host, output, options, tasks }: ContextParts,
  { config, server, context }: Pick<CliContext, 'config' | 'server' | 'context'>,
): OpenedStore {
  const storeUrl = once(async () => {
    if (options.server !== undefined) return options.server;
    const named = options.store ?? (await config()).store;
    return named === undefined ? `sqlite:${defaultDatabase(host.home)}` : toStoreUrl(named, host);
  });
  /** Returns the error for a store that does not exist. Otherwise a mistyped name would look like an empty history. */
  const missing = async (): Promise<AppError | null> => {
    const url = await storeUrl();
    const [, place = ''] = /^(?:sqlite|files|jsonl):(.+)$/is.exec(url) ?? [];
    const path = resolve(host.cwd, place);
    const isThere = place === '' || place.startsWith(':') || path === defaultDatabase(host.home) || existsSync(path);
    const message = `No store exists at ${place}. Check --store, or create it with coppice append --new.`;
    return isThere ? null : new AppError({ code: 'cli/no-store', kind: 'not-found', message });
  };
  let readOnlyBecause: AppError | null = null;
  const store = once(async () => {
    const client = await server();
    if (client !== null) {
      const { openRemoteStore } = await import('./remote/remote-store.ts');
      return openRemoteStore(client, options.server ?? '');
    }
    const absent = options.begins === true ? null : await missing();
    if (absent !== null) output.note(`${absent.message}\n`);
    const progress = createProgressBar(output, 'messages converted to the new format');
    const opened = await openOrReadOnly(
      absent === null ? await storeUrl() : 'memory:',
      { ...options, onMigration: (done, total) => progress.tell(done, total - done) },
      (why) => {
        output.note(`${why instanceof Error ? why.message : why}\n`);
        if (isAppError(why)) readOnlyBecause = why;
      },
    ).finally(() => progress.end());
    tasks.push(() => opened.close());
    await saveLostReplies(opened, context());
    return opened;
  });
  return {
    storeUrl,
    store,
    async keptStore() {
      const absent = await missing();
      if (absent !== null) throw absent;
      return store();
    },
    readOnlyBecause: () => readOnlyBecause,
  };
}

/**
 * Returns functions that load the providers of this computer, and the models (of this computer, or of the server that
 * the options name), when they are first needed.
 */
function createModelOpener({ config, server }: Pick<CliContext, 'config' | 'server'>) {
  // The engine is imported here, because most subcommands only need a store.
  const providers = once(async () => {
    const { createProviders } = await import('@coppice/engine');
    return createProviders({ config: await config() });
  });
  const models = once(async () => {
    const client = await server();
    if (client === null) {
      const { createLocalModelSource } = await import('./chat-engine.ts');
      return createLocalModelSource(await providers());
    }
    const { openRemoteModelSource } = await import('./remote/remote-engine.ts');
    return openRemoteModelSource(client);
  });
  return { providers, models };
}

/** Reads all of standard input. */
async function readInput(host: ProcessHost): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for await (const piece of readUntilStopped(host.stdin, host.signal))
    parts.push(typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true }));
  return parts.join('') + decoder.decode();
}

/** Creates a context. Everything is opened on first use. */
export function createCliContext(host: ProcessHost, output: OutputWriter, options: GlobalOptions): CliContext {
  const tasks: (() => Promise<unknown>)[] = [];
  const parts: ContextParts = { host, output, options, tasks };
  const context = (): RunContext => ({
    actor: options.owner ?? 'local',
    now: Date.now,
    newId: () => newId(),
    kit: messageKit,
  });
  const server = once(async () => {
    if (options.server === undefined) return null;
    const { openServerClient } = await import('./remote/open-server-client.ts');
    return openServerClient(options.server, { env: host.env, home: host.home });
  });
  const configuration = createConfiguration(parts, () => opener.store());
  const { config } = configuration;
  const opener = createStoreOpener(parts, { config, server, context });
  return {
    host,
    output,
    options,
    ...configuration,
    storeUrl: opener.storeUrl,
    store: opener.store,
    keptStore: opener.keptStore,
    ...createModelOpener({ config, server }),
    server,
    context,
    input: () => readInput(host),
    get readOnlyBecause() {
      return opener.readOnlyBecause();
    },
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
    on(url, owner = options.owner) {
      const other = createCliContext(host, output, { ...options, store: url, server: undefined, owner });
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

// Each page of the file is read only once, so a larger memory map would only cost memory.
const mappedToPrint = 8 * 1024 * 1024;

/** Opens a store, or opens it read-only with a notice if it cannot be written. */
async function openOrReadOnly(
  url: string,
  { owner: name, prints, onMigration }: Pick<GlobalOptions, 'owner' | 'prints'> & Pick<StoreOptions, 'onMigration'>,
  tell: (why: string | Error) => void,
): Promise<Store> {
  const storeOptions = {
    ...(name === undefined ? {} : { owner: name }),
    ...(onMigration === undefined ? {} : { onMigration }),
    ...(prints === true ? { mappedBytes: mappedToPrint } : {}),
  };
  try {
    const opened = await openStore(url, storeOptions);
    const { readOnly, notes, damage = [] } = await opened.info();
    if (readOnly) tell(notes.length === 0 ? 'The store is read-only.' : notes.join(' '));
    else for (const text of damage) tell(text);
    return opened;
  } catch (thrown) {
    if (!mayBeReadOnly(thrown)) throw thrown;
    const opened = await openStore(url, { ...storeOptions, readOnly: true }).catch(() => {
      throw thrown;
    });
    tell(thrown instanceof Error ? thrown : String(thrown));
    return opened;
  }
}

/**
 * Recovers replies whose process has died. It writes only if it finds one, so that a command that lists does not wait
 * for a writer. Errors are ignored.
 */
async function saveLostReplies(store: Store, context: RunContext): Promise<void> {
  const { staleMs } = defaultGenerateLimits;
  try {
    const before = Date.now() - staleMs;
    if (!(await store.runs.list()).some((run) => run.beatAt < before)) return;
    const { recoverRuns } = await import('@coppice/engine');
    await recoverRuns({ store, ...context, process: `command ${process.pid}`, staleMs });
  } catch {
    // Another process locks the store, or the store is read-only. A later command recovers the replies.
  }
}

function mayBeReadOnly(thrown: unknown): boolean {
  if (isAppError(thrown))
    return thrown instanceof AppError && (thrown.kind === 'unavailable' || thrown.code === 'tree/read-only');
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  return ['EACCES', 'EROFS', 'EPERM'].includes(code);
}
