/** The writes that the fault walk tests. Each must be stored completely or not at all. */
import { messageKit } from '@coppice/content';
import { ask, type Command, type NodeId, nodeId, run, type Store, textMessage, treeId } from '@coppice/core';
import { treeFromRows } from '@coppice/core/history';
import { treeToJson } from '@coppice/core/tree';
import { deriveId } from '../linear.ts';
import { SeededRandom } from './seeded-random.ts';

/** One write to a store, as the fault walk runs it. */
export interface StoreOperation {
  readonly name: string;
  /** Whether the operation is the opening of a store that does not exist yet. */
  readonly opens: boolean;
  run(store: Store): Promise<void>;
}

const tree = treeId(deriveId('faultwalk', 'tree'));
const list = treeId(deriveId('faultwalk', 'list'));
const imported = treeId(deriveId('faultwalk', 'imported'));
const node = (name: string): NodeId => nodeId(deriveId('faultwalk', name));

/** Runs a command. Ids and times are the same in every run. */
async function command(store: Store, command: Command, name: string): Promise<void> {
  const random = new SeededRandom('faultwalk', name);
  await run(store, command, { actor: 'walker', kit: messageKit, now: () => 1000, newId: () => random.uuid() });
}

function messages(...names: readonly string[]) {
  return names.map((name, at) => ({
    id: node(name),
    message: textMessage(at % 2 === 0 ? 'user' : 'assistant', `${name} says it`),
  }));
}

function record(id: typeof list, count: number) {
  return {
    treeId: id,
    title: 'from elsewhere',
    createdAt: 1000,
    messages: Array.from({ length: count }, (_, at) => ({
      message: textMessage(at % 2 === 0 ? 'user' : 'assistant', `line ${at}`),
      createdAt: 1000 + at,
    })),
  };
}

/**
 * Creates the data that the operations change: a tree with branches, and a list that is not converted to a tree yet.
 */
export async function createFaultwalkSample(store: Store): Promise<void> {
  await command(store, { type: 'create', treeId: tree, attributes: { systemPrompt: 'Be brief.' } }, 'create');
  await command(store, { type: 'append', treeId: tree, messages: messages('a', 'b', 'c', 'd') }, 'plant 1');
  await command(store, { type: 'append', treeId: tree, parentId: node('b'), messages: messages('e', 'f') }, 'plant 2');
  await command(store, { type: 'bookmark', treeId: tree, nodeId: node('c'), title: 'here' }, 'plant 3');
  await command(store, { type: 'select', treeId: tree, nodeId: node('d') }, 'plant 4');
  await command(store, { type: 'delete', treeId: tree, nodeIds: [node('f')], mode: 'cascade' }, 'plant 5');
  await store.putLinear(record(list, 6));
}

const one = (name: string, made: () => Command): StoreOperation => ({
  name,
  opens: false,
  run: (store) => command(store, made(), name),
});

export const storeOperations: readonly StoreOperation[] = [
  one('append', () => ({ type: 'append', treeId: tree, messages: messages('x', 'y') })),
  one('edit', () => ({ type: 'edit', treeId: tree, nodeId: node('b'), content: 'said otherwise', id: node('edited') })),
  one('save', () => ({ type: 'edit', treeId: tree, nodeId: node('b'), content: 'written over', mode: 'in-place' })),
  one('split', () => ({ type: 'split', treeId: tree, nodeId: node('b'), position: 3, id: node('left') })),
  one('splice', () => ({ type: 'delete', treeId: tree, nodeIds: [node('b')], mode: 'splice' })),
  one('cascade', () => ({ type: 'delete', treeId: tree, nodeIds: [node('c')], mode: 'cascade' })),
  one('clear', () => ({ type: 'clear', treeId: tree })),
  one('undo', () => ({ type: 'undo', treeId: tree })),
  // The first write to a list converts it to a tree.
  one('migrate', () => ({ type: 'append', treeId: list, messages: messages('after the list') })),
  { name: 'import', opens: false, run: (store) => store.putLinear(record(imported, 40)) },
  {
    name: 'purge',
    opens: false,
    run: async (store) => {
      await store.purge(tree, { nodeId: node('f') });
    },
  },
  { name: 'create', opens: true, run: async () => undefined },
];

/** Returns everything that a reader can see in a store, as JSON. */
export async function readStoreAsJson(store: Store): Promise<string> {
  const image: unknown[] = [];
  for (const { id, format } of (await store.trees()).items) {
    const rows = await store.read(id, () => ask('rows', {}));
    const log = await store.read(id, () => ask('log', { since: 0 }));
    if (rows !== null) image.push([id, format, treeToJson(treeFromRows(rows.row, rows.nodes, rows.bookmarks)), log]);
  }
  return JSON.stringify(image);
}

/** Writes to a separate tree, to check that a store still accepts writes after a failure. */
export async function writeUnrelatedTree(store: Store, name: string): Promise<void> {
  const id = treeId(deriveId('faultwalk', 'later', name));
  await command(store, { type: 'create', treeId: id }, `later ${name}`);
  await command(store, { type: 'append', treeId: id, messages: messages(`later ${name}`) }, `later ${name} 2`);
}

/** Returns the content of a store without the trees of {@link writeUnrelatedTree}. */
export async function readStoreWithoutUnrelated(store: Store, names: readonly string[]): Promise<string> {
  const later = new Set<string>(names.map((name) => deriveId('faultwalk', 'later', name)));
  const image: readonly (readonly [string])[] = JSON.parse(await readStoreAsJson(store));
  return JSON.stringify(image.filter(([id]) => !later.has(id)));
}
