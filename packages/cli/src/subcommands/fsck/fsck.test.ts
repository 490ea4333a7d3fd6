import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice fsck', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O22] finds nothing in a store in order', async () => {
    await bed.grow('One', 'Two');
    expect(await bed.run(['fsck'])).toMatchObject({ code: 0 });
    expect(await bed.json(['fsck'])).toMatchObject({ trees: 1, findings: [], repaired: [] });
  });

  it('[O22] answers damage with 2, and what was mended or noted with 1', async () => {
    const { tree } = await bed.grow('One', 'Two');
    const database = new DatabaseSync(`${bed.home}/.coppice/coppice.db`);
    database.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON');
    database.prepare('UPDATE tree SET active_node_id = NULL WHERE id = ?').run(tree);
    database.close();
    expect(await bed.run(['fsck'])).toMatchObject({ code: 2 });
    expect(await bed.run(['fsck', '--repair'])).toMatchObject({ code: 1 });
    expect(await bed.run(['fsck'])).toMatchObject({ code: 0 });
  });
});
