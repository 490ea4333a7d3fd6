/** What the suite is given to work on, and what its tests share. */
import {
  type Answer,
  ask,
  isAppError,
  type ListEvent,
  type Message,
  type ReadName,
  type Reads,
  type Store,
  type Tree,
  type TreeId,
  treeId,
} from '@coppice/core';
import { fromRows } from '@coppice/core/history';
import { TestTree, uuid } from '@coppice/core/testing';
import { checkTree, treeToJson } from '@coppice/core/tree';
import { expect, type TestContext, test } from 'vitest';
import type { StoreOptions } from '../options.ts';

/** A place that was spoilt on purpose. */
export interface Spoilt {
  /** Tries to open it. */
  open(): Promise<Store>;
  /** Whether every byte is still what it was after spoiling. */
  unchanged(): Promise<boolean>;
}

/** A store under test. What a store cannot do is told by its `supports` and never by its name. */
export interface StoreSubject {
  readonly name: string;
  /** Opens a new place with nothing in it. */
  open(options?: StoreOptions): Promise<Store>;
  /** Closes a store and opens the same place again. Needed where `supports.durable`. */
  reopen?(store: Store, options?: StoreOptions): Promise<Store>;
  /** Opens the place of an open store a second time, as another process would. Needed where `supports.processes`. */
  beside?(store: Store, options?: StoreOptions): Promise<Store>;
  /** Closes a store and spoils its place: what it holds is damaged, or says that a newer build wrote it. */
  spoil?(store: Store, how: 'damaged' | 'newer'): Promise<Spoilt>;
  /** A place that a backup can go to, and how it is opened from there. Needed where `supports.durable`. */
  backup?(store: Store): Promise<{ readonly to: string; open(): Promise<Store> }>;
  /** Closes a store if it is open and takes its place away. */
  destroy(store: Store): Promise<void>;
}

/** Whether the long forms are to be run. */
export const long = process.env['COPPICE_LONG'] === '1';

/** One test of the suite on a fresh store, which is destroyed afterwards. */
export function rule(
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

/** Leaves a test out where a store does not promise what it tests, with the reason. */
export function needs(context: TestContext, promised: boolean, reason: string): void {
  if (!promised) context.skip(reason);
}

/** A part of the subject that a store with this promise has to give to the suite. */
export function given<T>(part: T | undefined, what: string): T {
  if (part === undefined) throw new Error(`The suite needs ${what} of a store that promises as much.`);
  return part;
}

/** A bed with an empty tree in a store. */
export function treeIn(store: Store, id = 1, systemPrompt?: string): Promise<TestTree> {
  return TestTree.make({ store, treeId: treeId(uuid(id)), ...(systemPrompt === undefined ? {} : { systemPrompt }) });
}

/** Asks a store one question about a tree. */
export function asked<K extends ReadName>(
  store: Store,
  id: TreeId,
  name: K,
  args: Reads[K]['args'],
): Promise<Answer<K>> {
  return store.read(id, () => ask(name, args));
}

/** The value of a tree, from all its rows. */
export async function valueIn(store: Store, id: TreeId): Promise<Tree> {
  const rows = await asked(store, id, 'rows', {});
  if (rows === null) throw new Error(`There is no tree ${id} in the store.`);
  return fromRows(rows.row, rows.nodes, rows.bookmarks);
}

/** The value of a tree as JSON: what two stores are compared by, visit marks and removed nodes included. */
export async function imageOf(store: Store, id: TreeId): Promise<unknown> {
  return treeToJson(await valueIn(store, id));
}

/** Holds a tree to every invariant. */
export async function expectSound(store: Store, id: TreeId): Promise<void> {
  expect(checkTree(await valueIn(store, id)).filter((finding) => finding.severity === 'error')).toEqual([]);
}

/** The code that something is refused with; fails if it is not refused. */
export async function refusalOf(work: Promise<unknown> | (() => Promise<unknown>)): Promise<string> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
  throw new Error('This was not refused.');
}

/** The next items of an endless list; whoever asks stops it. */
export async function take<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const found: T[] = [];
  if (count === 0) return found;
  for await (const item of items) {
    found.push(item);
    if (found.length === count) break;
  }
  return found;
}

// Whoever does not answer by then never will, however busy the machine is.
const patience = 30_000;

/** The code that a feed is refused with; one that waits instead is stopped, and the test fails. */
export async function feedRefusal(store: Store, id: TreeId): Promise<string> {
  const stop = new AbortController();
  const giveUp = setTimeout(() => stop.abort(), patience);
  try {
    return await refusalOf(take(store.feed(id, 0, stop.signal), 1));
  } finally {
    clearTimeout(giveUp);
  }
}

/**
 * The first change that a feed over all trees tells from now on. When a feed begins to listen nobody can see, so the
 * change is made again until it is told, and the test fails where it never is.
 */
export async function firstReported(store: Store, change: () => Promise<unknown>): Promise<ListEvent> {
  const stop = new AbortController();
  const reported: ListEvent[] = [];
  const listening = (async () => {
    for await (const event of store.feedAll(null, stop.signal)) {
      reported.push(event);
      break;
    }
  })();
  try {
    for (const until = performance.now() + patience; performance.now() < until && reported.length === 0; ) {
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

/** Texts that JSON, SQL and file systems stumble over. */
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

/** A message with a block of a type that nobody knows. */
export function unknownBlock(): Message {
  const block = { type: 'x-vendor', deep: { list: [1, -0.5, 1e21, null, true], ['__proto__']: 'kept' } };
  return { role: 'user', content: [block] };
}
