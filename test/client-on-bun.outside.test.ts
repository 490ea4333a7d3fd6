/** Runs the packed client on Bun against a server on Node. Bun comes from the npm registry. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTree, openTestServer } from '@coppice/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { packAll } from '../scripts/pack.ts';
import { workspaceRoot } from './checks/workspace.ts';

const program = `
import { createClient } from '@coppice/client';
import { treeId } from '@coppice/core';
import { createMemoryStore } from '@coppice/stores/memory';
import { openTree } from '@coppice/stores/tree';
const [url, token, id] = process.argv.slice(2);
const session = createClient({ baseUrl: url, token }).openTree(treeId(id));
await session.open();
const [one] = session.messages;
await session.actions.edit(one.id, 'Other');
await session.actions.send('And now?', { models: ['scripted/one'] });
const done = () => session.messages.at(-1)?.role === 'assistant' && session.messages.at(-1)?.status === 'success';
await new Promise((resolve) => (done() ? resolve() : session.store.subscribe(() => done() && resolve())));
const texts = session.messages.map(({ text }) => text);
session.close();
const tree = openTree(createMemoryStore());
await tree.append(['Hello', { role: 'assistant', content: 'Hi.' }]);
const kept = (await tree.messages()).map(({ text }) => text);
console.log(JSON.stringify({ runtime: typeof Bun, texts, kept }));
process.exit(0);
`;

test('[CL11] the client and openTree work on Bun', { timeout: 600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bun-'));
  mkdirSync(join(workspaceRoot, '.tmp'), { recursive: true });
  const staged = mkdtempSync(join(workspaceRoot, '.tmp', 'bun-'));
  onTestFinished(() => {
    for (const each of [folder, staged]) rmSync(each, { recursive: true, force: true });
  });
  const tarballs = packAll(staged, ['core', 'content', 'stores', 'client']);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const system = `${process.platform}-${process.arch}`.replace('win32', 'windows');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0', '--prefix', folder];
  const wanted = [...tarballs.values(), `bun@npm:@oven/bun-${system}`];
  execFileSync('npm', ['install', ...quiet, ...wanted], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const server = await openTestServer();
  onTestFinished(() => server.close());
  const { id } = await createTree(server, ['One', 'Two']);
  const { url } = await server.listen();
  writeFileSync(join(folder, 'app.mjs'), program);
  const bun = join(folder, 'node_modules/bun/bin', process.platform === 'win32' ? 'bun.exe' : 'bun');
  const said = await new Promise<string>((resolve, reject) => {
    // Asynchronous, because the server runs in this process.
    execFile(bun, ['app.mjs', url, server.token, id], { cwd: folder }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
  expect(JSON.parse(said)).toEqual({
    runtime: 'object',
    texts: ['Other', 'And now?', 'Hello there, how are you?'],
    kept: ['Hello', 'Hi.'],
  });
});
