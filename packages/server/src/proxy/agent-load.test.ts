// @module-tag full
import { ask } from '@coppice/core';
import { encodeReply } from '@coppice/engine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';

let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const chat = '/v1/chat/completions';

/** Returns a service that repeats the last message, so that every answer is predictable. */
async function echoing(): Promise<ProxyFixture> {
  open = await openProxyFixture((request, response) => {
    const { messages }: { messages: readonly { content: string }[] } = JSON.parse(request.body);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(encodeReply('openai', { text: `Re: ${messages.at(-1)?.content}` })));
  });
  return open;
}

/** Runs an agent in a loop: each call sends the whole history again. */
async function loop({ post }: ProxyFixture, name: string, calls: number): Promise<void> {
  const messages: { readonly role: string; readonly content: string }[] = [];
  const tools = [{ type: 'function', function: { name: 'look' } }];
  for (let call = 0; call < calls; call++) {
    const content = `${name} ${call}`;
    messages.push({ role: 'user', content });
    await post(chat, { model: 'm', messages, tools }, { 'session-id': name });
    messages.push({ role: 'assistant', content: `Re: ${content}` });
  }
}

describe('agents under load', () => {
  it('[RP25] a loop of 300 calls becomes one chain with every message once', async () => {
    const proxied = await echoing();
    await loop(proxied, 'loop', 300);
    const recorded = await proxied.nodes();
    expect(await proxied.trees()).toHaveLength(1);
    expect(recorded.map(({ depth }) => depth)).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
    expect(recorded.map(({ text }) => text)).toEqual(
      Array.from({ length: 300 }, (_, call) => [`loop ${call}`, `Re: loop ${call}`]).flat(),
    );
    expect(proxied.recorder.state).toMatchObject({ recorded: 300, failed: 0, dropped: 0, waiting: 0, waitingBytes: 0 });
  });

  it('[RP25] twelve loops at once become twelve chains with every message once', async () => {
    const proxied = await echoing();
    const names = Array.from({ length: 12 }, (_, index) => `agent-${index}`);
    await Promise.all(names.map((name) => loop(proxied, name, 10)));
    const trees = await proxied.trees();
    expect(trees.map(({ attributes }) => attributes.autoTitle).toSorted()).toEqual(
      names.map((name) => `${name} 0`).toSorted(),
    );
    for (const { id, rootId } of trees) {
      const nodes = await proxied.server.store.read(id, () => ask('subtree', { of: rootId }));
      expect(nodes).toHaveLength(21);
      expect(new Set(nodes.map(({ text }) => text)).size).toBe(21);
    }
    expect(proxied.recorder.state).toMatchObject({ recorded: 120, failed: 0, dropped: 0 });
  });
});
