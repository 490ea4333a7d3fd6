/** Names chats without a title by the first words that were written in them. */
import { ask, type ReadProgram, type Store, type TreeId, type TreeRow } from '@coppice/core';
import { toOneLine } from './terminal/strip-control-sequences.ts';

const longestName = 60;
// Each name is a read, which takes a round trip to a server.
const readTogether = 16;
const untitled = 'Untitled';

/** Returns the first words of a chat; null if it is empty. */
function* readFirstWords({ rootId }: TreeRow): ReadProgram<string | null> {
  const [children] = yield* ask('childIds', { of: [rootId] });
  const [first] = children ?? [];
  const node = first === undefined ? null : yield* ask('node', { id: first });
  const words = node === null ? '' : toOneLine(node.text, longestName);
  return words === '' ? null : words;
}

/** Returns the title of a chat, its first words if it has no title, or a placeholder if it is empty. */
export async function readChatName(store: Store, row: TreeRow): Promise<string> {
  const [named = row] = await addTitlesFromFirstWords(store, [row]);
  return named.attributes.title ?? named.attributes.autoTitle ?? untitled;
}

/**
 * Returns the names of chats for a list: the given title, or like {@link readChatName}. A chat that cannot be read, such
 * as one that another process has just purged, has the placeholder.
 */
export async function readChatNames(
  store: Store,
  chats: readonly { readonly treeId: TreeId; readonly title?: string | null | undefined }[],
): Promise<(treeId: TreeId) => string> {
  const names = new Map<TreeId, string>();
  const missing = new Set<TreeId>();
  for (const { treeId, title } of chats)
    if (typeof title === 'string') names.set(treeId, title);
    else missing.add(treeId);
  await mapInBatches([...missing], async (id) => {
    const row = await store.read(id, () => ask('tree', {}));
    if (row !== null) names.set(id, await readChatName(store, row));
  });
  return (treeId) => names.get(treeId) ?? untitled;
}

/** Returns the rows with the first words as title where there is no title. */
export async function addTitlesFromFirstWords(store: Store, rows: readonly TreeRow[]): Promise<readonly TreeRow[]> {
  return mapInBatches(rows, async (row) => {
    const isNamed = row.attributes.title !== undefined || row.attributes.autoTitle !== undefined;
    const words = isNamed ? null : await store.read(row.id, () => readFirstWords(row));
    return words === null ? row : { ...row, attributes: { ...row.attributes, autoTitle: words } };
  });
}

async function mapInBatches<T, R>(items: readonly T[], convert: (item: T) => Promise<R>): Promise<R[]> {
  const converted: R[] = [];
  for (let at = 0; at < items.length; at += readTogether)
    for (const each of await Promise.all(items.slice(at, at + readTogether).map(convert))) converted.push(each);
  return converted;
}
