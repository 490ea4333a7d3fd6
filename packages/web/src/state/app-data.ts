/** Lists that the whole page shares: trees, models, tools, commands. */
import type { TreeId } from '@coppice/core';
import { create } from 'zustand';
import type { CommandView, ModelView, TreeViewData } from './api-types.ts';
import { api } from './client.ts';
import { asProblem } from './http.ts';
import { readLocal, writeLocal } from './local-storage.ts';

interface AppData {
  readonly trees: readonly TreeViewData[];
  readonly cursor: string | null;
  readonly treesKnown: boolean;
  readonly models: readonly ModelView[];
  readonly defaultModel: string | null;
  readonly commands: readonly CommandView[];
  readonly tools: readonly { readonly name: string; readonly description?: string; readonly sideEffects?: boolean }[];
  readonly unauthorized: boolean;
  /** Models chosen for the next reply, by `provider/model`. */
  readonly chosen: readonly string[];
  readonly n: number;
  readonly temperature: number | null;
  readonly toolsOn: boolean;
}

function keptModels(): readonly string[] {
  return (readLocal('chosen-models') ?? '').split('\n').filter(Boolean);
}

/** The shared lists. */
export const useAppData = create<AppData>(() => ({
  trees: [],
  cursor: null,
  treesKnown: false,
  models: [],
  defaultModel: null,
  commands: [],
  tools: [],
  unauthorized: false,
  chosen: keptModels(),
  n: 1,
  temperature: null,
  toolsOn: readLocal('tools') !== 'off',
}));

/** The models that the next reply is asked of; never none, where any is known. */
export function modelsNow(lists: Pick<AppData, 'chosen' | 'models' | 'defaultModel'>): readonly string[] {
  const known = lists.chosen.filter((id) => lists.models.length === 0 || lists.models.some((model) => model.id === id));
  if (known.length > 0) return known;
  const first = lists.defaultModel ?? lists.models[0]?.id;
  return first === undefined ? [] : [first];
}

/** Chooses the models of the next replies, and remembers them. */
export function chooseModels(chosen: readonly string[]): void {
  useAppData.setState({ chosen });
  writeLocal('chosen-models', chosen.join('\n'));
}

/** Whether tools go along. */
export function switchTools(on: boolean): void {
  useAppData.setState({ toolsOn: on });
  writeLocal('tools', on ? null : 'off');
}

/** Reads the newest trees. */
export async function loadTrees(): Promise<void> {
  try {
    const { items, cursor } = await api.trees({ limit: 60 });
    useAppData.setState({ trees: items, cursor, treesKnown: true, unauthorized: false });
  } catch (thrown) {
    if (asProblem(thrown).status === 401) useAppData.setState({ unauthorized: true });
  }
}

/** Reads the next trees of the list. */
export async function moreTrees(): Promise<void> {
  const { cursor } = useAppData.getState();
  if (cursor === null) return;
  const page = await api.trees({ limit: 60, cursor }).catch(() => null);
  if (page === null || useAppData.getState().cursor !== cursor) return;
  useAppData.setState((state) => {
    const known = new Set(state.trees.map((tree) => tree.id));
    return { trees: [...state.trees, ...page.items.filter((tree) => !known.has(tree.id))], cursor: page.cursor };
  });
}

/** Reads what does not change often: models, tools and commands. A part that fails stays empty. */
export async function loadRegisters(): Promise<void> {
  const [models, commands, tools] = await Promise.allSettled([api.models(), api.commands(), api.tools()]);
  if (models.status === 'fulfilled')
    useAppData.setState({ models: models.value.items, defaultModel: models.value.default ?? null });
  if (commands.status === 'fulfilled') useAppData.setState({ commands: commands.value.items });
  if (tools.status === 'fulfilled') useAppData.setState({ tools: tools.value.items });
}

const soonMs = 250;

/** Follows changes of any tree, for a list that is looked at; lets go of its connection while nobody sees it. */
export function followTrees(): { close(): void } {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void loadTrees(), soonMs);
  };
  const seen = () => {
    source?.close();
    source = null;
    if (document.visibilityState !== 'visible') return;
    source = new EventSource('/api/feed');
    for (const name of ['tree', 'open']) source.addEventListener(name, changed);
  };
  seen();
  document.addEventListener('visibilitychange', seen);
  return {
    close() {
      document.removeEventListener('visibilitychange', seen);
      clearTimeout(timer);
      source?.close();
    },
  };
}

/** Replaces a tree in the list. */
export function patchListed(id: TreeId, set: Partial<TreeViewData>): void {
  useAppData.setState((state) => ({ trees: state.trees.map((tree) => (tree.id === id ? { ...tree, ...set } : tree)) }));
}
