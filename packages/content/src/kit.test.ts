import { type Block, type Message, textMessage } from '@coppice/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalityKey } from './equality.ts';
import { messageKit } from './kit.ts';
import { arbitraryMessage, arbitraryText } from './testing/arbitraries.ts';
import { estimateTokens } from './tokens.ts';

const blocks = (...content: readonly (Block & Record<string, unknown>)[]): Message => ({ role: 'assistant', content });

describe('the message kit', () => {
  it('[C52] the text of a message with one text block is exactly the text of that block', () => {
    fc.assert(
      fc.property(arbitraryText, (text) => {
        expect(messageKit.text(textMessage('user', text))).toBe(text);
      }),
    );
  });

  it('[C53] joins adjacent text without a separator and puts other blocks on separate lines', () => {
    const message = blocks(
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'An ' },
      { type: 'text', text: 'oak.' },
      { type: 'tool-use', id: 'c', name: 'grow', parameters: { years: 100 } },
      { type: 'thinking', thinking: '' },
      { type: 'x-mark' },
      { type: 'text', text: 'Done.' },
    );
    expect(messageKit.text(message)).toBe('An oak.\ngrow({"years":100})\n[x-mark]\nDone.\nHm.');
  });

  it('[C61] reasoning before a reply comes after its text, so that no name or preview begins with it', () => {
    const hm = { type: 'thinking', thinking: 'Hm.' };
    const words = (text: string) => ({ type: 'text', text });
    expect(messageKit.text(blocks(hm, hm, words('Yes.')))).toBe('Yes.\nHm.\nHm.');
    expect(messageKit.text(blocks(words('One.'), hm, words('Two.')))).toBe('One.\nHm.\nTwo.');
    expect(messageKit.text(blocks(hm))).toBe('Hm.');
  });

  it('[C62] blocks that a program added to the words of a user come after these words', () => {
    const text = (words: string) => ({ type: 'text', text: words });
    const textOf = (...content: readonly (Block & Record<string, unknown>)[]) =>
      messageKit.text({ role: 'user', content });
    const reminder = '<system-reminder>\nBe kind.\n</system-reminder>';
    const agents = '# AGENTS.md instructions for /a\n<b>';
    expect(textOf(text(reminder), text(agents), text('Plant an oak.'))).toBe(`Plant an oak.\n${reminder}${agents}`);
    expect(textOf(text('Plant '), text('an oak.'), text(reminder))).toBe(`Plant an oak.${reminder}`);
    expect(textOf(text(reminder), text(reminder))).toBe(reminder + reminder);
    expect(textOf(text(reminder), text(' '))).toBe(`${reminder} `);
    expect(textOf(text('<b>Bold</b>'), text('text'))).toBe('<b>Bold</b>text');
    expect(messageKit.text(blocks(text(reminder), text('Yes.')))).toBe(`${reminder}Yes.`);
    const picture = { type: 'image', source: { type: 'url', url: 'https://example.org/oak.png' } };
    expect(textOf(text(reminder), picture)).toMatch(/^\[.*\]\n<system-reminder>/);
  });

  it('[C54] estimates text by its words, and long text from samples', () => {
    expect(estimateTokens('')).toBe(0);
    const sentence = 'The quick brown fox jumps over the lazy dog. ';
    const short = estimateTokens(sentence.repeat(100));
    expect(short).toBeGreaterThan(800);
    expect(short).toBeLessThan(1300);
    const long = estimateTokens(sentence.repeat(10_000));
    expect(long / (short * 100)).toBeGreaterThan(0.95);
    expect(long / (short * 100)).toBeLessThan(1.05);
    expect(estimateTokens(sentence.repeat(10_000))).toBe(long);
  });

  it('[C54] takes its samples from all parts of a long text', () => {
    const [words, signs] = ['oak '.repeat(250_000), '漢'.repeat(1_000_000)];
    const parts = estimateTokens(words) + estimateTokens(signs);
    for (const mixed of [estimateTokens(words + signs), estimateTokens(signs + words)]) {
      expect(mixed / parts).toBeGreaterThan(0.9);
      expect(mixed / parts).toBeLessThan(1.1);
    }
  });

  it('[C55] counts a message as its blocks and a little more, always a whole number', () => {
    fc.assert(
      fc.property(arbitraryMessage, (message) => {
        const tokens = messageKit.tokens(message);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThan(0);
        const twice = { ...message, content: [...message.content, ...message.content] };
        expect(messageKit.tokens(twice) - tokens).toBe(tokens - 4);
      }),
    );
    const image = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'AAAA' } };
    expect(messageKit.tokens(blocks(image))).toBe(1204);
  });

  it('[C55] has the equality key', () => {
    expect(messageKit.key(textMessage('user', 'a'))).toBe(equalityKey(textMessage('user', 'a')));
  });

  it('[C42] handles blocks that have not been validated', () => {
    const odd = blocks(
      { type: 'text' },
      { type: 'text', text: 7 },
      { type: 'tool-use', id: 'c' },
      { type: 'image', source: null },
      { type: 'file', name: 'a' },
      { type: 'thinking', thinking: [] },
      { type: '__proto__' },
      { type: 'toString' },
    );
    expect(messageKit.text(odd)).toContain('[tool-use]');
    expect(messageKit.key(odd)).toMatch(/^[0-9a-f]{32}$/);
    expect(messageKit.tokens(odd)).toBeGreaterThan(4);
  });
});
