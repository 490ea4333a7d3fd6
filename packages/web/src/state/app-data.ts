/** Lists that the whole page shares: trees, models, tools, commands. */

import type { CommandView, ModelView, TreeViewData } from '@coppice/client';
import { libraryProject, type TreeId } from '@coppice/core';
import { create } from 'zustand';
import { readLocalText, writeLocalText } from './local-storage.ts';
import { removeOfflineCopies } from './offline-copies.ts';
import { api, onSignedOut, pageClient } from './page-client.ts';

export interface AppData {
  readonly trees: readonly TreeViewData[];
  readonly cursor: string | null;
  /** The pinned trees. They are listed however long ago they were changed. */
  readonly pinned: readonly TreeViewData[];
  readonly treesKnown: boolean;
  readonly models: readonly ModelView[];
  readonly defaultModel: string | null;
  readonly commands: readonly CommandView[];
  readonly tools: readonly { readonly name: string; readonly description?: string; readonly sideEffects?: boolean }[];
  /** Whether models and tools are loaded. Before that, a reply would be generated without tools. */
  readonly registersKnown: boolean;
  readonly unauthorized: boolean;
  /** The selected models of the next reply, as `provider/model`. */
  readonly chosen: readonly string[];
  readonly n: number;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly maxTokens: number | null;
  readonly thinking: 'low' | 'medium' | 'high' | null;
  readonly toolsOn: boolean;
  /** Tools that are turned off individually. */
  readonly toolsOff: readonly string[];
  /** Favourite models, listed first in menus. */
  readonly favourites: readonly string[];
}

function keptModels(): readonly string[] {
  return (readLocalText('chosen-models') ?? '').split('\n').filter(Boolean);
}

export const useAppData = create<AppData>(() => ({
  trees: [],
  cursor: null,
  pinned: [],
  treesKnown: false,
  models: [],
  defaultModel: null,
  commands: [],
  tools: [],
  registersKnown: false,
  unauthorized: false,
  chosen: keptModels(),
  n: 1,
  temperature: null,
  topP: null,
  maxTokens: null,
  thinking: null,
  toolsOn: readLocalText('tools') !== 'off',
  toolsOff: [],
  favourites: (readLocalText('favourite-models') ?? '').split('\n').filter(Boolean),
}));

/** The models of the next reply; never empty if any is known. */
export function currentModels(lists: Pick<AppData, 'chosen' | 'models' | 'defaultModel'>): readonly string[] {
  const known = lists.chosen.filter((id) => lists.models.length === 0 || lists.models.some((model) => model.id === id));
  if (known.length > 0) return known;
  const first = lists.defaultModel ?? lists.models[0]?.id;
  return first === undefined ? [] : [first];
}

/** The chosen models that no provider offers any more; other models reply in their place. */
export function missingModels({ chosen, models }: Pick<AppData, 'chosen' | 'models'>): readonly string[] {
  return models.length === 0 ? [] : chosen.filter((id) => !models.some((model) => model.id === id));
}

/** Selects the models of the next replies, and stores the choice. */
export function chooseModels(chosen: readonly string[]): void {
  useAppData.setState({ chosen });
  writeLocalText('chosen-models', chosen.join('\n'));
}

/** Adds a model to the favourites, or removes it, and stores the list. */
export function toggleFavourite(id: string): void {
  const { favourites } = useAppData.getState();
  const next = favourites.includes(id) ? favourites.filter((each) => each !== id) : [...favourites, id];
  useAppData.setState({ favourites: next });
  writeLocalText('favourite-models', next.length === 0 ? null : next.join('\n'));
}

/** Turns all tools on or off for the next replies, and stores the choice. */
export function setToolsEnabled(on: boolean): void {
  useAppData.setState({ toolsOn: on });
  writeLocalText('tools', on ? null : 'off');
}

const mostPinned = 200;

// If more trees than this have changed, they are not read one by one: the list begins again with its first page.
const mostRead = 20;

/** Reads trees by id. Leaves out those that are deleted or that no list shows. */
async function readListedTrees(ids: readonly TreeId[]): Promise<readonly TreeViewData[]> {
  const found = await Promise.allSettled(ids.map((id) => api.tree(id)));
  return found.flatMap((one) =>
    one.status === 'fulfilled' && one.value.deletedAt === null && one.value.project !== libraryProject ? one.value : [],
  );
}

/** Adds trees to a sorted list, except those that belong after its end, which are loaded by scrolling. */
function insertSorted(
  listed: readonly TreeViewData[],
  added: readonly TreeViewData[],
  isComplete: boolean,
): readonly TreeViewData[] {
  const oldest = listed.at(-1)?.updatedAt ?? 0;
  const fitting = added.filter(({ updatedAt }) => isComplete || updatedAt >= oldest);
  return fitting.length === 0 ? listed : [...listed, ...fitting].sort((a, b) => b.updatedAt - a.updatedAt);
}

/**
 * Loads the first page of trees, newest first, and the pinned ones. Of the pages after it, the trees in `changed` are
 * read again, because a rename or a tag does not move a tree to the first page. On failure the old list stays.
 */
export async function loadTrees(changed: readonly TreeId[] = []): Promise<void> {
  try {
    const { items, cursor } = await api.trees({ limit: 60 });
    const pinned =
      cursor === null
        ? items.filter((tree) => tree.pinned)
        : (await api.trees({ pinned: true, limit: mostPinned })).items;
    const ids = new Set(items.map((tree) => tree.id));
    const others = cursor === null ? [] : changed.filter((id) => !ids.has(id));
    const isFew = others.length <= mostRead;
    const reread = isFew ? await readListedTrees(others) : [];
    const oldest = items.at(-1)?.updatedAt ?? 0;
    // Older chats that were loaded by scrolling stay in the list; a newer chat that is not in this page was deleted.
    useAppData.setState((state) => {
      const isOlder = (tree: TreeViewData) => !ids.has(tree.id) && !others.includes(tree.id) && tree.updatedAt < oldest;
      const older = cursor === null || !isFew ? [] : state.trees.filter(isOlder);
      const end = older.length === 0 ? cursor : state.cursor;
      return {
        trees: insertSorted([...items, ...older], reread, end === null),
        cursor: end,
        pinned,
        treesKnown: true,
        unauthorized: false,
      };
    });
  } catch {
    // If the session has expired, the listener below shows the sign-in.
  }
}

onSignedOut(() => {
  useAppData.setState({ unauthorized: true });
  // Drafts are kept for the same user, but copies are removed, because the user may no longer read the chats.
  void removeOfflineCopies();
});

/** Loads the lists again after signing in; open chats reconnect automatically. */
export function reloadAfterSignIn(): void {
  useAppData.setState({ unauthorized: false });
  void loadTrees();
  void loadModelsAndTools();
}

/** Appends the next page of trees to the list; does nothing at the end of the list. */
export async function loadMoreTrees(limit = 60): Promise<void> {
  const { cursor } = useAppData.getState();
  if (cursor === null) return;
  const page = await api.trees({ limit, cursor }).catch(() => null);
  if (page === null || useAppData.getState().cursor !== cursor) return;
  useAppData.setState((state) => {
    const known = new Set(state.trees.map((tree) => tree.id));
    return { trees: [...state.trees, ...page.items.filter((tree) => !known.has(tree.id))], cursor: page.cursor };
  });
}

/** Loads the commands, which only their menu needs. Until then, and on failure, the list is empty. */
export async function loadCommands(): Promise<void> {
  const commands = await api.commands().catch(() => null);
  if (commands !== null) useAppData.setState({ commands: commands.items });
}

/** Loads models and tools, which change rarely. If one of the two requests fails, its list stays as it was. */
export async function loadModelsAndTools(): Promise<void> {
  const [models, tools] = await Promise.allSettled([api.models(), api.tools()]);
  if (models.status === 'fulfilled')
    useAppData.setState({ models: models.value.items, defaultModel: models.value.default ?? null });
  if (tools.status === 'fulfilled') useAppData.setState({ tools: tools.value.items });
  useAppData.setState({ registersKnown: true });
}

const soonMs = 250;

/** Reloads the list when any tree changes. While the page is hidden, the connection is closed. */
export function followTrees(): { close(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = new Set<TreeId>();
  const feed = pageClient.followTrees((id) => {
    if (id !== null) changed.add(id);
    clearTimeout(timer);
    timer = setTimeout(() => {
      void loadTrees([...changed]);
      changed.clear();
    }, soonMs);
  });
  return {
    close() {
      clearTimeout(timer);
      feed.close();
    },
  };
}

/** Changes fields of a listed tree before the server confirms them. */
export function updateListedTree(id: TreeId, set: Partial<TreeViewData>): void {
  const change = (tree: TreeViewData) => (tree.id === id ? { ...tree, ...set } : tree);
  useAppData.setState(({ trees, pinned }) => ({ trees: trees.map(change), pinned: pinned.map(change) }));
}

/** Removes trees from the list before it is loaded again. */
export function removeListedTrees(ids: ReadonlySet<TreeId>): void {
  const isLeft = (tree: TreeViewData) => !ids.has(tree.id);
  useAppData.setState(({ trees, pinned }) => ({ trees: trees.filter(isLeft), pinned: pinned.filter(isLeft) }));
}

/** Returns the loaded trees, followed by the pinned ones that are not loaded. */
export function mergePinnedTrees({ trees, pinned }: Pick<AppData, 'trees' | 'pinned'>): readonly TreeViewData[] {
  const known = new Set(trees.map((tree) => tree.id));
  const others = pinned.filter((tree) => tree.pinned && !known.has(tree.id));
  return others.length === 0 ? trees : [...trees, ...others];
}
