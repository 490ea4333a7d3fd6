/**
 * Runs the packed command as a new user does: with `npx`, in an empty folder and an empty home, on every supported Node
 * and on Bun. The runtimes and the drivers of other systems are downloaded from the npm registry and installed as npm
 * would install them there.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildDriverPackages, driverPackageName, listDriverSystems } from '../scripts/driver-packages.ts';
import { packAll, packFolder } from '../scripts/pack.ts';
import { workspaceRoot } from './checks/workspace.ts';

const system = `${process.platform}-${process.arch}`;
/** The packages of the command, in dependency order. */
const folders = ['core', 'content', 'stores', 'engine', 'server', 'client', 'web', 'cli'];
/** The version ranges of Node that are supported; the last one is the newest version. */
const nodes = ['20', '22', '24', '25', 'latest'];
const windows = process.platform === 'win32';

let folder = '';
let staged = '';
let tarballs: readonly string[] = [];
let drivers: ReadonlyMap<string, string> = new Map();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-runtimes-'));
  mkdirSync(join(workspaceRoot, '.tmp'), { recursive: true });
  staged = mkdtempSync(join(workspaceRoot, '.tmp', 'runtimes-'));
  tarballs = [...packAll(staged, folders).values()];
  drivers = new Map(buildDriverPackages(staged).map((target) => packFolder(target, staged)));
  const wanted = nodes.map((range) => `node-${range}@npm:node-${system.replace('win32', 'win')}@${range}`);
  npm(folder, 'install', ...wanted, `bun@npm:@oven/bun-${system.replace('win32', 'windows')}`);
}, 900_000);

afterAll(() => {
  for (const each of [folder, staged]) if (each !== '') rmSync(each, { recursive: true, force: true });
});

/** Runs npm without the variables that the calling npm has set. */
function npm(cwd: string, ...words: readonly string[]): void {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  execFileSync('npm', [...words, '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: windows,
  });
}

/** Creates an empty folder and, beside it, an empty home directory. */
function createEmptyFolders(): { readonly place: string; readonly home: string } {
  const base = mkdtempSync(join(folder, 'user-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [place, home] = [join(base, 'place'), join(base, 'home')];
  for (const each of [place, home]) mkdirSync(each);
  return { place, home };
}

/** Returns the variables that a runtime needs to reach the registry: proxies, and certificates of this computer. */
function networkVariables(): NodeJS.ProcessEnv {
  const isNeeded = (name: string) => /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:https?|no)_proxy)$/i.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isNeeded(name)));
}

/** Returns the tarball of the driver for this system. */
function ownDriver(): readonly string[] {
  const own = drivers.get(driverPackageName(system));
  return own === undefined ? [] : [own];
}

/** Runs the first commands of a new user. `command` is how the runtime starts `coppice`. */
async function useAsNewUser(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [program = '', ...before] = command;
  const run = (...words: readonly string[]): string =>
    execFileSync(program, [...before, ...words], {
      cwd,
      env,
      encoding: 'utf8',
      input: 'What is a branch?',
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: windows,
    });
  expect(run('--version').trim()).toMatch(/^\d+\.\d+\.\d+$/);
  expect(run('chat', '-p')).toContain('I am the built-in guide');
  expect(run('show', 'last')).toContain('What is a branch?');
  run('append', 'last', 'And a tree?');
  expect(run('undo')).toContain('Undid');
  expect(run('fsck')).toContain('0 errors');
  const server = spawn(program, [...before, 'serve', '--port', '0', '--no-open'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: !windows,
    shell: windows,
  });
  onTestFinished(() => {
    // Kills the process group, because npx starts the command as a child.
    if (server.exitCode === null && server.pid !== undefined)
      process.kill(windows ? server.pid : -server.pid, 'SIGTERM');
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const { url } = JSON.parse(line);
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>');
    return;
  }
  throw new Error('The server ended without an address.');
}

test.each(nodes)('npx coppice works in an empty folder on Node %s', { timeout: 600_000 }, async (range) => {
  const { place, home } = createEmptyFolders();
  const bin = join(folder, 'node_modules', `node-${range}`, 'bin');
  const path = [bin, process.env['PATH'] ?? ''].join(delimiter);
  // npx keeps installed packages in its cache. Each Node has its own cache, because the driver may differ. The registry
  // is the one that the user configured.
  const cache = join(folder, `cache-${range}`);
  const settings = { npm_config_cache: cache, npm_config_userconfig: join(homedir(), '.npmrc') };
  const env = { ...networkVariables(), PATH: path, HOME: home, USERPROFILE: home, ...settings };
  const version = execFileSync('node', ['--version'], { env, encoding: 'utf8', shell: windows });
  if (range !== 'latest') expect(version).toMatch(new RegExp(`^v${range}\\.`));
  const packages = [...tarballs, ...ownDriver()].flatMap((tarball) => ['--package', tarball]);
  const npx = ['exec', '--yes', '--fetch-retries=0', ...packages, '--', 'coppice', '--version'];
  expect(execFileSync('npm', npx, { cwd: place, env, encoding: 'utf8', shell: windows }).trim()).toMatch(
    /^\d+\.\d+\.\d+$/,
  );
  // npx contacts the registry at each call, so later commands use the packages that it installed.
  const [installed = ''] = readdirSync(join(cache, '_npx'));
  const program = join(cache, '_npx', installed, 'node_modules/coppice/bin/coppice.mjs');
  await useAsNewUser([join(bin, windows ? 'node.exe' : 'node'), program], place, env);
  expect(readdirSync(place)).toEqual([]);
});

test('bunx coppice works in an empty folder on Bun', { timeout: 600_000 }, async () => {
  const { place, home } = createEmptyFolders();
  const bin = join(folder, 'node_modules', 'bun', 'bin');
  const env = { PATH: [bin, process.env['PATH'] ?? ''].join(delimiter), HOME: home, USERPROFILE: home };
  // Bun does not find the dependencies between tarballs, so the project lists each one by its path.
  const files = [...tarballs, ...ownDriver()].map((tarball) => [nameIn(tarball), `file:${tarball}`]);
  const manifest = { private: true, dependencies: Object.fromEntries(files), overrides: Object.fromEntries(files) };
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
  const bun = join(bin, windows ? 'bun.exe' : 'bun');
  execFileSync(bun, ['install', '--no-progress'], { cwd: place, env, stdio: ['ignore', 'ignore', 'pipe'] });
  await useAsNewUser([bun, 'x', '--bun', '--no-install', 'coppice'], place, env);
});

/** Returns the name of the package in a tarball. */
function nameIn(tarball: string): string {
  const found = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' });
  return JSON.parse(found).name;
}

/** The first bytes of an executable of each system. */
const magic: Readonly<Record<string, string>> = { linux: '7f454c46', darwin: 'cffaedfe', win32: '4d5a' };

test.each(listDriverSystems())('npm installs the driver of %s there and no other', { timeout: 120_000 }, (target) => {
  const { place } = createEmptyFolders();
  const [os = '', cpu = ''] = target.split('-');
  const offered = Object.fromEntries([...drivers].map(([name, tarball]) => [name, `file:${tarball}`]));
  writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, optionalDependencies: offered }));
  npm(place, 'install', `--os=${os}`, `--cpu=${cpu}`, '--ignore-scripts');
  expect(readdirSync(join(place, 'node_modules/@coppice'))).toEqual([`sqlite-${target}`]);
  const binaries = join(place, 'node_modules/@coppice', `sqlite-${target}`, 'prebuilds', target);
  const files = readdirSync(binaries).filter((file) => file.endsWith('.node'));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files)
    expect(readFileSync(join(binaries, file)).toString('hex', 0, 4)).toContain(magic[os] ?? 'unknown');
});
