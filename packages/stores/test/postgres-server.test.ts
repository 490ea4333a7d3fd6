// @module-tag full
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isProcessRunning } from '../src/disk/lock.ts';
import { copyTestDatabase, createTestDatabase, startOwnPostgresServer } from './postgres.ts';
import { copyPostgresBinaries, type PostgresServer } from './postgres-server.ts';

/** Whether a Linux process has ended, but its parent has not read the exit code. Some init processes never read it. */
function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

describe('the run’s server', () => {
  test('each database is empty and apart from the others', async () => {
    const one = await createTestDatabase();
    const other = await createTestDatabase();
    await one.query('CREATE TABLE t (a INT)');
    await expect(other.query('SELECT * FROM t')).rejects.toThrow('does not exist');
    const copy = await copyTestDatabase(one);
    expect(await copy.query('SELECT * FROM t')).toEqual([]);
    for (const each of [one, other, copy]) await each.drop();
    await expect(one.query('SELECT 1')).rejects.toThrow('does not exist');
  });

  test('it is durable and speaks UTF-8 with texts in the order of their bytes', async () => {
    const database = await createTestDatabase();
    const [settings] = await database.query(
      `SELECT current_setting('fsync') f, current_setting('synchronous_commit') s, current_setting('server_encoding') e,
        (SELECT datcollate FROM pg_database WHERE datname = current_database()) c`,
    );
    expect(settings).toEqual({ f: 'on', s: 'on', e: 'UTF8', c: 'C' });
    await database.drop();
  });

  test('a connection without the password is refused', async () => {
    const database = await createTestDatabase();
    const url = new URL(database.url);
    url.password = 'guess';
    const stranger = { ...database, url: url.href };
    await expect(copyTestDatabase(stranger)).rejects.toThrow('password authentication failed');
    await database.drop();
  });
});

describe('a server of one’s own', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startOwnPostgresServer();
  });
  afterAll(async () => {
    await server.close();
    expect(existsSync(server.folder)).toBe(false);
  });

  test('a kill ends every backend at once', async () => {
    const rows = await server.query('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    const backends = rows.map((row) => Number(row['pid']));
    expect(backends.length).toBeGreaterThan(0);
    await server.kill();
    const alive = backends.filter((pid) => isProcessRunning(pid) && !isZombie(pid));
    await server.start();
    expect(alive).toEqual([]);
  });

  test.each(['SIGINT', 'SIGQUIT', 'SIGKILL'] as const)('keeps what was committed over %s', async (signal) => {
    const url = await server.createDatabase();
    await server.query('CREATE TABLE t (a INT); INSERT INTO t VALUES (1)', url);
    await server.restart(signal);
    expect(await server.query('SELECT a FROM t', url)).toEqual([{ a: 1 }]);
    await server.dropDatabase(url);
  });

  test('answers on its socket too', async () => {
    expect(await server.query('SELECT 1 AS one', server.socketUrl('postgres'))).toEqual([{ one: 1 }]);
  });
});

test('libraries are linked also where install scripts may not run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-links-'));
  const from = join(folder, 'native');
  await mkdir(join(from, 'lib'), { recursive: true });
  await writeFile(join(from, 'lib', 'libx.so.1.2'), 'x');
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
  await writeFile(join(from, 'pg-symlinks.json'), JSON.stringify(links));
  await copyPostgresBinaries(from, join(folder, 'copy'));
  expect(await readlink(join(folder, 'copy', 'lib', 'libx.so.1'))).toBe('libx.so.1.2');
  await rm(folder, { recursive: true });
});

test('a server ends with the process that started it, even if that process is killed', async () => {
  const starter = fileURLToPath(new URL('./start-and-wait.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', starter], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const folder = String(line).trim();
  expect(existsSync(folder)).toBe(true);
  child.kill('SIGKILL');
  while (existsSync(folder)) await new Promise((resolve) => setTimeout(resolve, 20));
});
