import { type Block, textMessage } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { createProviders } from '../providers/index.ts';
import { openRawServer, type RawServer } from '../testing/raw-server.ts';
import { makeTextEvents, makeToolEvents } from '../testing/scripted.ts';
import { collectEvents, openTurnFixture, type TurnFixture, type TurnFixtureOptions } from '../testing/turn-fixture.ts';
import { defineTool } from '../tools/define.ts';
import { createTools } from '../tools/registry.ts';
import type { GenerateOptions } from './contract.ts';

let fixture: TurnFixture | null = null;
let server: RawServer | null = null;
afterEach(async () => {
  await fixture?.close();
  await server?.close();
  [fixture, server] = [null, null];
});

const picture = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'aGVsbG8=' } };
const tools = createTools({
  tools: [defineTool({ name: 'look', description: 'Looks.', sideEffects: false, run: () => 'a tree' })],
});

async function noticed(options: TurnFixtureOptions, wanted: Partial<GenerateOptions>, content: readonly Block[] = []) {
  fixture = await openTurnFixture('memory', [makeTextEvents('Yes.')], { tools, ...options });
  const blocks: Block[] = [...textMessage('user', 'What is it?').content, ...content];
  const turn = fixture.generator.generate(
    { type: 'send', treeId: fixture.treeId, messages: [{ message: { role: 'user', content: blocks } }] },
    { models: ['scripted/one'], ...wanted },
  );
  const events = await collectEvents(turn);
  const { replies } = await turn.first;
  const { source } = (await fixture.node(replies[0]?.nodeId)).meta;
  const notices = events.flatMap((event) => (event.type === 'notice' ? [{ code: event.code, data: event.data }] : []));
  return { events, notices, source };
}

describe('parameters that are changed before sending', () => {
  test('[H28] a parameter out of the provider’s range is reported, and the source has the value that was sent', async () => {
    const { events, notices, source } = await noticed(
      { provider: { parameters: { temperature: { min: 0, max: 1 } } } },
      { temperature: 1.8, topP: 0.5 },
    );
    expect(notices).toEqual([
      { code: 'notice/parameter-changed', data: { model: 'scripted/one', name: 'temperature', asked: 1.8, sent: 1 } },
      { code: 'notice/parameter-changed', data: { model: 'scripted/one', name: 'topP', asked: 0.5, sent: null } },
    ]);
    expect(source).toMatchObject({ parameters: { temperature: 1 }, notices });
    expect(source?.parameters).not.toHaveProperty('top_p');
    const types = events.map(({ type }) => type);
    expect(types.indexOf('notice')).toBeLessThan(types.indexOf('text-delta'));
    expect(events.find((event) => event.type === 'notice')).toMatchObject({
      message: 'scripted/one does not take temperature 1.8: 1 was sent.',
    });
  });

  test('[H28] unsupported tools and pictures are reported, each kind once with its number', async () => {
    const config = '[models."scripted/one"]\nwindow = 100000\ntools = false\nimages = false';
    const { notices, source } = await noticed({ config }, { tools: ['look'] }, [picture, picture]);
    expect(notices).toEqual([
      { code: 'notice/parameter-changed', data: { model: 'scripted/one', name: 'tools', asked: ['look'], sent: null } },
      {
        code: 'notice/block-changed',
        data: { model: 'scripted/one', blockType: 'image', role: 'user', count: 2 },
      },
    ]);
    expect(source).not.toHaveProperty('tools');
  });

  test('[H28] a reply that must be shorter than requested is reported', async () => {
    const config = '[models."scripted/one"]\nwindow = 100000\nmax_output = 1000';
    const { notices, source } = await noticed({ config }, { maxTokens: 5_000 });
    expect(notices).toMatchObject([{ data: { name: 'maxTokens', asked: 5_000, sent: 1_000 } }]);
    expect(source).toMatchObject({ parameters: { max_tokens: 1_000 } });
  });

  test('[H28] a turn reports a change once, however many tool rounds it has, and the source of each reply has it', async () => {
    fixture = await openTurnFixture(
      'memory',
      [
        makeToolEvents({ id: 'a', name: 'look', parameters: {} }),
        makeToolEvents({ id: 'b', name: 'look', parameters: {} }),
        makeTextEvents('Yes.'),
      ],
      { tools, provider: { parameters: {} } },
    );
    const turn = fixture.send('Look', { tools: ['look'], temperature: 0.3 });
    const events = await collectEvents(turn);
    expect(events.filter(({ type }) => type === 'notice')).toHaveLength(1);
    const end = await turn.done;
    expect((await fixture.node(end.nodeIds[0])).meta.source).toMatchObject({
      notices: [{ data: { name: 'temperature' } }],
    });
  });

  test('[H28] nothing is reported if nothing was changed', async () => {
    const { notices, source } = await noticed({}, { temperature: 0.4, topP: 0.9, seed: 7 });
    expect(notices).toEqual([]);
    expect(source).not.toHaveProperty('notices');
    expect(source).toMatchObject({ parameters: { temperature: 0.4, top_p: 0.9, seed: 7 } });
  });

  test('[H28] parameters that Anthropic does not accept together are reported as they are sent', async () => {
    server = await openRawServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const said = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Yes.' } };
      const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
      response.end([said, end, { type: 'message_stop' }].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
    const config = `[providers.anthropic]\napi_key = "k-0123456789"\nbase_url = "${server.url}"`;
    const both = await noticed({ config }, { models: ['anthropic/claude-sonnet-4-5'], temperature: 0.5, topP: 0.5 });
    expect(both.notices).toMatchObject([{ data: { name: 'topP', asked: 0.5, sent: null } }]);
    expect(both.source).toMatchObject({ parameters: { temperature: 0.5 } });
    expect(JSON.parse(server.requests[0]?.body ?? '{}')).not.toHaveProperty('top_p');
    await fixture?.close();
    const thinking = { effort: 'high' } as const;
    const thinks = await noticed({ config }, { models: ['anthropic/claude-sonnet-4-5'], temperature: 0.5, thinking });
    expect(thinks.notices).toMatchObject([{ data: { name: 'temperature', asked: 0.5, sent: null } }]);
    expect(thinks.source?.parameters).not.toHaveProperty('temperature');
  });
});

test('[G95] notices go to the owner of the providers as well as to the caller', async () => {
  const received: string[] = [];
  const config = parseConfig(null, {});
  const providers = createProviders({ config, onNotice: (notice, id) => received.push(`${id} ${notice.type}`) });
  const own: string[] = [];
  const events = providers
    .model('offline/guide')
    .stream({ messages: [], topP: 0.5 }, { paceMs: 0, onNotice: (notice) => own.push(notice.type) });
  for await (const _event of events);
  expect(own.length).toBe(received.length);
});
