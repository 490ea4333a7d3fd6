import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice search', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O13] finds messages in every branch, each with the command that opens it', async () => {
    const { tree } = await fixture.createChat('One hundred', 'Two');
    await fixture.json(['edit', tree, '@', '50% of one hundred']);
    expect(await fixture.json(['search', 'hundred'])).toMatchObject({ items: [{ treeId: tree }, { treeId: tree }] });
    const { out } = await fixture.run(['search', '50%']);
    expect(out).toMatch(new RegExp(`coppice show ${tree.slice(-8)} [0-9a-f]{8} --through`));
    // A chat without a title is named by its first words.
    expect(out).toMatch(/^One hundred {2}/);
    expect((await fixture.run(['search', 'nowhere'])).out).toContain('No messages found.');
    expect(await fixture.run(['search', 'x', '--role', 'nobody'])).toMatchObject({ code: 2 });
    expect(await fixture.run(['search', ' '])).toMatchObject({
      code: 2,
      err: expect.stringContaining('search is empty'),
    });
  });
});
