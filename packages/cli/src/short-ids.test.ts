import { expect, test } from 'vitest';
import { createIdShortener, shortenId, shortenIdsIn } from './short-ids.ts';
import { makeCliFixture } from './testing/index.ts';
import { addUndoHint } from './tree-changes.ts';

test('[O87] ids in a list are just long enough to be unique', () => {
  const ids = ['0190c2e0-0000-7000-8000-00aa00000001', '0190c2e0-0000-7000-8000-00bb00000001'];
  expect(shortenId(ids[0] ?? '')).toBe('00000001');
  const short = createIdShortener(ids);
  expect(ids.map(short)).toEqual(['a00000001', 'b00000001']);
  expect(ids.map(createIdShortener(ids.slice(0, 1)))).toEqual(['00000001', '00000001']);
});

test('[O87] a message has short ids, except those that the user gave', () => {
  const [a, b] = ['0190c2e0-0000-7000-8000-00aa00000001', '0190c2e0-0000-7000-8000-00bb00000001'];
  expect(shortenIdsIn(`Not ${a} but ${b}.`)).toBe('Not a00000001 but b00000001.');
  expect(shortenIdsIn(`No chat matches "${a}".`, ['show', a])).toBe(`No chat matches "${a}".`);
});

test('[O87] the command that reverses a slash command has short ids too', () => {
  const text = 'Moved to 0190c2e0-0000-7000-8000-00aa00000001.';
  expect(addUndoHint(text, '/switch 0190c2e0-0000-7000-8000-00aa00000001 --exact')).toBe(
    `${text} Undo with /switch 00000001 --exact.`,
  );
  expect(addUndoHint(text, '/redo')).toBe(`${text} Redo with /redo.`);
});

test('[O87] the beginning of a printed id names a chat and a message', async () => {
  const fixture = makeCliFixture();
  const { treeId, nodeId } = await fixture.json(['append', '--new', 'How tall is an elm?']);
  const [tree, node] = [String(treeId), String(nodeId)];
  for (const part of [tree.slice(-8, -3), tree.slice(-4), tree.slice(0, 20)]) {
    const shown = await fixture.run(['show', part, node.slice(-8, -2).toUpperCase()]);
    expect(shown.out).toContain('How tall is an elm?');
  }
  expect((await fixture.run(['show', tree.slice(-7, -2)])).code).toBe(3);
  fixture.close();
});
