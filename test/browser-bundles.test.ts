/**
 * Bundles the entries that run outside of Node as an app would, without replacements for Node's modules, and runs them
 * in a realm that has only the listed globals.
 */
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { createTree, openTestServer } from '@coppice/server/testing';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';

/**
 * Bundles a module for a browser as one script that stores its exports in `bundle`. A module of Node fails the build.
 */
async function bundleOf(contents: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, '../packages/react'), loader: 'ts' },
    bundle: true,
    format: 'iife',
    globalName: 'bundle',
    platform: 'browser',
    target: 'es2023',
    external: ['react', 'react/jsx-runtime'],
    metafile: true,
    logLevel: 'silent',
    write: false,
  });
  expect(Object.keys(metafile.inputs).filter((path) => /^(?:node:|\(disabled\))/.test(path))).toEqual([]);
  return outputFiles[0]?.text ?? '';
}

/** The globals that every browser, Bun and React Native add to the language: fetch with its classes, and timers. */
const common = {
  ...{ fetch, Request, Response, Headers, FormData, URL, URLSearchParams },
  ...{ TextDecoder, AbortController, ReadableStream, setTimeout, clearTimeout },
};
/** The globals that only browsers add. */
const browser = {
  ...common,
  ...{ TextEncoder, TransformStream, crypto, performance, structuredClone, queueMicrotask, console, atob, btoa },
};

/** Runs a script, then an expression that uses its `bundle`, in a realm with these globals. */
async function runIn(globals: object, script: string, expression: string): Promise<unknown> {
  const realm = createContext({ ...globals });
  runInContext(script, realm);
  // Values of another realm fail `toEqual`, so they are converted to JSON.
  return JSON.parse(await runInContext(`(async () => JSON.stringify(await (${expression})(bundle)))()`, realm));
}

const browserEntries = [
  '@coppice/core',
  '@coppice/content',
  '@coppice/engine/forest',
  '@coppice/engine/message-service',
  '@coppice/engine/sessions',
  '@coppice/client',
  '@coppice/ai-sdk',
  '@coppice/langchain',
];

test.each(browserEntries)('%s loads in a browser without a module of Node', async (entry) => {
  const script = await bundleOf(`export * from '${entry}';`);
  const names = await runIn(browser, script, '(bundle) => Object.keys(bundle).length');
  expect(names).toBeGreaterThan(0);
});

test('[CL11] the client needs no EventSource, no page and nothing of Node: as in React Native', async () => {
  const server = await openTestServer();
  onTestFinished(() => server.close());
  const { id } = await createTree(server, ['One', 'Two']);
  const script = await bundleOf(
    "export { createClient } from '@coppice/client'; export { treeId } from '@coppice/core';",
  );
  const use = `async ({ createClient, treeId }) => {
    const client = createClient({ baseUrl: 'http://localhost', token: given.token, fetch: given.fetch });
    const session = client.openTree(treeId(given.id));
    await session.open();
    const [one] = session.messages;
    await session.actions.edit(one.id, 'Other');
    const reply = await session.actions.send('And now?', { models: ['scripted/one'] });
    const done = () => session.messages.at(-1)?.role === 'assistant' && session.messages.at(-1)?.status === 'success';
    await new Promise((resolve) => (done() ? resolve() : session.store.subscribe(() => done() && resolve())));
    const texts = session.messages.map(({ text }) => text);
    await session.go(one.id);
    const before = session.messages.map(({ text }) => text);
    session.close();
    return [reply.sent, texts, before];
  }`;
  const send = async (request: Request) => server.server.app.request(request);
  const given = { token: server.token, id, fetch: send };
  const [sent, texts, before] = Object(await runIn({ ...common, given }, script, use));
  expect(sent).toBe(true);
  expect(texts).toEqual(['Other', 'And now?', 'Hello there, how are you?']);
  expect(before).toEqual(['One', 'Two']);
});
