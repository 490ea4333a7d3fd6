import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelNameOf } from './printing.ts';
import { widthOf } from './terminal/width.ts';
import { type CliFixture, makeCliFixture } from './testing/index.ts';
import { readScreenRows, type ScreenRow } from './testing/screen.ts';

const begins = ['Plain', '漢字', '👩‍👩‍👧', 'e\u0301', '🇩🇪'];
const titles = ['Plain', '漢字'.repeat(30), '👩‍👩‍👧 and 👍🏽 '.repeat(12), 'e\u0301'.repeat(90), '🇩🇪🇫🇷'.repeat(30)];

it('[O16] a model that the source of a reply does not name is not shown', () => {
  const nameOf = (source: Readonly<Record<string, string>>) => modelNameOf({ role: 'assistant', meta: { source } });
  expect(nameOf({ model_name: 'gpt-5' })).toBe('gpt-5');
  for (const source of [{}, { model_name: 'unknown' }, { model_name: '' }]) expect(nameOf(source)).toBeNull();
  expect(modelNameOf({ role: 'tool', meta: { source: { model_name: 'gpt-5' } } })).toBeNull();
});

describe('lists on a terminal', () => {
  let fixture: CliFixture;
  let written: string[] = [];
  const stdout = { isTTY: true, columns: 80, write: (text: string | Uint8Array) => written.push(String(text)) };
  const shown = async (words: readonly string[], columns: number): Promise<readonly ScreenRow[]> => {
    written = [];
    stdout.columns = columns;
    await fixture.run(words);
    return readScreenRows(written.join(''), columns);
  };
  beforeAll(async () => {
    fixture = makeCliFixture({ stdout, env: { NO_COLOR: '1' } });
    for (const title of titles) {
      await fixture.run(['append', '--new', '--title', title, `${title} says`]);
      await fixture.run(['append', 'last', `${title} answers`, '--role', 'assistant']);
      await fixture.run(['branch', 'last', '@~1']);
      await fixture.run(['append', 'last', `${title} differs`, '--role', 'assistant']);
    }
  });
  afterAll(() => fixture.close());

  it.each([
    [40, 2],
    [60, 28],
    [80, 41],
    [100, 59],
  ])('[O71] of %i columns, start titles in one column and break no line', async (columns, column) => {
    const rows = await shown(['ls'], columns);
    expect(rows.filter((row) => row.broken)).toEqual([]);
    const began = begins.map((word) => rows.find(({ text }) => text.includes(word))?.columnOf(word));
    expect(new Set(began)).toEqual(new Set([column]));
  });

  it.each([40, 80])('[O71] of %i columns, have one line for each node in the outline of a tree', async (columns) => {
    for (const title of titles) {
      const rows = await shown(['tree', title], columns);
      const nodes = rows.slice(rows.findIndex(({ text }) => text.startsWith('●')));
      expect(nodes.filter((row) => row.broken)).toEqual([]);
      expect(nodes).toHaveLength(3);
      expect(nodes[2]?.text).toMatch(/^└─○ .*…? [0-9a-f]{8} ← here$/);
    }
  });

  it.each([40, 80])(
    '[O71] of %i columns, break threads, comparisons and hits between words, but not code and addresses',
    async (columns) => {
      const address = `https://example.org/${'deep/'.repeat(30)}`;
      const code = `echo ${'one two '.repeat(20)}`;
      const prose = 'A loaf takes flour, water, salt and a week of patience. '.repeat(4);
      const own = makeCliFixture({ stdout, env: { NO_COLOR: '1' } });
      const printed = async (...words: string[]) => {
        written = [];
        stdout.columns = columns;
        await own.run(words);
        return written.join('');
      };
      await own.run([
        'append',
        '--new',
        '--title',
        `${prose}${address}`,
        `${prose}\n\`\`\`\n${code}\n\`\`\`\n${address} ${prose}`,
      ]);
      await own.run(['append', 'last', prose]);
      await own.run(['edit', 'last', '@', `${prose}Or two weeks.`]);
      const thread = await printed('show', 'last');
      expect(thread.split('\n')).toEqual(
        expect.arrayContaining([code.trimEnd(), address].map((line) => expect.stringContaining(line))),
      );
      const { nodes } = JSON.parse(await printed('tree', 'last', '--json'));
      const compared = await printed('diff', 'last', nodes[1].id);
      const hits = await printed('search', 'patience');
      for (const line of [thread, compared, hits, await printed('tree', 'last')].join('\n').split('\n'))
        if (!line.includes(code) && !line.includes('deep/')) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      // After joining the continuation lines, the command of a hit is complete.
      const [, opens = ''] = /^ {2}coppice (show(?: \\\n|[^\n])*)$/m.exec(hits) ?? [];
      const words = opens.replaceAll('\\\n', '').split(/\s+/);
      expect(words).toHaveLength(4);
      expect(await own.run(words)).toMatchObject({ code: 0 });
      own.close();
    },
  );

  it('[O71] of unknown size are printed for an ordinary one', async () => {
    written = [];
    stdout.columns = 0;
    await fixture.run(['ls']);
    expect(written.join('')).toMatch(/^[0-9a-f]{8} {2}\S+ \S+ +3 +2 {2}Plain$/m);
  });

  it.each([40, 80])(
    '[O71] of %i columns, break help, refusals and the report of doctor between words',
    async (columns) => {
      const errors: string[] = [];
      const stderr = { isTTY: true, columns, write: (text: string) => errors.push(text) };
      const reported = makeCliFixture({ stdout, stderr, env: { NO_COLOR: '1' }, home: fixture.home });
      written = [];
      stdout.columns = columns;
      await reported.run(['show', 'last', 'no such node among all the messages of this chat']);
      await reported.run(['ls', '--help']);
      await reported.run(['doctor', '--store', 'memory:']);
      reported.close();
      expect(errors.join('').split('\n').length).toBeGreaterThan(2);
      for (const line of [...errors, ...written].join('').split('\n')) {
        // A path may be longer than the screen.
        if (!line.includes('/')) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      }
      expect(written.join('')).toMatch(/ continue an\s+earlier list/);
    },
  );

  it('[O71] keep space for texts in deeply nested forks', async () => {
    await fixture.run(['append', '--new', '--title', 'Deep', 'first']);
    for (let depth = 0; depth < 4; depth++) {
      await fixture.run(['append', 'last', `left ${depth}`, '--stay']);
      await fixture.run(['append', 'last', `right ${depth}`]);
    }
    const rows = await shown(['tree', 'Deep'], 40);
    expect(rows.filter((row) => row.broken)).toEqual([]);
    expect(rows.at(-1)?.text).toMatch(/^⋯ +└─● .*right.* ← here$/);
  });
});
