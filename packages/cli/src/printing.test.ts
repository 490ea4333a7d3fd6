import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from './testing/index.ts';
import { type Row, rowsOf } from './testing/screen.ts';

const begins = ['Plain', '漢字', '👩‍👩‍👧', 'e\u0301', '🇩🇪'];
const titles = ['Plain', '漢字'.repeat(30), '👩‍👩‍👧 and 👍🏽 '.repeat(12), 'e\u0301'.repeat(90), '🇩🇪🇫🇷'.repeat(30)];

describe('lists on a terminal', () => {
  let bed: Bed;
  let written: string[] = [];
  const stdout = { isTTY: true, columns: 80, write: (text: string | Uint8Array) => written.push(String(text)) };
  const shown = async (words: readonly string[], columns: number): Promise<readonly Row[]> => {
    written = [];
    stdout.columns = columns;
    await bed.run(words);
    return rowsOf(written.join(''), columns);
  };
  beforeAll(async () => {
    bed = makeBed({ stdout, env: { NO_COLOR: '1' } });
    for (const title of titles) {
      await bed.run(['append', '--new', '--title', title, `${title} says`]);
      await bed.run(['append', 'last', `${title} answers`, '--role', 'assistant']);
      await bed.run(['branch', 'last', '@~1']);
      await bed.run(['append', 'last', `${title} differs`, '--role', 'assistant']);
    }
  });
  afterAll(() => bed.close());

  it.each([
    [40, 20],
    [60, 2],
    [80, 56],
    [100, 56],
  ])('[O71] of %i columns, titles begin in one column and no line is broken', async (columns, column) => {
    const rows = await shown(['ls'], columns);
    expect(rows.filter((row) => row.broken)).toEqual([]);
    const began = begins.map((word) => rows.find(({ text }) => text.includes(word))?.columnOf(word));
    expect(new Set(began)).toEqual(new Set([column]));
  });

  it.each([40, 80])('[O71] of %i columns, the outline of a tree has a line for each node', async (columns) => {
    for (const title of titles) {
      const rows = await shown(['tree', title], columns);
      const nodes = rows.slice(rows.findIndex(({ text }) => text.startsWith('●')));
      expect(nodes.filter((row) => row.broken)).toEqual([]);
      expect(nodes).toHaveLength(3);
      expect(nodes[2]?.text).toMatch(/^└─○ .*…? [0-9a-f]{8} ← here$/);
    }
  });

  it('[O71] forks in forks leave room for what is said', async () => {
    await bed.run(['append', '--new', '--title', 'Deep', 'first']);
    for (let depth = 0; depth < 4; depth++) {
      await bed.run(['append', 'last', `left ${depth}`, '--stay']);
      await bed.run(['append', 'last', `right ${depth}`]);
    }
    const rows = await shown(['tree', 'Deep'], 40);
    expect(rows.filter((row) => row.broken)).toEqual([]);
    expect(rows.at(-1)?.text).toMatch(/^⋯ +└─● .*right.* ← here$/);
  });
});
