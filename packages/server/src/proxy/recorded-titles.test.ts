import { run } from '@coppice/core';
import { encodeReply, encodeReplyStream } from '@coppice/engine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';

let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const chat = '/v1/chat/completions';
const model = '[summaries]\nmodel = "openai/gpt-4o-mini"\n';
const tools = [{ type: 'function', function: { name: 'look' } }];
const user = (content: string) => ({ role: 'user', content });

/** Returns a service that also writes titles and counts the requests for them. */
async function opened(config: string, more: { readonly titles?: boolean; readonly title?: string } = {}) {
  const questions: string[] = [];
  const { title = 'Repair of the login', titles: areOn = true } = more;
  const proxied = await openProxyFixture(
    (request, response) => {
      const isTitle = request.body.includes('You name conversations');
      if (isTitle) questions.push(request.body);
      const call = { id: 'c1', name: 'look', parameters: {} };
      const calls = request.body.includes('First look.') && !request.body.includes('"tool"') ? { calls: [call] } : {};
      const reply = isTitle ? { text: title } : 'calls' in calls ? calls : { text: 'Done.' };
      const isStream = request.body.includes('"stream":true');
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(
        isStream ? encodeReplyStream('openai', reply).join('') : JSON.stringify(encodeReply('openai', reply)),
      );
    },
    { config, titles: areOn },
  );
  open = proxied;
  const titles = async () => {
    await proxied.recorder.idle();
    await proxied.listening.server.services.recordedTitles?.idle();
    return (await proxied.trees()).map(({ attributes }) => attributes.autoTitle);
  };
  return { proxied, questions, titles };
}

describe('the title of a recorded session', () => {
  it('[RP41] is written by the configured model, once, from the words of the user and the first reply', async () => {
    const { proxied, questions, titles } = await opened(model);
    const session = { 'session-id': 's1' };
    const reminder = '<system-reminder>The date is Monday.</system-reminder>\n';
    await proxied.post(chat, { model: 'm', tools, messages: [user(`${reminder}see issue 7`)] }, session);
    expect(await titles()).toEqual(['Repair of the login']);
    const history = [user(`${reminder}see issue 7`), { role: 'assistant', content: 'Done.' }, user('And?')];
    await proxied.post(chat, { model: 'm', tools, messages: history }, session);
    expect(await titles()).toEqual(['Repair of the login']);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain('see issue 7');
    expect(questions[0]).not.toContain('Monday');
  });

  it('[RP41] waits for a reply with text, and is the words of the user until then', async () => {
    const { proxied, questions, titles } = await opened(model);
    const session = { 'session-id': 's1' };
    const asked = user('First look.');
    await proxied.post(chat, { model: 'm', tools, messages: [asked] }, session);
    expect(await titles()).toEqual(['First look']);
    expect(questions).toEqual([]);
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
    const looked = [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'oak' },
    ];
    await proxied.post(chat, { model: 'm', tools, messages: [asked, ...looked] }, session);
    expect(await titles()).toEqual(['Repair of the login']);
  });

  it('[RP41] is the words of the user without a configured model, with titles off, and where the user set one', async () => {
    for (const [config, options] of [
      ['', {}],
      [model, { titles: false }],
    ] as const) {
      const { proxied, questions, titles } = await opened(config, options);
      await proxied.post(chat, { model: 'm', messages: [user('see issue 7')] }, { 'session-id': 's1' });
      expect(await titles()).toEqual(['see issue 7']);
      expect(questions).toEqual([]);
      await proxied.close();
      open = null;
    }
  });

  it('[RP41] is not asked for sub-agents and side calls, nor set over one of the user', async () => {
    const { proxied, questions, titles } = await opened(model);
    const { 'session-id': _, ...parent } = { 'session-id': 's1', 'x-coppice-session': 's1' };
    const agent = { 'x-coppice-session': 'a1', 'x-coppice-parent-session': 's1' };
    await proxied.post(chat, { model: 'm', tools, messages: [user('First look.')] }, parent);
    await proxied.post(chat, { model: 'm', tools, messages: [user('Find it.')] }, agent);
    expect((await titles()).toSorted()).toEqual(['Find it', 'First look']);
    const main = (await proxied.trees()).find(({ attributes }) => attributes.autoTitle === 'First look');
    const { store, services } = { store: proxied.server.store, services: proxied.listening.server.services };
    if (main === undefined) throw new Error('There is no session.');
    await run(
      store,
      { type: 'attributes', treeId: main.id, set: { title: 'Mine' } },
      { actor: 'local', now: Date.now, newId: services.newId, kit: services.kit },
    );
    await proxied.post(
      chat,
      { model: 'm', tools, messages: [user('First look.'), { role: 'tool', tool_call_id: 'c1', content: 'x' }] },
      parent,
    );
    expect(await titles()).toContain('First look');
    expect(questions).toEqual([]);
  });
});
