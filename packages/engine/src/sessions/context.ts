/**
 * Builds the context at an entry of a session file. Reads only the entries of that context and the settings above it,
 * however long the file is.
 */
import type { SessionIndex } from '@coppice/content/sessions';
import type { JsonObject, MessageKit, Node } from '@coppice/core';
import { contextOf } from '@coppice/core/context';
import type { SessionContext } from './contract.ts';
import { sessionNodeAt } from './nodes.ts';

export function readSessionContext(index: SessionIndex, at: number, kit: Pick<MessageKit, 'tokens'>): SessionContext {
  const path = index.path(at).slice(1);
  const read = new Map<number, Node>();
  const node = (line: number): Node => {
    const known = read.get(line) ?? sessionNodeAt(index, line, kit);
    read.set(line, known);
    return known;
  };
  const contextNodes = path.slice(startOfContext(index, path, node)).map(node);
  const { systemPrompt } = index.attributes;
  const { entries, flags, tokens, estimate } = contextOf(contextNodes, { systemPrompt, kit });
  return {
    messages: entries.map((entry) => entry.message),
    entries,
    ...readSettings(index, path, node),
    tokens,
    estimate,
    flags,
  };
}

/**
 * Returns the index in the path of the first entry that the last compaction keeps; the index of the compaction if it
 * keeps none, and 0 without a compaction.
 */
function startOfContext(index: SessionIndex, path: readonly number[], node: (line: number) => Node): number {
  const { file } = index;
  for (let at = path.length - 1; at >= 0; at--) {
    const line = path[at] ?? 0;
    if (file.typeAt(line) !== 'compaction') continue;
    const { marker, meta } = node(line);
    if (meta.excluded === true) continue;
    const keptLine = marker?.firstKept === undefined ? -1 : file.indexOf(marker.firstKept);
    const first = keptLine < 0 ? -1 : path.lastIndexOf(keptLine, at - 1);
    return first < 0 ? at : first;
  }
  return 0;
}

/**
 * Returns the model and thinking level at the end of a path. Settings are found by the type of their lines, and only
 * the last reply is read.
 */
function readSettings(
  index: SessionIndex,
  path: readonly number[],
  node: (line: number) => Node,
): Pick<SessionContext, 'model' | 'thinkingLevel'> {
  const { file } = index;
  let model: SessionContext['model'] | undefined;
  let level: string | undefined;
  let replied = false;
  for (let at = path.length - 1; at >= 0 && (model === undefined || level === undefined); at--) {
    const line = path[at] ?? 0;
    const type = file.typeAt(line);
    if (type === 'thinking_level_change') level ??= entryText(node(line).marker?.details, 'thinkingLevel');
    else if (model === undefined && (isSetting(type) || index.laterChanges(line)?.meta?.model !== undefined))
      model = modelOfSession(node(line));
    else if (model === undefined && !replied && type === 'message') {
      const said = node(line);
      replied = said.role === 'assistant' && said.meta.pickedFrom === undefined;
      model = modelOfSession(said);
    }
  }
  return { model: model ?? treeModel(index), thinkingLevel: level ?? 'off' };
}

function isSetting(type: string): boolean {
  return type === 'model_change' || type === 'custom';
}

function modelOfSession({ meta, role, kind, marker }: Node): SessionContext['model'] | undefined {
  if (meta.pickedFrom !== undefined) return undefined;
  const [provider, modelId] = [entryText(marker?.details, 'provider'), entryText(marker?.details, 'modelId')];
  if (kind === 'state' && provider !== undefined && modelId !== undefined) return { provider, modelId };
  if (typeof meta.model === 'string') return splitModelName(meta.model);
  if (kind !== 'message' || role !== 'assistant') return undefined;
  const [by, name] = [entryText(meta.source, 'provider'), entryText(meta.source, 'model_name')];
  return by === undefined || name === undefined ? undefined : { provider: by, modelId: name };
}

function treeModel({ attributes }: SessionIndex): SessionContext['model'] {
  return typeof attributes.model === 'string' ? (splitModelName(attributes.model) ?? null) : null;
}

function splitModelName(name: string): SessionContext['model'] | undefined {
  const at = name.indexOf('/');
  return at < 1 ? undefined : { provider: name.slice(0, at), modelId: name.slice(at + 1) };
}

function entryText(fields: JsonObject | undefined, key: string): string | undefined {
  const value = fields === undefined || !Object.hasOwn(fields, key) ? undefined : fields[key];
  return typeof value === 'string' ? value : undefined;
}
