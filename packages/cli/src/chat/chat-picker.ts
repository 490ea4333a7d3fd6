/** The picker for past chats: an immutable state with a list, a search and a preview, and the functions that change it. */
import { ask, type Node, type Store, type TreeId, type TreeRow } from '@coppice/core';
import { addTitlesFromFirstWords } from '../first-words.ts';

/** The list of past chats, the search, and a preview. */
export interface ChatPicker {
  /** The chats that match the search, most recent first. */
  readonly chats: readonly TreeRow[];
  readonly search: string;
  /** The line of the cursor. */
  readonly at: number;
  /** The end of the chat under the cursor; null until it is read. */
  readonly preview: { readonly treeId: TreeId; readonly nodes: readonly Node[] } | null;
}

const listed = 200;
const previewed = 4;

/** Reads the most recent chats whose title or messages match a search, or all chats without a search. */
export async function findChats(store: Store, search: string): Promise<readonly TreeRow[]> {
  const text = search.trim();
  if (text === '') return addTitlesFromFirstWords(store, (await store.trees({ limit: listed })).items);
  const byTitle = (await store.trees({ limit: listed, title: text })).items;
  if (!store.supports.search) return addTitlesFromFirstWords(store, byTitle);
  const found = new Map<TreeId, TreeRow>(byTitle.map((row) => [row.id, row]));
  const { items } = await store.search({ text, limit: listed });
  const others = [...new Set(items.map((hit) => hit.treeId))].filter((id) => !found.has(id));
  for (const id of others) {
    const row = await store.read(id, () => ask('tree', {}));
    if (row !== null) found.set(id, row);
  }
  const rows = [...found.values()].sort((a, b) => b.updatedAt - a.updatedAt);
  return addTitlesFromFirstWords(store, rows);
}

/** Reads the last messages of a chat. */
export async function readChatPreview(store: Store, { id, activeNodeId }: TreeRow): Promise<ChatPicker['preview']> {
  if (activeNodeId === null) return { treeId: id, nodes: [] };
  const { nodes } = await store.read(id, () => ask('path', { to: activeNodeId, limit: previewed }));
  return { treeId: id, nodes };
}

/** Returns the chat at the cursor; null if the list is empty. */
export function findChatAtCursor({ chats, at }: ChatPicker): TreeRow | null {
  return chats[at] ?? null;
}

/** Returns a picker with other chats. The cursor stays on its chat if that chat is still listed. */
export function replaceListedChats(picker: ChatPicker, chats: readonly TreeRow[]): ChatPicker {
  const before = findChatAtCursor(picker)?.id;
  return {
    ...picker,
    chats,
    at: Math.max(
      0,
      chats.findIndex((row) => row.id === before),
    ),
  };
}

/** Moves the cursor by a number of lines, within the list. */
export function moveChatPickerCursor(picker: ChatPicker, by: number): ChatPicker {
  return { ...picker, at: Math.max(0, Math.min(picker.chats.length - 1, picker.at + by)) };
}
