import { isAppError, textMessage, textOf } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import type { TurnEvent } from '../generate/contract.ts';
import { makeErrorEvent } from '../providers/errors.ts';
import { makeTextEvents, makeToolEvents, type ScriptedReply } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture, type TurnFixtureOptions } from '../testing/turn-fixture.ts';
import { createTools } from '../tools/registry.ts';
import { LoomEngine, type LoomOptions } from './loom-engine.ts';
import { type ForestNode, isRootData, type NodeData } from './shapes.ts';

const user = (text: string) => ({ role: 'user', content: text });
const assistant = (text: string) => ({ role: 'assistant', content: text });
const textIn = (node: NodeData | undefined) => (node === undefined ? undefined : textOf(node.message));
const date = { id: 'call-1', name: 'current_date', parameters: {} };

function turn(node: ForestNode | null): NodeData {
  if (node === null || isRootData(node)) throw new Error('A node was expected, not a root or nothing.');
  return node;
}

let fixture: TurnFixture;
let engine: LoomEngine;
afterEach(async () => {
  await engine.close();
  await fixture.close();
});

describe.each(['memory', 'sqlite'] as const)('an engine on %s', (kind) => {
  const open = async (replies: readonly ScriptedReply[], options: TurnFixtureOptions = {}) => {
    fixture = await openTurnFixture(kind, replies, { tools: createTools(), ...options });
    engine = new LoomEngine({ store: fixture.store, generator: fixture.generator });
    return engine.forest.getOrCreateRoot('Be brief.');
  };

  test('[H40] simple: the context is matched below the root by its prefix, and the reply is added below its end', async () => {
    const root = await open([makeTextEvents('Fine'), makeTextEvents('Great')]);
    const context = [user('Hello'), assistant('Hi'), user('How are you?')];
    const { childNodes, next } = await engine.generate(root.id, 'scripted', 'one', context, { max_tokens: 300 });
    expect(next).toBeUndefined();
    expect(childNodes.map(textIn)).toEqual(['Fine']);
    const [reply] = childNodes;
    expect(reply?.metadata.source_info).toMatchObject({
      type: 'model',
      provider: 'scripted',
      model_name: 'one',
      parameters: { max_tokens: 300 },
      finish_reason: 'stop',
      usage: { inputTokens: 10, outputTokens: 1 },
    });
    const { childNodes: again } = await engine.generate(root.id, 'scripted', 'one', context);
    expect(again[0]?.parent_id).toBe(reply?.parent_id);
    expect((await engine.forest.getAllNodeStructures(root.id)).length).toBe(1 + 3 + 2);
    expect(await engine.getMessages(reply?.id ?? '')).toEqual({
      root: { systemPrompt: 'Be brief.' },
      messages: [
        textMessage('user', 'Hello'),
        textMessage('assistant', 'Hi'),
        textMessage('user', 'How are you?'),
        textMessage('assistant', 'Fine'),
      ],
    });
    await engine.close();
    expect(await fixture.store.provenanceOf(root.id)).toMatchObject([{ count: 3 }]);
  });

  test('[H40] null options and tools count as absent', async () => {
    const root = await open([makeTextEvents('Fine')]);
    const { childNodes } = await engine.generate(root.id, 'scripted', 'one', [user('Hello')], null, null);
    expect(childNodes).toHaveLength(1);
    const events: string[] = [];
    for await (const event of engine.stream(root.id, 'scripted', 'one', [user('Hello')], null)) events.push(event.type);
    expect(events.at(-1)).toBe('end');
  });

  test('[H40] a null option counts as absent, and one of the wrong type is refused before anything is stored', async () => {
    const root = await open([makeTextEvents('Fine')]);
    const options = (json: string): LoomOptions => JSON.parse(json);
    const asked = (wanted: LoomOptions) => engine.generate(root.id, 'scripted', 'one', [user('Hello')], wanted);
    for (const json of ['{"seed":"2"}', '{"temperature":"1"}', '{"max_tokens":{}}', '{"n":"2"}', '{"stop":"END"}'])
      await expect(asked(options(json))).rejects.toMatchObject({ code: 'generate/invalid' });
    await expect(asked(options('{"fallbackModel":5}'))).rejects.toMatchObject({ code: 'generate/invalid' });
    const start = { type: 'send', treeId: root.id, messages: [] } as const;
    expect(await fixture.generator.generate(start, JSON.parse('{}')).done).toMatchObject({ code: 'generate/invalid' });
    await expect(asked({ temperature: Number.NaN })).rejects.toMatchObject({ code: 'generate/invalid' });
    await expect(
      engine.generate(root.id, 'scripted', 'one', [user('Hello')], {}, JSON.parse('"current_date"')),
    ).rejects.toMatchObject({ code: 'generate/invalid' });
    expect(await engine.forest.getChildren(root.id)).toEqual([]);
    const none = options('{"n":null,"seed":null,"top_p":null,"max_tokens":null,"stop":null,"signal":null}');
    expect((await asked(none)).childNodes).toHaveLength(1);
    expect(fixture.provider.requests).toHaveLength(1);
    expect(fixture.provider.requests[0]?.topP).toBeUndefined();
    expect(fixture.provider.requests[0]?.seed).toBeUndefined();
  });

  test('[H40] an empty or malformed context and an unknown root are refused, and nothing is stored', async () => {
    const root = await open([makeTextEvents('Never')]);
    const refused = (context: readonly unknown[], id: string = root.id) =>
      engine.generate(id, 'scripted', 'one', context);
    await expect(refused([])).rejects.toMatchObject({ code: 'message/blank' });
    await expect(refused([user('  ')])).rejects.toMatchObject({ code: 'message/blank' });
    await expect(refused([user('Hello'), { role: 'user', content: null }])).rejects.toMatchObject({
      code: 'message/invalid',
      message: expect.stringContaining('messages[1]'),
    });
    await expect(refused([user('Hello')], fixture.context.newId())).rejects.toMatchObject({
      code: 'tree/unknown-node',
    });
    await expect(engine.generate(root.id, 'nobody', 'x', [user('Hello')])).rejects.toMatchObject({
      code: 'provider/unknown',
    });
    expect(await engine.forest.getChildren(root.id)).toEqual([]);
    expect(fixture.provider.requests).toEqual([]);
  });

  test('[H41] n > 1: separate branches below the same end, requested at the same time', async () => {
    const root = await open([(_request, number) => makeTextEvents(`Answer ${number}`)]);
    const { childNodes } = await engine.generate(root.id, 'scripted', 'one', [user('Hello')], { n: 3 });
    expect(new Set(childNodes.map(textIn))).toEqual(new Set(['Answer 0', 'Answer 1', 'Answer 2']));
    expect(new Set(childNodes.map((node) => node.parent_id)).size).toBe(1);
    await expect(
      engine.generate(root.id, 'scripted', 'one', [user('Hello')], { n: 2 }, ['current_date']),
    ).rejects.toMatchObject({ code: 'generate/tools-need-one' });
  });

  test('[H42] tools: the first replies are given at once, and next is the recursion after the results', async () => {
    const root = await open([makeToolEvents(date), makeTextEvents('It is today')]);
    const first = await engine.generate(root.id, 'scripted', 'one', [user('Which day?')], {}, ['current_date']);
    const [calling] = first.childNodes;
    expect(calling?.message.content).toMatchObject([{ type: 'tool-use', name: 'current_date' }]);
    const second = await first.next;
    expect(second?.next).toBeUndefined();
    expect(second?.childNodes.map(textIn)).toEqual(['It is today']);
    const { path } = await engine.forest.getPath({ to: second?.childNodes[0]?.id ?? '' });
    expect(path.map((node) => node.message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(path[2]?.metadata.source_info).toMatchObject({ type: 'tool_result', tool_name: 'current_date' });
  });

  test('[H42] recursion limit: next finally rejects with tool-limit, and an unused promise causes no unhandled rejection', async () => {
    const root = await open([(_request, number) => makeToolEvents({ ...date, id: `call-${number}` })], {
      limits: { rounds: 2 },
    });
    let result = await engine.generate(root.id, 'scripted', 'one', [user('Which day?')], {}, ['current_date']);
    result = (await result.next) ?? result;
    result = (await result.next) ?? result;
    await expect(result.next).rejects.toMatchObject({ code: 'generate/tool-limit' });
    await engine.generate(root.id, 'scripted', 'one', [user('Which day, again?')], {}, ['current_date']);
  });

  test('[H42] errors as tool messages: the model gets the error and continues', async () => {
    const wrong = { ...date, parameters: { time_zone: 'Nowhere/At_All', timeZone: 'Nowhere/At_All' } };
    const root = await open([
      makeToolEvents(wrong, { ...date, id: 'call-2', name: 'unheard_of' }),
      makeTextEvents('Sorry'),
    ]);
    const first = await engine.generate(root.id, 'scripted', 'one', [user('Which day?')], {}, ['current_date']);
    expect((await first.next)?.childNodes.map(textIn)).toEqual(['Sorry']);
    const results = fixture.provider.requests[1]?.messages.slice(-2) ?? [];
    expect(results.map((message) => [message.role, message.tool_call_id])).toEqual([
      ['tool', 'call-1'],
      ['tool', 'call-2'],
    ]);
    expect(results[1] === undefined ? '' : textOf(results[1])).toContain('unheard_of');
  });

  test('[H43] coalescing: neighbours with the same role are sent as one message, in the request only', async () => {
    const root = await open([makeTextEvents('Yes')]);
    const context = [user('Hello '), user('there'), assistant('Hi'), assistant('!'), user('Well?')];
    const { childNodes } = await engine.generate(root.id, 'scripted', 'one', context);
    expect(fixture.provider.requests[0]?.messages).toEqual([
      textMessage('user', 'Hello there'),
      textMessage('assistant', 'Hi\n\n!'),
      textMessage('user', 'Well?'),
    ]);
    expect((await engine.getMessages(childNodes[0]?.id ?? '')).messages).toHaveLength(6);
  });

  test('[H44] an edit moves the bookmark to the node that holds the new text', async () => {
    const root = await open([makeTextEvents('Fine day today')]);
    const { childNodes } = await engine.generate(root.id, 'scripted', 'one', [user('Hello')]);
    const reply = turn(childNodes[0] ?? null);
    const below = turn(await engine.forest.append(reply.id, [user('Is it?')]));
    await engine.forest.setBookmark(reply.id, 'weather');
    const edited = turn(await engine.editNode(reply.id, 'Fine night'));
    expect(edited.id).not.toBe(reply.id);
    expect((await engine.getMessages(edited.id)).messages.map(textOf).join('')).toBe('HelloFine night');
    expect((await engine.getMessages(below.id)).messages.map(textOf).join('')).toBe('HelloFine day todayIs it?');
    expect(await engine.forest.listBookmarks(root.id)).toMatchObject([{ node_id: edited.id, title: 'weather' }]);
  });

  test('[H45] a call without a complete reply rejects, and names the replies with the received part', async () => {
    const root = await open([[{ type: 'text-delta', text: 'Half' }, makeErrorEvent('provider/dropped', 'Gone.')]]);
    const rejected = async (context: readonly unknown[], n: number): Promise<readonly string[]> => {
      try {
        await engine.generate(root.id, 'scripted', 'one', context, { n });
      } catch (error) {
        if (!isAppError(error)) throw error;
        expect(error.code).toBe('provider/dropped');
        const { nodeIds } = error.data;
        return Array.isArray(nodeIds) ? nodeIds : [];
      }
      throw new Error('The call was not rejected.');
    };
    for (const n of [1, 2]) {
      const context = [user('Hello'), assistant('Hi'), user(`Give me ${n}`)];
      const nodeIds = await rejected(context, n);
      const replies = await Promise.all(nodeIds.map(async (id) => turn(await engine.forest.getNode(id))));
      expect(replies.map(textIn)).toEqual(Array<string>(n).fill('Half'));
      const above = replies[0]?.parent_id ?? '';
      expect((await engine.forest.getChildren(above)).map(({ id }) => id)).toEqual(nodeIds);
      expect((await engine.getMessages(above)).messages.map(textOf)).toEqual(['Hello', 'Hi', `Give me ${n}`]);
    }
  });

  test('[H46] the same flow as a stream never throws and ends with one end or error', async () => {
    const root = await open([makeTextEvents('Hello to you')]);
    const read = async (id: string) => {
      const events: TurnEvent[] = [];
      for await (const event of engine.stream(id, 'scripted', 'one', [user('Hello')])) events.push(event);
      return events;
    };
    const events = await read(root.id);
    expect(events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe('Hello to you');
    expect(events.filter((event) => event.type === 'end' || event.type === 'error')).toEqual([events.at(-1)]);
    expect(await read(fixture.context.newId())).toEqual([
      expect.objectContaining({ type: 'error', code: 'tree/unknown-node' }),
    ]);
  });

  test('[H40] generation does not change the active node, except for the first node of a tree', async () => {
    const root = await open([makeTextEvents('Yes')]);
    const before = await engine.generate(root.id, 'scripted', 'one', [user('One')]);
    await engine.generate(root.id, 'scripted', 'one', [user('Two')]);
    const [row] = (await fixture.store.trees({ forest: true })).items;
    expect(row?.activeNodeId).toBe(before.childNodes[0]?.parent_id);
  });
});
