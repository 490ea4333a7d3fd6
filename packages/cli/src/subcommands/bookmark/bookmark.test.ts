import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice bookmark', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O11] bookmarks a node, which can then be named by it, and removes the bookmark', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    await fixture.json(['bookmark', tree, nodes[0] ?? '', 'plan', 'b']);
    expect(await fixture.json(['bookmark', tree])).toMatchObject({
      bookmarks: [{ nodeId: nodes[0], title: 'plan b' }],
    });
    expect(await fixture.json(['show', tree, 'plan b'])).toMatchObject({ nodes: [{ id: nodes[0] }] });
    await fixture.json(['bookmark', tree, 'plan b', '--remove']);
    expect((await fixture.run(['bookmark', tree])).out).toContain('No bookmarks.');
  });
});
