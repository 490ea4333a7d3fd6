/**
 * Custom instructions, presets and prompts of the user. Each is an empty tree of the library project: its title is the
 * name, its system prompt the text, its metadata the rest. So every store keeps them per owner, with versions and
 * backup.
 */
import { type TreeViewData, toHttpProblem } from '@coppice/client';
import { type JsonObject, libraryProject, type NodeId, type TreeId } from '@coppice/core';
import { fieldsOrEmpty, getFilledText, getText } from '@coppice/core/decode';
import { create } from 'zustand';
import { t } from '../i18n/index.ts';
import {
  type ChatOptions,
  chatOptionsToJson,
  chooseChatOptions,
  defaultChatOptions,
  parseChatOptions,
} from './chat-options.ts';
import { api } from './page-client.ts';
import { showToast } from './toasts.ts';
import { showError } from './tree-actions.ts';
import { useUi } from './ui.ts';

const kinds = ['instructions', 'preset', 'prompt'] as const;
type LibraryKind = (typeof kinds)[number];

/** One of the messages with which a preset starts a chat. */
export interface PresetMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A name that a project had. */
interface FormerName {
  readonly name: string;
  /** When the project got another name, in milliseconds since 1970. */
  readonly until: number;
}

/** An item that is written once and used in many chats. */
export interface LibraryEntry {
  readonly kind: LibraryKind;
  readonly name: string;
  /** Instructions, a system prompt, or a prompt with `{{variables}}`. */
  readonly text: string;
  /** The project that instructions apply to; null if they apply to every chat. */
  readonly folder: string | null;
  /** The preset of a project's new chats, by its name. */
  readonly preset: string | null;
  /** The names that the project of these instructions had before; their addresses lead to it. */
  readonly formerNames: readonly FormerName[];
  readonly options: Partial<ChatOptions>;
  readonly messages: readonly PresetMessage[];
}

/** A library entry with the tree that stores it. */
export interface LibraryItem extends LibraryEntry {
  readonly id: TreeId;
}

/** The fields of a new entry, which callers overwrite in part. */
export const emptyLibraryEntry: LibraryEntry = {
  kind: 'prompt',
  name: '',
  text: '',
  folder: null,
  preset: null,
  formerNames: [],
  options: {},
  messages: [],
};

/** Where the files of a project are stored: a tree of the library, and the message with the files. */
interface ProjectFilesPlace {
  readonly tree: TreeId;
  readonly node: NodeId;
}

interface LibraryState {
  readonly items: readonly LibraryItem[];
  /** The files of projects, by the name of the project. */
  readonly files: ReadonlyMap<string, ProjectFilesPlace>;
  readonly known: boolean;
}

/** The library items of the user; `known` is false until they are loaded. */
export const useLibrary = create<LibraryState>(() => ({ items: [], files: new Map(), known: false }));

function messagesIn(value: unknown): readonly PresetMessage[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) => {
    const { role, content } = fieldsOrEmpty(each);
    if ((role !== 'user' && role !== 'assistant') || typeof content !== 'string' || content.trim() === '') return [];
    return [{ role, content }];
  });
}

function formerNamesIn(value: unknown): readonly FormerName[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) => {
    const { name, until } = fieldsOrEmpty(each);
    return typeof name === 'string' && typeof until === 'number' ? [{ name, until }] : [];
  });
}

/** Parses an item from JSON: from an exported file, or from storage. Null if it is invalid. */
export function parseLibraryEntry(value: unknown): LibraryEntry | null {
  const given = fieldsOrEmpty(value);
  const kind = kinds.find((each) => each === given.kind);
  if (kind === undefined || typeof given.text !== 'string') return null;
  const name = getText(given, 'name')?.trim() ?? '';
  if (name === '' && kind !== 'instructions') return null;
  return {
    kind,
    name,
    text: given.text,
    folder: getFilledText(given, 'folder') ?? null,
    preset: getFilledText(given, 'preset') ?? null,
    formerNames: formerNamesIn(given.formerNames),
    options: parseChatOptions(given.options),
    messages: messagesIn(given.messages),
  };
}

/** An entry as JSON, for files and metadata. */
export function libraryEntryToJson(entry: LibraryEntry): JsonObject {
  const { kind, name, text, folder, preset, formerNames, options, messages } = entry;
  return {
    kind,
    name,
    text,
    ...(folder === null ? {} : { folder }),
    ...(preset === null ? {} : { preset }),
    ...(formerNames.length === 0
      ? {}
      : { formerNames: formerNames.map(({ name: former, until }) => ({ name: former, until })) }),
    options: chatOptionsToJson(options),
    messages: messages.map(({ role, content }) => ({ role, content })),
  };
}

function itemOf(tree: TreeViewData): LibraryItem | null {
  const entry = parseLibraryEntry({ ...tree.metadata, name: tree.title ?? '', text: tree.systemPrompt ?? '' });
  return entry === null ? null : { ...entry, id: tree.id };
}

// Only the newest request counts: a late response to an earlier one would hide an item that was saved meanwhile.
let newestLoad = 0;

/** Loads all library items and the locations of project files. A failure keeps the loaded ones. */
export async function loadLibrary(): Promise<void> {
  const load = ++newestLoad;
  const items: LibraryItem[] = [];
  const files = new Map<string, ProjectFilesPlace>();
  try {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: { readonly items: readonly TreeViewData[]; readonly cursor: string | null } = await api.trees({
        project: libraryProject,
        limit: 200,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const tree of page.items) {
        const item = itemOf(tree);
        if (item !== null) items.push(item);
        const { kind, folder } = tree.metadata;
        // Items are sorted newest first. While a folder has two items, the older one is being replaced.
        if (kind === 'files' && typeof folder === 'string' && tree.activeNodeId !== null && !files.has(folder))
          files.set(folder, { tree: tree.id, node: tree.activeNodeId });
      }
      ({ cursor } = page);
    }
    items.sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
    if (load === newestLoad) useLibrary.setState({ items, files, known: true });
  } catch {
    // The list of chats reports an unreachable server; the library is loaded again when its screen is opened.
  }
}

/** Returns the items, and loads them first if necessary, so that a chat that starts early has its instructions too. */
export async function loadLibraryItemsOnce(): Promise<readonly LibraryItem[]> {
  if (!useLibrary.getState().known) await loadLibrary();
  return useLibrary.getState().items;
}

/** Stores an item, as a new one or in place of another. False if the server refused, which is shown. */
export async function saveLibraryEntry(entry: LibraryEntry, id: TreeId | null): Promise<boolean> {
  const { name: _name, text: _text, ...metadata } = libraryEntryToJson(entry);
  const title = entry.name === '' ? null : entry.name;
  try {
    if (id === null)
      await api.create({
        project: libraryProject,
        systemPrompt: entry.text,
        metadata,
        ...(title === null ? {} : { title }),
      });
    else await api.patch(id, { title, systemPrompt: entry.text, metadata });
    await loadLibrary();
    return true;
  } catch (thrown) {
    showError(toHttpProblem(thrown));
    return false;
  }
}

/** Removes an item; it stays in the server's trash. Resolves to false if the server refused. */
export async function removeLibraryItem(id: TreeId): Promise<boolean> {
  try {
    await api.removeTree(id);
    await loadLibrary();
    return true;
  } catch (thrown) {
    showError(toHttpProblem(thrown));
    return false;
  }
}

/** Deletes a preset or a prompt; the toast restores it. */
export async function deleteLibraryEntry({ id, name }: LibraryItem): Promise<void> {
  if (!(await removeLibraryItem(id))) return;
  const restore = async () => {
    try {
      await api.restoreTree(id);
      await loadLibrary();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  showToast({
    icon: 'trash',
    text: t('entryDeleted', { name }),
    action: { label: t('undo'), run: () => void restore() },
  });
}

/** Finds a preset by its name; null if no preset has the name. */
export function findPreset(items: readonly LibraryItem[], name: string | null): LibraryItem | null {
  return items.find((item) => item.kind === 'preset' && item.name === name) ?? null;
}

/** Chooses a preset with its models, parameters and tools, or none. */
export function choosePreset(preset: LibraryItem | null): void {
  useUi.setState({ preset: preset?.name ?? null });
  chooseChatOptions({ ...defaultChatOptions, ...(preset === null ? {} : { toolsOn: true, ...preset.options }) });
}

/**
 * The system prompt of a new chat: the general instructions, those of its project, and the prompt of its preset, in
 * this order. Null if all are empty.
 */
export function composeSystemPrompt(
  items: readonly LibraryEntry[],
  folder: string | null,
  preset: LibraryEntry | null,
): string | null {
  const instructions = items.filter((item) => item.kind === 'instructions');
  const parts = [
    ...instructions.filter((item) => item.folder === null),
    ...instructions.filter((item) => item.folder !== null && item.folder === folder),
    ...(preset === null ? [] : [preset]),
  ].map((item) => item.text.trim());
  const text = parts.filter((part) => part !== '').join('\n\n');
  return text === '' ? null : text;
}

const variable = /\{\{\s*([\p{L}\p{N}_ -]{1,60}?)\s*\}\}/gu;

/** The names between double braces in a prompt, each once, in order. */
export function listPromptVariables(text: string): readonly string[] {
  return [...new Set([...text.matchAll(variable)].map((match) => match[1] ?? ''))];
}

/** The pieces of a prompt; joined they are the prompt. Each variable, with its braces, is a piece of its own. */
export function splitPromptVariables(
  text: string,
): readonly { readonly at: number; readonly text: string; readonly isVariable: boolean }[] {
  const pieces: { at: number; text: string; isVariable: boolean }[] = [];
  let at = 0;
  const take = (end: number, isVariable: boolean) => {
    if (end > at) pieces.push({ at, text: text.slice(at, end), isVariable });
    at = end;
  };
  for (const match of text.matchAll(variable)) {
    take(match.index, false);
    take(match.index + match[0].length, true);
  }
  take(text.length, false);
  return pieces;
}

/** A prompt with values for its variables; one without a value stays as written. */
export function fillPromptVariables(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(variable, (whole, name: string) => values.get(name) ?? whole);
}
