import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice branch', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O11] makes a node active, and adds a summary when one is given', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    await fixture.json(['branch', tree, '@~2']);
    expect(await fixture.json(['show', tree])).toMatchObject({ activeNodeId: nodes[0] });
    await fixture.json(['switch', tree, nodes[2] ?? '']);
    await fixture.json(['branch', tree, nodes[0] ?? '', '--summary', 'Tried two and three.']);
    const { nodes: shown } = await fixture.json(['show', tree]);
    expect(shown).toMatchObject([{ id: nodes[0] }, { kind: 'branch-summary' }]);
  });

  it('[O18] prints the command that goes back, which copies no message', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    const { out } = await fixture.run(['branch', tree, nodes[0] ?? '']);
    const [, back = ''] = /^Go back with coppice (.*)\.$/m.exec(out) ?? [];
    expect((await fixture.run(back.split(' '))).out).toContain(
      `Go back with coppice switch ${tree.slice(-8)} ${nodes[0]?.slice(-8)} --exact.`,
    );
    expect(await fixture.json(['show', tree])).toMatchObject({ activeNodeId: nodes[1] });
    const again = await fixture.run(['append', tree, '--parent', 'root', 'One']);
    expect(again.out).toBe(
      `This message already exists; you are at ${nodes[0]?.slice(-8)}.\nGo back with coppice switch ${tree.slice(-8)} ${nodes[1]?.slice(-8)} --exact.\n`,
    );
    expect((await fixture.run(['branch', tree, nodes[1] ?? '', '--summary', 'Not this.'])).out).toContain('Undo with');
  });
});
