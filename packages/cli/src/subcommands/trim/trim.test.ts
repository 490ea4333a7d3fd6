import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

const day = 86_400_000;

describe('coppice trim', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => {
    vi.useRealTimers();
    fixture.close();
  });

  it('[O194] deletes changes that are older than the given days, and the log, undo and earlier states name the beginning', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 30 * day });
    const { tree } = await fixture.createChat('One', 'Two');
    vi.useRealTimers();
    await fixture.run(['append', tree, 'Three']);
    expect(await fixture.run(['trim'])).toMatchObject({ code: 2 });
    const trimmed = await fixture.run(['trim', '--keep', '7']);
    expect(trimmed.out).toBe('Deleted 3 changes from 1 chat. They can no longer be undone.\n');
    expect((await fixture.run(['trim', '--keep', '7'])).out).toBe('No old changes to delete.\n');
    const { commits, begins } = await fixture.json(['log', tree]);
    expect(commits).toMatchObject([{ version: 4 }]);
    expect(begins).toMatchObject({ version: 4 });
    const today = new Date().toISOString().slice(0, 10);
    expect((await fixture.run(['log', tree])).out).toContain('The history begins on ');
    await fixture.run(['undo', tree]);
    const undone = await fixture.run(['undo', tree]);
    expect(undone.err).toContain(`the history begins on ${today}`);
    expect((await fixture.run(['show', tree])).out).toContain('Two');
    expect(await fixture.run(['fsck'])).toMatchObject({ code: 0 });
  });
});
