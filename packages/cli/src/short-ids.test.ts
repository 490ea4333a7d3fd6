import { expect, test } from 'vitest';
import { shortenId, shortenIds } from './short-ids.ts';
import { addUndoHint } from './tree-changes.ts';

test('[O87] ids in a list are just long enough to be unique', () => {
  const ids = ['0190c2e0-0000-7000-8000-00aa00000001', '0190c2e0-0000-7000-8000-00bb00000001'];
  expect(shortenId(ids[0] ?? '')).toBe('00000001');
  const short = shortenIds(ids);
  expect(ids.map(short)).toEqual(['a00000001', 'b00000001']);
  expect(ids.map(shortenIds(ids.slice(0, 1)))).toEqual(['00000001', '00000001']);
});

test('[O87] the command that reverses a slash command has short ids too', () => {
  const text = 'Moved to 0190c2e0-0000-7000-8000-00aa00000001.';
  expect(addUndoHint(text, '/switch 0190c2e0-0000-7000-8000-00aa00000001 --exact')).toBe(
    `${text} Undo with /switch 00000001 --exact.`,
  );
  expect(addUndoHint(text, '/redo')).toBe(`${text} Redo with /redo.`);
});
