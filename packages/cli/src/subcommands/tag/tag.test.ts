import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice tag', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O88] adds, lists and removes tags', async () => {
    const { tree } = await fixture.createChat('One');
    expect((await fixture.run(['tag', tree])).out).toBe('No tags.\n');
    await fixture.json(['tag', tree, 'bread', 'rye', 'bread']);
    expect(await fixture.json(['tag', tree])).toMatchObject({ tags: ['bread', 'rye'] });
    await fixture.json(['tag', tree, '--remove', 'bread']);
    expect((await fixture.run(['tag', tree])).out).toBe('rye\n');
    expect(await fixture.json(['ls', '--tag', 'rye'])).toMatchObject({ items: [{ id: tree }] });
  });
});
