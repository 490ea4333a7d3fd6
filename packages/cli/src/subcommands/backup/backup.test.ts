import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';
import { storeKindOfBackup } from './index.ts';

describe('coppice backup', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O20] writes a copy that opens as a store', async () => {
    const { tree } = await fixture.createChat('Keep me');
    const place = `${fixture.home}/copy.db`;
    expect(await fixture.json(['backup', place])).toEqual({ place, kind: 'sqlite' });
    expect(await fixture.json(['show', tree, '--store', `sqlite:${place}`])).toMatchObject({
      nodes: [{ text: 'Keep me' }],
    });
    // The backup of a database server is an SQLite file.
    expect(await storeKindOfBackup(place, 'postgres')).toBe('sqlite');
  });

  it('[O20] reports how to open a copy of folders or session files', async () => {
    for (const kind of ['files', 'jsonl']) {
      const on = ['--store', `${kind}:${fixture.home}/${kind}`];
      await fixture.json(['append', '--new', 'Keep me', ...on]);
      const place = `${fixture.home}/${kind}-copy`;
      expect(await fixture.json(['backup', place, ...on])).toEqual({ place, kind });
      expect(await fixture.json(['ls', '--store', `${kind}:${place}`])).toMatchObject({ items: { length: 1 } });
    }
  });
});
