import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, instantRepliesConfig, makeCliFixture } from '../../testing/index.ts';

describe('coppice log', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture({ config: instantRepliesConfig, env: { COPPICE_MODEL: 'offline/guide' } });
  });
  afterEach(() => fixture.close());

  it('[O15] lists acts, newest first', async () => {
    const { tree } = await fixture.createChat('One', 'Two');
    await fixture.run(['undo', tree]);
    const { commits } = await fixture.json(['log', tree, '--limit', '2']);
    expect(commits).toMatchObject([
      { version: 4, kind: 'undo' },
      { version: 3, kind: 'do' },
    ]);
    // A reply has several commits, and is one change however many are listed.
    await fixture.run(['chat', '-p', '-t', tree, 'Three']);
    const whole = (await fixture.run(['log', tree])).out;
    expect(whole).toContain('added 2 messages');
    for (const limit of ['1', '2', '3', '4'])
      expect(whole.startsWith((await fixture.run(['log', tree, '--limit', limit])).out)).toBe(true);
    const { out } = await fixture.run(['log', tree, '--before', '5']);
    expect(out.split('\n').map((line) => line.slice(32))).toEqual([
      'undo: deleted a message or branch',
      'added 1 message',
      'created the chat, added 1 message',
      '',
    ]);
    expect((await fixture.run(['log', tree, '--before', '1'])).out).toBe('No earlier changes.\n');
  });

  it('[O71] breaks no line of a narrow terminal', async () => {
    const written: string[] = [];
    const stdout = { isTTY: true, columns: 40, write: (text: string | Uint8Array) => written.push(String(text)) };
    const narrow = makeCliFixture({ stdout, env: { NO_COLOR: '1' }, home: fixture.home });
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    await fixture.json(['edit', tree, nodes[1] ?? '', 'Other']);
    await narrow.run(['log', tree, '--limit', '1']);
    narrow.close();
    const [first = '', second = ''] = written.join('').split('\n');
    expect(first).toMatch(/^ {4}5 {2}\S+ \S+ {2}local$/);
    expect(second).toBe('       added 1 message');
  });
});
