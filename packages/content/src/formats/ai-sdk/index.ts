// Messages of the AI SDK (`UIMessage[]`), and the repository in which assistant-ui keeps them with their branches.
import type { Json, JsonObject, NodeMeta } from '@coppice/core';
import { isBase64 } from '../../base64.ts';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import { defineFormat, type ImportedNode, type ImportedTree, type ReadEvent } from '../contract.ts';
import { filledAt, fromAnyTime, isJsonObject, listAt, objectAt, textAt, without } from '../fields.ts';
import { type Finding, finding } from '../findings.ts';
import { type Input, type InputFile, isLineFile, type Sample } from '../input.ts';
import { imageOfUrl } from '../openai-messages.ts';
import { documentRecords, lineRecords } from '../records-in.ts';

const name = 'ai-sdk';

function isUiMessage(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.role === 'string' && Array.isArray(value.parts);
}

function isEntry(value: Json | undefined): value is JsonObject {
  return (
    isJsonObject(value) && 'parentId' in value && isJsonObject(value.message) && typeof value.message.role === 'string'
  );
}

function detect(sample: Sample): number {
  const [file] = sample.files;
  if (file === undefined || sample.files.length > 1) return 0;
  const json = file.lines.length > 1 ? file.lines : file.json;
  const list = isJsonObject(json) ? listAt(json, 'messages') : Array.isArray(json) ? json : [];
  const [first] = list;
  if (isEntry(first)) return 0.9;
  if (isUiMessage(first)) return 0.85;
  return isJsonObject(first) && isUiMessage(listAt(first, 'messages')[0]) ? 0.85 : 0;
}

/** A part of a message that becomes a node of its own. */
interface Stretch {
  readonly message: JsonObject;
  readonly meta?: NodeMeta;
}

interface Use {
  readonly block: JsonObject;
  readonly result: Stretch | undefined;
}

/** A tool part: the call, and its result where there is one. */
function toolOf(part: JsonObject, fallback: string): Use {
  const type = textAt(part, 'type') ?? '';
  const toolName =
    filledAt(part, 'toolName') ?? (type.startsWith('tool-') && type !== 'tool-call' ? type.slice(5) : 'unknown');
  const id = filledAt(part, 'toolCallId') ?? fallback;
  const input = part.input ?? part.args ?? part.rawInput;
  const parameters = isJsonObject(input) ? input : input === undefined || input === null ? {} : { input };
  const block = { type: 'tool-use', id, name: toolName, parameters };
  const output = part.output ?? part.result;
  const state = textAt(part, 'state');
  const failed = state === 'output-error' || state === 'output-denied' || part.isError === true;
  if (output === undefined && !failed) return { block, result: undefined };
  const said = failed
    ? (filledAt(part, 'errorText') ?? (output === undefined ? (state ?? 'failed') : output))
    : (output ?? null);
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  return {
    block,
    result: {
      message: { role: 'tool', content: [{ type: 'text', text }], tool_call_id: id },
      meta: { source: { type: 'tool_result', tool_name: toolName }, ...(failed ? { isError: true } : {}) },
    },
  };
}

function fileOf(part: JsonObject): JsonObject {
  const url = filledAt(part, 'url') ?? filledAt(part, 'image') ?? filledAt(part, 'data');
  const mediaType = filledAt(part, 'mediaType') ?? filledAt(part, 'mimeType');
  if (url === undefined) return { ...part, type: `ai-${textAt(part, 'type') ?? 'file'}` };
  if (mediaType?.startsWith('image/') === true || part.type === 'image') return imageOfUrl(url);
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  const source = data !== undefined && isBase64(data) && data !== '' ? { type: 'base64', data } : { type: 'url', url };
  return {
    type: 'file',
    name: filledAt(part, 'filename') ?? 'file',
    mediaType: mediaType ?? 'application/octet-stream',
    source,
  };
}

function blockOf(part: JsonObject): Json | undefined {
  const type = textAt(part, 'type');
  switch (type) {
    case 'step-start':
      return undefined;
    case 'text':
      return { ...without(part, 'state'), type: 'text', text: textAt(part, 'text') ?? '' };
    case 'reasoning': {
      const metadata = isJsonObject(part.providerMetadata) ? { providerMetadata: part.providerMetadata } : {};
      const signature = filledAt(objectAt(objectAt(part, 'providerMetadata'), 'anthropic'), 'signature');
      return {
        type: 'thinking',
        thinking: textAt(part, 'text') ?? '',
        ...metadata,
        ...(signature === undefined ? {} : { signature }),
      };
    }
    case 'file':
    case 'image':
      return fileOf(part);
    default:
      return { ...part, type: type ?? 'x-part' };
  }
}

/** A message as nodes: the calls of a step, their results, the next step. */
function stretchesOf(message: JsonObject, id: string): Stretch[] {
  const role = textAt(message, 'role') ?? 'user';
  const known = role === 'assistant' || role === 'system' ? role : 'user';
  const metadata = objectAt(message, 'metadata');
  const model = filledAt(metadata, 'model') ?? filledAt(metadata, 'modelId');
  const source =
    known === 'user'
      ? { source: { type: 'user' } }
      : known === 'assistant' && model !== undefined
        ? { source: { type: 'model', model_name: model } }
        : {};
  const stretches: Stretch[] = [];
  let blocks: Json[] = [];
  let results: Stretch[] = [];
  const close = () => {
    if (blocks.length > 0) stretches.push({ message: { role: known, content: blocks }, meta: source });
    for (const result of results) stretches.push(result);
    blocks = [];
    results = [];
  };
  const parts = listAt(message, Array.isArray(message.parts) ? 'parts' : 'content');
  const content = textAt(message, 'content');
  if (parts.length === 0 && content !== undefined) blocks.push({ type: 'text', text: content });
  for (const [index, part] of parts.entries()) {
    if (!isJsonObject(part)) {
      blocks.push(typeof part === 'string' ? { type: 'text', text: part } : { type: 'x-value', value: part });
      continue;
    }
    const type = textAt(part, 'type') ?? '';
    if (type === 'dynamic-tool' || type.startsWith('tool-')) {
      const { block, result } = toolOf(part, `${id}-call-${index}`);
      blocks.push(block);
      if (result !== undefined) results.push(result);
      continue;
    }
    // What comes after results was said with them at hand.
    if (type === 'step-start' || results.length > 0) close();
    const block = blockOf(part);
    if (block !== undefined) blocks.push(block);
  }
  close();
  return stretches;
}

interface Entry {
  readonly message: JsonObject;
  /** Undefined hangs it on the one before. */
  readonly parentId: string | null | undefined;
  readonly record: JsonObject;
  readonly place: string;
}

function treeOf(
  entries: readonly Entry[],
  record: JsonObject,
  place: string,
  findings: readonly Finding[],
): ImportedTree {
  const nodes: ImportedNode[] = [];
  let previous: string | null = null;
  for (const [index, { message, parentId, record: own, place: at }] of entries.entries()) {
    const externalId = filledAt(message, 'id') ?? `${index}`;
    let parent: string | null = parentId === undefined ? previous : parentId;
    const createdAt = fromAnyTime(message.createdAt ?? objectAt(message, 'metadata').createdAt);
    const stretches = stretchesOf(message, externalId);
    const last = Math.max(0, stretches.length - 1);
    for (let part = 0; part <= last; part++) {
      const stretch = stretches[part];
      const id = part === last ? externalId : `${externalId}/${part}`;
      nodes.push({
        externalId: id,
        parentExternalId: parent,
        message: stretch?.message ?? null,
        records: part === last ? 1 : 0,
        place: at,
        ...(part === last ? { record: own } : {}),
        ...(createdAt === undefined ? {} : { createdAt }),
        ...(stretch?.meta === undefined ? {} : { meta: stretch.meta }),
      });
      parent = id;
    }
    previous = externalId;
  }
  const head = filledAt(record, 'headId');
  const [first] = entries;
  const title = filledAt(record, 'title');
  return {
    externalId:
      filledAt(record, 'id') ??
      filledAt(record, 'chatId') ??
      `first:${filledAt(first?.message ?? {}, 'id') ?? sha256Hex(canonicalJson(entries.map((one) => one.record)))}`,
    scope: '',
    ...(title === undefined ? {} : { title }),
    nodes,
    activeExternalId: head ?? previous,
    record,
    place,
    findings,
  };
}

function entryOf(value: Json, place: string): Entry | undefined {
  if (!isJsonObject(value)) return undefined;
  if (isJsonObject(value.message))
    return { message: value.message, parentId: filledAt(value, 'parentId') ?? null, record: value, place };
  const parent = filledAt(objectAt(value, 'metadata'), 'parentId');
  return typeof value.role === 'string' ? { message: value, parentId: parent, record: value, place } : undefined;
}

async function* readFile(file: InputFile): AsyncGenerator<ReadEvent> {
  const lines = await isLineFile(file);
  const loose: Entry[] = [];
  const found: Finding[] = [];
  let rest: JsonObject = {};
  for await (const record of lines ? lineRecords(file) : documentRecords(file, [['*'], ['messages', '*']])) {
    if (record.type === 'finding') yield record;
    else if (record.type === 'rest') {
      if (isJsonObject(record.value)) rest = without(record.value, 'messages');
    } else if (isJsonObject(record.value) && Array.isArray(record.value.messages)) {
      const { messages } = record.value;
      const inner: Finding[] = [...record.findings];
      const entries: Entry[] = [];
      for (const [index, one] of messages.entries()) {
        const at = `${record.place}.messages[${index}]`;
        const entry = entryOf(one, at);
        if (entry === undefined) inner.push(finding('import/record-unreadable', 'loss', at, 'no message', 1));
        else entries.push(entry);
      }
      yield { type: 'tree', tree: treeOf(entries, without(record.value, 'messages'), record.place, inner) };
    } else {
      const entry = entryOf(record.value, record.place);
      if (entry === undefined)
        yield { type: 'finding', finding: finding('import/record-unreadable', 'loss', record.place, 'no message', 1) };
      else loose.push(entry);
      for (const one of record.findings) found.push(one);
    }
  }
  if (loose.length > 0) yield { type: 'tree', tree: treeOf(loose, rest, file.name, found) };
}

async function* read(input: Input): AsyncGenerator<ReadEvent> {
  for (const file of input.files) yield* readFile(file);
}

/** Messages of the AI SDK, as a list or with branches in assistant-ui's repository. */
export const aiSdk = defineFormat({
  name,
  label: 'AI SDK messages',
  summary: 'UIMessage lists of the AI SDK, and repositories of assistant-ui with their branches.',
  reader: { detect, read },
});
