/** Writes the shared test vectors of the content package into a store, and reads them after reopening. */
import { canonicalJson, messageKit, parseMessageText } from '@coppice/content';
import { testVectors } from '@coppice/content/vectors';
import { ask, nodeId, run, type Store, treeId } from '@coppice/core';
import { deriveId } from '../linear.ts';
import { TortureJournal, type TortureReport } from './journal.ts';
import { openStoreAt, type StoreLocations } from './store-locations.ts';

/** Options of the test with the shared test vectors. */
export interface TestVectorsOptions {
  readonly site: StoreLocations;
  readonly seed: string;
  readonly say?: (line: string) => void;
}

const tree = treeId(deriveId('vectors'));
const idOf = (name: string) => nodeId(deriveId('vectors', name));

/**
 * Writes every valid vector, and expects invalid ones to be refused with the recorded code. Returns how many were
 * refused.
 */
async function writeVectors(store: Store, journal: TortureJournal): Promise<number> {
  let count = 0;
  const context = { actor: 'vectors', kit: messageKit, now: () => 0, newId: () => deriveId('vectors new', ++count) };
  await run(store, { type: 'create', treeId: tree }, context);
  const rootId = (await store.read(tree, () => ask('tree', {})))?.rootId ?? nodeId('');
  let refused = 0;
  for (const { name, json, outcome } of testVectors) {
    journal.note({ vector: name });
    const read = parseMessageText(json());
    if (read.ok !== outcome.accepted || (!read.ok && !outcome.accepted && read.refusal.code !== outcome.code))
      throw journal.failure(`The vector "${name}" was not judged as it is written down.`, { vector: name });
    if (!read.ok) {
      refused++;
      continue;
    }
    await run(
      store,
      {
        type: 'append',
        treeId: tree,
        parentId: rootId,
        merge: false,
        messages: [{ id: idOf(name), message: read.value }],
      },
      context,
    );
  }
  return refused;
}

/** Reads every vector back, and compares its canonical form and its stored text. Returns how many were read. */
async function readVectors(store: Store, journal: TortureJournal): Promise<number> {
  let kept = 0;
  for (const { name, outcome } of testVectors) {
    if (!outcome.accepted) continue;
    const id = idOf(name);
    const node = await store.read(tree, () => ask('node', { id }));
    if (node?.message == null) throw journal.failure(`The vector "${name}" is lost.`, { vector: name });
    if (canonicalJson(node.message) !== outcome.canonical())
      throw journal.failure(`The vector "${name}" came back otherwise.`, { vector: name });
    const text = (await store.content(tree, [id])).get(id) ?? 'null';
    const stored: { readonly content: unknown } = JSON.parse(text);
    if (JSON.stringify(stored.content) !== JSON.stringify(JSON.parse(outcome.content())))
      throw journal.failure(`The stored text of the vector "${name}" is another.`, { vector: name });
    kept++;
  }
  return kept;
}

/**
 * Writes the vectors, reopens the store and reads them. The memory store is not reopened, because it would be empty.
 */
export async function runTestVectors({ site, seed, say }: TestVectorsOptions): Promise<TortureReport> {
  const journal = new TortureJournal(`vectors-${site.kind}`, seed, say);
  const place = await site.place();
  let store = await openStoreAt(place);
  try {
    const refused = await writeVectors(store, journal);
    if (store.supports.durable) {
      await store.close();
      store = await openStoreAt(place);
    }
    const kept = await readVectors(store, journal);
    await journal.checkStore(store);
    return journal.done({ kept, refused });
  } finally {
    await store.close();
    await place.destroy();
  }
}
