import { type JsonObject, nodeId, textMessage } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../providers/clock.ts';
import type { Clock } from '../providers/contract.ts';
import { makeErrorEvent } from '../providers/errors.ts';
import { makeTextEvents, makeToolEvents, type ScriptedReply } from '../testing/scripted.ts';
import {
  collectEvents,
  openTurnFixture,
  type TurnFixture,
  type TurnFixtureOptions,
  waitUntil,
} from '../testing/turn-fixture.ts';
import { hashToolCall } from '../tools/approval.ts';
import { defineTool } from '../tools/define.ts';
import { createTools } from '../tools/registry.ts';
import type { TurnEvent } from './contract.ts';

const call = (id: string, name: string, parameters: JsonObject = {}) => ({ id, name, parameters });

const ran: string[] = [];
let slow: () => boolean = () => true;
const anything: JsonObject = { type: 'object' };
const tools = createTools({
  tools: [
    defineTool({
      name: 'add',
      description: 'Adds two numbers.',
      sideEffects: false,
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
      run: ({ a, b }) => {
        ran.push('add');
        return Number(a) + Number(b);
      },
    }),
    defineTool({
      name: 'slow',
      description: 'Waits until it may go on.',
      sideEffects: false,
      parameters: anything,
      run: async ({ name }) => {
        ran.push(`slow ${name}`);
        await waitUntil(() => slow());
        return `slow ${name}`;
      },
    }),
    defineTool({
      name: 'stuck',
      description: 'Never ends.',
      sideEffects: false,
      timeoutMs: 20,
      parameters: anything,
      run: () => {
        ran.push('stuck');
        return new Promise(() => undefined);
      },
    }),
    defineTool({
      name: 'broken',
      description: 'Always fails.',
      sideEffects: false,
      parameters: anything,
      run: () => {
        throw new Error('The tool broke.');
      },
    }),
    defineTool({
      name: 'delete_all',
      description: 'Changes the world.',
      sideEffects: true,
      parameters: anything,
      run: () => {
        ran.push('delete_all');
        return 'done';
      },
    }),
  ],
});

let fixture: TurnFixture;
afterEach(() => {
  ran.length = 0;
  slow = () => true;
  return fixture.close();
});

describe.each(['memory', 'sqlite'] as const)('tools on %s', (kind) => {
  const open = async (replies: readonly ScriptedReply[], options: TurnFixtureOptions = {}) => {
    fixture = await openTurnFixture(kind, replies, { tools, ...options });
    return fixture;
  };

  test('[H20] a call is run, its result stored as a tool message with its source, and the model continues from it', async () => {
    await open([makeToolEvents(call('c1', 'add', { a: 1, b: 2 })), makeTextEvents('It is 3')]);
    const turn = fixture.send('1 + 2?', { tools: ['add'] });
    const events = await collectEvents(turn);
    expect(await fixture.thread()).toEqual(['user: 1 + 2?', 'assistant: ', 'tool: 3', 'assistant: It is 3']);
    expect(events.map((event) => event.type).filter((type) => type !== 'text-delta')).toEqual([
      'node',
      'node',
      'tool-use',
      'usage',
      'node',
      'tool-start',
      'tool-result',
      'node',
      'node',
      'usage',
      'node',
      'end',
    ]);
    expect(events.find((event) => event.type === 'tool-use')).toMatchObject({
      callId: 'c1',
      name: 'add',
      parameters: { a: 1, b: 2 },
    });
    const [asked, again] = fixture.provider.requests;
    expect(asked?.tools?.map((tool) => tool.name)).toEqual(['add']);
    expect(again?.messages.at(-1)).toEqual({ ...textMessage('tool', '3'), tool_call_id: 'c1' });
    const first = await turn.first;
    const reply = first.replies[0];
    const [result] = await fixture.children(reply?.nodeId ?? nodeId(''));
    expect(result?.meta.source).toMatchObject({ type: 'tool_result', tool_name: 'add' });
    expect((await first.next)?.replies[0]?.message).toEqual(textMessage('assistant', 'It is 3'));
    const acts = new Set((await fixture.store.history(fixture.treeId)).slice(0, -1).map((commit) => commit.actId));
    expect([...acts]).toEqual([turn.actId]);
  });

  test('[H21] calls of one reply run at the same time, and their results are stored in the order of the calls', async () => {
    slow = () => ran.length === 2;
    await open([
      makeToolEvents(call('x', 'slow', { name: 'x' }), call('y', 'add', { a: 1, b: 1 }), call('z', 'broken')),
      makeTextEvents('Done'),
    ]);
    await fixture.send('Go', { tools: ['slow', 'add', 'broken'] }).done;
    const lines = await fixture.thread();
    expect(lines.slice(2, 5)).toEqual(['tool: slow x', 'tool: 2', expect.stringContaining('The tool broke.')]);
    expect(fixture.provider.requests[1]?.messages.slice(-3).map((message) => message.tool_call_id)).toEqual([
      'x',
      'y',
      'z',
    ]);
  });

  test('[H22] a failing call is reported to the model, and the conversation continues', async () => {
    await open([
      [
        ...makeToolEvents(call('a', 'add', { a: 'one' }), call('b', 'unheard_of'), call('c', 'stuck')).slice(0, -2),
        { type: 'tool-use-start', index: 3, id: 'd', name: 'add' },
        { type: 'tool-use-delta', index: 3, json: '{"a": 1, "b"' },
        { type: 'tool-use-end', index: 3, parameters: {}, malformed: 'The arguments are cut off.' },
        { type: 'end', finishReason: 'tool-use', raw: 'tool_calls' },
      ],
      makeTextEvents('I see'),
    ]);
    const events = await collectEvents(fixture.send('Go', { tools: ['add', 'stuck'] }));
    const results = events.flatMap((event) => (event.type === 'tool-result' ? [[event.callId, event.isError]] : []));
    expect(results).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
      ['d', true],
    ]);
    expect(ran).toEqual(['stuck']);
    expect((await fixture.thread()).at(-1)).toBe('assistant: I see');
    expect((await fixture.thread())[5]).toBe(
      'tool: Error (tool/bad-arguments): The arguments of add cannot be read: The arguments are cut off.',
    );
  });

  test('[H23] tools with several replies are refused before anything is written', async () => {
    await open([makeTextEvents('No')]);
    const wanted = { tools: ['add'], n: 2 };
    expect(await fixture.send('Go', wanted).done).toMatchObject({ code: 'generate/tools-need-one', kind: 'invalid' });
    expect(await fixture.send('Go', { tools: ['nothing_such'] }).done).toMatchObject({ code: 'tool/unknown' });
    expect(await fixture.thread()).toEqual([]);
  });

  test('[H24] after 25 rounds calls are answered with an error and the turn ends with tool-limit', async () => {
    await open([(_request, number) => makeToolEvents(call(`c${number}`, 'add', { a: number, b: 1 }))]);
    const end = await fixture.send('For ever', { tools: ['add'] }).done;
    expect(end).toMatchObject({ type: 'error', code: 'generate/tool-limit', kind: 'refused' });
    expect(ran).toHaveLength(25);
    expect(fixture.provider.requests).toHaveLength(26);
    const lines = await fixture.thread();
    expect(lines).toHaveLength(1 + 26 * 2);
    expect(lines.at(-1)).toContain('25 rounds');
  });

  test('[H24] a turn calls tools at most 50 times', async () => {
    const many = (number: number) =>
      Array.from({ length: 20 }, (_, at) => call(`c${number}-${at}`, 'add', { a: 1, b: at }));
    await open([(_request, number) => makeToolEvents(...many(number))]);
    const end = await fixture.send('Much', { tools: ['add'] }).done;
    expect(end).toMatchObject({ code: 'generate/tool-limit' });
    expect(ran).toHaveLength(40);
  });

  test('[H24] a turn that takes too long is ended, and the received text is kept as interrupted', async () => {
    // The test decides when the turn times out, so that a slow machine does not change the result.
    const upTime = 777_777;
    let isUp = false;
    const clock: Clock = {
      ...systemClock,
      wait: (ms, signal) => (ms === upTime ? waitUntil(() => isUp) : systemClock.wait(ms, signal)),
    };
    await open([[{ type: 'text-delta', text: 'Well' }, { type: 'hang' }]], { clock, limits: { turnMs: upTime } });
    const turn = fixture.send('Go', { tools: ['add'] });
    for await (const event of turn.events()) if (event.type === 'text-delta') break;
    isUp = true;
    const end = await turn.done;
    expect(end).toMatchObject({ code: 'generate/tool-limit' });
    expect(await fixture.node(end.nodeIds[0])).toMatchObject({ status: 'interrupted', text: 'Well' });
  });

  test('[H25] a tool with side effects runs only when exactly this call was approved', async () => {
    const asked: unknown[] = [];
    await open([
      makeToolEvents(call('1', 'delete_all', { what: 'this' })),
      makeTextEvents('Refused'),
      makeToolEvents(call('2', 'delete_all', { what: 'that' })),
      makeTextEvents('Allowed'),
    ]);
    await fixture.send('Clean up', { tools: ['delete_all'] }).done;
    expect(ran).toEqual([]);
    const approve = ({ hash, parameters }: { hash: string; parameters: JsonObject }) => {
      asked.push(parameters);
      return { approved: true as const, hash };
    };
    await fixture.send('Clean up then', { tools: ['delete_all'], approve }).done;
    expect(asked).toEqual([{ what: 'that' }]);
    expect(ran).toEqual(['delete_all']);
    expect(hashToolCall('delete_all', { what: 'this' })).not.toBe(hashToolCall('delete_all', { what: 'that' }));
  });

  test('[H29] a call that waits for approval is an event of its turn, and so is each of its states', async () => {
    await open([
      makeToolEvents(call('c1', 'delete_all', { all: true }), call('c2', 'delete_all')),
      makeTextEvents('Done'),
    ]);
    const turn = fixture.send('Go', { tools: ['delete_all'], approve: () => 'ask' });
    const seen: string[] = [];
    for await (const event of turn.events()) {
      if (!('callId' in event)) continue;
      seen.push(`${event.callId} ${event.type}`);
      if (event.type !== 'approval') continue;
      expect(event).toMatchObject({ name: 'delete_all', description: 'Changes the world.' });
      expect(ran).toEqual([]);
      expect(() => turn.decide('c9', true)).toThrow('waits for an approval');
      // The second one first: approvals can be decided in any order.
      if (event.callId !== 'c2') continue;
      expect(turn.decide('c2', false).name).toBe('delete_all');
      expect(turn.decide('c1', true).parameters).toEqual({ all: true });
    }
    expect(seen.filter((each) => each.startsWith('c1'))).toEqual([
      'c1 tool-use',
      'c1 approval',
      'c1 approval-end',
      'c1 tool-start',
      'c1 tool-result',
    ]);
    expect(seen.filter((each) => each.startsWith('c2'))).toEqual([
      'c2 tool-use',
      'c2 approval',
      'c2 approval-end',
      'c2 tool-result',
    ]);
    expect(ran).toEqual(['delete_all']);
    const late = await collectEvents(turn, 0);
    expect(
      late.filter((event) => event.type === 'approval-end').map((event) => 'approved' in event && event.approved),
    ).toEqual([false, true]);
    expect(() => turn.decide('c1', true)).toThrow('waits for an approval');
  });

  test('[H29] a pending approval is declined when the turn is stopped, and nothing runs', async () => {
    await open([makeToolEvents(call('c1', 'delete_all')), makeTextEvents('Done')]);
    const turn = fixture.send('Go', { tools: ['delete_all'], approve: () => 'ask' });
    const events: TurnEvent[] = [];
    for await (const event of turn.events()) {
      events.push(event);
      if (event.type === 'approval') turn.abort();
    }
    expect(events.find((event) => event.type === 'approval-end')).toMatchObject({ callId: 'c1', approved: false });
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'generate/aborted' });
    expect(ran).toEqual([]);
  });

  test('[H26] an abort while tools run stores the finished results and ends the turn', async () => {
    slow = () => false;
    await open([makeToolEvents(call('a', 'add', { a: 1, b: 1 }), call('b', 'slow')), makeTextEvents('Never')]);
    const turn = fixture.send('Go', { tools: ['add', 'slow'] });
    await waitUntil(() => ran.length === 2);
    turn.abort();
    expect(await turn.done).toMatchObject({ code: 'generate/aborted' });
    expect(fixture.provider.requests).toHaveLength(1);
    const lines = await fixture.thread();
    expect(lines[2]).toBe('tool: 2');
    expect(lines).toHaveLength(4);
    slow = () => true;
  });

  test('[H26] a reply that broke off inside a call runs no tool, and the next request repairs the history', async () => {
    await open([
      [
        { type: 'text-delta', text: 'Let me see' },
        ...makeToolEvents(call('a', 'add', { a: 1, b: 1 })).slice(0, 2),
        makeErrorEvent('provider/dropped', 'Gone.'),
      ],
      makeTextEvents('Again'),
    ]);
    const end = await fixture.send('Go', { tools: ['add'] }).done;
    expect(end).toMatchObject({ code: 'provider/dropped' });
    expect(ran).toEqual([]);
    expect((await fixture.node(end.nodeIds[0])).status).toBe('interrupted');
    await fixture.send('And now?', { tools: ['add'] }).done;
    const sent = fixture.provider.requests[1]?.messages ?? [];
    expect(sent.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user']);
    const goOn = fixture.generator.generate(
      { type: 'continue', treeId: fixture.treeId, nodeId: end.nodeIds[0] ?? nodeId('') },
      { models: ['scripted/one'] },
    );
    expect(await goOn.done).toMatchObject({ code: 'generate/not-continuable' });
  });

  test('[H10] a repeated request with tools, in any process, runs no tool twice and gives the same last reply', async () => {
    await open([makeToolEvents(call('c1', 'add', { a: 1, b: 2 })), makeTextEvents('It is 3')]);
    const options = { models: ['scripted/one'], tools: ['add'], requestId: 'sum' };
    const end = await fixture.send('1 + 2?', options).done;
    expect(end.type).toBe('end');
    const beside = await fixture.beside();
    const start = {
      type: 'send',
      treeId: fixture.treeId,
      messages: [{ message: textMessage('user', '1 + 2?') }],
    } as const;
    for (const generator of [fixture.generator, beside.generator])
      expect(await generator.generate(start, options).done).toEqual(end);
    expect(ran).toEqual(['add']);
    expect(fixture.provider.requests).toHaveLength(2);
    expect(await fixture.thread()).toHaveLength(4);
  });
});
