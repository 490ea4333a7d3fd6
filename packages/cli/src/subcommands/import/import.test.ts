import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

const list = JSON.stringify({
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Good day' },
  ],
});

describe('coppice import', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O40] reads a file, says what came of every record, and adds nothing twice', async () => {
    writeFileSync(`${bed.home}/chat.json`, list);
    expect(await bed.json(['import', 'chat.json', '--dry-run'])).toMatchObject({
      reports: [{ dryRun: true, records: { read: 2 } }],
    });
    expect(await bed.json(['ls'])).toMatchObject({ items: [] });
    const { reports } = await bed.json(['import', 'chat.json']);
    expect(reports).toMatchObject([{ format: 'linear', records: { read: 2, stored: 2, merged: 0, rejected: 0 } }]);
    expect(await bed.json(['show', 'last'])).toMatchObject({ nodes: [{ text: 'Hello' }, { text: 'Good day' }] });
    expect(await bed.json(['import', 'chat.json'])).toMatchObject({
      reports: [{ records: { read: 2, stored: 0, merged: 2 } }],
    });
    const { out } = await bed.run(['import', 'chat.json']);
    expect(out).toMatch(/conversations +1 +0 +1 +0/);
  });

  it('[O40] reads standard input and whole folders', async () => {
    expect(await bed.json(['import', '-'], list)).toMatchObject({ reports: [{ conversations: { stored: 1 } }] });
    // A strict reading reads twice, which a pipe cannot.
    expect(await bed.json(['import', '-', '--strict'], list)).toMatchObject({ reports: [{ records: { merged: 2 } }] });
    mkdirSync(`${bed.home}/exports/deep`, { recursive: true });
    writeFileSync(`${bed.home}/exports/deep/a.json`, list.replace('Hello', 'Hello there'));
    expect(await bed.json(['import', 'exports'])).toMatchObject({
      reports: [{ conversations: { read: 1, stored: 1 } }],
    });
  });

  it('[O40] refuses what is not there, what nobody can read, and with --strict what had to be repaired', async () => {
    expect(await bed.run(['import', 'nowhere.json'])).toMatchObject({ code: 3 });
    writeFileSync(`${bed.home}/notes.txt`, 'just text');
    expect(await bed.run(['import', 'notes.txt'])).toMatchObject({ code: 2 });
    const message = { id: 'm', author: { role: 'user' }, content: { content_type: 'text', parts: ['Lost?'] } };
    const orphan = { id: 'a', parent: 'missing', children: [], message };
    writeFileSync(
      `${bed.home}/odd.json`,
      JSON.stringify([{ id: 'c', title: 'Odd', mapping: { a: orphan }, current_node: 'a' }]),
    );
    expect((await bed.run(['import', 'odd.json', '--strict'])).code).not.toBe(0);
    expect(await bed.json(['ls'])).toMatchObject({ items: [] });
  });
});
