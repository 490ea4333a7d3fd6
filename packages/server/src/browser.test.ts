/**
 * Bundles the engine and the server's app for a browser, as the app of a user would, and runs them in a realm that has
 * only globals of browsers.
 */
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

async function bundleOf(contents: string): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    format: 'iife',
    globalName: 'bundle',
    platform: 'browser',
    target: 'es2023',
    minify: true,
    metafile: true,
    logLevel: 'silent',
    write: false,
  });
  const inputs = Object.entries(metafile.inputs);
  expect(
    inputs.filter(([path]) => /^(?:node:|\(disabled\))|\/platform\/node\//.test(path)).map(([path]) => path),
  ).toEqual([]);
  expect(inputs.flatMap(([, { imports }]) => imports.filter(({ external }) => external === true))).toEqual([]);
  return outputFiles[0]?.text ?? '';
}

/** The globals that every browser has in a page and in a worker. */
const browserGlobals = {
  ...{ fetch, Request, Response, Headers, FormData, Blob, File, URL, URLSearchParams },
  ...{
    TextEncoder,
    TextDecoder,
    ReadableStream,
    WritableStream,
    TransformStream,
    ByteLengthQueuingStrategy,
    CompressionStream,
    DecompressionStream,
  },
  ...{ AbortController, AbortSignal, Event, EventTarget, MessageChannel, crypto, performance, structuredClone },
  ...{ setTimeout: timer(setTimeout), setInterval: timer(setInterval), clearTimeout, clearInterval, queueMicrotask },
  ...{ console, atob, btoa, DOMException },
};

/** Makes timers numbers, as in a browser: they have no `unref`. */
function timer(start: (task: () => void, ms?: number) => NodeJS.Timeout): (task: () => void, ms?: number) => number {
  return (task, ms) => start(task, ms)[Symbol.toPrimitive]();
}

async function runInBrowser(script: string, use: string): Promise<unknown> {
  const realm = createContext({ ...browserGlobals });
  runInContext(script, realm);
  return JSON.parse(await runInContext(`(async () => JSON.stringify(await (${use})(bundle)))()`, realm));
}

test('[G220] the main entry of the engine answers a chat in a browser', async () => {
  const script = await bundleOf(`
    export { openEngine, parseConfig, loadConfig, createMcpClient, createMemoryToolPinStore, isPrivateAddress } from '@coppice/engine';
    export { createMemoryStore } from '@coppice/stores/memory';
    export { openTree } from '@coppice/stores/tree';`);
  const use = `async ({ openEngine, parseConfig, loadConfig, createMcpClient, createMemoryToolPinStore, isPrivateAddress, ...stores }) => {
    const store = stores.createMemoryStore();
    const text = '[offline]\\ndelay_ms = 0\\n[ollama]\\ndetect = false\\n';
    const engine = openEngine({ store, config: parseConfig({ name: 'browser', text }, {}) });
    const tree = stores.openTree(store);
    const question = await tree.append('What is a branch?');
    const turn = engine.generator.generate(
      { type: 'reply', treeId: tree.id, parentId: question.id },
      { models: ['offline/guide'] },
    );
    await turn.done;
    const refused = async (work) => work().then(() => null, (error) => error.code + ': ' + error.message);
    const failures = [
      await refused(() => loadConfig()),
      await refused(async () => {
        const config = parseConfig({ name: 'browser', text: '[mcp.servers.files]\\ncommand = ["ls"]\\n' }, {});
        const client = createMcpClient({ config, pins: createMemoryToolPinStore() });
        await client.start();
        throw new Error(JSON.stringify(client.servers()));
      }),
    ];
    const texts = (await tree.messages()).map(({ role, text }) => [role, text.length > 20]);
    await engine.close();
    return { texts, failures, addresses: ['10.1.2.3', '[::1]', 'example.org', '8.8.8.8'].map(isPrivateAddress) };
  }`;
  const { texts, failures, addresses } = Object(await runInBrowser(script, use));
  expect(texts).toEqual([
    ['user', false],
    ['assistant', true],
  ]);
  expect(failures[0]).toBe('command/invalid: A home directory needs Node or Bun; a browser does not have it.');
  expect(failures[1]).toContain('needs Node or Bun');
  expect(addresses).toEqual([true, true, false, false]);
});

test("[A330] the server's app answers HTTP requests in a browser: chats, imports, exports, the page's API", async () => {
  const script = await bundleOf(`
    export { createServer } from '@coppice/server/app';
    export { parseConfig } from '@coppice/engine';
    export { createMemoryStore } from '@coppice/stores/memory';`);
  const use = `async ({ createServer, parseConfig, createMemoryStore }) => {
    const text = '[offline]\\ndelay_ms = 0\\n[ollama]\\ndetect = false\\n';
    const server = createServer({
      store: createMemoryStore(),
      config: parseConfig({ name: 'browser', text }, {}),
      auth: { mode: 'token', token: 'a-token-of-this-page' },
      hosts: ['app'],
    });
    const ask = (method, path, body, headers = {}) =>
      server.fetch(
        new Request('http://app' + path, {
          method,
          headers: { authorization: 'Bearer a-token-of-this-page', 'accept-encoding': 'br, gzip', ...headers },
          body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
        }),
      );
    const json = { 'content-type': 'application/json' };
    const read = async (response) => [response.status, await response.text()];
    const made = await (await ask('POST', '/api/trees', { title: 'In a browser', messages: [] }, json)).json();
    const tree = '/api/trees/' + made.treeId;
    const question = [{ role: 'user', content: 'What is a branch?' }];
    const begun = await ask(
      'POST',
      tree + '/generations',
      { type: 'send', messages: question, models: ['offline/guide'] },
      { ...json, 'if-match': '"' + made.version + '"' },
    );
    const { actId } = await begun.json();
    const [, events] = await read(await ask('GET', '/api/generations/' + actId + '/events'));
    const page = await (await ask('GET', tree + '/page')).json();
    const chats = [{ id: 'one', title: 'Brought along', messages: question }];
    const importing = await ask('POST', '/api/imports?name=chats.json', chats, json);
    const { id } = await importing.json();
    await read(await ask('GET', '/api/imports/' + id + '/events'));
    const imported = await (await ask('GET', '/api/imports/' + id)).json();
    const [, zip] = await read(await ask('GET', '/api/export?format=markdown'));
    const local = { model: 'offline/guide', messages: question };
    const results = {
      begun: begun.status,
      events: ['text-delta', '"type":"end"'].map((name) => events.includes(name)),
      page: page.nodes.map(({ role, text }) => [role, text.length > 20]),
      imported: [importing.status, imported.state, imported.taken],
      zip: [zip.slice(0, 2), zip.length > 300],
      stranger: (await server.fetch(new Request('http://app/api/trees'))).status,
      metrics: (await ask('GET', '/metrics')).status,
      local: (await read(await ask('POST', '/v1/chat/completions', local, json)))[0],
    };
    await server.close();
    return results;
  }`;
  expect(await runInBrowser(script, use)).toEqual({
    begun: 202,
    events: [true, true],
    page: [
      ['user', false],
      ['assistant', true],
    ],
    imported: [202, 'done', { stored: 1, merged: 0 }],
    zip: ['PK', true],
    stranger: 401,
    metrics: 200,
    local: 200,
  });
});
