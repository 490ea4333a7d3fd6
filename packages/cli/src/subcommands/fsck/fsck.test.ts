import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice fsck', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O22] finds nothing in an intact store', async () => {
    await fixture.createChat('One', 'Two');
    const { code, out } = await fixture.run(['fsck']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^Checked 1 chat and 2 messages: 0 errors, 0 notes\./)]);
    expect(await fixture.json(['fsck'])).toMatchObject({ trees: 1, findings: [], repaired: [] });
  });

  it('[O22] exits with 2 for damage, and with 1 for repairs and notes', async () => {
    const { tree } = await fixture.createChat('One', 'Two');
    const database = new DatabaseSync(`${fixture.home}/.coppice/coppice.db`);
    database.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON');
    database.prepare('UPDATE tree SET active_node_id = NULL WHERE id = ?').run(tree);
    database.close();
    expect(await fixture.run(['fsck'])).toMatchObject({ code: 2 });
    expect(await fixture.run(['fsck', '--repair'])).toMatchObject({ code: 1 });
    expect(await fixture.run(['fsck'])).toMatchObject({ code: 0 });
  });

  it('[O22] exits with 2 if damage could not be repaired, or nothing can be read', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    const database = new DatabaseSync(`${fixture.home}/.coppice/coppice.db`);
    database.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON');
    database.prepare('UPDATE tree SET active_node_id = NULL WHERE id = ?').run(tree);
    // Only the log contains the act.
    database.prepare('DELETE FROM change WHERE tree_id = ? AND version = 2').run(tree);
    database.close();
    const mended = await fixture.run(['fsck', '--repair', '--json']);
    expect(mended.code).toBe(2);
    expect(JSON.parse(mended.out)).toMatchObject({
      repaired: [expect.stringContaining('active node')],
      left: [{ code: 'log-gap' }],
    });
    expect(await fixture.json(['show', tree])).toMatchObject({ activeNodeId: nodes[1] });
    expect((await fixture.run(['fsck', '--repair'])).out).toContain('could not be repaired');
    writeFileSync(join(fixture.home, 'no.db'), 'This is no database at all, but a letter to somebody.'.repeat(40));
    const none = await fixture.run(['fsck', '--json', '--store', `sqlite:${join(fixture.home, 'no.db')}`]);
    expect(none.code).toBe(2);
    expect(JSON.parse(none.out)).toMatchObject({ findings: [{ code: 'store/damaged', severity: 'error' }] });
  });
});
