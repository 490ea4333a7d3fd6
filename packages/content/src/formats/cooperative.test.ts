import { describe, expect, test } from 'vitest';
import { encodeUtf8 } from './decode.ts';
import { formats } from './formats.ts';
import { wrapBytesAsFile } from './input.ts';

const messages = 1000;
const uuid = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
const time = (at: number) => new Date(1_767_323_045_000 + at * 1000).toISOString();
const numbers = Array.from({ length: messages }, (_, at) => at + 1);

const files: readonly { readonly format: string; readonly lines: readonly object[] }[] = [
  {
    format: 'claude-code',
    lines: numbers.map((at) => ({
      type: at % 2 === 1 ? 'user' : 'assistant',
      uuid: uuid(at),
      parentUuid: at === 1 ? null : uuid(at - 1),
      sessionId: 'long',
      timestamp: time(at),
      message: { role: at % 2 === 1 ? 'user' : 'assistant', content: [{ type: 'text', text: `Line ${at}` }] },
    })),
  },
  {
    format: 'session-v2',
    lines: [
      { type: 'session', version: 2, uuid: uuid(0), parentUuid: null, id: uuid(9999), timestamp: time(0) },
      ...numbers.map((at) => ({
        type: 'message',
        uuid: uuid(at),
        parentUuid: uuid(at - 1),
        timestamp: time(at),
        message: { role: at % 2 === 1 ? 'user' : 'assistant', content: [{ type: 'text', text: `Line ${at}` }] },
      })),
    ],
  },
];

describe.each(files)('a long file of $format', ({ format, lines }) => {
  test('[I171] is read in short slices, between which other work can run', async () => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const reader = formats.find(({ name }) => name === format)?.reader;
    let rests = 0;
    let nodes = 0;
    const rest = async () => {
      rests++;
    };
    const input = { files: [wrapBytesAsFile('long.jsonl', encodeUtf8(text))] };
    for await (const event of reader?.read(input, { rest }) ?? [])
      if (event.type === 'tree') nodes = event.tree.nodes.length;
    expect(nodes).toBe(messages);
    expect(rests).toBeGreaterThanOrEqual(messages / 200);
  });
});
