import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice diff', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O13] says what two branches share and what each has, word by word', async () => {
    const { tree, nodes } = await bed.grow('Start', 'the quick fox');
    const edited = await bed.json(['edit', tree, '@', 'the slow fox']);
    const found = await bed.json(['diff', tree, nodes[1] ?? '', String(edited['nodeId'])]);
    expect(found).toMatchObject({
      common: nodes[0],
      shared: 1,
      left: [{ id: nodes[1] }],
      right: [{ id: edited['nodeId'] }],
    });
    expect((await bed.run(['diff', tree, nodes[1] ?? ''])).out).toContain('the [-quick-]{+slow+} fox');
  });
});
