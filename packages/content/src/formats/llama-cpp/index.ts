// Conversations of the web UI of llama.cpp's server: messages with parents below an empty root. An export contains one
// or all conversations, as a document or as lines.
import type { Json, JsonObject } from '@coppice/core';
import { parseFiniteJson } from '../../finite-json.ts';
import { defineFormat, type ImportedTree, type ReadEvent, type ReadOptions } from '../contract.ts';
import {
  type ConversationFiles,
  hasConversation,
  readConversationFile,
  readProgramFiles,
} from '../conversation-files.ts';
import {
  getFilledText,
  getTexts,
  isJsonObject,
  listAt,
  numberAt,
  objectAt,
  omitKeys,
  parseMillisTime,
  textAt,
} from '../fields.ts';
import { readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { type InputFile, isJsonLinesFile, type SampleFile } from '../input.ts';
import { fromOpenAiToolCall, imageFromUrl } from '../openai-messages.ts';
import type { ReplyItem } from '../reply-items.ts';
import { checkKnownValue, checkParentId, checkRole } from '../structure-findings.ts';
import {
  buildModelSource,
  buildToolResultItem,
  ConversationNodes,
  omitUndefinedAttributes,
  toBlocksItem,
  toTextBlocks,
} from '../turn-nodes.ts';

const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'tool']);

function isConversation(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value) || !isJsonObject(value.conv) || !Array.isArray(value.messages)) return false;
  return typeof value.conv.id === 'string';
}

/** Whether a value is the header of a file of lines. */
function isSession(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && value.type === 'session' && value.harness === 'llama.app';
}

/** Converts an attachment: a picture, a text, or a file with its bytes. Versions use different type names. */
function extraBlock(extra: Json, nodes: ConversationNodes, place: string): Json {
  if (!isJsonObject(extra)) return { type: 'x-value', value: extra };
  const kind = (textAt(extra, 'type') ?? '').toLowerCase().replace(/_?file$/, '');
  const name = getFilledText(extra, 'name') ?? 'file';
  const url = getFilledText(extra, 'base64Url');
  const text = textAt(extra, 'content');
  if (kind === 'image' && url !== undefined) return imageFromUrl(url);
  const data = getFilledText(extra, 'base64Data');
  const mediaType =
    getFilledText(extra, 'mimeType') ?? (kind === 'pdf' ? 'application/pdf' : 'application/octet-stream');
  if ((kind === 'audio' || kind === 'pdf') && data !== undefined)
    return { type: 'file', name, mediaType, source: { type: 'base64', data } };
  if (text !== undefined) return { type: 'file', name, mediaType: 'text/plain', source: { type: 'text', text } };
  nodes.report(...checkKnownValue('attachment', extra.type, () => false, place));
  return { ...extra, type: 'llama-cpp-extra' };
}

/** Returns the calls of a message, which are stored as the text of a JSON list. */
function callBlocks(message: JsonObject, nodes: ConversationNodes, place: string): Json[] {
  const written = message.toolCalls;
  if (typeof written !== 'string' || written === '')
    return Array.isArray(written) ? written.map(fromOpenAiToolCall) : [];
  try {
    const calls = parseFiniteJson(written);
    if (Array.isArray(calls)) return calls.map(fromOpenAiToolCall);
  } catch {
    // The problem is reported below.
  }
  nodes.report(buildFinding('import/record-unreadable', 'loss', place, buildFindingDetail('tool-calls')));
  return [];
}

function sourceOf(message: JsonObject): JsonObject {
  const timings = objectAt(message, 'timings');
  const [input, output] = [numberAt(timings, 'prompt_n'), numberAt(timings, 'predicted_n')];
  return buildModelSource(getFilledText(message, 'model'), {
    ...(input === undefined && output === undefined
      ? {}
      : { usage: { input_tokens: input ?? 0, output_tokens: output ?? 0 } }),
  });
}

function itemsOf(message: JsonObject, nodes: ConversationNodes, place: string): ReplyItem[] {
  const thought = getFilledText(message, 'reasoningContent') ?? getFilledText(message, 'thinking');
  const blocks = [
    ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought }]),
    ...listAt(message, 'extra').map((extra) => extraBlock(extra, nodes, place)),
    ...toTextBlocks(textAt(message, 'content')),
    ...callBlocks(message, nodes, place),
  ];
  return blocks.length === 0 ? [] : [toBlocksItem(blocks)];
}

function tree(conversation: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const conv = objectAt(conversation, 'conv');
  const messages = listAt(conversation, 'messages').filter(isJsonObject);
  const ids = new Set(messages.map((message) => getFilledText(message, 'id')));
  const roots = new Set(messages.filter((one) => one.type === 'root').map((one) => getFilledText(one, 'id')));
  const root = messages.find((one) => one.type === 'root');
  const childOrder = new Map<string, readonly string[]>();
  let first = true;
  for (const [message, at, index] of nodes.records(conversation, 'messages', place)) {
    const id = getFilledText(message, 'id') ?? String(index);
    const listed = getTexts(message, 'children').filter((child) => ids.has(child));
    if (listed.length > 0) childOrder.set(roots.has(id) ? '' : id, listed);
    if (roots.has(id)) continue;
    nodes.report(
      ...checkRole('role', message.role, (word) => roles.has(word), at),
      ...checkParentId(message.parent, at),
    );
    const named = getFilledText(message, 'parent');
    // An export of the visible branch does not contain the root.
    const parent = named === undefined || roots.has(named) || (first && !ids.has(named)) ? null : named;
    first = false;
    const common = {
      id,
      parent,
      createdAt: nodes.time(message.timestamp, parseMillisTime, at),
      place: at,
      record: message,
    };
    if (message.role === 'tool') {
      const call = getFilledText(message, 'toolCallId') ?? '';
      const result = buildToolResultItem(call, 'unknown', message.content, false);
      nodes.add({ ...common, role: 'assistant', items: [result] });
    } else if (message.role === 'assistant')
      nodes.add({ ...common, role: 'assistant', items: itemsOf(message, nodes, at), source: sourceOf(message) });
    else {
      const role = message.role === 'system' ? 'system' : 'user';
      nodes.add({ ...common, role, items: itemsOf(message, nodes, at) });
    }
  }
  const current = getFilledText(conv, 'currNode');
  return {
    externalId: getFilledText(conv, 'id') ?? place,
    scope: '',
    ...omitUndefinedAttributes({
      title: getFilledText(conv, 'name'),
      updatedAt: nodes.time(conv.lastModified, parseMillisTime, place),
    }),
    nodes: nodes.nodes,
    childOrder,
    ...(current === undefined || roots.has(current) ? {} : { activeExternalId: current }),
    // The root has no text; its record is kept with that of the conversation.
    record: { conv, ...(root === undefined ? {} : { root }) },
    ownRecords: roots.size,
    place,
    findings: nodes.findings,
  };
}

const documents: ConversationFiles = { confidence: 0.94, paths: [['*']], isConversation, tree };
const isOwn = (sample: SampleFile) => isSession(sample.lines[0]) || hasConversation(documents, sample);

/** Reads files of lines: a header, then one message per line. A file may contain several conversations. */
async function* readLines(file: InputFile): AsyncGenerator<ReadEvent> {
  let conv: JsonObject | undefined;
  let messages: Json[] = [];
  let found: ImportFinding[] = [];
  const end = (): ReadEvent[] => {
    const made = conv === undefined ? [] : [tree({ conv, messages }, file.name, found)];
    messages = [];
    found = [];
    return made.map((one) => ({ type: 'tree', tree: { ...one, ownRecords: (one.ownRecords ?? 0) + 1 } }));
  };
  for await (const record of readLineRecords(file)) {
    if (record.type === 'finding') yield record;
    if (record.type !== 'record') continue;
    const { value, place } = record;
    if (isSession(value)) {
      yield* end();
      conv = omitKeys(value, 'type');
    } else if (conv !== undefined && isJsonObject(value) && isJsonObject(value.message)) {
      messages.push(value.message);
      for (const one of record.findings) found.push(one);
    } else
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', 'loss', place, buildFindingDetail('not-a-message'), 1),
      };
  }
  yield* end();
}

async function* readFile(file: InputFile, options: ReadOptions): AsyncGenerator<ReadEvent> {
  yield* (await isJsonLinesFile(file)) ? readLines(file) : readConversationFile(file, documents, options);
}

/** Imports conversations of llama.cpp's web UI. */
export const llamaCpp = defineFormat({
  name: 'llama-cpp',
  label: 'llama.cpp web UI',
  summary: 'Conversations of the web page of llama.cpp with all branches, as one, as a list, or as lines.',
  keeps: ['branches', 'titles', 'models', 'times', 'reasoning', 'tools', 'pictures', 'files', 'usage'],
  reader: {
    detect: ({ files }) => (files.some(isOwn) ? documents.confidence : 0),
    read: (input, options) => readProgramFiles(input, isOwn, (file) => readFile(file, options)),
  },
});
