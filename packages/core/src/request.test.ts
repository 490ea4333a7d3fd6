import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  buildMissingResultMessage,
  buildRequestMessages,
  buildStrayResultMessage,
  contextOf,
  contextTexts,
  convertSystemToUserMessage,
  type RequestCapabilities,
  type RequestMessages,
} from './context.ts';
import { isBlank, isToolUse, type Message, textMessage, textOf } from './message.ts';
import type { Node } from './node.ts';
import { arbitraryPathWithMarkers } from './testing/arbitrary-paths.ts';
import {
  buildPath,
  buildPathFrom,
  compactionLink,
  countingKit,
  markerLink,
  messageLink,
  textLink,
  toolCallLink,
  toolResultLink,
  toolUseBlock,
} from './testing/chain.ts';

function request(
  path: readonly Node[],
  systemPrompt?: string,
  capabilities: RequestCapabilities = { systemInPlace: true },
): RequestMessages {
  return buildRequestMessages(contextOf(path, { systemPrompt, kit: countingKit }), capabilities);
}

function stored(path: readonly Node[], ...ids: readonly string[]): (Message | null | undefined)[] {
  return ids.map((id) => path.find((node) => node.id === id)?.message);
}

function missing(id: string): Message {
  return buildMissingResultMessage(toolUseBlock(id));
}

test('[X2, X11] messages are sent in path order as they are stored, and the prompt separately', () => {
  const path = buildPath(
    textLink('u', 'user', 'hi'),
    toolCallLink('a', 'k'),
    toolResultLink('t', 'k', 'found'),
    textLink('b', 'assistant', 'so'),
  );
  const sent = request(path, 'Be brief.');
  expect(sent).toEqual({
    systemPrompt: 'Be brief.',
    messages: stored(path, 'u', 'a', 't', 'b'),
    continues: new Set(),
    flags: [],
  });
  for (const [index, each] of sent.messages.entries()) expect(each).toBe(path[index]?.message);
  expect(request(path).systemPrompt).toBeNull();
});

test('[X7] flags of the context are passed on', () => {
  const path = buildPath(textLink('u', 'user', 'hi'), compactionLink('c', 's'));
  expect(request(path).flags).toEqual([{ code: 'nothing-kept', nodeId: 'c' }]);
});

describe('system messages on a path', () => {
  const path = buildPath(
    textLink('u', 'user', 'hi'),
    textLink('s', 'system', 'rule'),
    markerLink('i', 'injected', 'note'),
  );

  test('[X12] are sent unchanged where the provider accepts them', () => {
    expect(request(path)).toMatchObject({ messages: stored(path, 'u', 's', 'i'), flags: [] });
  });

  test('[X12] are sent as wrapped user messages where the provider does not accept them', () => {
    const sent = request(path, 'prompt', { systemInPlace: false });
    expect(sent).toEqual({
      systemPrompt: 'prompt',
      continues: new Set(),
      messages: [
        textMessage('user', 'hi'),
        convertSystemToUserMessage(textMessage('system', 'rule')),
        convertSystemToUserMessage(textMessage('system', 'note')),
      ],
      flags: [
        { code: 'system-as-user', nodeId: 's' },
        { code: 'system-as-user', nodeId: 'i' },
      ],
    });
    expect(sent.messages[1]).toEqual(
      textMessage('user', `${contextTexts.system.before}rule${contextTexts.system.after}`),
    );
  });

  test('[X12] keep blocks that are not text inside the wrapper', () => {
    const image = { type: 'image' };
    const text = { type: 'text', text: 'see' };
    const shown = convertSystemToUserMessage({ role: 'system', content: [image, text, text, image] });
    expect(shown.content).toEqual([
      { type: 'text', text: contextTexts.system.before },
      image,
      { type: 'text', text: 'seesee' },
      image,
      { type: 'text', text: contextTexts.system.after },
    ]);
  });
});

describe('tool calls and results', () => {
  test('[X13] a call without a result is answered with an error, in call order', () => {
    const path = buildPath(
      toolCallLink('a', 'k1', 'k2', 'k3'),
      toolResultLink('t', 'k2', 'two'),
      textLink('u', 'user', 'go on'),
    );
    const sent = request(path);
    expect(sent.messages).toEqual([
      ...stored(path, 'a'),
      missing('k1'),
      ...stored(path, 't'),
      missing('k3'),
      ...stored(path, 'u'),
    ]);
    expect(sent.flags).toEqual([
      { code: 'result-missing', nodeId: 'a', callId: 'k1' },
      { code: 'result-missing', nodeId: 'a', callId: 'k3' },
    ]);
    expect(textOf(missing('k1'))).toMatch(/^Error: .*\blook\b/);
  });

  test('[X13] a call at the end of the path is answered as well', () => {
    expect(request(buildPath(toolCallLink('a', 'k'))).messages.slice(1)).toEqual([missing('k')]);
  });

  test('[X14] a late result is sent directly after its call', () => {
    const path = buildPath(
      toolCallLink('a', 'k'),
      textLink('u', 'user', 'are you there?'),
      textLink('s', 'system', 'note'),
      toolResultLink('t', 'k', 'found'),
      textLink('b', 'assistant', 'so'),
    );
    const sent = request(path);
    expect(sent.messages).toEqual(stored(path, 'a', 't', 'u', 's', 'b'));
    expect(sent.flags).toEqual([{ code: 'result-moved', nodeId: 't', callId: 'k' }]);
  });

  test('[X14] results are sent in call order', () => {
    const path = buildPath(
      toolCallLink('a', 'k1', 'k2'),
      toolResultLink('t2', 'k2', 'two'),
      toolResultLink('t1', 'k1', 'one'),
    );
    const sent = request(path);
    expect(sent.messages).toEqual(stored(path, 'a', 't1', 't2'));
    expect(sent.flags).toEqual([
      { code: 'result-moved', nodeId: 't1', callId: 'k1' },
      { code: 'result-moved', nodeId: 't2', callId: 'k2' },
    ]);
  });

  test('[X15] a result whose call is not sent becomes a wrapped user message', () => {
    const path = buildPath(
      toolCallLink('a', 'k'),
      toolResultLink('t', 'k', 'found'),
      textLink('b', 'assistant', 'so'),
      compactionLink('c', 'sum', 't'),
    );
    const sent = request(path);
    const [found] = stored(path, 't');
    expect(sent.messages[1]).toEqual(buildStrayResultMessage(found ?? textMessage('tool', '')));
    expect(sent.messages[1]?.role).toBe('user');
    expect(textOf(sent.messages[1] ?? textMessage('user', ''))).toContain('\nfound\n');
    expect(sent.flags).toEqual([{ code: 'result-stray', nodeId: 't', callId: 'k' }]);
  });

  test('[X15] a second result of one call becomes a wrapped user message, and so does one before its call', () => {
    const path = buildPath(
      toolResultLink('t0', 'k', 'early'),
      toolCallLink('a', 'k'),
      toolResultLink('t1', 'k', 'first'),
      toolResultLink('t2', 'k', 'second'),
    );
    const sent = request(path);
    expect(sent.messages.map((each) => each.role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(sent.flags).toEqual([
      { code: 'result-stray', nodeId: 't0', callId: 'k' },
      { code: 'result-stray', nodeId: 't2', callId: 'k' },
    ]);
  });

  test('[X16] call ids that are reused in every turn are told apart', () => {
    const path = buildPath(
      toolCallLink('a1', 'call_0'),
      toolResultLink('t1', 'call_0', 'one'),
      toolCallLink('a2', 'call_0'),
      toolCallLink('a3', 'call_0'),
      toolResultLink('t3', 'call_0', 'three'),
    );
    expect(request(path)).toMatchObject({
      messages: [...stored(path, 'a1', 't1', 'a2'), missing('call_0'), ...stored(path, 'a3', 't3')],
      flags: [{ code: 'result-missing', nodeId: 'a2', callId: 'call_0' }],
    });
  });

  test('[X16] an id like __proto__ is an ordinary id', () => {
    const path = buildPath(toolCallLink('a', '__proto__', 'constructor'), toolResultLink('t', '__proto__', 'x'));
    expect(request(path).messages).toEqual([...stored(path, 'a', 't'), missing('constructor')]);
  });

  test('[X13, X14, X15] on any path every call is followed by exactly its results, and nothing is left out', () => {
    fc.assert(
      fc.property(arbitraryPathWithMarkers, (path) => {
        const context = contextOf(path, { kit: countingKit });
        const { messages, flags } = buildRequestMessages(context, { systemInPlace: true });
        const open: string[] = [];
        for (const each of messages) {
          if (each.role === 'tool') expect(each.tool_call_id).toBe(open.shift());
          else {
            expect(open).toEqual([]);
            for (const block of each.content) if (isToolUse(block)) open.push(block.id);
          }
        }
        expect(open).toEqual([]);
        const texts = messages.map(textOf).join('\n');
        // Messages that contain only white space may be left out as blank.
        for (const said of context.entries.map(({ message }) => textOf(message)))
          if (said.trim() !== '') expect(texts).toContain(said);
        const made = flags.filter((flag) => flag.code === 'result-missing').length;
        const left = flags.filter((flag) => flag.code === 'blank').length;
        expect(messages).toHaveLength(context.entries.length + made - left);
      }),
    );
  });

  test('[X11] a path of a hundred thousand messages with a call in every second one is handled', () => {
    const links = Array.from({ length: 50_000 }, (_, at) => [
      toolCallLink(`a${at}`, 'k'),
      toolResultLink(`t${at}`, 'k', 'r'),
    ]);
    expect(request(buildPathFrom(links.flat())).messages).toHaveLength(100_000);
  });
});

describe('lone surrogates', () => {
  test('[X17] become U+FFFD in text; pairs stay', () => {
    const path = buildPath(textLink('u', 'user', 'a\ud800b\udc00 🌳'), textLink('v', 'user', '🌳'));
    const sent = request(path, 'p\udfff');
    expect(sent.systemPrompt).toBe('p\ufffd');
    expect(sent.messages[0]).toEqual(textMessage('user', 'a\ufffdb\ufffd 🌳'));
    expect(sent.messages[1]).toBe(path[1]?.message);
    expect(sent.flags).toEqual([
      { code: 'text-repaired', nodeId: null },
      { code: 'text-repaired', nodeId: 'u' },
    ]);
    expect(path[0]?.message).toEqual(textMessage('user', 'a\ud800b\udc00 🌳'));
  });

  test('[X17] are found in parameters at any depth, in keys, in ids and in blocks of unknown types', () => {
    const parameters = JSON.parse(
      '{"__proto__":["\\ud800"],"\\ud800":1,"\\ud801":2,"\\ufffd":3,"n":null,"ok":{"x":[]}}',
    );
    const path = buildPath(
      messageLink('a', 'assistant', toolUseBlock('k\ud800', parameters), { type: 'odd\udc00' }),
      toolResultLink('t', 'k\ud800', 'fine'),
    );
    const before = structuredClone(path);
    const [call, answer] = request(path).messages;
    expect(answer?.tool_call_id).toBe('k\ufffd');
    expect(call?.content[1]).toEqual({ type: 'odd\ufffd' });
    expect(JSON.parse(JSON.stringify(call?.content[0]))).toEqual({
      type: 'tool-use',
      id: 'k\ufffd',
      name: 'look',
      parameters: JSON.parse(
        '{"__proto__":["\\ufffd"],"\\ufffd\\ufffd":1,"\\ufffd\\ufffd\\ufffd":2,"\\ufffd":3,"n":null,"ok":{"x":[]}}',
      ),
    });
    expect(path).toEqual(before);
  });

  test('[X17] parameters nested 100,000 deep are repaired', () => {
    let deep: readonly unknown[] = ['\ud800'];
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    const block = { type: 'odd', deep };
    const [sent] = request(buildPath(messageLink('a', 'assistant', block))).messages;
    let at: unknown = sent?.content[0];
    at = typeof at === 'object' && at !== null && 'deep' in at ? at.deep : at;
    while (Array.isArray(at)) at = at[0];
    expect(at).toBe('\ufffd');
  });

  test('[X17, X11] no text that is sent contains one, and the input is not changed', () => {
    const odd = fc.string({ unit: fc.constantFrom('a', '\ud800', '\udc00', '🌳') });
    fc.assert(
      fc.property(odd, odd, odd, (prompt, text, key) => {
        const path = buildPath(
          textLink('u', 'user', `x${text}`),
          messageLink('a', 'assistant', toolUseBlock(key, { [text]: [key] })),
        );
        const before = structuredClone(path);
        const { systemPrompt, messages } = request(path, prompt);
        expect(JSON.stringify([systemPrompt, messages])).not.toMatch(/\\ud[89a-f]/);
        expect(path).toEqual(before);
      }),
    );
  });
});

describe('blank messages', () => {
  test('[X18] are left out, flagged', () => {
    const path = buildPath(
      textLink('u', 'user', 'hi'),
      textLink('a', 'assistant', ' \n'),
      textLink('v', 'user', 'again'),
    );
    expect(request(path, '  ')).toEqual({
      systemPrompt: null,
      continues: new Set(),
      messages: stored(path, 'u', 'v'),
      flags: [
        { code: 'blank', nodeId: null },
        { code: 'blank', nodeId: 'a' },
      ],
    });
  });

  test('[X18] an empty tool result counts as a result, and a message of other blocks is not blank', () => {
    const path = buildPath(
      toolCallLink('a', 'k'),
      toolResultLink('t', 'k', ''),
      messageLink('th', 'assistant', { type: 'thinking' }),
    );
    expect(isBlank(path[1]?.message ?? textMessage('user', ''))).toBe(false);
    expect(request(path)).toMatchObject({ messages: stored(path, 'a', 't', 'th'), flags: [] });
  });

  test('[X14, X18] a blank message between a call and its result does not separate them', () => {
    const path = buildPath(toolCallLink('a', 'k'), textLink('u', 'user', ' '), toolResultLink('t', 'k', 'found'));
    expect(request(path)).toMatchObject({
      messages: stored(path, 'a', 't'),
      flags: [{ code: 'blank', nodeId: 'u' }],
    });
  });
});
