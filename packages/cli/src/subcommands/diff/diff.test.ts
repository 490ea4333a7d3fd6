import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice diff', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O13] shows what two branches share and where they differ, word by word', async () => {
    const { tree, nodes } = await fixture.createChat('Start', 'the quick fox');
    const edited = await fixture.json(['edit', tree, '@', 'the slow fox']);
    const found = await fixture.json(['diff', tree, nodes[1] ?? '', String(edited['nodeId'])]);
    expect(found).toMatchObject({
      common: nodes[0],
      shared: 1,
      left: [{ id: nodes[1] }],
      right: [{ id: edited['nodeId'] }],
    });
    expect((await fixture.run(['diff', tree, nodes[1] ?? ''])).out).toContain('the [-quick-]{+slow+} fox');
  });
});
