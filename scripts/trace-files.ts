// npx tsx scripts/trace-files.ts: lists the source files that run for one reply and for one recorded call, measured by
// V8 coverage. The first round loads and opens everything, and the second one is traced.
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openRawServer } from '@coppice/engine/testing';
import { createTree, openTestServer, testToken } from '@coppice/server/testing';
import { isPublishedSource } from '../test/checks/names.ts';
import { repositoryRoot } from './tools.ts';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Returns the source files with a function that ran since the last call. */
async function filesPassed(): Promise<readonly string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = result.filter(({ url, functions }) => {
    const ran = functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0);
    return url.startsWith('file:') && ran;
  });
  const paths = files.map(({ url }) => relative(repositoryRoot, fileURLToPath(url.replace(/\?.*$/, ''))));
  return [...new Set(paths.filter(isPublishedSource))].sort();
}

const reply = {
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
};
const upstream = await openRawServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(reply));
});
const server = await openTestServer({ store: 'sqlite', config: `[proxy]\nopenai = "${upstream.url}/v1"\n` });
const { url, server: running } = await server.listen();
const tree = await createTree(server, ['Hello']);

async function post(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${testToken}` };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
}

async function generate(): Promise<void> {
  const { body } = await server.ask('GET', `/api/trees/${tree.id}`);
  await filesPassed();
  await post(`/api/trees/${tree.id}/generations`, {
    type: 'send',
    expectedVersion: body.version,
    messages: [{ role: 'user', content: 'Go on.' }],
    models: ['scripted/one'],
  });
  // Waits without requests, so that only the reply is traced; a server's repeated tasks run every five seconds.
  while (running.services.turns.running > 0) await setImmediate();
}

async function record(): Promise<void> {
  await post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'Is it recorded?' }] });
  await running.services.recorder.idle();
}

for (const [name, act] of [
  ['one reply', generate],
  ['one recorded call', record],
] as const) {
  await act();
  await filesPassed();
  await act();
  const files = await filesPassed();
  console.log(`${name}: ${files.length} files`);
  for (const file of files) console.log(`  ${file}`);
}
process.exit(0);
