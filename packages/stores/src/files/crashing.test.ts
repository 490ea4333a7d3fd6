// @module-tag full
/** Tests of crashes during a write, full disks and locked folders. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAppError, nodeId, type Store, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { ExistingTreeFixture } from '../../test/existing-tree-fixture.ts';
import { makeTemporaryFolder } from '../../test/files-subject.ts';
import { readEveryFile } from '../../test/folder-subject.ts';
import { readFolderWithoutCoppice } from '../../test/plain-reader.ts';
import { askStore, expectRefusalCode, readTreeJson } from '../conformance/subject.ts';
import { armFault, countFaultPasses } from '../failpoints.ts';
import { FileSystemStore } from './index.ts';

const folders: string[] = [];
const running = new Map<ChildProcess, Promise<unknown>>();
function folder(): string {
  const made = makeTemporaryFolder();
  folders.push(made);
  return made;
}
afterEach(async () => {
  armFault(null);
  for (const child of running.keys()) child.kill('SIGKILL');
  await Promise.all(running.values());
  for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true });
});

const worker = fileURLToPath(new URL('../../test/files-worker.ts', import.meta.url));
const id = treeId(testUuid(1));

interface Ended {
  readonly said: readonly string[];
  readonly signal: string | null;
}

function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  uid?: number,
): { readonly child: ChildProcess; readonly ended: Promise<Ended>; until(word: string): Promise<void> } {
  const child = spawn(process.execPath, ['--import', 'tsx', worker, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let out = '';
  const waiting = new Set<() => void>();
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
    for (const look of [...waiting]) look();
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (_, signal) => {
      running.delete(child);
      resolve({ said: out.split('\n').filter((line) => line !== ''), signal });
    });
  });
  running.set(child, ended);
  const until = (word: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!out.split('\n').includes(word)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      void ended.then(({ said }) => reject(new Error(`It ended without ${word}: ${said.join(', ')}`)));
      look();
    });
  return { child, ended, until };
}

async function sample(place: string): Promise<void> {
  const store = await FileSystemStore.open(place);
  await (await TestTree.make({ store, treeId: id })).addMessages(['first', 'reply']);
  await store.close();
}

async function texts(store: Store): Promise<string[]> {
  const rows = await askStore(store, id, 'rows', {});
  return (rows?.nodes ?? []).filter((node) => node.removedIn === null && node.text !== '').map((node) => node.text);
}

// Failpoints that an append passes: first those of the journal, then those of the files for other programs.
const points = [
  'journal-before-append',
  'journal-after-append',
  'journal-after-fsync',
  'node-before-append',
  'node-after-rename:2',
  'tree-before-rename',
  'tree-after-rename',
  'roots-before-rename',
] as const;

describe('crashing', () => {
  test('[L10] a process killed at any point leaves the old or the new state, and the files match it', async () => {
    const sites = points.map((point) => ({ point, place: folder() }));
    for (const { place } of sites) await sample(place);
    const run = async ({ point, place }: (typeof sites)[number]) => {
      const [name, nth = '1'] = point.split(':');
      const fault = { COPPICE_TEST_FAULTS: '1', COPPICE_FAULT: `disk-${name}:${nth}:kill` };
      const { said, signal } = await start([place], fault).ended;
      expect([point, signal]).toEqual([point, 'SIGKILL']);
      const store = await FileSystemStore.open(place);
      const found = await texts(store);
      if (said.includes('acknowledged')) expect([point, found]).toEqual([point, ['first', 'reply', 'second']]);
      else expect(found.slice(0, 2)).toEqual(['first', 'reply']);
      expect([point, (await store.fsck()).findings]).toEqual([point, []]);
      await store.close();
      expect(readFolderWithoutCoppice(place)[0]?.branches).toEqual([found.join(' / ')]);
      expect(existsSync(join(place, '.coppice', 'making'))).toBe(false);
    };
    for (let at = 0; at < sites.length; at += 4) await Promise.all(sites.slice(at, at + 4).map(run));
  });

  test('[L11] a write that fails at any point is refused with its reason, and the next one succeeds', async () => {
    const template = folder();
    await sample(template);
    const operations: readonly (readonly [string, (fixture: TestTree, store: Store) => Promise<unknown>])[] = [
      ['append', (fixture) => fixture.addMessages(['more'])],
      ['create', (_, store) => TestTree.make({ store, treeId: treeId(testUuid(2)) })],
      ['clear', (fixture) => fixture.run({ type: 'clear', treeId: id })],
      ['purge', (_, store) => store.purge(id, { upTo: 99 })],
      ['blob', (_, store) => store.blobs.put(new Uint8Array([1, 2, 3]), 'image/png')],
      ['names', (_, store) => store.putExternalIds([{ treeId: id, nodeId: null, format: 'f', scope: 's', id: 'x' }])],
    ];
    for (const [name, operation] of operations)
      for (const sticky of [false, true])
        for (let nth = 1; ; nth++) {
          const place = folder();
          cpSync(template, place, { recursive: true });
          const store = await FileSystemStore.open(place);
          const fixture = new ExistingTreeFixture(store);
          if (name === 'purge') await fixture.run({ type: 'delete', treeId: id, nodeIds: [nodeId(await leaf(store))] });
          const before = await readTreeJson(store, id);
          // The check waits until the node files are written, so that only the operation itself passes failpoints.
          await store.fsck();
          armFault({ point: '*', nth, fault: nth % 2 === 0 ? 'eio' : 'enospc', sticky });
          const refused = await operation(fixture, store).then(
            () => null,
            (error: unknown) => (isAppError(error) ? error.code : String(error)),
          );
          const passed = countFaultPasses();
          armFault(null);
          if (refused !== null) {
            expect([name, nth, refused]).toEqual([name, nth, nth % 2 === 0 ? 'store/unavailable' : 'store/full']);
            expect([name, nth, await readTreeJson(store, id)]).toEqual([name, nth, before]);
          }
          await operation(fixture, store);
          const after = await readTreeJson(store, id);
          await store.close();
          const again = await FileSystemStore.open(place);
          expect([name, nth, await readTreeJson(again, id)]).toEqual([name, nth, after]);
          expect([name, nth, (await again.fsck()).findings]).toEqual([name, nth, []]);
          await again.close();
          rmSync(place, { recursive: true, force: true });
          if (passed < nth) break;
        }
  });

  test('[L12] on a full disk nothing is acknowledged, reads work, and writes work when there is space', async () => {
    const place = folder();
    await sample(place);
    const store = await FileSystemStore.open(place);
    const journal = join(place, id, 'journal.jsonl');
    const before = readFileSync(journal);
    armFault({ point: 'disk-journal-after-append', nth: 1, fault: 'enospc', sticky: true });
    const fixture = new ExistingTreeFixture(store);
    for (let at = 0; at < 3; at++)
      expect(await expectRefusalCode(fixture.addMessages([`lost ${at}`]))).toBe('store/full');
    expect(await texts(store)).toEqual(['first', 'reply']);
    expect(readFileSync(journal).equals(before)).toBe(true);
    armFault(null);
    await fixture.addMessages(['kept']);
    expect(await texts(store)).toEqual(['first', 'reply', 'kept']);
    await store.close();
  });

  test('[L13] if the files for other programs cannot be written, everything is still saved, and the failure is reported', async () => {
    const place = folder();
    await sample(place);
    const store = await FileSystemStore.open(place);
    armFault({ point: 'disk-node-before-rename', nth: 1, fault: 'enospc', sticky: true });
    await new ExistingTreeFixture(store).addMessages(['kept']);
    await store.fsck();
    expect((await store.info()).notes.some((note) => note.includes('files for other programs are behind'))).toBe(true);
    armFault(null);
    await store.close();
    expect(readFolderWithoutCoppice(place)[0]?.branches).toEqual(['first / reply / kept']);
  });
});

async function leaf(store: Store): Promise<string> {
  return (await askStore(store, id, 'tree', {}))?.activeNodeId ?? '';
}

describe('the lock', () => {
  test('[L14] a second process can read, learns which process writes, and is refused with store/locked', async () => {
    const place = folder();
    await sample(place);
    const holder = start([place, 'hold']);
    await holder.until('holding');
    const store = await FileSystemStore.open(place);
    const info = await store.info();
    expect(info.readOnly).toBe(true);
    expect(info.notes.some((note) => note.includes(`process ${holder.child.pid} `))).toBe(true);
    expect(await texts(store)).toEqual(['first', 'reply']);
    expect(await expectRefusalCode(new ExistingTreeFixture(store).addMessages(['no']))).toBe('store/locked');
    await expect(new ExistingTreeFixture(store).addMessages(['no'])).rejects.toMatchObject({
      message: expect.stringContaining(`locked by the process ${holder.child.pid} on `),
      data: { pid: holder.child.pid },
    });
    expect(await expectRefusalCode(store.blobs.put(new Uint8Array([1]), 'text/plain'))).toBe('store/locked');
    await store.close();
    // A killed process cannot release its lock, so the next process takes over the lock.
    holder.child.kill('SIGKILL');
    await holder.ended;
    expect(existsSync(join(place, '.coppice', 'lock'))).toBe(true);
    const next = await FileSystemStore.open(place);
    expect((await next.info()).readOnly).toBe(false);
    await new ExistingTreeFixture(next).addMessages(['yes']);
    await next.close();
    expect(existsSync(join(place, '.coppice', 'lock'))).toBe(false);
  });

  test('[L15] a lock from before a reboot or of a reused process number is taken over, one of another machine is not', async () => {
    const place = folder();
    await sample(place);
    const lock = join(place, '.coppice', 'lock');
    const first = await FileSystemStore.open(place);
    const own = JSON.parse(readFileSync(lock, 'utf8'));
    await first.close();
    const stale = [
      { ...own, boot: 'another run' },
      { ...own, pid: 2 ** 22 + 1 },
      { ...own, started: '1' },
      { ...own, space: 'another numbering' },
    ];
    for (const holder of stale) {
      writeFileSync(lock, JSON.stringify(holder));
      const store = await FileSystemStore.open(place);
      expect((await store.info()).readOnly).toBe(false);
      await store.close();
    }
    for (const holder of [own, { ...own, host: 'another-machine' }]) {
      writeFileSync(lock, JSON.stringify(holder));
      const store = await FileSystemStore.open(place);
      expect((await store.info()).readOnly).toBe(true);
      await store.close();
      expect(readFileSync(lock, 'utf8')).toBe(JSON.stringify(holder));
    }
  });

  test('[L16] a writer that lost its lock writes nothing more', async () => {
    const place = folder();
    await sample(place);
    const store = await FileSystemStore.open(place);
    rmSync(join(place, '.coppice', 'lock'));
    const other = await FileSystemStore.open(place);
    expect(await expectRefusalCode(new ExistingTreeFixture(store).addMessages(['no']))).toBe('store/locked');
    await new ExistingTreeFixture(other).addMessages(['yes']);
    await store.close();
    expect(existsSync(join(place, '.coppice', 'lock'))).toBe(true);
    await other.close();
  });

  test('[L16] a lock that was moved aside is lost, one with a second name is not', async () => {
    const place = folder();
    await sample(place);
    const lock = join(place, '.coppice', 'lock');
    const store = await FileSystemStore.open(place);
    linkSync(lock, `${lock}.copy`);
    await new ExistingTreeFixture(store).addMessages(['yes']);
    // File times have a coarse resolution, so the test waits until the next change gets another time.
    const probe = join(place, '.coppice', 'probe');
    do writeFileSync(probe, '');
    while (statSync(probe).ctimeMs <= statSync(lock).ctimeMs);
    rmSync(probe);
    renameSync(lock, `${lock}.aside`);
    expect(await expectRefusalCode(new ExistingTreeFixture(store).addMessages(['no']))).toBe('store/locked');
    await store.close();
  });
});

describe('read-only folders', () => {
  test('[L17] can be listed, read and searched, and every write is refused', async () => {
    const place = folder();
    await sample(place);
    const before = readEveryFile(place);
    for (const each of [place, join(place, '.coppice')]) chmodSync(each, 0o555);
    // Root can write to every folder, so the test runs as another user.
    const root = process.getuid?.() === 0;
    const { said } = await start([place, 'list'], {}, root ? 65534 : undefined).ended;
    for (const each of [place, join(place, '.coppice')]) chmodSync(each, 0o755);
    expect(said.slice(0, 1)).toEqual(['read-only']);
    expect(said).toContain('trees 1');
    expect(said).toContain('found 1');
    expect(said.at(-1)).toBe('refused tree/read-only');
    expect(said.some((line) => line.startsWith('note ') && line.includes('is not writable'))).toBe(true);
    expect(readEveryFile(place)).toEqual(before);
  });

  test('[L17] that do not exist are not created by a read', async () => {
    const place = join(folder(), 'nowhere');
    expect(await expectRefusalCode(FileSystemStore.open(place, { readOnly: true }))).toBe('store/unavailable');
    expect(existsSync(place)).toBe(false);
    mkdirSync(place);
    const store = await FileSystemStore.open(place);
    await store.close();
    // Opening a store for reading leaves the folder unchanged.
    expect(readdirSync(place)).toEqual([]);
  });
});
