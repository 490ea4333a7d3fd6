// @module-tag full
/**
 * Tests the published packages: packed, validated, installed in an empty folder outside the repository, and used there.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildDriverPackages, listOwnDriverSystem } from '../scripts/driver-packages.ts';
import { buildLicenceNotices } from '../scripts/notices.ts';
import { isFrameworkAdapter, packAll, packFolder, publishedPackages } from '../scripts/pack.ts';
import { projectAddresses } from '../scripts/project-addresses.ts';
import { findExamples } from './checks/examples.ts';
import { buildRenamedImports, importSpecifierOf, readRenamedNames } from './checks/renamed.ts';
import { openRepository } from './checks/workspace.ts';

const root = join(import.meta.dirname, '..');
const folders: readonly string[] = publishedPackages;
const examples = folders.filter((folder) => folder !== 'web' && folder !== 'cli');

let staged = '';
let project = '';
let tarballs: ReadonlyMap<string, string> = new Map();

beforeAll(() => {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  staged = mkdtempSync(join(root, '.tmp', 'packages-'));
  project = mkdtempSync(join(tmpdir(), 'coppice-packages-'));
  tarballs = packAll(staged, folders);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const drivers = buildDriverPackages(staged, listOwnDriverSystem()).map((target) => packFolder(target, staged)[1]);
  // Installs only the packages' dependencies and peers, because an example that needs more would not work for its
  // readers. npm does not find the drivers of other systems, which is not an error.
  const wanted = [...tarballs.values(), ...drivers, ...testedPeers()];
  npm('install', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0', ...wanted);
}, 600_000);

afterAll(() => {
  for (const folder of [staged, project]) if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

/** Returns optional peers, and peers whose versions change often, in the tested versions. */
function testedPeers(): readonly string[] {
  const peers = { 'assistant-ui': '@assistant-ui/react', 'ai-sdk': '@ai-sdk/react' };
  return Object.entries(peers).map(([folder, name]) => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
    return `${name}@${devDependencies[name]}`;
  });
}

function npm(...words: readonly string[]): void {
  // The folder is explicit, because npm would otherwise use the folder of the npm process that started the test.
  execFileSync('npm', [...words, '--prefix', project], { cwd: project, stdio: ['ignore', 'ignore', 'pipe'] });
}

function coppice(...words: readonly string[]): readonly [string, readonly string[], object] {
  const home = join(project, 'home');
  mkdirSync(home, { recursive: true });
  const env = { ...process.env, HOME: home, COPPICE_STORE: `sqlite:${join(home, 'trees.db')}` };
  return ['npx', ['--no-install', 'coppice', ...words], { cwd: project, env }];
}

function say(...words: readonly string[]): string {
  const [command, line, options] = coppice(...words);
  return execFileSync(command, line, { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Converts an example to a program that fails if the result of a line differs from its comment. */
function programOf(readme: string): string {
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  let claims = 0;
  const claim = (actual: string, expected: string) => {
    claims += 1;
    return `assert.deepStrictEqual(${actual}, ${expected});`;
  };
  const body = example
    .replaceAll(/console\.log\((.*)\); \/\/ (.*)$/gm, (_line, actual, expected) => claim(actual, expected))
    .replaceAll(/^(?!const |await |let |if |import |\s)(.*); \/\/ (.*)$/gm, (_line, actual, expected) =>
      claim(actual, expected),
    );
  expect(claims).toBeGreaterThan(0);
  const imports = [...body.matchAll(/^import .*;$/gm)].map(([line]) => line).join('\n');
  return `import assert from 'node:assert';\n${imports}\n${body.replaceAll(/^import .*;$/gm, '')}\nprocess.exit(0);\n`;
}

/** Returns the style sheets of a package, which have no types. */
function stylesOf(folder: string): readonly string[] {
  const { exports: entries } = JSON.parse(readFileSync(join(staged, folder, 'package.json'), 'utf8'));
  const styles = Object.keys(entries).filter((entry) => entry.endsWith('.css'));
  return styles.length === 0 ? [] : ['--exclude-entrypoints', ...styles];
}

describe.each(folders)('the package of %s', (folder) => {
  test('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: join(staged, folder), pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  // The page consists of files for a browser, without modules to import and without types.
  if (folder === 'web') return;
  test('has types that resolve in every module mode', () => {
    const name = folder === 'cli' ? 'coppice' : `@coppice/${folder}`;
    const tool = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    const words = [tool, tarballs.get(name) ?? '', '--profile', 'esm-only', '--format', 'json', ...stylesOf(folder)];
    const { analysis } = JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }));
    expect(analysis.types).toEqual({ kind: 'included' });
    expect(Object.keys(analysis.entrypoints)).toContain('.');
  });
});

test('the page includes the licences of its fonts and libraries', () => {
  const notices = buildLicenceNotices(join(root, 'packages/web'));
  for (const name of ['hanken-grotesk', 'jetbrains-mono', 'react-dom', 'radix-ui', 'marked'])
    expect(notices).toMatch(new RegExp(`^\\S*${name} \\d`, 'm'));
  expect(notices.match(/SIL Open Font License/gi)?.length).toBeGreaterThan(1);
  expect(readFileSync(join(staged, 'web/dist/third-party-notices.txt'), 'utf8')).toBe(notices);
});

test('the entries of core for Node have the same names as those for bundlers', () => {
  const folder = join(project, 'node_modules/@coppice/core');
  const { exports: entries } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const plain = Object.keys(entries).filter((entry) => !/testing|package\.json$/.test(entry));
  expect(plain.length).toBeGreaterThan(5);
  const program = join(project, 'entries.mjs');
  for (const entry of plain) {
    const { node, default: other } = entries[entry];
    expect(node).toMatch(/^\.\/dist\/node\/.*\.js$/);
    const files = [`@coppice/core${entry.slice(1)}`, join(folder, node), join(folder, other)];
    const lists = files.map((file) => `Object.keys(await import(${JSON.stringify(file)}))`);
    writeFileSync(program, `console.log(JSON.stringify([${lists.join(', ')}]));`);
    const [installed, forNode, forBundlers] = JSON.parse(
      execFileSync(process.execPath, [program], { encoding: 'utf8' }),
    );
    expect(installed.length).toBeGreaterThan(0);
    expect(installed).toEqual(forNode);
    expect(installed).toEqual(forBundlers);
  }
});

test.each(examples)('the README example of %s works when installed', (folder) => {
  const program = join(project, `${folder}.mjs`);
  writeFileSync(program, programOf(readFileSync(join(staged, folder, 'README.md'), 'utf8')));
  execFileSync(process.execPath, [program], { cwd: project, stdio: ['ignore', 'pipe', 'pipe'] });
});

/** Returns the TypeScript blocks of a page. */
function codeOf(page: string): readonly string[] {
  const examples = findExamples(page, openRepository().read(page));
  return examples.filter(({ language }) => language === 'ts').map(({ code }) => code);
}

/** Returns all entries without peer dependencies, and all examples, as modules of a TypeScript project. */
function modulesOfOthers(): ReadonlyMap<string, string> {
  const entries = examples.flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(staged, folder, 'package.json'), 'utf8'));
    const paths = Object.entries<object | string>(manifest.exports).filter(([, file]) => typeof file === 'object');
    return paths.map(([path]) => `@coppice/${folder}${path.slice(1)}`);
  });
  // Suites and fixtures need the types of their test runner, which is optional.
  const plain = entries.filter((entry) => !/(?:testing(?:\/\w+)?|conformance|vectors)$/.test(entry));
  const modules = new Map([['entries.ts', plain.map((entry) => `export type {} from '${entry}';`).join('\n')]]);
  const workspace = openRepository();
  // Renamed names of suites are left out for the same reason.
  const renamed = readRenamedNames(workspace).filter((row) =>
    plain.includes(importSpecifierOf(row.package, row.newEntry)),
  );
  modules.set('renamed.ts', buildRenamedImports(renamed, new Set(plain)));
  const pages = workspace.paths.filter((path) => /^(?:docs\/.*|(?:packages\/\w+\/)?README)\.md$/.test(path));
  for (const page of pages) {
    const code = codeOf(page).filter((text) => !text.includes("/conformance'"));
    if (code.length > 0) modules.set(`${page.replaceAll(/\W/g, '-')}.ts`, `${code.join('\n')}\nexport {};`);
  }
  return modules;
}

test.each(['nodenext', 'bundler'])(
  'types and examples compile against the installed packages, by %s',
  (moduleResolution) => {
    const folder = join(project, moduleResolution);
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    // The examples need no other package that is not installed with ours.
    symlinkSync(join(root, 'node_modules/openapi-fetch'), join(folder, 'node_modules/openapi-fetch'));
    // A React project in TypeScript has these types, which are an optional peer dependency.
    const reactTypes = join(project, 'node_modules/@types/react');
    mkdirSync(dirname(reactTypes), { recursive: true });
    if (!existsSync(reactTypes)) symlinkSync(join(root, 'node_modules/@types/react'), reactTypes);
    // A project that uses the AI SDK with React has its hooks.
    const aiReact = join(project, 'node_modules/@ai-sdk/react');
    if (!existsSync(aiReact)) symlinkSync(join(root, 'node_modules/@ai-sdk/react'), aiReact);
    // The AI SDK uses the types of JSON Schema without depending on them.
    writeFileSync(
      join(folder, 'json-schema.d.ts'),
      "declare module 'json-schema' { export type JSONSchema7 = object; export type JSONSchema7Definition = object | boolean; }\n",
    );
    for (const [name, code] of modulesOfOthers()) writeFileSync(join(folder, name), code);
    // The compiler options of most projects. Ours are stricter, and some declarations would be valid only with them.
    const compilerOptions = {
      target: 'ES2023',
      module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
      moduleResolution,
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  },
);

test.each(folders)('%s has a complete manifest when it is installed', (folder) => {
  const name = folder === 'cli' ? 'coppice' : `@coppice/${folder}`;
  const manifest = JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name, type: 'module', license: 'MIT', publishConfig: { provenance: true } });
  expect(manifest).not.toHaveProperty('private');
  expect(manifest.description.length).toBeGreaterThan(30);
  expect(manifest.keywords.length).toBeGreaterThan(4);
  expect(manifest.repository).toMatchObject({ type: 'git', directory: `packages/${folder}` });
  for (const address of [manifest.repository.url, manifest.homepage, manifest.bugs.url])
    expect(address).toContain(projectAddresses.repository);
  if (folder === 'core') expect(manifest).not.toHaveProperty('dependencies');
});

test('a store written after the guide passes the conformance suite with the installed packages', () => {
  // The peer dependencies of the store suite.
  for (const name of ['vitest', 'fast-check'])
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  const folder = join(project, 'ledger');
  mkdirSync(folder);
  writeFileSync(join(folder, 'ledger.test.ts'), codeOf('docs/guides/write-a-store.md').join('\n'));
  const tool = join(root, 'node_modules/vitest/vitest.mjs');
  const words = [tool, 'run', '--root', folder, '--reporter', 'json'];
  // The process gets no variables of this run, because it must not depend on them.
  const env = { PATH: process.env['PATH'], HOME: folder };
  const { stdout } = spawnSync(process.execPath, words, { cwd: folder, env, encoding: 'utf8' });
  const { success, numPassedTests } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  expect(success).toBe(true);
  expect(numPassedTests).toBeGreaterThan(90);
}, 300_000);

test('the installed coppice prints its version', () => {
  expect(say('--version').trim()).toMatch(/^\d+\.\d+\.\d+/);
});

test('the README example of coppice works when installed', () => {
  const readme = readFileSync(join(staged, 'cli', 'README.md'), 'utf8');
  const lines = /```sh\n([\s\S]*?)```/.exec(readme)?.[1]?.trim().split('\n') ?? [];
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) {
    const [, ...words] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
    say(...words);
  }
  expect(say('tree', 'last')).toContain('And how do I keep it?');
});

test('the installed coppice appends and serves the API and the page', async () => {
  expect(say('append', '--new', 'Hi')).toContain('Added');
  const [, words, options] = coppice('serve', '--port', '0');
  // Started without npx, because npx would not pass the signal on to the server.
  const program = join(project, 'node_modules', 'coppice', 'bin', 'coppice.mjs');
  const server = spawn(process.execPath, [program, ...words.slice(2)], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const address = await firstLine(server.stdout);
    const { url, token } = JSON.parse(address);
    const headers = { authorization: `Bearer ${token}` };
    const trees = await fetch(`${url}/api/trees`, { headers });
    expect(trees.status).toBe(200);
    const page = await fetch(`${url}/`, { headers: { ...headers, accept: 'text/html' } });
    expect(await page.text()).toContain('<div id="app"');
    // The documents are installed too, for the page and for the terminal.
    expect(await (await fetch(`${url}/docs/models.html`)).text()).toContain(' id="budgets"');
    expect(say('docs', 'models#budgets')).toMatch(/^## Budgets\n/);
  } finally {
    server.kill('SIGTERM');
  }
});

test('the installed coppice records calls on its own thread', async () => {
  const choice = { index: 0, message: { role: 'assistant', content: 'Recorded.' }, finish_reason: 'stop' };
  const service = createServer((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ model: 'm', choices: [choice] })));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const address = service.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const config = join(project, 'proxy.toml');
  writeFileSync(config, `[proxy]\nopenai = "http://127.0.0.1:${port}/v1"\n`);
  const [, words, options] = coppice('serve', '--port', '0', '--log', 'warn');
  const program = join(project, 'node_modules', 'coppice', 'bin', 'coppice.mjs');
  const env = { ...Reflect.get(options, 'env'), COPPICE_CONFIG: config };
  const server = spawn(process.execPath, [program, ...words.slice(2)], { cwd: project, env, stdio: 'pipe' });
  let said = '';
  server.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  try {
    const { url, token } = JSON.parse(await firstLine(server.stdout));
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Keep this' }] });
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect(await answer.text()).toContain('Recorded.');
    const recorded = async (): Promise<number> =>
      JSON.parse(await (await fetch(`${url}/api/proxy`, { headers })).text()).recorded;
    await expect.poll(recorded).toBe(1);
    expect(said).toBe('');
  } finally {
    server.kill('SIGTERM');
    service.close();
  }
});

/** Creates a user with an empty home directory and no configuration; returns a function that runs the command. */
function newUser(): (...words: readonly string[]) => string {
  const home = mkdtempSync(join(tmpdir(), 'coppice-new-user-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const env = { PATH: process.env['PATH'], HOME: home };
  return (...words) =>
    execFileSync('npx', ['--no-install', 'coppice', ...words], {
      cwd: project,
      env,
      encoding: 'utf8',
      input: 'What is a branch?',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
}

test('a new user chats, looks at the chat, exports, imports and undoes with the installed packages', () => {
  const run = newUser();
  expect(run('chat', '-p')).toContain('I am the built-in guide');
  expect(run('show', 'last')).toContain('What is a branch?');
  const file = join(project, 'mine.coppice');
  run('export', '--all', '-o', file);
  expect(newUser()('import', file)).toMatch(/chats\s+1/);
  expect(run('undo')).toContain('Undid');
  const { findings } = JSON.parse(run('doctor', '--json'));
  expect(findings.filter(({ state }: { readonly state: string }) => state === 'bad')).toEqual([]);
});

/** Returns the disk usage of the files in a folder in MB. Each file takes whole blocks of 4 kB. */
function sizeOf(folder: string): number {
  let size = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) size += Math.ceil(statSync(join(entry.parentPath, entry.name)).size / 4096) * 4096;
  return size / 1024 / 1024;
}

/** Returns all packages that npm installs for these packages, according to their manifests. */
function installedFor(...names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const manifest = join(project, 'node_modules', name, 'package.json');
    if (found.has(name) || !existsSync(manifest)) continue;
    found.add(name);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
    open.push(...Object.keys(dependencies), ...Object.keys(optionalDependencies));
  }
  return found;
}

test('coppice takes less than 60 MB, and a library with an SQLite store less than 12 MB', () => {
  const sum = (names: ReadonlySet<string>) =>
    [...names].reduce((size, name) => size + sizeOf(join(project, 'node_modules', name)), 0);
  const all = installedFor('coppice');
  expect([...all]).toContain('@coppice/web');
  expect(
    [...all].filter((name) => /^(?:ink|react|es-toolkit|@modelcontextprotocol\/|@photostructure\/)/.test(name)),
  ).toEqual([]);
  expect(sum(all)).toBeLessThan(60);
  const documentedSize = Number(/takes about (\d+) MB/.exec(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))?.[1]);
  expect(Math.abs(sum(all) - documentedSize) / documentedSize).toBeLessThan(0.2);
  const [system = ''] = listOwnDriverSystem();
  expect(sum(installedFor('@coppice/stores', `@coppice/sqlite-${system}`))).toBeLessThan(12);
});

test('the command needs no package that adapts to a framework, so that they are packed apart', () => {
  const adapters = folders.filter(isFrameworkAdapter);
  expect(adapters).toEqual(['react', 'ai-sdk', 'assistant-ui', 'langchain']);
  for (const folder of adapters) expect(installedFor('coppice')).not.toContain(`@coppice/${folder}`);
});

/**
 * Installs some of our packages, and others by name, into an empty folder; returns the folder and all installed
 * packages.
 */
function installInto(
  ours: readonly string[],
  others: readonly string[] = [],
): { readonly folder: string; readonly installed: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const files = ours.map((name) => tarballs.get(name) ?? '');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0', '--prefix', folder];
  execFileSync('npm', ['install', ...quiet, ...files, ...others], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const installed = Object.keys(packages).flatMap((path) => /.*node_modules\/(.*)$/.exec(path)?.[1] ?? []);
  return { folder, installed: installed.sort() };
}

/** Runs a module in a folder and returns its output as parsed JSON. */
function runModule(folder: string, code: string): unknown {
  writeFileSync(join(folder, 'app.mjs'), code);
  return JSON.parse(execFileSync(process.execPath, ['app.mjs'], { cwd: folder, encoding: 'utf8' }));
}

const ofStores = ['@coppice/content', '@coppice/core', '@coppice/stores'];

test('openTree works with our packages and two small libraries, and a missing driver is named in the error', () => {
  const { folder, installed } = installInto(ofStores);
  expect(installed).toEqual([...ofStores, 'fflate', 'tokenx']);
  const answer = runModule(
    folder,
    `import { openStore } from '@coppice/stores';
import { createMemoryStore } from '@coppice/stores/memory';
import { openTree } from '@coppice/stores/tree';
const tree = openTree(createMemoryStore());
const question = await tree.append('How long does dough rise?');
await tree.append({ role: 'assistant', content: 'An hour.' });
await tree.edit(question.id, 'How long does rye dough rise?');
const [{ text, index, count }] = await tree.messages();
const missing = await openStore('postgres://localhost/trees').catch((error) => error.message);
console.log(JSON.stringify([text, index, count, missing]));
`,
  );
  expect(answer).toEqual(['How long does rye dough rise?', 1, 2, expect.stringContaining('npm install pg')]);
});

test('createChatHandler works with our packages and the AI SDK, without a driver', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'packages/ai-sdk/package.json'), 'utf8'));
  const ours = [...ofStores, '@coppice/ai-sdk'].sort();
  const { folder, installed } = installInto(ours, [`ai@${manifest.devDependencies.ai}`]);
  expect(installed.filter((name) => name.startsWith('@coppice/'))).toEqual([...ours]);
  expect(installed.filter((name) => /^(?:pg|react|better-sqlite3|@photostructure\/.*)$/.test(name))).toEqual([]);
  const answer = runModule(
    folder,
    `import { createChatHandler, loadChat } from '@coppice/ai-sdk';
import { createMemoryStore } from '@coppice/stores/memory';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const chunks = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'An hour.' },
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
];
const model = new MockLanguageModelV3({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
const store = createMemoryStore();
const handler = createChatHandler({ store, model, user: 'ada' });
const message = { id: 'Xb3', role: 'user', parts: [{ type: 'text', text: 'Dough?' }] };
const headers = { 'content-type': 'application/json' };
const body = JSON.stringify({ id: 'chat', messages: [message] });
const response = await handler(new Request('http://app.test/api/chat', { method: 'POST', headers, body }));
await response.text();
const messages = await loadChat({ store, user: 'ada' }, 'chat');
const text = ({ parts }) => parts.map((part) => part.text ?? '').join('');
console.log(JSON.stringify([response.status, messages.map((each) => [each.id === 'Xb3', each.role, text(each)])]));
`,
  );
  expect(answer).toEqual([
    200,
    [
      [true, 'user', 'Dough?'],
      [false, 'assistant', 'An hour.'],
    ],
  ]);
});

test('the installed stores load in a bundle for a browser', () => {
  const { folder } = installInto(ofStores);
  const { outputFiles, metafile } = buildSync({
    stdin: { contents: "export * from '@coppice/stores'; export * from '@coppice/stores/tree';", resolveDir: folder },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    logLevel: 'silent',
    write: false,
  });
  expect(outputFiles.length).toBe(1);
  expect(Object.keys(metafile.inputs).filter((path) => path.startsWith('node:'))).toEqual([]);
});

test('a bundle for a server needs no driver, and finds an installed one when it runs', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'packages/stores/package.json'), 'utf8'));
  const driver = '@photostructure/sqlite';
  const { folder } = installInto(ofStores, [`${driver}@${devDependencies[driver]}`]);
  const { warnings } = buildSync({
    stdin: { contents: "export { openStore } from '@coppice/stores';", resolveDir: folder },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile: join(folder, 'bundle.mjs'),
    logLevel: 'silent',
  });
  expect(warnings).toEqual([]);
  const answer = runModule(
    folder,
    `import { existsSync } from 'node:fs';
import { openStore } from './bundle.mjs';
const store = await openStore('sqlite:trees.db');
await store.close();
const missing = await openStore('postgres://localhost/trees').catch((error) => error.message);
console.log(JSON.stringify([existsSync('trees.db'), missing]));
`,
  );
  expect(answer).toEqual([true, expect.stringContaining('npm install pg')]);
});

test('the installed engine and the app of the installed server load in a bundle for a browser', () => {
  const { folder } = installInto([...ofStores, '@coppice/engine', '@coppice/server']);
  for (const entry of ['@coppice/engine', '@coppice/server/app']) {
    const { outputFiles, metafile } = buildSync({
      stdin: { contents: `export * from '${entry}';`, resolveDir: folder },
      bundle: true,
      format: 'esm',
      platform: 'browser',
      metafile: true,
      logLevel: 'silent',
      write: false,
    });
    expect(outputFiles.length).toBe(1);
    expect(Object.keys(metafile.inputs).filter((path) => /^node:|[/]platform[/]node[/]/.test(path))).toEqual([]);
  }
});

test('a package includes the licences of everything built into it', () => {
  for (const [folder, name] of [
    ['cli', 'ink'],
    ['cli', 'react'],
    ['engine', 'ajv'],
    ['engine', '@modelcontextprotocol/client'],
    ['server', '@modelcontextprotocol/server'],
  ] as const) {
    const notices = readFileSync(join(staged, folder, 'dist/vendor/third-party-notices.txt'), 'utf8');
    expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
  }
});

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('The server ended before it said where it is.');
}
