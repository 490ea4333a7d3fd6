/**
 * Tests a chain and a list of siblings that are so long that recursion, argument spreading and quadratic algorithms
 * would fail.
 */
import { messageKit } from '@coppice/content';
import {
  ask,
  type Command,
  type Message,
  type NodeId,
  nodeId,
  readPage,
  readPath,
  readTopology,
  run,
  type Store,
  type TreeId,
  textMessage,
  treeId,
} from '@coppice/core';
import { deriveId } from '../linear.ts';
import { TortureJournal, type TortureReport } from './journal.ts';
import { openStoreAt, type StoreLocations } from './store-locations.ts';

/** The depth of the chain, and the number of siblings. */
export interface DeepTreeOptions {
  readonly site: StoreLocations;
  readonly depth: number;
  readonly width: number;
  readonly seed: string;
  readonly say?: (line: string) => void;
}

const atOnce = 5000;

class Giant {
  readonly #journal: TortureJournal;
  readonly #treeId: TreeId;
  #store: Store;
  #ids = 0;

  constructor(journal: TortureJournal, store: Store, name: string) {
    this.#journal = journal;
    this.#store = store;
    this.#treeId = treeId(deriveId('giant', journal.seed, name));
  }

  async run(command: Command): Promise<number> {
    this.#journal.note({ type: command.type });
    const { version } = await run(this.#store, command, {
      actor: 'giant',
      kit: messageKit,
      now: () => 0,
      newId: () => deriveId('giant', this.#treeId, 'new', ++this.#ids),
    });
    return version;
  }

  id(at: number): NodeId {
    return nodeId(deriveId('giant', this.#treeId, at));
  }

  expect(what: string, actual: unknown, expected: unknown): void {
    if (actual !== expected) throw this.#journal.failure(`${what}: ${String(actual)}, expected ${String(expected)}.`);
  }

  get treeId(): TreeId {
    return this.#treeId;
  }

  async rootId(): Promise<NodeId> {
    return (await this.#store.read(this.#treeId, () => ask('tree', {})))?.rootId ?? nodeId('');
  }

  async living(): Promise<number> {
    const rootId = await this.rootId();
    return (await this.#store.read(this.#treeId, () => ask('count', { of: rootId }))) - 1;
  }
}

function said(at: number): Message {
  return textMessage(at % 2 === 0 ? 'user' : 'assistant', `message ${at}`);
}

/** Deletes a part and undoes that, then deletes everything and undoes that; for a chain or for siblings. */
async function deleteAndUndo(giant: Giant, count: number, middle: NodeId, top: NodeId, below: number): Promise<void> {
  const { treeId } = giant;
  await giant.run({ type: 'delete', treeId, nodeIds: [middle], mode: 'splice' });
  giant.expect('after a splice', await giant.living(), count - 1);
  await giant.run({ type: 'undo', treeId });
  giant.expect('after it was taken back', await giant.living(), count);
  await giant.run({ type: 'delete', treeId, nodeIds: [top], mode: 'cascade' });
  giant.expect('after a cascade', await giant.living(), count - below);
  await giant.run({ type: 'undo', treeId });
  giant.expect('after it was taken back', await giant.living(), count);
  await giant.run({ type: 'clear', treeId });
  giant.expect('after a clear', await giant.living(), 0);
  await giant.run({ type: 'undo', treeId });
  giant.expect('after it was taken back', await giant.living(), count);
}

async function chain(giant: Giant, store: Store, depth: number): Promise<void> {
  const { treeId } = giant;
  await giant.run({ type: 'create', treeId });
  for (let from = 0; from < depth; from += atOnce) {
    const messages = Array.from({ length: Math.min(atOnce, depth - from) }, (_, at) => ({
      id: giant.id(from + at),
      message: said(from + at),
    }));
    await giant.run({ type: 'append', treeId, messages });
  }
  const last = giant.id(depth - 1);
  const path = await store.read(treeId, () => readPath({ to: last }));
  giant.expect('the path', path.length, depth);
  giant.expect('its first', path[0]?.id, giant.id(0));
  const page = await store.read(treeId, () => readPage(treeId, { limit: 50 }));
  giant.expect('the page', page.nodes.length, 50);
  await giant.run({ type: 'append', treeId, messages: [{ id: giant.id(depth), message: said(depth) }] });
  giant.expect('what lives', await giant.living(), depth + 1);
  await deleteAndUndo(giant, depth + 1, giant.id(Math.floor(depth / 2)), giant.id(1), depth);
}

async function row(giant: Giant, store: Store, width: number): Promise<void> {
  const { treeId } = giant;
  await giant.run({ type: 'create', treeId });
  await giant.run({ type: 'append', treeId, messages: [{ id: giant.id(0), message: said(0) }] });
  for (let from = 1; from <= width; from += atOnce)
    await giant.run({
      type: 'reply',
      treeId,
      parentId: giant.id(0),
      replies: Array.from({ length: Math.min(atOnce, width + 1 - from) }, (_, at) => ({
        id: giant.id(from + at),
        message: textMessage('assistant', `variant ${from + at}`),
      })),
    });
  const children = await store.read(treeId, () => ask('children', { of: giant.id(0) }));
  giant.expect('the siblings', children.length, width);
  giant.expect('the last of them', children[width - 1]?.id, giant.id(width));
  const page = await store.read(treeId, () => readPage(treeId, {}));
  giant.expect('the page', page.nodes.length, 2);
  const topology = await store.read(treeId, () => readTopology(treeId));
  giant.expect('the topology', topology.length, width + 1);
  await giant.run({ type: 'navigate', treeId, nodeId: giant.id(width), direction: 'next' });
  await giant.run({
    type: 'append',
    treeId,
    parentId: giant.id(width),
    messages: [{ id: giant.id(width + 1), message: said(0) }],
  });
  await deleteAndUndo(giant, width + 2, giant.id(Math.floor(width / 2)), giant.id(0), width + 2);
}

/** Builds a chain and siblings, reads, extends and deletes them, reopens the store, and reads all rows. */
export async function runDeepTree({ site, depth, width, seed, say }: DeepTreeOptions): Promise<TortureReport> {
  const journal = new TortureJournal(`deep-${site.kind}`, seed, say);
  const place = await site.place();
  let store = await openStoreAt(place);
  const begun = performance.now();
  try {
    const one = new Giant(journal, store, 'chain');
    await chain(one, store, depth);
    journal.say(`chain of ${depth}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    const two = new Giant(journal, store, 'row');
    await row(two, store, width);
    journal.say(`row of ${width}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    if (store.supports.durable) {
      await store.close();
      store = await openStoreAt(place);
    }
    for (const [giant, count] of [
      [one, depth + 1],
      [two, width + 2],
    ] as const) {
      const rows = await store.read(giant.treeId, () => ask('rows', {}));
      giant.expect('the rows', rows?.nodes.length, count + 1);
    }
    await journal.checkStore(store);
    return journal.done({ depth, width, seconds: ((performance.now() - begun) / 1000).toFixed(1) });
  } finally {
    await store.close();
    await place.destroy();
  }
}
