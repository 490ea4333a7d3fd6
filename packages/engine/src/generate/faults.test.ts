/** Runs turns against a provider whose server misbehaves, over the network. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type FakeFault,
  type FakeProvider,
  openFakeProvider,
  type FakeResponse as WireTurn,
} from '../testing/fake-provider.ts';
import { collectEvents, openTurnFixture, type TurnFixture, waitUntil } from '../testing/turn-fixture.ts';

let fake: FakeProvider;
let fixture: TurnFixture;

// Only the limit under test is short, because other short limits could be exceeded on a busy machine.
const longLimits = { firstByteMs: 20_000, idleMs: 20_000, firstWaitMs: 1, retries: 2 };

async function open(turns: readonly WireTurn[]): Promise<void> {
  fake = await openFakeProvider(turns);
  fixture = await openTurnFixture('sqlite', [], {
    config: `[providers.fake]\nkind = "openai-compatible"\nbase_url = "${fake.url}/v1"\n`,
    httpLimits: {
      ...longLimits,
      ...(turns.includes('hang') ? { firstByteMs: 150 } : {}),
      ...(turns.includes('hang-after-3') ? { idleMs: 800 } : {}),
    },
  });
}

const send = (text: string) => fixture.send(text, { models: ['fake/any'] });

afterEach(async () => {
  await fixture.close();
  await fake.close();
});

test('[H136] a retry reports why, when and how often, before the reply continues', async () => {
  await open(['429', '500']);
  const turn = send('Hello');
  const retries = (await collectEvents(turn)).filter((event) => event.type === 'retry');
  expect(retries).toMatchObject([
    { code: 'provider/rate-limited', attempt: 1, retries: 2 },
    { code: 'provider/failed', attempt: 2, retries: 2 },
  ]);
  expect(retries.every((event) => event.waitMs >= 0 && event.message !== '')).toBe(true);
  expect((await turn.done).type).toBe('end');
});

describe('[H50] a server that', () => {
  test.each<[string, FakeFault, string, string]>([
    ['F16 hangs in the middle, sending pings alone', 'hang-after-3', 'interrupted', 'provider/timeout'],
    ['F17 drops the stream', 'drop', 'interrupted', 'provider/dropped'],
    ['F17 ends with an error event', 'error-event', 'interrupted', 'provider/'],
  ])('%s leaves the received text as interrupted, with the error beside it', async (_name, fault, status, code) => {
    await open([fault]);
    const end = await send('Hello').done;
    expect(end).toMatchObject({ type: 'error', code: expect.stringContaining(code) });
    const node = await fixture.node(end.nodeIds[0]);
    expect(node.status).toBe(status);
    expect('One two three four five.'.startsWith(node.text)).toBe(true);
    expect(node.text).not.toBe('');
    expect(node.meta.error).toMatchObject({ code: expect.stringContaining(code) });
    expect(await fixture.store.runs.list()).toEqual([]);
    const again = fixture.generator.generate(
      { type: 'regenerate', treeId: fixture.treeId, nodeId: node.id },
      { models: ['fake/any'] },
    );
    expect((await again.done).type).toBe('end');
    expect(await fixture.thread()).toEqual(['user: Hello', 'assistant: One two three four five.']);
  });

  test.each<[string, FakeFault, string]>([
    ['F16 hangs before its headers', 'hang', 'provider/timeout'],
    ['F18 says 429 again and again', '429', 'provider/rate-limited'],
    ['F18 says 500 again and again', '500', 'provider/failed'],
    ['F18 is overloaded', '529', 'provider/overloaded'],
    ['F19 sends a web page', 'html', 'provider/bad-response'],
  ])('%s leaves an error without text', async (_name, fault, code) => {
    await open([fault, fault, fault]);
    const end = await send('Hello').done;
    expect(end).toMatchObject({ type: 'error', code });
    const node = await fixture.node(end.nodeIds[0]);
    expect(node).toMatchObject({ status: 'error', text: '' });
    expect(await fixture.thread()).toEqual(['user: Hello', 'assistant: ']);
  });

  test('F18 responds 429 twice and then succeeds gives a normal reply', async () => {
    await open(['429', '429']);
    expect((await send('Hello').done).type).toBe('end');
    expect(await fixture.thread()).toEqual(['user: Hello', 'assistant: One two three four five.']);
  });
});

describe('[H51] F23', () => {
  beforeEach(() => open(['hang-after-3']));

  test('an abort closes the connection and keeps the received text', async () => {
    const turn = send('Hello');
    for await (const event of turn.events()) if (event.type === 'text-delta') break;
    turn.abort();
    const end = await turn.done;
    expect(end).toMatchObject({ code: 'generate/aborted' });
    expect((await fixture.node(end.nodeIds[0])).status).toBe('aborted');
    await waitUntil(() => fake.brokenOff === 1);
  });
});
