/**
 * Measures how long a new user waits with the packed packages, in an empty folder and an empty home: for the install,
 * the first chat, an import, the page, a recorded call and the library's example. Wall times, each as a ratio to `npm
 * init` and `npm install express` with the same cache.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildDriverPackages, listOwnDriverSystem } from '../scripts/driver-packages.ts';
import { packAll, packFolder } from '../scripts/pack.ts';
import { repositoryRoot } from '../scripts/tools.ts';
import { type Measurement, median } from './measure.ts';

const rounds = 2;
const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0'];

/** A new user: a folder with its own home, and the functions that run commands in it. */
interface NewUser {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  run(command: string, ...words: readonly string[]): string;
}

function createNewUser(parent: string): NewUser {
  const folder = mkdtempSync(join(parent, 'user-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  // The cache of npm is shared, so that the network is not measured.
  const setting = (name: string) => execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
  const npm = { npm_config_cache: setting('cache'), npm_config_registry: setting('registry') };
  const env = { PATH: process.env['PATH'], HOME: home, ...npm };
  return {
    folder,
    env,
    run: (command, ...words) =>
      execFileSync(command, words, {
        cwd: folder,
        env,
        encoding: 'utf8',
        input: 'What is a branch?',
        stdio: ['pipe', 'pipe', 'ignore'],
      }),
  };
}

async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) * 1000;
}

/** Starts the server, calls the function with its URL, and stops the server. */
async function whileServing(
  { folder, env }: NewUser,
  use: (url: string, headers: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const program = join(folder, 'node_modules/coppice/bin/coppice.mjs');
  const server = spawn(process.execPath, [program, 'serve', '--port', '0'], {
    cwd: folder,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const { url, token } = JSON.parse(line);
      await use(url, { authorization: `Bearer ${token}`, 'content-type': 'application/json' });
      break;
    }
  } finally {
    server.kill('SIGKILL');
  }
}

async function recordCall(user: NewUser): Promise<void> {
  const choice = { index: 0, message: { role: 'assistant', content: 'Recorded.' }, finish_reason: 'stop' };
  const service = createServer((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ model: 'm', choices: [choice] })));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const address = service.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const config = join(user.folder, 'proxy.toml');
  writeFileSync(config, `[proxy]\nopenai = "http://127.0.0.1:${port}/v1"\n`);
  await whileServing({ ...user, env: { ...user.env, COPPICE_CONFIG: config } }, async (url, headers) => {
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Keep this' }] });
    await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).text();
    for (let recorded = 0; recorded === 0; )
      ({ recorded } = JSON.parse(await (await fetch(`${url}/api/proxy`, { headers })).text()));
  });
  service.close();
}

/** Measures all steps of a new user. */
export async function benchInstall(): Promise<readonly Measurement[]> {
  const parent = mkdtempSync(join(tmpdir(), 'coppice-install-'));
  const staged = join(parent, 'packed');
  mkdirSync(staged);
  const drivers = buildDriverPackages(staged, listOwnDriverSystem()).map((target) => packFolder(target, staged)[1]);
  const tarballs = packAll(staged, ['core', 'content', 'stores', 'engine', 'server', 'client', 'web', 'cli']);
  const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const times = new Map<string, number[]>();
  const note = async (step: string, work: () => unknown) => {
    const spent = times.get(step) ?? [];
    times.set(step, spent);
    spent.push(await timed(work));
  };
  const express = 'npm init and npm install express';
  try {
    // The first round fills the cache and does not count.
    for (let round = 0; round <= rounds; round += 1) {
      if (round === 1) times.clear();
      const peer = createNewUser(parent);
      await note(express, () => {
        peer.run('npm', 'init', '-y');
        peer.run('npm', 'install', ...quiet, 'express');
      });
      const user = createNewUser(parent);
      await note('npm init and npm install coppice', () => {
        user.run('npm', 'init', '-y');
        user.run('npm', 'install', ...quiet, ...tarballs.values(), ...drivers);
      });
      await note('first chat, one question and its answer', () => user.run('npx', 'coppice', 'chat', '-p'));
      user.run('npx', 'coppice', 'export', '--all', '-o', 'all.coppice');
      await note('import of an export', () => user.run('npx', 'coppice', 'import', 'all.coppice'));
      await note('start of the server and the page', () =>
        whileServing(user, async (url, headers) => {
          await (await fetch(`${url}/`, { headers: { ...headers, accept: 'text/html' } })).text();
        }),
      );
      await note('start of the server and one recorded call', () => recordCall(user));
      writeFileSync(join(user.folder, 'example.mjs'), example);
      await note('the example of the library', () => user.run('node', 'example.mjs'));
    }
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
  const base = median(times.get(express) ?? []);
  return [...times].map(([work, spent]) => ({
    work,
    by: work === express ? 'npm' : 'coppice',
    value: median(spent),
    unit: 'µs' as const,
    ratio: median(spent) / base,
  }));
}
