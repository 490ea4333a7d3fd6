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

  it('[O16] names every chat of a long list by its first words', async () => {
    for (let at = 0; at < 55; at++) await fixture.json(['append', '--new', `Question ${at}`]);
    const { out } = await fixture.run(['ls', '--limit', '60']);
    expect(out).toContain('Question 0');
    expect(out).not.toContain('Untitled');
  });

  it('[O87] shows the end of each id, the number of messages and branches, and every command accepts that end', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    await fixture.json(['edit', tree, nodes[1] ?? '', 'Two again']);
    const { out } = await fixture.run(['ls']);
    expect(out).toMatch(new RegExp(`^${tree.slice(-8)}  \\S+ \\S+ +3 +2 .*One`));
    expect(await fixture.json(['show', tree.slice(-8)])).toMatchObject({ treeId: tree });
    expect(await fixture.json(['show', tree.slice(0, 18)])).toMatchObject({ treeId: tree });
    const { out: shown } = await fixture.run(['show', 'last', (nodes[1] ?? '').slice(-8)]);
    expect(shown).toContain(nodes[1]?.slice(-8));
    expect(shown).not.toContain(nodes[1]);
  });

  it('[O87] a deleted message is found by the end of its id, as the trash lists it', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    await fixture.json(['rm', tree, nodes[1] ?? '']);
    const end = (nodes[1] ?? '').slice(-8);
    expect((await fixture.run(['trash', tree.slice(-8)])).out).toContain(end);
    expect(await fixture.run(['restore', tree.slice(-8), end])).toMatchObject({ code: 0 });
  });

  it('[O16] prints how to begin for an empty store', async () => {
    expect((await fixture.run(['ls'])).out).toContain('Start one with coppice chat.');
    expect((await fixture.run(['ls', '--trashed'])).out).toBe('The trash is empty.\n');
  });

  it('[O16] reports that no tree matches, and how to continue the same list', async () => {
    for (const title of ['Bread', 'Bread too']) await fixture.json(['append', '--new', '--title', title, 'One']);
    expect((await fixture.run(['ls', 'cheese'])).out).toBe('No chat matches.\n');
    expect((await fixture.run(['ls', 'bread', '--limit', '1'])).out).toMatch(/There are more. Add --cursor \S+\n$/);
  });
});
