/**
 * Projects: folders of chats. The settings of a project are stored in the library: one item has instructions, default
 * model and preset, another has the files in its message, so that the store keeps their bytes.
 */
import { toHttpProblem } from '@coppice/client';
import { byteSourceOf } from '@coppice/content';
import { type Block, libraryProject, type TreeId } from '@coppice/core';
import { useEffect } from 'react';
import { create } from 'zustand';
import { t } from '../i18n/index.ts';
import { loadTrees } from './app-data.ts';
import { chooseChatOptions, currentChatOptions } from './chat-options.ts';
import {
  choosePreset,
  emptyLibraryEntry,
  findPreset,
  type LibraryEntry,
  type LibraryItem,
  loadLibrary,
  removeLibraryItem,
  saveLibraryEntry,
  useLibrary,
} from './library.ts';
import { api } from './page-client.ts';
import { showToast } from './toasts.ts';
import { showError } from './tree-actions.ts';
import { useUi } from './ui.ts';

/** A project and the number of its chats. */
interface Project {
  readonly name: string;
  readonly count: number;
}

/** The folders of all chats with their counts, as the server reported them last. */
const useFolders = create<{ readonly items: readonly Project[]; readonly known: boolean }>(() => ({
  items: [],
  known: false,
}));

/** Loads the folders; on failure the known ones are kept. */
export async function loadFolders(): Promise<void> {
  const found = await api.folders().catch(() => null);
  if (found !== null) useFolders.setState({ items: found.items, known: true });
}

/** All projects by name: folders with chats, and projects that have none yet. */
export function useProjects(): readonly Project[] {
  const folders = useFolders(({ items }) => items);
  const items = useLibrary((library) => library.items);
  const names = new Set(folders.map(({ name }) => name));
  const empty = new Set(items.flatMap(({ folder }) => (folder === null || names.has(folder) ? [] : [folder])));
  return [...folders, ...[...empty].map((name) => ({ name, count: 0 }))].sort((a, b) => a.name.localeCompare(b.name));
}

/** Whether a project does not exist. False until the projects are loaded. */
export function useIsMissingProject(name: string | null): boolean {
  const projects = useProjects();
  const known = [useFolders((folders) => folders.known), useLibrary((library) => library.known)];
  return name !== null && !known.includes(false) && !projects.some((project) => project.name === name);
}

/** Finds the library item with the settings of a project; null if the project has none. */
export function findProject(items: readonly LibraryItem[], folder: string | null): LibraryItem | null {
  if (folder === null) return null;
  return items.find((item) => item.kind === 'instructions' && item.folder === folder) ?? null;
}

/** Returns the present name of the last project that had the given name before; null if no project had it. */
export function useRenamedProject(former: string | null): string | null {
  return useLibrary(({ items }) => {
    const renamed = items.flatMap(({ folder, formerNames }) =>
      formerNames.flatMap(({ name, until }) => (name === former ? [{ folder, until }] : [])),
    );
    return renamed.sort((a, b) => b.until - a.until)[0]?.folder ?? null;
  });
}

/** Reads the file blocks of a project. Returns an empty list if it has no files; rejects if they cannot be read. */
export async function loadProjectFiles(folder: string): Promise<readonly Block[]> {
  const kept = useLibrary.getState().files.get(folder);
  if (kept === undefined) return [];
  const { node } = await api.node(kept.tree, kept.node);
  return node.message?.content ?? [];
}

function sameFiles(a: readonly Block[], b: readonly Block[]): boolean {
  return JSON.stringify(a.map(attachmentHashOfBlock)) === JSON.stringify(b.map(attachmentHashOfBlock));
}

/** The hash of the bytes of a file or image; null if it has no blob. */
export function attachmentHashOfBlock(block: Block): string | null {
  const source = byteSourceOf(block);
  return source?.type === 'blob' ? source.hash : null;
}

/** Stores the files of a project. A changed list is stored as a new item, and the old one is moved to the trash. */
async function saveProjectFiles(folder: string, before: string | null, files: readonly Block[]): Promise<void> {
  const kept = before === null ? undefined : useLibrary.getState().files.get(before);
  const same = kept !== undefined && before === folder && sameFiles(await loadProjectFiles(folder), files);
  if (same) return;
  if (files.length > 0)
    await api.create({
      project: libraryProject,
      metadata: { kind: 'files', folder },
      messages: [{ role: 'user', content: files }],
    });
  if (kept !== undefined) await api.removeTree(kept.tree);
}

/** The settings of a project, which apply to its new chats. */
type ProjectSettings = Pick<LibraryEntry, 'text' | 'options' | 'preset'> & {
  readonly name: string;
  readonly files: readonly Block[];
};

/**
 * Stores a project, as a new one or under another name; then its chats move to the new name. False if the server
 * refused.
 */
export async function saveProject(settings: ProjectSettings, before: string | null): Promise<boolean> {
  const { name, files, text, options, preset } = settings;
  const item = findProject(useLibrary.getState().items, before);
  const isRenamed = before !== null && before !== name;
  try {
    if (isRenamed) await api.renameFolder(before, name);
    await saveProjectFiles(name, before, files);
  } catch (thrown) {
    showError(toHttpProblem(thrown));
    return false;
  }
  const hadNames = item?.formerNames ?? [];
  // The new name must not also redirect as a former one, and each former name is stored once, with its latest time.
  const others = hadNames.filter((had) => had.name !== name && had.name !== before);
  const entry = {
    ...emptyLibraryEntry,
    kind: 'instructions' as const,
    folder: name,
    text,
    options,
    preset,
    formerNames: isRenamed ? [...others, { name: before, until: Date.now() }] : hadNames,
  };
  const saved = await saveLibraryEntry(entry, item?.id ?? null);
  await Promise.all([loadFolders(), loadTrees()]);
  return saved;
}

async function readChatsOfProject(folder: string): Promise<readonly TreeId[]> {
  const ids: TreeId[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof api.trees>> = await api.trees({
      folder,
      limit: 500,
      ...(cursor === undefined ? {} : { cursor }),
    });
    ids.push(...page.items.map((tree) => tree.id));
    cursor = page.cursor;
  }
  return ids;
}

/** Removes a project; its chats are kept without a project. The toast restores it with its settings and chats. */
export async function removeProject(name: string): Promise<void> {
  const { items, files } = useLibrary.getState();
  const item = findProject(items, name);
  const kept = files.get(name);
  let chats: readonly TreeId[];
  try {
    chats = await readChatsOfProject(name);
    await api.renameFolder(name, null);
    if (kept !== undefined) await api.removeTree(kept.tree);
  } catch (thrown) {
    showError(toHttpProblem(thrown));
    return;
  }
  if (item === null) await loadLibrary();
  else await removeLibraryItem(item.id);
  await Promise.all([loadFolders(), loadTrees()]);
  const restore = async () => {
    try {
      if (kept !== undefined) await api.restoreTree(kept.tree);
      if (item !== null) await api.restoreTree(item.id);
      for (const id of chats) await api.patch(id, { folder: name });
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
    await Promise.all([loadLibrary(), loadFolders(), loadTrees()]);
  };
  showToast({
    icon: 'trash',
    text: t('entryDeleted', { name }),
    action: { label: t('undo'), run: () => void restore() },
  });
}

/** Chooses preset and model of a project for its next chat, while its start screen is shown. */
export function useProjectDefaults(folder: string | null): void {
  const project = useLibrary(({ items }) => findProject(items, folder));
  const preset = useLibrary(({ items }) => findPreset(items, project?.preset ?? null));
  useEffect(() => {
    if (project === null) return undefined;
    const models = project.options.models ?? [];
    if (preset === null && models.length === 0) return undefined;
    const before = { preset: useUi.getState().preset, options: currentChatOptions() };
    if (preset !== null) choosePreset(preset);
    if (models.length > 0) chooseChatOptions({ models });
    // When the start screen of the project closes, the previous preset and options are restored.
    return () => {
      useUi.setState({ preset: before.preset });
      chooseChatOptions(before.options);
    };
  }, [project, preset]);
}
