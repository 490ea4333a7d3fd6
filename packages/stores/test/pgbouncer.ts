/**
 * Starts a real PgBouncer in front of the test server. npm does not install it, so only tests of the tier `outside`
 * require it; the torture suite uses it if it is installed.
 */
import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findFreePort } from './postgres-server.ts';

/** A running PgBouncer. */
export interface PgBouncer {
  /** Returns the URL of a database of the test server, through PgBouncer. */
  urlOf(databaseUrl: string): string;
  close(): Promise<void>;
}

// PgBouncer refuses to run as root, like PostgreSQL.
const nobody = 65534;
const isRoot = process.getuid?.() === 0;

/** Whether a `pgbouncer` program is on the path. */
export function hasPgBouncer(): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'pgbouncer')));
}

/**
 * Starts PgBouncer in front of the server of a database URL. All databases of that server can be reached through it.
 */
export async function startPgBouncer(databaseUrl: string, mode: 'transaction' | 'statement'): Promise<PgBouncer> {
  const server = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'coppice-pgbouncer-'));
  const port = await findFreePort();
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${decodeURIComponent(server.username)}" "${decodeURIComponent(server.password)}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 2
server_check_query = SELECT 1
ignore_startup_parameters = extra_float_digits
`,
  );
  if (isRoot) for (const path of [folder, users, settings]) chownSync(path, nobody, nobody);
  const child = spawn('pgbouncer', [settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot ? { uid: nobody, gid: nobody } : {}),
  });
  const log: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => log.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve());
    child.once('error', reject);
  });
  ended.catch(() => undefined);
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${Buffer.concat(log).toString('utf8')}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    urlOf: (url) => {
      const through = new URL(url);
      through.hostname = '127.0.0.1';
      through.port = String(port);
      return through.href;
    },
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
