/** Tests every format with unexpected values in every field. */
import { isAppError } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { toImportInput } from './conformance.ts';
import { formats } from './formats.ts';
import { readImport } from './read.ts';

// Values of wrong kinds, among them an object that cannot be converted to text and lists that convert to an empty text.
const values: readonly unknown[] = [{ toString: 1, valueOf: 1 }, [[]], [null], '__proto__', 0, true, null];
const keys = [
  'type',
  'id',
  'uuid',
  'role',
  'message',
  'content',
  'text',
  'messages',
  'parentUuid',
  'timestamp',
  'delta',
];

function* records(): Generator<string> {
  for (const key of keys)
    for (const value of values) {
      const odd = { type: 'message', role: 'assistant', sessionId: 's', parentUuid: null, [key]: value };
      yield `${JSON.stringify(odd)}\n${JSON.stringify({ delta: { type: 'text_delta' }, ...odd })}\n`;
      yield JSON.stringify([odd, { messages: [odd], mapping: { a: odd }, chat_messages: [odd], parts: [odd] }]);
    }
  const block = { type: 'text', text: { toString: 1 }, thinking: { toString: 1 } };
  const events = ['text_delta', 'thinking_delta'].map((type) => ({ type: 'content_block_delta', delta: { type } }));
  const start = { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [] } };
  yield [start, { type: 'content_block_start', content_block: block }, ...events]
    .map((one) => JSON.stringify(one))
    .join('\n');
}

describe('a record with unusual values', () => {
  it.each([undefined, ...formats.flatMap(({ name, reader }) => (reader === undefined ? [] : [name]))])(
    '[I7] is read or refused with a code when read as %s',
    async (format) => {
      for (const text of records()) {
        try {
          for await (const _ of readImport(toImportInput({ 'a.jsonl': text }), format === undefined ? {} : { format }));
        } catch (error) {
          if (!isAppError(error)) throw error;
          expect(error.code).toMatch(/^import\//);
        }
      }
    },
  );
});
