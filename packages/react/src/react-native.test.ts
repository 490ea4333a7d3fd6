// @module-tag full
/**
 * Runs the client as an app of React Native would get it: bundled under Metro's conditions, in an environment that lacks
 * what Hermes lacks. Chromium has a real `XMLHttpRequest`, which React Native has too.
 */
import { createContext, runInContext } from 'node:vm';
import { createTree, openTestServer } from '@coppice/server/testing';
import { connectBrowser } from '@coppice/web/testing/browser';
import { build } from 'esbuild';
import { expect, inject, onTestFinished, test } from 'vitest';

/** Bundles a module as Metro resolves it. */
async function bundleOf(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    format: 'iife',
    globalName: 'bundle',
    platform: 'neutral',
    conditions: ['react-native', 'require'],
    mainFields: ['react-native', 'browser', 'main'],
    // Metro's compiler rewrites private fields and static blocks, which Hermes does not know.
    target: 'es2020',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

test.each([
  ['Request', 'This environment has no Request.'],
  ['fetch', 'This environment has no fetch.'],
  ['URLSearchParams', 'This environment has no URLSearchParams.'],
])('[CL15] a client is refused where %s is missing, by its name', async (name, message) => {
  const script = await bundleOf("export { createClient } from '@coppice/client';");
  const globals = { fetch, Request, Response, Headers, URLSearchParams, AbortController, setTimeout, clearTimeout };
  const realm = createContext({ ...globals, [name]: undefined });
  runInContext(script, realm);
  const use = `(() => {
    try { bundle.createClient({ baseUrl: 'http://localhost' }); return null; }
    catch (error) { return JSON.stringify([error.code, error.message, error.offline, error.data.missing]); }
  })()`;
  const [code, said, offline, missing] = JSON.parse(runInContext(use, realm));
  expect([code, offline, missing]).toEqual(['client/missing-global', false, [name]]);
  expect(said).toContain(message);
  const own = name === 'fetch' ? 'fetch: () => Promise.reject(new Error())' : `${name}: null`;
  const given = `bundle.createClient({ baseUrl: 'http://localhost', ${own} }).hasWaitingWrites()`;
  if (name === 'fetch') expect(runInContext(given, realm)).toBe(false);
});

/** What Hermes lacks, or has only in part. */
const lacking = [
  'ReadableStream',
  'TransformStream',
  'TextDecoderStream',
  'TextDecoder',
  'EventSource',
  'structuredClone',
];

test('[CL16] feeds and replies arrive without streams, as in React Native', { tags: ['browser'] }, async () => {
  const server = await openTestServer();
  onTestFinished(() => server.close());
  const { id } = await createTree(server, ['One', 'Two']);
  const { url } = await server.listen();
  const script = await bundleOf(
    "export { createClient } from '@coppice/client'; export { treeId } from '@coppice/core';",
  );
  const browser = await connectBrowser(inject('browserBroker'));
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.route(`${url}/empty`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(`${url}/empty`);
  await page.evaluate(`for (const name of ${JSON.stringify(lacking)}) delete globalThis[name];
    delete Response.prototype.body;
    Object.defineProperty(globalThis, 'crypto', { value: undefined });`);
  await page.evaluate(`${script}; globalThis.bundle = bundle;`);
  const connected = await page.evaluate(`(async () => {
    const { createClient, treeId } = bundle;
    const client = createClient({ baseUrl: ${JSON.stringify(url)}, token: ${JSON.stringify(server.token)} });
    const session = client.openTree(treeId(${JSON.stringify(id)}));
    await session.open();
    globalThis.session = session;
    const until = (test) =>
      test() ? Promise.resolve() : new Promise((resolve) => session.store.subscribe(() => test() && resolve()));
    globalThis.until = until;
    await until(() => session.store.getState().connected);
    return session.messages.map(({ text }) => text);
  })()`);
  expect(connected).toEqual(['One', 'Two']);
  const reply = await page.evaluate(`(async () => {
    const { sent } = await session.actions.send('And now?', { models: ['scripted/one'] });
    await until(() => session.messages.at(-1)?.role === 'assistant' && session.messages.at(-1)?.status === 'success');
    return [sent, session.messages.map(({ text }) => text)];
  })()`);
  expect(reply).toEqual([true, ['One', 'Two', 'And now?', 'Hello there, how are you?']]);
  // The feed never ends, so this message can only arrive while its response is incomplete.
  const { version } = (await server.ask('GET', `/api/trees/${id}`)).body;
  const added = { messages: [{ role: 'user', content: 'From elsewhere' }] };
  expect((await server.ask('POST', `/api/trees/${id}/messages`, { version, body: added })).status).toBe(200);
  const last = await page.evaluate(`(async () => {
    await until(() => session.messages.at(-1)?.text === 'From elsewhere');
    session.close();
    return session.messages.length;
  })()`);
  expect(last).toBe(5);
});

test('[CL16] the hooks of React load without what Hermes lacks', async () => {
  const script = await bundleOf("export * from '@coppice/react/hooks';");
  const realm = createContext({ setTimeout, clearTimeout, console });
  runInContext(script, realm);
  expect(runInContext('typeof bundle.useTree', realm)).toBe('function');
});
