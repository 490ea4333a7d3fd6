import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { nodeId, run, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice show', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O16] prints the active thread with the position among variants, and the one that ends at a node', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    await fixture.json(['edit', tree, '@', 'Two, differently']);
    const { out } = await fixture.run(['show', tree]);
    expect(out).toContain('You 2/2');
    expect(out).toContain('Two, differently');
    expect(await fixture.json(['show', tree, nodes[1] ?? '', '--leaf'])).toMatchObject({ nodes: [{ id: nodes[1] }] });
    expect(await fixture.json(['show', tree, nodes[0] ?? '', '--through'])).toMatchObject({
      nodes: [{}, { text: 'Two, differently' }],
    });
  });

  it('[O16] prints an empty line between messages, and with --through continues from the beginning', async () => {
    await fixture.run(['append', '--new', '--title', 'Empty', ' ']);
    expect((await fixture.run(['show', 'Empty', 'root', '--through'])).out).toContain('This chat is empty.');
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    const both = `You  ${nodes[0]?.slice(-8)}\nOne\n\nYou  ${nodes[1]?.slice(-8)}\nTwo\n\n`;
    expect((await fixture.run(['show', tree, 'root', '--through'])).out).toBe(`One  ${tree.slice(-8)}\n\n${both}`);
    expect((await fixture.run(['show', tree, 'root'])).out).toContain(
      'Nothing to show: you are at the beginning of the chat.',
    );
  });

  it('[O7] reports which lines of a session file cannot be read, and why a file of another tool cannot be written', async () => {
    const header = { type: 'session', version: 2, uuid: 'r', parentUuid: null, id: 's' };
    const message = { type: 'message', uuid: 'm', parentUuid: 'r', message: { role: 'user', content: 'Hello' } };
    const torn = join(fixture.home, 'torn.jsonl');
    const whole = `${JSON.stringify(header)}\n${JSON.stringify(message)}\n`;
    writeFileSync(torn, `${whole}{"type":"mess`);
    const shown = await fixture.run(['show', 'last', '--store', `jsonl:${torn}`]);
    expect(shown).toMatchObject({ code: 0, err: expect.stringContaining(`byte ${whole.length}`) });
    expect(shown.out).toContain('Hello');
    const pi = join(fixture.home, 'pi.jsonl');
    const line = { type: 'message', id: 'm', parentId: null, message: { role: 'user', content: 'Hello' } };
    writeFileSync(pi, `${JSON.stringify({ type: 'session', version: 3, id: 's' })}\n${JSON.stringify(line)}\n`);
    const { err } = await fixture.run(['show', 'last', '--store', `jsonl:${pi}`]);
    expect(err.trim()).toMatch(/^\S+pi\.jsonl was written by another tool: .* nothing can be saved\.$/);
  });

  it('[O70] shows the received text of a reply whose process was killed, and not a reply that is still empty', async () => {
    const { tree, nodes } = await fixture.createChat('Hello');
    const store = await openStore(`sqlite:${fixture.home}/.coppice/coppice.db`);
    const context = { actor: 'local', kit: messageKit, now: Date.now, newId: () => crypto.randomUUID() };
    const [id, at] = [nodeId(crypto.randomUUID()), Date.now() - 20_000];
    const lost = {
      id: crypto.randomUUID(),
      treeId: treeId(tree),
      nodeId: id,
      process: 'gone',
      startedAt: at,
      beatAt: at,
    };
    await store.runs.start({ ...lost, data: {} });
    const parentId = nodeId(nodes[0] ?? '');
    await run(store, { type: 'reply', treeId: treeId(tree), parentId, replies: [{ id }] }, context);
    await store.runs.append(lost.id, { offset: 0, text: 'Half a sen' });
    await store.close();
    expect(await fixture.json(['show', tree])).toMatchObject({
      nodes: [{ id: parentId }, { id, status: 'interrupted', text: 'Half a sen' }],
    });
  });
});
