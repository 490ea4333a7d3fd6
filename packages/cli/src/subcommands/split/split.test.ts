import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice split', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O14] cuts a message in two; the id keeps the right part', async () => {
    const { tree, nodes } = await fixture.grow('Hello world');
    const cut = await fixture.json(['split', tree, '@', '6']);
    expect(cut).toMatchObject({ right: nodes[0] });
    expect(await fixture.json(['show', tree])).toMatchObject({ nodes: [{ text: 'Hello ' }, { text: 'world' }] });
    expect(await fixture.run(['split', tree, '@', 'six'])).toMatchObject({ code: 2 });
  });
});
