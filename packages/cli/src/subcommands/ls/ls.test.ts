import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice ls', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O16] lists trees, last changed first, and finds them by a part of the title', async () => {
    await fixture.json(['append', '--new', '--title', 'Bread', 'One']);
    await fixture.json(['append', '--new', '--title', 'Cheese', 'Two']);
    expect(await fixture.json(['ls'])).toMatchObject({
      items: [{ attributes: { title: 'Cheese' } }, { attributes: { title: 'Bread' } }],
    });
    expect((await fixture.run(['ls', 'brea'])).out).toMatch(/Bread/);
    expect((await fixture.run(['ls', 'brea'])).out).not.toMatch(/Cheese/);
  });

  it('[O16] an empty store says how to begin', async () => {
    expect((await fixture.run(['ls'])).out).toContain('coppice append --new');
    expect((await fixture.run(['ls', '--trashed'])).out).toBe('The trash is empty.\n');
  });

  it('[O16] says so where no tree fits, and how to go on with the same list', async () => {
    for (const title of ['Bread', 'Bread too']) await fixture.json(['append', '--new', '--title', title, 'One']);
    expect((await fixture.run(['ls', 'cheese'])).out).toBe('No conversation matches.\n');
    expect((await fixture.run(['ls', 'bread', '--limit', '1'])).out).toMatch(/There are more. Add --cursor \S+\n$/);
  });
});
