import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice rename', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O88] sets and removes the title, and prints how to undo it', async () => {
    const { tree } = await fixture.createChat('One');
    expect((await fixture.run(['rename', tree, 'My', 'bread'])).out).toMatch(/Renamed to "My bread"\.\nUndo with/);
    expect(await fixture.json(['show', 'My bread'])).toMatchObject({ treeId: tree, title: 'My bread' });
    await fixture.json(['rename', tree, '--remove']);
    expect(await fixture.json(['show', tree])).toMatchObject({ title: 'Untitled' });
    expect(await fixture.run(['rename', tree])).toMatchObject({ code: 2 });
  });
});
