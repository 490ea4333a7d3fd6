import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice pin', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O88] pins and unpins', async () => {
    const { tree } = await fixture.createChat('One');
    await fixture.json(['pin', tree]);
    expect(await fixture.json(['ls', '--pinned'])).toMatchObject({ items: [{ id: tree }] });
    expect((await fixture.run(['pin', tree])).out).toBe('Nothing changed.\n');
    await fixture.json(['pin', tree, '--remove']);
    expect(await fixture.json(['ls', '--pinned'])).toMatchObject({ items: [] });
  });
});
