import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice join', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O14] joins the two halves of a split, and undo separates them again', async () => {
    const { tree, nodes } = await fixture.createChat('Hello world');
    await fixture.json(['split', tree, '@', '6']);
    expect(await fixture.json(['join', tree, '@~1'])).toMatchObject({ nodeId: nodes[0] });
    expect(await fixture.json(['show', tree])).toMatchObject({ nodes: [{ id: nodes[0], text: 'Hello world' }] });
    await fixture.json(['undo', tree]);
    expect(await fixture.json(['show', tree])).toMatchObject({ nodes: [{ text: 'Hello ' }, { text: 'world' }] });
  });

  it('[O14] is refused for a message without a following one', async () => {
    const { tree } = await fixture.createChat('Hello world');
    expect(await fixture.run(['join', tree, '@'])).toMatchObject({ code: 5 });
  });
});
