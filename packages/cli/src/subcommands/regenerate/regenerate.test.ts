import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, instantRepliesConfig, makeCliFixture } from '../../testing/index.ts';

describe('coppice regenerate', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture({ config: instantRepliesConfig, env: { COPPICE_MODEL: 'offline/guide' } });
  });
  afterEach(() => fixture.close());

  it('[O34] adds replies beside the existing ones, in one group, by one model or several', async () => {
    const first = await fixture.json(['chat', '-p', 'What is a branch?']);
    const tree = String(first['treeId']);
    const again = await fixture.json(['regenerate', tree, '-n', '2']);
    expect(again).toMatchObject({ nodes: [{ status: 'success' }, { status: 'success' }], error: null });
    expect((await fixture.run(['show', tree])).out).toContain('3/3');
    const both = await fixture.json(['regenerate', tree, '-m', 'offline/guide', '-m', 'offline/babble']);
    expect(both).toMatchObject({ nodes: [{ groupId: 1 }, { groupId: 1 }] });
    expect(await fixture.run(['regenerate', tree, '--temperature', 'hot'])).toMatchObject({ code: 2 });
    expect((await fixture.run(['regenerate', tree, '-m', 'nobody/nothing'])).code).not.toBe(0);
  });
});
