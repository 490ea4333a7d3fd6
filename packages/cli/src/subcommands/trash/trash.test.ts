import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice trash', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O18] lists removed nodes and trees, and deletes them for good', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    await fixture.json(['rm', tree, '@']);
    expect(await fixture.json(['trash', tree])).toMatchObject({ items: [{ nodeId: nodes[1], count: 1 }] });
    const purged = await fixture.run(['trash', tree, nodes[1] ?? '', '--purge']);
    expect(purged).toMatchObject({ code: 0, out: 'Deleted 1 message permanently.\n' });
    await fixture.json(['rm', tree]);
    expect(await fixture.json(['trash'])).toMatchObject({ items: [{ id: tree }] });
    await fixture.json(['trash', tree, '--purge']);
    expect(await fixture.run(['show', tree])).toMatchObject({ code: 3 });
    expect((await fixture.run(['trash'])).out).toContain('The trash is empty.');
  });

  it('[O18] deletes every tree of the trash for good, however many there are', async () => {
    const { tree } = await fixture.createChat('One');
    await fixture.json(['rm', tree]);
    const database = new DatabaseSync(join(fixture.home, '.coppice', 'coppice.db'));
    // Written in one statement: two hundred trees one by one would be four hundred synced writes.
    database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 203)
      INSERT INTO tree (id, owner, root_id, version, structure_version, next_seq, created_at, updated_at, project, pinned,
        trashed_at, attributes)
      SELECT printf('01890c2e-0000-7000-8000-%012d', i), owner, printf('01890c2e-0000-7000-9000-%012d', i), 1, 1, 1,
        created_at, updated_at, project, pinned, trashed_at, attributes FROM tree, n`);
    database.close();
    expect((await fixture.json(['trash']))['items']).toHaveLength(204);
    expect(await fixture.json(['trash', '--purge'])).toMatchObject({ purged: true });
    expect(await fixture.json(['trash'])).toMatchObject({ items: [] });
  });
});
