import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice rm', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O19] moves the following messages up, or deletes them too; first reports how many', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    expect(await fixture.json(['rm', tree, nodes[1] ?? '', '--cascade', '--dry-run'])).toMatchObject({ count: 2 });
    expect((await fixture.run(['rm', tree, nodes[1] ?? '', '--cascade', '--dry-run'])).out).toContain(
      '2 messages would be deleted.',
    );
    await fixture.json(['rm', tree, nodes[1] ?? '']);
    const last = (await fixture.json(['append', tree, 'Four']))['nodeId'];
    expect((await fixture.run(['rm', tree, String(last)])).out).toContain(`you are at ${nodes[2]?.slice(-8)}.`);
    expect(await fixture.json(['show', tree])).toMatchObject({ nodes: [{ id: nodes[0] }, { id: nodes[2] }] });
    expect((await fixture.run(['rm', tree, nodes[0] ?? '', '--cascade'])).out).toContain('you are at the beginning.');
    expect(await fixture.json(['show', tree])).toMatchObject({ activeNodeId: null, nodes: [] });
  });

  it('[O19] moves a tree to the trash, never the root alone', async () => {
    const { tree } = await fixture.createChat('One');
    expect(await fixture.run(['rm', tree, 'root'])).toMatchObject({
      code: 5,
      err: 'The beginning of a chat cannot be deleted alone: choose a message.\n',
    });
    expect((await fixture.run(['rm', tree, '--dry-run'])).out).toContain('This would delete the chat with 1 message');
    const { out } = await fixture.run(['rm', tree]);
    expect(out).toContain('Moved "One" to the trash.');
    expect(out).toContain(`coppice restore ${tree.slice(-8)}`);
    expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
    // A chat without a title is named by its first words everywhere.
    expect((await fixture.run(['trash'])).out).toMatch(/ {2}One\n$/);
    expect((await fixture.run(['restore', 'last'])).out).toContain('Restored "One".');
    expect((await fixture.run(['pin', 'last'])).out).toContain('Pinned "One".');
    expect((await fixture.run(['undo'])).out).toContain('in "One";');
  });
});
