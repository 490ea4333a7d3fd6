import { readFileSync } from 'node:fs';
import { type Message, textMessage, textOf } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { buildGuideKnowledge, listGuideDocuments, splitIntoPassages } from '../../../scripts/guide.ts';
import { makeMessage, makeToolResult } from '../../testing/fixture.ts';
import { collectReply } from '../accumulate-reply.ts';
import { runProviderConformance } from '../conformance.ts';
import type { ProviderRequest, ToolSpec } from '../contract.ts';
import { loadWordCorpus } from './babble/words.ts';
import { guideKnowledge } from './guide/knowledge.ts';
import { offline } from './index.ts';

runProviderConformance(offline, {
  model: 'guide',
  cases: [
    {
      name: 'a question',
      request: { messages: [textMessage('user', 'How do I connect a model?')] },
      finishReason: 'stop',
    },
    { name: 'nonsense', request: { model: 'babble' }, finishReason: 'stop' },
    { name: 'a reply cut short', request: { maxTokens: 5 }, finishReason: 'length' },
  ],
});

const date: ToolSpec = {
  name: 'current_date',
  description: 'The date.',
  parameters: { type: 'object', properties: {} },
};
const introspect: ToolSpec = {
  name: 'introspect',
  description: 'The tree.',
  parameters: {
    type: 'object',
    properties: { level: { type: 'string', enum: ['overview', 'all'] } },
    required: ['level'],
  },
};

async function ask(text: string | readonly Message[], over: Partial<ProviderRequest> = {}) {
  const messages = typeof text === 'string' ? [textMessage('user', text)] : text;
  const reply = await collectReply(
    offline.stream({ model: 'guide', messages, maxTokens: 2000, seed: 1, ...over }, { connection: { baseUrl: '' } }),
  );
  return { ...reply, text: reply.message === null ? '' : textOf(reply.message) };
}

describe('the guide', () => {
  it('[G60] states that it is not a language model, and how to connect one', async () => {
    for (const question of ['hello', 'Who are you?', 'what can you do?', 'help', 'Explain quantum chromodynamics.']) {
      const { text } = await ask(question);
      expect(text).toMatch(/not? a? ?language model/);
      expect(text).toContain('ANTHROPIC_API_KEY');
      expect(text).toContain('[Settings → Models](coppice:docs/models#connecting-a-model)');
      expect(text).toMatch(/`coppice keys set \w+`/);
    }
  });

  it('[G210] explains only the word that is asked for', async () => {
    const { text } = await ask('What is a branch?');
    expect(text).toContain('In Coppice, branch means one child of a node');
    expect(text.match(/ means /g)).toHaveLength(1);
  });

  it('[G208] states in one sentence what it cannot do, and quotes nothing', async () => {
    const asked = [
      'Write a poem about branches in autumn.',
      'Can you translate "good morning" into French?',
      'Write a Python function that sorts a list',
      'What is the capital of France?',
      'Who won the world cup?',
      'Tell me a joke',
    ];
    for (const question of asked) {
      const { text } = await ask(question);
      expect([question, text]).toEqual([question, expect.not.stringMatching(/\n|README|docs\/(?!models#connecting)/)]);
      expect(text).toContain('not a language model');
    }
  });

  it('[G209] quotes the shell lines of a section, and always takes the section that fits best', async () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { text } = await ask('How do I undo a mistake?', { seed, temperature: 2 });
      expect(text).toMatch(/```sh\ncoppice undo [\s\S]*```/);
      expect(text).toContain('(coppice:docs/getting-started#undo-a-mistake)');
    }
  });

  it('[G61, G211] answers from the documentation, in its own whole sentences and with a link to the section', async () => {
    const { text } = await ask('How do I connect a model with a key in the environment?', { temperature: 0 });
    expect(text).toContain('Enter the key of a provider, or the address of any OpenAI-compatible server');
    expect(text).toContain('(coppice:docs/models#connecting-a-model)');
    expect((await ask('What is a bookmark?', { temperature: 0 })).text).toMatch(/bookmark means .+\./);
    // "Getting started" suggests this question to newcomers. Without the definition any page with the word would match.
    expect((await ask('What is a branch?')).text).toMatch(/In Coppice, branch means .+\./);
  });

  it('[G68] describes Coppice with the first sentences of the documentation', async () => {
    const asked = [
      'What is Coppice?',
      "what's coppice",
      'Tell me about Coppice!',
      'Explain Coppice to me in a sentence',
    ];
    for (const question of asked) {
      const { text } = await ask(question, { temperature: 0 });
      expect([question, text]).toEqual([
        question,
        expect.stringContaining('conversation with a language model as a tree'),
      ]);
      expect(text).toContain('[Coppice](coppice:docs/readme#coppice)');
    }
    expect((await ask('What is a bookmark in Coppice?', { temperature: 0 })).text).toMatch(/bookmark means .+\./);
  });

  it('[G62] gives the same answer for the same seed and other wordings for other seeds', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map((seed) => ask('How do I connect a model?', { seed })));
    expect((await ask('How do I connect a model?', { seed: 3 })).text).toBe(answers[2]?.text);
    expect(new Set(answers.map((each) => each.text)).size).toBeGreaterThanOrEqual(4);
    for (const { text } of answers) expect(text).toMatch(/\]\(coppice:docs\//);
  });

  it('[G62] without a seed gives different answers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => ask('How do I connect a model?', { seed: undefined })),
    );
    expect(new Set(answers.map((each) => each.text)).size).toBeGreaterThan(1);
  });

  it('[G63] calls current_date and introspect when a question asks for it and they are offered', async () => {
    const tools = [date, introspect];
    const today = await ask('What date is it today?', { tools });
    expect(today.message?.content).toMatchObject([{ type: 'tool-use', name: 'current_date', parameters: {} }]);
    expect(today.last).toMatchObject({ finishReason: 'tool-use' });
    const tree = await ask('How many branches does this conversation have?', { tools });
    expect(tree.message?.content).toMatchObject([
      { type: 'tool-use', name: 'introspect', parameters: { level: 'overview' } },
    ]);
    expect((await ask('What date is it today?')).message?.content[0]?.type).toBe('text');
    expect((await ask('What date is it today?', { tools, toolChoice: 'none' })).message?.content[0]?.type).toBe('text');
    expect((await ask('Hello', { tools, toolChoice: { name: 'introspect' } })).message?.content).toMatchObject([
      { name: 'introspect' },
    ]);
  });

  it('[G63] passes on the result of a tool, and calls no second one for it', async () => {
    const messages = [
      textMessage('user', 'What date is it today?'),
      makeMessage('assistant', { type: 'tool-use', id: 'a', name: 'current_date', parameters: {} }),
      makeToolResult('a', '2026-11-15'),
    ];
    const { text, last } = await ask(messages, { tools: [date] });
    expect(text).toContain('`current_date` answered: 2026-11-15');
    expect(last).toMatchObject({ finishReason: 'stop' });
  });

  it('[G61] quotes shell lines unchanged, and leaves tags out', () => {
    const text = '# Start\n\nRun `source <(coppice completion bash)` or `coppice show <tree>` <br>and read on there.';
    const [passage] = splitIntoPassages('x.md', text);
    expect(passage?.sentences).toEqual([
      'Run `source <(coppice completion bash)` or `coppice show <tree>` and read on there.',
    ]);
  });

  it('[G69] reads question forms from a comment below a heading, and ignores other comments', () => {
    const text =
      '# Start\n\n<!-- asks: How do I\nstart? · Where? -->\n<!-- not run: x -->\n```sh\ncoppice\n```\n\n| Key | Says |\n|---|---|\n| `a` | one |\n';
    expect(splitIntoPassages('x.md', text)).toEqual([
      {
        path: 'x.md',
        title: 'Start',
        anchor: 'start',
        asks: ['How do I start?', 'Where?'],
        sentences: [],
        commands: ['coppice'],
        table: '`a` one',
      },
    ]);
  });

  it('[G64] matches the documentation: run `npm run guide` after changing it', () => {
    const fresh = buildGuideKnowledge();
    const key = (passage: (typeof fresh.passages)[number]) => JSON.stringify(passage);
    const [old, now] = [new Set(guideKnowledge.passages.map(key)), new Set(fresh.passages.map(key))];
    const kept = [...old].filter((passage) => now.has(passage)).length;
    // Pages change between two runs of the script, so this test only fails if the guide is far out of date.
    const exact = process.env.COPPICE_LONG === '1';
    expect(kept).toBeGreaterThanOrEqual(exact ? Math.max(old.size, now.size) : Math.floor(old.size / 2));
    const pages = new Set(listGuideDocuments());
    for (const passage of guideKnowledge.passages)
      expect([passage.path, pages.has(passage.path)]).toEqual([passage.path, true]);
  });
});

describe('the babbler', () => {
  const write = (over: Partial<ProviderRequest> = {}) =>
    ask('Tell me about databases and indexes', { model: 'babble', ...over });

  it('[G65] writes whole sentences, the same for the same seed and others for other seeds', async () => {
    const [one, again, other] = await Promise.all([write(), write(), write({ seed: 2 })]);
    expect(one.text).toBe(again.text);
    expect(one.text).not.toBe(other.text);
    expect(one.text).toMatch(/^["“']?\p{Lu}.+[.!?]$/su);
  });

  it('[G65] mixes in words of the conversation', async () => {
    const texts = await Promise.all([1, 2, 3, 4].map((seed) => write({ seed })));
    expect(texts.map((each) => each.text).join(' ')).toMatch(/databases|indexes/);
  });

  it('[G66] respects the reply limit, stop texts and the temperature', async () => {
    const short = await write({ maxTokens: 12 });
    expect(short.last).toMatchObject({ finishReason: 'length' });
    expect(short.usage?.outputTokens).toBeLessThanOrEqual(12);
    const full = await write();
    const cut = await write({ stop: ['the'] });
    expect(cut.text).toBe(full.text.slice(0, full.text.indexOf('the')).trimEnd());
    expect((await write({ temperature: 0 })).text).not.toBe((await write({ temperature: 2 })).text);
  });

  it('[G66] writes word by word at the requested speed, and stops on request', async () => {
    const abort = new AbortController();
    const waits: number[] = [];
    const clock = {
      now: () => 0,
      random: () => 0.5,
      wait: async (ms: number) => {
        waits.push(ms);
        if (waits.length === 4) abort.abort();
      },
    };
    const request = { model: 'babble', messages: [textMessage('user', 'x')], maxTokens: 100 };
    const { last, message } = await collectReply(
      offline.stream(request, { connection: { baseUrl: '' }, paceMs: 9, clock, signal: abort.signal }),
    );
    expect(last).toMatchObject({ code: 'provider/aborted' });
    expect(waits).toEqual([9, 9, 9, 9]);
    expect(message === null ? [] : textOf(message).split(/\s+/)).toHaveLength(3);
  });

  it('[G65] learns from a small text in the public domain that is part of the package', () => {
    const file = readFileSync(new URL('./babble/moby-dick.txt.br', import.meta.url));
    expect(file.length).toBeLessThan(200_000);
    expect(loadWordCorpus().words.length).toBeGreaterThan(5000);
    expect(loadWordCorpus().numbers.has('Ishmael')).toBe(true);
  });

  it('[G67] no third offline model exists', async () => {
    expect((await ask('x', { model: 'oracle' })).last).toMatchObject({
      code: 'provider/unknown-model',
      kind: 'not-found',
    });
  });
});
