import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEventBus } from '../events.ts';
import { describeContext, openSessionFixture, type SessionFixture } from '../testing/session-fixture.ts';
import { AgentSession, addHooks, loadHooks } from './index.ts';

let sessions: SessionFixture;
let session: AgentSession;
const failures: string[] = [];
beforeEach(async () => {
  sessions = openSessionFixture();
  failures.length = 0;
  const events = createEventBus(({ event }) => failures.push(event));
  session = new AgentSession(sessions.create(), { ...sessions.options, events });
  for (const [role, content] of [
    ['user', 'one'],
    ['assistant', 'two'],
    ['user', 'three'],
  ] as const)
    await session.manager.saveMessage({ role, content });
});
afterEach(async () => {
  await session.close();
  await sessions.destroy();
});

const uuids = () => session.manager.getEntries().map(({ uuid }) => uuid);

describe('hooks of a session', () => {
  test('[Z40] can read the entries and the path, branch, save, and replace the context', async () => {
    const [one = '', two = ''] = uuids();
    const seen: unknown[] = [];
    addHooks(session, {
      after: {
        branch: async (event, context) => {
          seen.push([event.nodeId, context.entries.length, context.currentPath.map(({ uuid }) => uuid).slice(1)]);
          await context.saveEntry({ type: 'custom', customType: 'note', data: { kept: true } });
          await context.branchInPlace(one, 'a hook was here');
          seen.push(describeContext(await context.rebuildContext()).length);
        },
      },
    });
    await session.branchInPlace(two);
    expect(seen).toEqual([[two, 3, [one, two]], 2]);
    expect(session.manager.getCurrentLeaf()).toMatchObject({ type: 'branch_summary', parentUuid: one });
    expect(session.manager.getEntries().some(({ type }) => type === 'custom')).toBe(true);
  });

  test('[Z41] can cancel and replace; a failing one is reported and the session continues', async () => {
    const [one = '', two = ''] = uuids();
    const remove = addHooks(session, {
      before: { branch: (event) => ({ replace: { ...event, nodeId: event.nodeId, summary: 'by the hook' } }) },
    });
    await session.branchInPlace(two);
    expect(session.manager.getCurrentLeaf()).toMatchObject({ summary: 'by the hook', parentUuid: two });
    remove();
    const leaf = session.manager.getLeafUuid();
    const stop = addHooks(session, { before: { branch: () => ({ cancel: 'No.' }) } });
    expect((await session.branchInPlace(two)).cancelled).toBe(true);
    expect(session.manager.getLeafUuid()).toBe(leaf);
    stop();
    addHooks(session, {
      before: {
        branch: () => {
          throw new Error('broken');
        },
      },
    });
    await session.branchInPlace(two);
    expect(session.manager.getLeafUuid()).toBe(two);
    expect([failures, one === '']).toEqual([['before branch'], false]);
  });

  test('[Z42] are loaded only from folders that the user trusts, after resolving links', async () => {
    const [trusted, other] = [join(sessions.folder, 'trusted'), join(sessions.folder, 'repository')];
    for (const folder of [trusted, other]) mkdirSync(folder);
    const source = (name: string) =>
      `export default { after: { branch: () => { globalThis.hookRan = ${JSON.stringify(name)}; } } };\n`;
    writeFileSync(join(trusted, 'good.mjs'), source('good'));
    writeFileSync(join(trusted, 'bad.mjs'), 'export default { after: { nonsense: 1 } };\n');
    writeFileSync(join(trusted, 'broken.mjs'), 'throw new Error("broken");\n');
    writeFileSync(join(other, 'evil.mjs'), 'globalThis.evilRan = true;\n');
    symlinkSync(join(other, 'evil.mjs'), join(trusted, 'link.mjs'));
    const left: string[] = [];
    const paths = [
      join(trusted, 'good.mjs'),
      join(trusted, 'bad.mjs'),
      join(trusted, 'broken.mjs'),
      join(other, 'evil.mjs'),
      join(trusted, 'link.mjs'),
      join(trusted, '..', 'repository', 'evil.mjs'),
    ];
    const remove = await loadHooks(session, paths, {
      trusted: [trusted],
      realPath: (path) => realpath(path),
      importModule: (path) => import(pathToFileURL(path).href),
      onFailure: ({ error }) => left.push(error instanceof Error && 'code' in error ? String(error.code) : 'error'),
    });
    expect(left).toEqual(['hook/invalid', 'error', 'hook/untrusted', 'hook/untrusted', 'hook/untrusted']);
    await session.branchInPlace(uuids()[1] ?? '');
    expect([Reflect.get(globalThis, 'hookRan'), Reflect.get(globalThis, 'evilRan')]).toEqual(['good', undefined]);
    remove();
  });
});
