import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice switch', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O11] switches to the branch through a node, down to the leaf last visited', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    await fixture.json(['edit', tree, nodes[1] ?? '', 'Other']);
    expect(await fixture.json(['switch', tree, nodes[1] ?? ''])).toMatchObject({ nodeId: nodes[2] });
    expect(await fixture.json(['switch', tree, nodes[1] ?? '', '--exact'])).toMatchObject({ nodeId: nodes[1] });
    expect(await fixture.run(['switch', tree, 'ffff0000'])).toMatchObject({ code: 3 });
  });
});
