// Plain lists of messages as in chat completions: `[{role, content}]`, `{messages: […]}`, several of them in one file,
// or one per line. They have no ids and no branches.
import type { Json, JsonObject } from '@coppice/core';
import { blockDefinitionOf } from '../../blocks/index.ts';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import {
  defineFormat,
  type ExportedTree,
  type ImportedNode,
  type ImportedTree,
  type ReadEvent,
  type WriteEvent,
  type WriteOptions,
} from '../contract.ts';
import { embedBytes } from '../embed-bytes.ts';
import {
  buildLossEvent,
  findAttributeLosses,
  findBookmarkLosses,
  findExportedPath,
  findMetadataLosses,
  findOriginalTreeRecord,
  hasAuthorOrMetadata,
  metadataLossTexts,
} from '../exporting.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys, parseAnyTime, textAt } from '../fields.ts';
import { readDocumentRecords, readLineRecords } from '../file-records.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { type ImportInput, type InputFile, type InputSample, isJsonLinesFile, type SampleFile } from '../input.ts';
import { fromOpenAiMessageWithAudio, toOpenAiMessage } from '../openai-messages.ts';
import { originalRecordOf } from '../original-record.ts';
import {
  buildNonObjectFinding,
  checkMessageLinks,
  checkRole,
  checkWireBlocks,
  hasMessageLinks,
} from '../structure-findings.ts';

const name = 'linear';

function isLinearMessage(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.role === 'string' && ('content' in value || 'tool_calls' in value);
}

function isList(values: readonly Json[]): boolean {
  return isLinearMessage(values[0]) && !hasMessageLinks(values);
}

function isLinearConversation(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && Array.isArray(value.messages) && isList(value.messages);
}

/** Whether another format is more likely. A logged call, for example, has a model but no title. */
function isForeignList(value: JsonObject): boolean {
  if ('model' in value && getFilledText(value, 'title') === undefined) return true;
  return ['mapping', 'uuid', 'messageId', 'parts', 'response', 'request'].some((key) => key in value);
}

function detect({ files }: InputSample): number {
  let surety = files.length === 0 ? 0 : 1;
  for (const file of files) surety = Math.min(surety, detectIn(file));
  // Coppice's own export of all trees also has several lists, so a format that expects a folder is more likely.
  return files.length > 1 ? surety / 2 : surety;
}

function detectIn(file: SampleFile): number {
  const [line] = file.lines;
  if (file.lines.length > 1 && isLinearConversation(line) && !isForeignList(line)) return 0.5;
  const { json } = file;
  if (isLinearConversation(json)) return isForeignList(json) ? 0.2 : 0.5;
  if (isJsonObject(json) && isLinearConversation(listAt(json, 'history')[0])) return 0.6;
  const list = Array.isArray(json) ? json : file.lines;
  const [first] = list;
  if (isLinearMessage(first))
    return hasMessageLinks(list) ? 0 : isForeignList(first) ? 0.2 : Array.isArray(json) ? 0.5 : 0;
  return isLinearConversation(first) && !isForeignList(first) ? 0.5 : 0;
}

const roles: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** Returns the model of a message or conversation, which is a string or an object with an id. */
function modelOfList(record: JsonObject): string | undefined {
  return getFilledText(record, 'model') ?? getFilledText(objectAt(record, 'model'), 'id');
}

/** Returns the chain of a list, or a finding if its messages belong to a tree. */
function eventOf(
  messages: readonly Json[],
  record: JsonObject,
  place: string,
  found: readonly ImportFinding[],
): ReadEvent {
  const linked = checkMessageLinks(messages, place);
  if (linked !== undefined) return { type: 'finding', finding: linked };
  return { type: 'tree', tree: linearTreeOf(messages, record, place, found) };
}

/** Converts a list to a chain. A leading system message of plain text becomes the system prompt. */
function linearTreeOf(
  messages: readonly Json[],
  record: JsonObject,
  place: string,
  found: readonly ImportFinding[],
): ImportedTree {
  const findings = [...found];
  const [first] = messages;
  const prompt =
    isLinearMessage(first) && first.role === 'system' && typeof first.content === 'string' ? first : undefined;
  const nodes: ImportedNode[] = [];
  let parent: string | null = null;
  for (const [index, value] of messages.entries()) {
    if (index === 0 && prompt !== undefined) continue;
    const at = `${place}.messages[${index}]`;
    if (!isJsonObject(value)) {
      findings.push(buildNonObjectFinding(at));
      continue;
    }
    for (const one of checkRole('role', value.role, (role) => roles.has(role), at)) findings.push(one);
    for (const one of checkWireBlocks(value.content, at)) findings.push(one);
    const externalId = String(index);
    const createdAt = parseAnyTime(value.created_at ?? value.timestamp);
    const model = value.role === 'assistant' ? (modelOfList(value) ?? modelOfList(record)) : undefined;
    nodes.push({
      externalId,
      parentExternalId: parent,
      message: fromOpenAiMessageWithAudio(value),
      record: value,
      place: at,
      ...(model === undefined ? {} : { meta: { source: { type: 'model', model_name: model } } }),
      ...(createdAt === undefined ? {} : { createdAt }),
    });
    parent = externalId;
  }
  const id = getFilledText(record, 'id') ?? `sha256:${sha256Hex(canonicalJson(messages))}`;
  const title = getFilledText(record, 'title') ?? getFilledText(record, 'name');
  const own = prompt === undefined ? record : { ...record, $system: prompt };
  return {
    externalId: id,
    scope: '',
    ...(title === undefined ? {} : { title }),
    ...(prompt === undefined ? {} : { systemPrompt: textAt(prompt, 'content') ?? '', ownRecords: 1 }),
    nodes,
    activeExternalId: parent,
    record: own,
    place,
    findings,
  };
}

async function* readLinearFile(file: InputFile): AsyncGenerator<ReadEvent> {
  const lines = await isJsonLinesFile(file);
  const records = lines
    ? readLineRecords(file)
    : readDocumentRecords(file, [['*'], ['messages', '*'], ['history', '*']]);
  // Messages that are not inside a conversation of the file form one conversation together.
  const loose: Json[] = [];
  const found: ImportFinding[] = [];
  for await (const record of records) {
    if (record.type === 'finding') yield record;
    else if (record.type === 'rest') {
      const rest = isJsonObject(record.value) ? omitKeys(record.value, 'messages') : { $form: 'array' };
      if (loose.length > 0) yield eventOf(loose, rest, file.name, found);
    } else if (isJsonObject(record.value) && Array.isArray(record.value.messages)) {
      const { messages } = record.value;
      const own = omitKeys(record.value, 'messages');
      yield eventOf(messages, own, record.place, record.findings);
    } else if (record.pattern === 1 || isLinearMessage(record.value)) {
      loose.push(record.value);
      for (const one of record.findings) found.push(one);
    } else yield { type: 'finding', finding: buildFinding('import/skipped', 'loss', record.place, '', 1) };
  }
  if (lines && loose.length > 0) yield eventOf(loose, { $form: 'lines' }, file.name, found);
}

async function* read(input: ImportInput): AsyncGenerator<ReadEvent> {
  for (const file of input.files) yield* readLinearFile(file);
}

/**
 * Writes a leading system message that is not the system prompt as a list of parts, because plain text would be read as
 * the prompt.
 */
function omitPrompt(record: JsonObject): JsonObject {
  const { role, content } = record;
  return role === 'system' && typeof content === 'string'
    ? { ...record, content: [{ type: 'text', text: content }] }
    : record;
}

async function* writeLinearTree(tree: ExportedTree, options: WriteOptions): AsyncGenerator<WriteEvent> {
  const original = findOriginalTreeRecord(tree, name)?.record ?? {};
  const messages: Json[] = [];
  const { systemPrompt, title } = tree.attributes;
  if (systemPrompt !== undefined) {
    const kept =
      isJsonObject(original.$system) && original.$system.content === systemPrompt ? original.$system : undefined;
    messages.push(kept ?? { role: 'system', content: systemPrompt });
  }
  const thread = findExportedPath(tree);
  let left = tree.nodes.length - thread.length;
  if (left > 0) yield buildLossEvent(tree, null, 'branches', `${left} messages off the current thread are left out.`);
  for (const node of thread) {
    const source = originalRecordOf(node, name);
    if (node.message === null) continue;
    if (source?.unchanged === true && source.record !== undefined) messages.push(source.record);
    else if (node.kind === 'state') {
      left++;
      yield buildLossEvent(tree, node, 'markers', `A marker of kind ${node.kind} is left out.`);
    } else {
      if (node.kind !== 'message')
        yield buildLossEvent(tree, node, 'markers', `A ${node.kind} is written as a message.`);
      const message = await embedBytes(node.message, options);
      const { record, losses } = toOpenAiMessage(message, (block) => blockDefinitionOf(block).toText(block));
      messages.push(messages.length === 0 ? omitPrompt(record) : record);
      for (const what of losses)
        yield buildLossEvent(
          tree,
          node,
          what,
          what === 'thinking' ? 'The signature of its reasoning is left out.' : 'A block is written as text.',
        );
    }
  }
  const shown = { ...tree, nodes: thread };
  if (thread.some((node) => hasAuthorOrMetadata(node) && originalRecordOf(node, name) === undefined))
    yield buildLossEvent(tree, null, 'notes', 'Models, times, token usage, parameters and metadata are left out.');
  yield* findMetadataLosses(shown, name, ['excluded', 'failures', 'failed', 'cut-short']);
  yield* findAttributeLosses(tree, name);
  yield* findBookmarkLosses(tree);
  yield { type: 'count', written: tree.nodes.length - left, left };
  const own = omitKeys(original, '$system', '$form');
  yield { type: 'file', name: `${tree.treeId}.json`, mediaType: 'application/json' };
  if (original.$form === 'array') yield { type: 'text', text: `${JSON.stringify(messages)}\n` };
  else if (original.$form === 'lines')
    yield { type: 'text', text: messages.map((one) => `${JSON.stringify(one)}\n`).join('') };
  else
    yield {
      type: 'text',
      text: `${JSON.stringify({ ...(title === undefined ? {} : { title }), ...own, messages })}\n`,
    };
}

async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  for await (const tree of trees) yield* writeLinearTree(tree, options);
}

/** Imports and exports plain lists of messages without branches. */
export const linear = defineFormat({
  name,
  label: 'Message list',
  summary: 'Messages as chat completions take them, one conversation or many.',
  keeps: ['titles', 'system prompts', 'reasoning', 'tools'],
  reader: { detect, read },
  writer: {
    extension: 'json',
    mediaType: 'application/json',
    files: 'per-tree',
    loses: {
      branches: 'Only the current thread is written.',
      bookmarks: 'Bookmarks are left out.',
      markers: 'Summaries and injected messages are written as ordinary messages; the state of extensions is left out.',
      thinking: 'Reasoning is written without its signature.',
      block: 'Blocks that chat completions do not have are written as text.',
      notes: 'Models, times, token usage, parameters and metadata are left out.',
      excluded: metadataLossTexts.excluded,
      failures: metadataLossTexts.failures,
      failed: metadataLossTexts.failed,
      'cut-short': metadataLossTexts['cut-short'],
      attributes: metadataLossTexts.attributes,
    },
    write,
  },
});
