/** Runs every example of the documentation, and compares its results with its comments. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CliFixture, instantRepliesConfig, makeCliFixture } from '@coppice/cli/testing';
import * as client from '@coppice/client';
import * as content from '@coppice/content';
import * as formats from '@coppice/content/formats';
import * as core from '@coppice/core';
import * as coreChatgpt from '@coppice/core/chatgpt';
import * as coreContext from '@coppice/core/context';
import * as coreDiff from '@coppice/core/diff';
import * as coreHistory from '@coppice/core/history';
import * as coreStore from '@coppice/core/store';
import * as coreTree from '@coppice/core/tree';
import * as engine from '@coppice/engine';
import * as sessions from '@coppice/engine/sessions';
import * as langchain from '@coppice/langchain';
import * as server from '@coppice/server';
import * as stores from '@coppice/stores';
import * as inProcess from '@coppice/stores/in-process';
import * as storesMemory from '@coppice/stores/memory';
import * as storesTree from '@coppice/stores/tree';
import * as langchainMessages from '@langchain/core/messages';
import createClient from 'openapi-fetch';
import { expect, onTestFinished, test } from 'vitest';
import { toFunctionBody } from './checks/example-code.ts';
import { type CodeExample, checkExamples, findExamples, parseShellLines } from './checks/examples.ts';
import { openRepository } from './checks/workspace.ts';

const packages: Readonly<Record<string, object>> = {
  '@coppice/client': client,
  '@coppice/content': content,
  '@coppice/content/formats': formats,
  '@coppice/core': core,
  '@coppice/core/tree': coreTree,
  '@coppice/core/context': coreContext,
  '@coppice/core/diff': coreDiff,
  '@coppice/core/history': coreHistory,
  '@coppice/core/chatgpt': coreChatgpt,
  '@coppice/core/store': coreStore,
  '@coppice/engine': engine,
  '@coppice/engine/sessions': sessions,
  '@coppice/langchain': langchain,
  '@coppice/server': server,
  '@coppice/stores': stores,
  '@coppice/stores/in-process': inProcess,
  '@coppice/stores/memory': storesMemory,
  '@coppice/stores/tree': storesTree,
  '@langchain/core/messages': langchainMessages,
  'openapi-fetch': { default: createClient },
};

const workspace = openRepository();
const isReadme = (page: string) => /^(?:packages\/\w+\/)?README\.md$/.test(page);
const pages = workspace.paths
  .filter((path) => path.endsWith('.md') && (/^(?:docs\/|[A-Z]+\.md$)/.test(path) || isReadme(path)))
  .map((page) => ({ page, examples: findExamples(page, workspace.read(page)) }));

/** Returns the examples of a page in some languages, without those that are marked as not run. */
const run = ({ examples }: (typeof pages)[number], ...languages: readonly string[]) =>
  examples.filter(({ language, excuse }) => languages.includes(language) && excuse === null);

/** Converts values in comments to assertions. Other comments after a statement stay explanations. */
function withClaims(examples: string): string {
  return examples.replaceAll(
    /^(?!const |await |let |import |\s)(.*); \/\/ (.*)$/gm,
    (_line, expression, expected) => `claims.push([${JSON.stringify(expression)}, ${expression}, ${expected}]);`,
  );
}

/** Returns the examples as a function body, with their assertions. */
const bodyOf = (examples: string) => toFunctionBody(withClaims(examples));

/** How an example is run, by language. The TypeScript of a page is one program and is run separately. */
const readers: Readonly<Record<string, (example: CodeExample, fixture: CliFixture) => Promise<void> | void>> = {
  ts: () => undefined,
  sh: runShell,
  toml: ({ page, code }) =>
    expect(engine.parseConfig({ name: page, text: code }, { WIKI_KEY: 'k' }).warnings).toEqual([]),
  json: runServers,
  jsonl: readSession,
  js: loadHook,
};

async function runShell(example: CodeExample, fixture: CliFixture): Promise<void> {
  // Creates the data that the shell lines refer to.
  await fixture.createChat('How do I start a sourdough?', 'And then?');
  await fixture.run(['export', 'last', '-o', 'conversations.zip']);
  writeFileSync(join(fixture.home, 'agent.mjs'), 'process.exit(process.env.OPENAI_BASE_URL ? 0 : 1);');
  const TOKEN = 'a-long-random-token';
  for (const { text, words, input } of parseShellLines(example, {
    HOME: fixture.home,
    URL: 'http://localhost',
    TOKEN,
  })) {
    const [first, ...rest] = words[0] === 'npx' ? words.slice(1) : words;
    if (first === 'curl') expect(await fetchAsCurl(rest, fixture, TOKEN), text).toBe(true);
    else {
      expect(first, text).toBe('coppice');
      expect(await fixture.run(rest, input), text).toMatchObject({ code: 0 });
    }
  }
}

/** Sends a request like curl, with the options that the documentation uses. */
async function fetchAsCurl(words: readonly string[], fixture: CliFixture, token: string): Promise<boolean> {
  const headers = new Headers();
  let [method, address, file] = ['GET', '', ''];
  for (const [at, word] of words.entries()) {
    const [name = '', ...value] = word.split(': ');
    if (words[at - 1] === '-H') headers.set(name, value.join(': '));
    else if (words[at - 1] === '-X') method = word;
    else if (words[at - 1] === '-T') file = word;
    else if (word.startsWith('http')) address = word;
    else expect(['-H', '-X', '-T']).toContain(word);
  }
  const config = engine.parseConfig(null, {});
  const store = await stores.openStore('memory:');
  const at = server.createServer({ store, config, auth: { mode: 'token', token } });
  try {
    const body = file === '' ? null : readFileSync(join(fixture.home, file));
    const answer = await at.fetch(new Request(address, { method, headers, body }));
    await answer.text();
    return answer.ok;
  } finally {
    await at.close();
  }
}

/**
 * Checks that the command accepts the lines with which a client starts servers; mcp.test.ts tests the servers
 * themselves.
 */
async function runServers({ code }: CodeExample, fixture: CliFixture): Promise<void> {
  const { mcpServers } = JSON.parse(code);
  for (const { command, args } of Object.values<{ readonly command: string; readonly args: string[] }>(mcpServers)) {
    expect(command).toBe('coppice');
    expect(await fixture.run([...args, '--help'])).toMatchObject({ code: 0 });
  }
}

/** Writes a session file. Missing ids and times are filled in, so that each entry is a child of the previous one. */
async function readSession({ code }: CodeExample, fixture: CliFixture): Promise<void> {
  let above = '';
  const lines = code.split('\n').map((line) => {
    const own = randomUUID();
    const filled = line
      .replace('"uuid":"…"', `"uuid":"${own}"`)
      .replace('"parentUuid":"…"', `"parentUuid":"${above}"`)
      .replace('"id":"…"', `"id":"${randomUUID()}"`)
      .replace('"timestamp":"…"', '"timestamp":"2026-01-02T03:04:05.000Z"');
    above = own;
    return filled;
  });
  const file = join(fixture.home, 'session.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const ran = await fixture.run(['show', 'last', '--store', `jsonl:${file}`]);
  expect(ran).toMatchObject({ code: 0, err: '', out: expect.stringContaining('Build a CLI') });
}

/** Writes a hook to the path in its first line, and runs it. */
async function loadHook({ code }: CodeExample, fixture: CliFixture): Promise<void> {
  const [, path = ''] = /^\/\/ ~\/(\S+)/.exec(code) ?? [];
  mkdirSync(join(fixture.home, path, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(join(fixture.home, path), code, { mode: 0o600 });
  const ran = await fixture.run(['chat', '-p'], 'What is this? -----BEGIN PRIVATE KEY-----');
  expect(ran).toMatchObject({ code: 5, err: expect.stringContaining('There is a private key in it.') });
}

test('every example is run, or has a comment that says why not', () => {
  // The first `ts` block of a README is run by readme.test.ts of its package.
  const found = pages.flatMap(({ page, examples }) =>
    checkExamples(examples, Object.keys(readers), isReadme(page) ? ['ts'] : []),
  );
  expect(found).toEqual([]);
  for (const { page, examples } of pages.filter(({ page }) => isReadme(page) && page !== 'README.md'))
    if (examples.some(({ language }) => language === 'ts'))
      expect(
        workspace.paths.some(
          (path) => path.startsWith(page.replace('README.md', 'src/')) && path.endsWith('/readme.test.ts'),
        ),
      ).toBe(true);
});

test('scripts named in a shell line exist, even if the line is not run', () => {
  const named = pages.flatMap(({ examples }) =>
    examples
      .filter(({ language }) => language === 'sh')
      .flatMap(({ code }) => [...code.matchAll(/npm (?:run ([\w:-]+)|(start|test))(?: -w @coppice\/(\w+))?/g)]),
  );
  expect(named.length).toBeGreaterThan(3);
  for (const [line, script, short, folder] of named) {
    const manifest = workspace.read(folder === undefined ? 'package.json' : `packages/${folder}/package.json`);
    expect(JSON.parse(manifest).scripts, line).toHaveProperty([script ?? short ?? '']);
  }
});

test('an example that is not run is found, and a comment about a missing example is refused', () => {
  const page = [
    '```ts',
    'const a = 1;',
    '```',
    '```ts',
    'a; // 1',
    '```',
    '```py',
    'print(1)',
    '```',
    '```',
    'npm test now',
    '```',
    '<!-- not run: takes a snake -->',
    '```py',
    'print(2)',
    '```',
    '```',
    'a ─ b',
    '```',
  ].join('\n');
  expect(checkExamples(findExamples('p.md', page), ['ts'], ['ts'])).toEqual([
    'p.md:4 is a second example in ts, and only the first is run.',
    'p.md:7 is py, which no test runs.',
    'p.md:10 is code that does not say what it is written in.',
  ]);
  const [shell] = findExamples(
    'p.md',
    '<!-- not run: `rm it`: it would be gone -->\n```sh\nrm it # now\ncat "~/a b" ~/c $X\n```',
  );
  expect(shell).toBeDefined();
  if (shell === undefined) return;
  expect(parseShellLines(shell, { HOME: '/h', X: 'y' })).toMatchObject([{ words: ['cat', '~/a b', '/h/c', 'y'] }]);
  expect(() => parseShellLines({ ...shell, code: 'cat' }, {})).toThrow('p.md:2 excuses `rm it`, which it has not.');
});

test.each(pages.filter((each) => !isReadme(each.page) && run(each, 'ts').length > 0))(
  'the examples of $page print what their comments say',
  async (each) => {
    const claims: (readonly [string, unknown, unknown])[] = [];
    // All examples of a page run as one program, because later ones use results of earlier ones.
    const body = await bodyOf(
      run(each, 'ts')
        .map(({ code }) => code)
        .join('\n'),
    );
    const [before, folder] = [process.cwd(), mkdtempSync(join(tmpdir(), 'coppice-docs-'))];
    onTestFinished(() => {
      process.chdir(before);
      rmSync(folder, { recursive: true });
    });
    process.chdir(folder);
    await new Function('claims', 'packages', `return (async () => {${body}})();`)(claims, packages);
    expect(claims.length).toBeGreaterThan(0);
    for (const [expression, actual, expected] of claims) expect(actual, expression).toEqual(expected);
  },
);

test('every example in TypeScript compiles in a strict program', { tags: ['full'] }, () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const folder = join(root, '.tmp', `examples-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const each of pages) {
    const code = run(each, 'ts').map((example) => example.code);
    // Later blocks continue earlier ones. The last line makes a page without imports a module.
    const file = `${each.page.replaceAll('/', '--').replace(/\.md$/, '')}.ts`;
    if (code.length > 0) writeFileSync(join(folder, file), `${code.join('\n')}\nexport {};\n`);
  }
  // The compiler options of a project that only sets `strict`.
  const compilerOptions = { noUncheckedIndexedAccess: false, noUnusedLocals: false, types: ['node'] };
  const config = { extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

test.each(
  pages.filter((each) => run(each, ...Object.keys(readers).filter((language) => language !== 'ts')).length > 0),
)('the shell lines, settings and files of $page work as written', async (each) => {
  const fixture = makeCliFixture({
    config: instantRepliesConfig,
    env: { COPPICE_MODEL: 'offline/guide', PATH: process.env['PATH'] },
  });
  try {
    for (const example of run(each, ...Object.keys(readers))) await readers[example.language]?.(example, fixture);
  } finally {
    fixture.close();
  }
});
