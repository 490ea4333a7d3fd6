/** The generation options of a chat, stored per chat. */
import type { GenerationOptions } from '@coppice/client';
import type { FieldMap, JsonObject, TreeId } from '@coppice/core';
import { fieldsOrEmpty, getText, getTexts, isFieldMap } from '@coppice/core/decode';
import { currentModels, useAppData } from './app-data.ts';
import { readLocalText, writeLocalText } from './local-storage.ts';
import { useUi } from './ui.ts';

/** How much a model thinks before it answers. */
type ThinkingEffort = 'low' | 'medium' | 'high';

/** The options of a chat; null uses the model's default. */
export interface ChatOptions {
  readonly models: readonly string[];
  readonly n: number;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly maxTokens: number | null;
  readonly thinking: ThinkingEffort | null;
  readonly toolsOn: boolean;
  /** Tools that are turned off individually. */
  readonly toolsOff: readonly string[];
}

/** The options of a chat whose user changed nothing. */
export const defaultChatOptions: Omit<ChatOptions, 'models' | 'toolsOn'> = {
  n: 1,
  temperature: null,
  topP: null,
  maxTokens: null,
  thinking: null,
  toolsOff: [],
};

const efforts: readonly ThinkingEffort[] = ['low', 'medium', 'high'];

function numberWithin(value: unknown, least: number, most: number): number | null {
  return typeof value === 'number' && value >= least && value <= most ? value : null;
}

/** Parses the stored options of a chat or a preset; a missing or invalid option is left out or gets its default. */
export function parseChatOptions(given: unknown): Partial<ChatOptions> {
  if (!isFieldMap(given)) return {};
  const models = getTexts(given, 'models');
  const n = numberWithin(given.n, 1, 8);
  return {
    ...(models.length === 0 ? {} : { models }),
    ...(n === null ? {} : { n }),
    temperature: numberWithin(given.temperature, 0, 2),
    topP: numberWithin(given.topP, 0, 1),
    maxTokens: numberWithin(given.maxTokens, 1, 10_000_000),
    thinking: efforts.find((each) => each === given.thinking) ?? null,
    ...(typeof given.toolsOn === 'boolean' ? { toolsOn: given.toolsOn } : {}),
    toolsOff: getTexts(given, 'toolsOff'),
  };
}

/** Returns the options for storage: those that differ from the defaults. */
export function chatOptionsToJson(options: Partial<ChatOptions>): JsonObject {
  const { models = [], n = 1, temperature, topP, maxTokens, thinking, toolsOn, toolsOff = [] } = options;
  return {
    ...(models.length === 0 ? {} : { models: [...models] }),
    ...(n === 1 ? {} : { n }),
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof topP === 'number' ? { topP } : {}),
    ...(typeof maxTokens === 'number' ? { maxTokens } : {}),
    ...(typeof thinking === 'string' ? { thinking } : {}),
    ...(toolsOn === false ? { toolsOn } : {}),
    ...(toolsOff.length === 0 ? {} : { toolsOff: [...toolsOff] }),
  };
}

/** Returns the options that the next reply of the open chat uses. */
export function currentChatOptions(): ChatOptions {
  const { chosen, n, temperature, topP, maxTokens, thinking, toolsOn, toolsOff } = useAppData.getState();
  return { models: chosen, n, temperature, topP, maxTokens, thinking, toolsOn, toolsOff };
}

/** Sets the given options of the open chat; the others stay. */
export function chooseChatOptions(set: Partial<ChatOptions>): void {
  const { models, ...rest } = set;
  useAppData.setState({ ...rest, ...(models === undefined ? {} : { chosen: models }) });
}

/** Returns the options of the open chat in the form of a generation request; `set` overrides some of them. */
export function currentGenerationOptions(
  set: Partial<GenerationOptions> = {},
): GenerationOptions & { readonly models: readonly string[] } {
  const lists = useAppData.getState();
  const { n, temperature, topP, maxTokens, thinking, toolsOn, toolsOff } = lists;
  const left = new Set(toolsOff);
  const tools = toolsOn ? lists.tools.map((tool) => tool.name).filter((name) => !left.has(name)) : [];
  return { n, temperature, topP, maxTokens, thinking, tools, ...set, models: set.models ?? currentModels(lists) };
}

const storageName = 'chat-options';
// The number of chats whose options are stored; others use the options that they were created with.
const mostChats = 300;

function readStoredOptions(): FieldMap {
  try {
    return fieldsOrEmpty(JSON.parse(readLocalText(storageName) ?? '{}'));
  } catch {
    return {};
  }
}

/** The options and the preset of the open chat, for storage. */
function openChatOptions(): JsonObject {
  const { preset } = useUi.getState();
  return { ...chatOptionsToJson(currentChatOptions()), ...(preset === null ? {} : { preset }) };
}

function presetOf(stored: unknown): string | null {
  return getText(fieldsOrEmpty(stored), 'preset') ?? null;
}

function storeOptions(tree: TreeId): void {
  const { [tree]: _, ...others } = readStoredOptions();
  const entries = [...Object.entries(others), [tree, openChatOptions()] as const].slice(-mostChats);
  writeLocalText(storageName, JSON.stringify(Object.fromEntries(entries)));
}

/**
 * Restores the options and the preset of a chat: those stored on this device, else those with which the chat was
 * created. After that every change is stored for the chat until the returned function is called, which restores the
 * preset of new chats.
 */
export function followChatOptions(tree: TreeId, metadata: JsonObject): () => void {
  const isKept = Object.hasOwn(readStoredOptions(), tree);
  const kept = isKept ? readStoredOptions()[tree] : metadata.options;
  const { preset: presetBefore } = useUi.getState();
  useUi.setState({ preset: presetOf(isKept ? kept : metadata) });
  const { models, toolsOn, ...rest } = parseChatOptions(kept);
  chooseChatOptions({
    ...defaultChatOptions,
    ...rest,
    ...(models === undefined ? {} : { models }),
    ...(kept === undefined ? {} : { toolsOn: toolsOn ?? true }),
  });
  let before = JSON.stringify(openChatOptions());
  const keep = () => {
    const now = JSON.stringify(openChatOptions());
    if (now === before) return;
    before = now;
    storeOptions(tree);
  };
  const ends = [useAppData.subscribe(keep), useUi.subscribe(keep)];
  return () => {
    for (const end of ends) end();
    useUi.setState({ preset: presetBefore });
  };
}
