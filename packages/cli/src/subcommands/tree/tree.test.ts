import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { type NodeId, run, textMessage, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileCliOnce } from '../../testing/compiled.ts';
import { type CliFixture, instantRepliesConfig, makeCliFixture } from '../../testing/index.ts';

describe('coppice tree', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O16] shows the text of a reply below its question, as /branches does', async () => {
    const asked = makeCliFixture({
      config: instantRepliesConfig,
      env: { COPPICE_MODEL: 'offline/guide' },
      home: fixture.home,
    });
    const { text } = await asked.json(['chat', '-p', 'How do I connect a model?']);
    asked.close();
    const begun = String(text).slice(0, 30);
    const { out } = await fixture.run(['tree', 'last']);
    expect(out).toContain('● How do I connect a model?');
    expect(out).toContain(`○ ${begun}`);
    expect((await fixture.run(['chat', '-p', '-t', 'last', '/branches'])).out).toContain(`“${begun}`);
  });

  it('[O16] marks where a text continues, and only there', async () => {
    const wide = makeCliFixture({ stdout: { columns: 140, write: (text) => written.push(String(text)) } });
    const written: string[] = [];
    const long = 'Flour and water and a week of patience. '.repeat(3);
    await wide.run(['append', '--new', '--title', 'Bread', long]);
    const full = 'x'.repeat(80);
    await wide.run(['append', 'last', full]);
    written.length = 0;
    await wide.run(['tree', 'last']);
    expect(written.join('')).toMatch(new RegExp(`● ${long.slice(0, 79)}… [0-9a-f]{8}\n● ${full} `));
    written.length = 0;
    await wide.run(['tree', 'last', '--json']);
    expect(JSON.parse(written.join(''))).toMatchObject({
      nodes: [{ preview: `${long.slice(0, 79)}…` }, { preview: full }],
    });
    wide.close();
  });

  it('[O82] folds a tree of many messages, counts the hidden ones, and prints how to see all', async () => {
    const store = await openStore(`sqlite:${fixture.home}/large.db`);
    const act = { actor: 'local', kit: messageKit, now: Date.now, newId: () => randomUUID() };
    const id = treeId(randomUUID());
    await run(store, { type: 'create', treeId: id, attributes: { title: 'Large' } }, act);
    const say = (text: string) => ({ message: textMessage('user', text) });
    const messages = Array.from({ length: 600 }, (_, at) => say(`Turn ${at}`));
    const { result } = await run(store, { type: 'append', treeId: id, messages }, act);
    const fork = result.added[299];
    const aside = [say('Aside'), say('Aside ends')];
    if (fork !== undefined)
      await run(store, { type: 'append', treeId: id, parentId: fork, messages: aside, select: false }, act);
    await store.close();
    const at = ['--store', `sqlite:${fixture.home}/large.db`];
    const { out } = await fixture.run(['tree', 'last', ...at]);
    const shown = out.split('\n').filter((line) => line !== '');
    expect(shown.length).toBeLessThan(15);
    expect(out).toMatch(
      /● Turn 0 .*\n⋮ 298 messages\n● Turn 299 .*\n├─● Turn 300 .*\n│ ⋮ 298 messages\n│ ● Turn 599 .*← here\n/,
    );
    expect(out).toMatch(/└─● Aside .*\n {2}● Aside ends/);
    expect(out).toMatch(/602 messages, 596 of them folded\. See every one with coppice tree .* --all\.\n/);
    expect(await fixture.json(['tree', 'last', ...at])).toMatchObject({ total: 602, folded: 596, linesLeft: 0 });
    const whole = await fixture.run(['tree', 'last', '--all', ...at]);
    expect(whole.out.split('\n').filter((line) => line.includes('●')).length).toBe(602);
    const few = await fixture.run(['tree', 'last', '--limit', '2', ...at]);
    expect(few.out).toContain('left out');
    const below = await fixture.run(['tree', 'last', '--from', fork ?? '', '--limit', '3', ...at]);
    expect(below.out).toContain('302 messages');
  });

  it('[O82] draws 100,000 messages with less than 200 MB', { tags: ['full'], timeout: 180_000 }, async () => {
    const path = `${fixture.home}/large.db`;
    const store = await openStore(`sqlite:${path}`);
    const act = { actor: 'local', kit: messageKit, now: Date.now, newId: () => randomUUID() };
    const id = treeId(randomUUID());
    await run(store, { type: 'create', treeId: id, attributes: { title: 'Large' } }, act);
    let forks: readonly NodeId[] = [];
    for (let part = 0; part < 100; part++) {
      const messages = Array.from({ length: 1000 }, (_, at) => ({
        // The last message of each part is drawn, so that its long text would be read into memory with the others.
        message: textMessage(
          at % 2 === 0 ? 'user' : 'assistant',
          `Message ${at} of ${part}. ${'word '.repeat(at === 999 ? 120_000 : 20)}`,
        ),
      }));
      const parentId = forks[(part * 37) % 100];
      const place = parentId === undefined ? {} : { parentId };
      const { result } = await run(store, { type: 'append', treeId: id, messages, merge: false, ...place }, act);
      forks = [...forks, ...result.added.slice(500, 501)];
    }
    await store.close();
    // The command writes its peak memory use, in kilobytes, when it exits.
    const note = join(fixture.home, 'memory.txt');
    const hook = `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(note)}, String(process.resourceUsage().maxRSS)))`;
    const before = join(fixture.home, 'note-memory.cjs');
    writeFileSync(before, hook);
    const command = await compileCliOnce();
    const ended = spawnSync(process.execPath, ['--require', before, command, 'tree', 'last', '--store', path]);
    expect([ended.status, ended.stderr.toString()]).toEqual([0, '']);
    expect(ended.stdout.toString()).toContain('100000 messages');
    expect(Number(readFileSync(note, 'utf8'))).toBeLessThan(200_000);
  });

  it('[O16] draws every branch: chains straight, forks indented', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    await fixture.json(['edit', tree, nodes[1] ?? '', 'Other']);
    const { out } = await fixture.run(['tree', tree]);
    expect(out).toMatch(/● One .*\n├─● Two .*\n│ ● Three .*\n└─● Other/);
    // The current node is marked even without colours.
    expect(out.split('\n').filter((line) => line.endsWith('← here'))).toEqual([expect.stringContaining('Other')]);
    expect(await fixture.json(['tree', tree, '--depth', '1'])).toMatchObject({
      nodes: [{ id: nodes[0], hasChildren: true }],
    });
    expect((await fixture.run(['tree', tree, '--from', nodes[1] ?? ''])).out).toContain('Three');
  });
});
