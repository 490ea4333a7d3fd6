import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  approveAll,
  makeMcpClient,
  makeMcpConfig,
  referenceServerCommand,
  resultTextOf,
  serverStateOf,
  waitForServerStatus,
} from '../testing/mcp.ts';
import { makeTextEvents, makeToolEvents } from '../testing/scripted.ts';
import { collectEvents, openTurnFixture, type TurnFixture, waitUntil } from '../testing/turn-fixture.ts';
import type { McpClient } from './index.ts';

// Each server is started once for the whole file.
const place = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-mcp-')));
let client: McpClient;
beforeAll(async () => {
  client = makeMcpClient(
    makeMcpConfig({
      everything: referenceServerCommand('everything'),
      files: referenceServerCommand('filesystem', place),
    }),
  );
  await client.start();
});
afterAll(async () => {
  await client.close();
  rmSync(place, { recursive: true });
});

function call(name: string, parameters = {}, signal?: AbortSignal) {
  return client.tools.call({ id: 'c1', name, parameters }, { approve: approveAll, signal });
}

describe('the reference server "everything" over stdio', () => {
  test('[M23] is ready, and all its tools can be used', () => {
    const { status, tools, problems, server } = serverStateOf(client, 'everything');
    expect([status, problems, server?.name]).toEqual(['ready', [], 'mcp-servers/everything']);
    expect(tools.length).toBeGreaterThan(10);
    expect(tools.filter((tool) => tool.status !== 'ready')).toEqual([]);
  });

  test('[M23] returns text, pictures, structured data, resources and links', async () => {
    expect(resultTextOf(await call('everything__echo', { message: 'hello' }))).toBe('Echo: hello');
    expect(resultTextOf(await call('everything__get-sum', { a: 2, b: 3 }))).toContain('5');
    const picture = await call('everything__get-tiny-image');
    expect(picture.message.content.map((block) => block.type)).toEqual(['text', 'image', 'text']);
    const structured = await call('everything__get-structured-content', { location: 'Chicago' });
    expect(JSON.parse(resultTextOf(structured))).toHaveProperty('temperature');
    const resource = await call('everything__get-resource-reference', { resourceType: 'Blob', resourceId: 1 });
    expect(resource.message.content.map((block) => block.type)).toContain('file');
    expect(resultTextOf(await call('everything__get-resource-links', { count: 2 }))).toContain('[resource: ');
  });

  test('[M23] gets only arguments that fit its schema', async () => {
    expect((await call('everything__get-sum', { a: 'two' })).error).toBe('tool/bad-arguments');
  });

  test('[M23] stops a call on request', async () => {
    const control = new AbortController();
    const long = call('everything__trigger-long-running-operation', { duration: 600, steps: 600 }, control.signal);
    await call('everything__echo', { message: 'meanwhile' });
    control.abort();
    expect((await long).error).toBe('tool/aborted');
  });

  test('[M13] killed in the middle of a call is reported as unavailable, restarts, and works', async () => {
    const env = JSON.parse(resultTextOf(await call('everything__get-env')));
    expect(env).not.toHaveProperty('VITEST');
    const long = call('everything__trigger-long-running-operation', { duration: 600, steps: 600 });
    await call('everything__echo', { message: 'it runs' });
    process.kill(pidOf('server-everything/dist/index.js'), 'SIGKILL');
    const lost = await long;
    expect(lost.error).toBe('tool/unavailable');
    expect(resultTextOf(lost)).toContain('SIGKILL');
    await waitForServerStatus(client, 'everything', 'ready');
    expect(resultTextOf(await call('everything__echo', { message: 'back' }))).toBe('Echo: back');
  });
});

/** Returns the id of the child of this process that runs a program. */
function pidOf(program: string): number {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const mine = lines
    .map((line) => line.trim().split(/\s+/))
    .find((parts) => Number(parts[1]) === process.pid && parts.join(' ').includes(program));
  return Number(mine?.[0]);
}

describe('the reference server "filesystem" over stdio', () => {
  test('[M23] reads and writes if exactly that call was approved', async () => {
    writeFileSync(join(place, 'a.txt'), 'What is there.');
    const path = join(place, 'a.txt');
    const reading = { id: 'c1', name: 'files__read_text_file', parameters: { path } };
    expect((await client.tools.call(reading)).error).toBe('tool/not-approved');
    const read = await client.tools.call(reading, { approve: approveAll });
    expect(resultTextOf(read)).toContain('What is there.');
    const writing = { id: 'c2', name: 'files__write_file', parameters: { path, content: 'Something else.' } };
    expect((await client.tools.call(writing)).error).toBe('tool/not-approved');
    expect(readFileSync(path, 'utf8')).toBe('What is there.');
    expect((await client.tools.call(writing, { approve: approveAll })).error).toBeNull();
    expect(readFileSync(path, 'utf8')).toBe('Something else.');
    const outside = await call('files__read_text_file', { path: '/etc/passwd' });
    expect([outside.error, resultTextOf(outside).includes('Access denied')]).toEqual(['tool/failed', true]);
  });
});

describe('a turn', () => {
  let fixture: TurnFixture;
  afterEach(() => fixture.close());

  test('[M21] calls tools of servers: results are in the tree with their origin, pictures too, and the model continues', async () => {
    const parameters = { a: 19, b: 23 };
    fixture = await openTurnFixture(
      'sqlite',
      [
        makeToolEvents(
          { id: 'c1', name: 'everything__get-sum', parameters },
          { id: 'c2', name: 'everything__get-tiny-image', parameters: {} },
        ),
        makeTextEvents('It is 42.'),
      ],
      { tools: client.tools },
    );
    const turn = fixture.send('19 + 23?', {
      tools: ['everything__get-sum', 'everything__get-tiny-image'],
      approve: approveAll,
    });
    const events = await collectEvents(turn);
    expect(events.at(-1)?.type).toBe('end');
    const lines = await fixture.thread();
    expect([lines[0], lines[2], lines.at(-1)]).toEqual([
      'user: 19 + 23?',
      'tool: The sum of 19 and 23 is 42.',
      'assistant: It is 42.',
    ]);
    const [reply] = (await turn.first).replies;
    const [sum] = await fixture.children(reply?.nodeId ?? fixture.rootId);
    expect(sum?.meta.source).toMatchObject({
      type: 'tool_result',
      tool_name: 'everything__get-sum',
      origin: { type: 'mcp', server: 'everything', tool: 'get-sum' },
    });
    const [picture] = await fixture.children(sum?.id ?? fixture.rootId);
    expect(picture?.message?.content.map((block) => block.type)).toEqual(['text', 'image', 'text']);
    expect(fixture.provider.requests[0]?.tools?.[0]).toMatchObject({ name: 'everything__get-sum' });
    expect(fixture.provider.requests[1]?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
    ]);
  });

  test('[M21] with side effects asks the caller of the turn, and continues without the declined calls', async () => {
    const path = join(place, 'turn.txt');
    const write = (id: string, content: string) =>
      makeToolEvents({ id, name: 'files__write_file', parameters: { path, content } });
    fixture = await openTurnFixture(
      'sqlite',
      [write('c1', 'no'), makeTextEvents('I may not.'), write('c2', 'yes'), makeTextEvents('Written.')],
      { tools: client.tools },
    );
    await fixture.send('Write', { tools: ['files__write_file'] }).done;
    expect((await fixture.thread()).at(-1)).toBe('assistant: I may not.');
    await fixture.send('Now you may', { tools: ['files__write_file'], approve: approveAll }).done;
    await waitUntil(async () => (await fixture.thread()).at(-1) === 'assistant: Written.');
    expect(readFileSync(path, 'utf8')).toBe('yes');
  });
});
