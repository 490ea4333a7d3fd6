import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice log', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O15] lists what was done, newest first', async () => {
    const { tree } = await bed.grow('One', 'Two');
    await bed.run(['undo', tree]);
    const { commits } = await bed.json(['log', tree, '--limit', '2']);
    expect(commits).toMatchObject([
      { version: 4, kind: 'undo' },
      { version: 3, kind: 'do' },
    ]);
    expect((await bed.run(['log', tree])).out).toContain('undo: ');
  });
});
