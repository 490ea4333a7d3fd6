import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice tree', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O16] shows what a reply says below its question, as /branches does', async () => {
    const asked = makeBed({ env: { COPPICE_MODEL: 'offline/guide' }, home: bed.home });
    const { text } = await asked.json(['chat', '-p', 'How do I connect a model?']);
    asked.close();
    const begun = String(text).slice(0, 30);
    const { out } = await bed.run(['tree', 'last']);
    expect(out).toContain('● How do I connect a model?');
    expect(out).toContain(`○ ${begun}`);
    expect((await bed.run(['chat', '-p', '-t', 'last', '/branches'])).out).toContain(`“${begun}`);
  });

  it('[O16] says where a text goes on, and nowhere else', async () => {
    const wide = makeBed({ stdout: { columns: 140, write: (text) => written.push(String(text)) } });
    const written: string[] = [];
    const long = 'Flour and water and a week of patience. '.repeat(3);
    await wide.run(['append', '--new', '--title', 'Bread', long]);
    const full = 'x'.repeat(80);
    await wide.run(['append', 'last', full]);
    written.length = 0;
    await wide.run(['tree', 'last']);
    expect(written.join('')).toMatch(new RegExp(`● ${long.slice(0, 79)}… [0-9a-f]{8}\n● ${full} `));
    written.length = 0;
    await wide.run(['tree', 'last', '--json']);
    expect(JSON.parse(written.join(''))).toMatchObject({
      nodes: [{ preview: `${long.slice(0, 79)}…` }, { preview: full }],
    });
    wide.close();
  });

  it('[O16] draws every branch: chains straight, forks indented', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two', 'Three');
    await bed.json(['edit', tree, nodes[1] ?? '', 'Other']);
    const { out } = await bed.run(['tree', tree]);
    expect(out).toMatch(/● One .*\n├─● Two .*\n│ ● Three .*\n└─● Other/);
    // Also without colours one sees where one is.
    expect(out.split('\n').filter((line) => line.endsWith('← here'))).toEqual([expect.stringContaining('Other')]);
    expect(await bed.json(['tree', tree, '--depth', '1'])).toMatchObject({
      nodes: [{ id: nodes[0], hasChildren: true }],
    });
    expect((await bed.run(['tree', tree, '--from', nodes[1] ?? ''])).out).toContain('Three');
  });
});
