import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice redo', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O18] repeats an act that was undone', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    await fixture.json(['undo', tree]);
    expect(await fixture.json(['redo', tree])).toMatchObject({ changed: true, activeNodeId: nodes[1] });
    expect(await fixture.run(['redo', tree])).toMatchObject({ code: 5 });
  });
});
