/** Describes a store under test, and provides helper functions for the tests of the suite. */
import {
  type Answer,
  type AppError,
  ask,
  isAppError,
  type Message,
  type ReadName,
  type Reads,
  type Run,
  type Store,
  type Tree,
  type TreeId,
  type TreeListEvent,
  treeId,
} from '@coppice/core';
import { treeFromRows } from '@coppice/core/history';
import { TestTree, testUuid, user } from '@coppice/core/testing';
import { checkTree, treeToJson } from '@coppice/core/tree';
import { expect, type TestContext, test } from 'vitest';
import type { StoreOptions } from '../options.ts';

/** A store that was damaged on purpose. */
export interface DamagedStore {
  /** Tries to open the damaged store. */
  open(): Promise<Store>;
  /** Whether every byte of the store is the same as after the damage. */
  unchanged(): Promise<boolean>;
}

/** A store under test. The tests read its capabilities from `supports`, never from its name. */
export interface StoreSubject {
  readonly name: string;
  /** Creates and opens an empty store. */
  open(options?: StoreOptions): Promise<Store>;
  /** Closes a store and opens the same data again. Required if `supports.durable` is true. */
  reopen?(store: Store, options?: StoreOptions): Promise<Store>;
  /** Opens the data of an open store a second time, like another process. Required if `supports.processes` is true. */
  openSecond?(store: Store, options?: StoreOptions): Promise<Store>;
  /** Closes a store, then damages it or marks it as written by a newer version. */
  damage?(store: Store, how: 'damaged' | 'newer'): Promise<DamagedStore>;
  /** Returns a path for a backup, and a function that opens the backup. Required if `supports.durable` is true. */
  backup?(store: Store): Promise<{ readonly to: string; open(): Promise<Store> }>;
  /**
   * The second owner of tests that compare ids of two owners. A store with several parts compares only the ids in one
   * part, so the second owner must be in the part of the first. Defaults to `somebody else`.
   */
  readonly secondOwner?: string;
  /** Closes a store if it is open, and deletes its data. */
  destroy(store: Store): Promise<void>;
}

/** Returns the second owner of tests that compare ids of two owners. */
export function secondOwnerOf(subject: StoreSubject): string {
  return subject.secondOwner ?? 'somebody else';
}

/** Whether the tests run with more and larger inputs. */
export const isLongRun = process.env['COPPICE_LONG'] === '1';

/** Registers one test of the suite. It gets a new store, which is destroyed afterwards. */
export function testStoreRule(
  subject: StoreSubject,
  name: string,
  body: (store: Store, context: TestContext) => Promise<void>,
  options?: StoreOptions,
): void {
  test(name, async (context) => {
    const store = await subject.open(options);
    try {
      await body(store, context);
    } finally {
      await subject.destroy(store);
    }
  });
}

/** Skips a test with a reason if the store does not promise the capability. */
export function skipUnlessSupported(context: TestContext, promised: boolean, reason: string): void {
  if (!promised) context.skip(reason);
}

/**
 * Returns an optional method of the subject. Throws if the method is missing although the store promises the
 * capability.
 */
export function requireSubjectMethod<T>(method: T | undefined, name: string): T {
  if (method === undefined) throw new Error(`The suite needs ${name} for a store with this capability.`);
  return method;
}

/** Creates an empty tree in a store, with a fixture to change it. */
export function createTestTree(store: Store, id = 1, systemPrompt?: string): Promise<TestTree> {
  return TestTree.make({
    store,
    treeId: treeId(testUuid(id)),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  });
}

/** Returns the record of a run that writes a reply. Fields that are not given have defaults. */
export function createTestRun(at: Pick<Run, 'treeId' | 'nodeId'>, fields: Partial<Run> = {}): Run {
  return { ...at, id: testUuid(80), process: 'p', startedAt: 1, beatAt: 1, data: {}, ...fields };
}

/** Runs one read on a tree of a store. */
export function askStore<K extends ReadName>(
  store: Store,
  id: TreeId,
  name: K,
  args: Reads[K]['args'],
): Promise<Answer<K>> {
  return store.read(id, () => ask(name, args));
}

/** Builds the value of a tree from all its rows. */
export async function readTreeValue(store: Store, id: TreeId): Promise<Tree> {
  const rows = await askStore(store, id, 'rows', {});
  if (rows === null) throw new Error(`There is no tree ${id} in the store.`);
  return treeFromRows(rows.row, rows.nodes, rows.bookmarks);
}

/** Returns the value of a tree as JSON, for comparing two stores; includes visit marks and removed nodes. */
export async function readTreeJson(store: Store, id: TreeId): Promise<unknown> {
  return treeToJson(await readTreeValue(store, id));
}

/** Fails the test if a tree breaks an invariant. */
export async function expectNoErrors(store: Store, id: TreeId): Promise<void> {
  expect(checkTree(await readTreeValue(store, id)).filter((finding) => finding.severity === 'error')).toEqual([]);
}

/** Returns the error of a refusal. Fails the test if the work is not refused. */
export async function expectRefusal(work: Promise<unknown> | (() => Promise<unknown>)): Promise<AppError> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
  throw new Error('This was not refused.');
}

/** Returns the code of a refusal. Fails the test if the work is not refused. */
export async function expectRefusalCode(work: Promise<unknown> | (() => Promise<unknown>)): Promise<string> {
  return (await expectRefusal(work)).code;
}

/** Returns the next items of an endless iterable, then ends the iteration. */
export async function takeItems<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const found: T[] = [];
  if (count === 0) return found;
  for await (const item of items) {
    found.push(item);
    if (found.length === count) break;
  }
  return found;
}

// Even a busy machine answers within this time. A test that waits longer is blocked.
const waitLimitMs = 30_000;

/** Returns the code with which a feed is refused. Fails the test if the feed waits instead. */
export async function expectFeedRefusalCode(store: Store, id: TreeId): Promise<string> {
  const stop = new AbortController();
  const giveUp = setTimeout(() => stop.abort(), waitLimitMs);
  try {
    return await expectRefusalCode(takeItems(store.feed(id, 0, stop.signal), 1));
  } finally {
    clearTimeout(giveUp);
  }
}

/**
 * Returns the first event of a feed over all trees. The test cannot know when the feed starts to listen, so the change
 * is repeated until an event arrives. Fails the test if none arrives in time.
 */
export async function waitForListEvent(store: Store, change: () => Promise<unknown>): Promise<TreeListEvent> {
  const stop = new AbortController();
  const reported: TreeListEvent[] = [];
  const listening = (async () => {
    for await (const event of store.feedAll(null, stop.signal)) {
      reported.push(event);
      break;
    }
  })();
  try {
    for (const until = performance.now() + waitLimitMs; performance.now() < until && reported.length === 0; ) {
      await change();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  } finally {
    stop.abort();
    await listening;
  }
  const [event] = reported;
  if (event === undefined) throw new Error('No change was told.');
  return event;
}

/** Returns a user message with a chosen id. Its text contains the id. */
export function buildMessageWithId(id: string) {
  return { id, message: user(`says ${id}`) };
}

/** Texts that often break JSON, SQL and file systems. */
export const awkwardTexts: readonly string[] = [
  'lone \ud800 surrogate',
  'nul \u0000 inside',
  'quote \' and " and \\ and ` and $1 and %s',
  'line\u2028and\u2029ends\r\n\t',
  '\ufeffmark first',
  '🌲'.repeat(40),
  '__proto__',
  'e\u0301 and \u202e turned',
];

/** Returns a message with a block of an unknown type. */
export function buildMessageWithUnknownBlock(): Message {
  const block = { type: 'x-vendor', deep: { list: [1, -0.5, 1e21, null, true], ['__proto__']: 'kept' } };
  return { role: 'user', content: [block] };
}
