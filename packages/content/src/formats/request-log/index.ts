// Logs of calls to OpenAI- and Anthropic-shaped services. Every call sends the whole history again; here each message is
// named by the way to it, so that calls fold into one tree by their longest common beginning.
import type { Json, JsonObject } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { equalityKey } from '../../equality.ts';
import { normaliseMessage } from '../../legacy.ts';
import { sha256Hex } from '../../sha256.ts';
import { fromAnthropic } from '../anthropic-blocks.ts';
import { defineFormat, type ImportedNode, type ImportedTree, type ReadEvent } from '../contract.ts';
import { filledAt, fromAnyTime, isJsonObject, listAt, objectAt, textAt, without } from '../fields.ts';
import { type Finding, finding } from '../findings.ts';
import { type Input, type InputFile, isLineFile, type Sample } from '../input.ts';
import { fromOpenAi } from '../openai-messages.ts';
import { documentRecords, lineRecords } from '../records-in.ts';
import { eventsOf, foldChunks, foldEvents, isAnthropicStream } from './streams.ts';

/** A call as it was found: what was sent, what came back. */
interface Call {
  readonly request: JsonObject;
  readonly response: JsonObject | undefined;
  readonly anthropic: boolean;
  readonly at: number | undefined;
}

const requestKeys = ['request', 'req', 'request_body', 'requestBody', 'body', 'input', 'params', 'kwargs'];
const responseKeys = ['response', 'res', 'response_body', 'responseBody', 'output', 'completion', 'result'];
const timeKeys = ['timestamp', 'created_at', 'createdAt', 'time', 'start_time', 'startTime', 'date'];

function isRequest(value: Json | undefined): value is JsonObject {
  return (
    isJsonObject(value) && Array.isArray(value.messages) && (typeof value.model === 'string' || 'max_tokens' in value)
  );
}

/** The part of a record that a name leads to; a body may be one level further in. */
function partOf(record: JsonObject, keys: readonly string[], fits: (value: Json) => boolean): Json | undefined {
  for (const key of keys) {
    const value = record[key];
    if (value === undefined) continue;
    if (fits(value)) return value;
    const body = isJsonObject(value) ? (value.body ?? value.json ?? value.data) : undefined;
    if (body !== undefined && fits(body)) return body;
  }
  return undefined;
}

function isResponse(value: Json): boolean {
  if (typeof value === 'string') return /^(?:event|data):/m.test(value.slice(0, 2000));
  if (Array.isArray(value)) return value.some((one) => isJsonObject(one) && ('choices' in one || 'type' in one));
  return (
    isJsonObject(value) && (Array.isArray(value.choices) || Array.isArray(value.content) || isJsonObject(value.error))
  );
}

function responseOf(value: Json | undefined): JsonObject | undefined {
  if (value === undefined) return undefined;
  if (isJsonObject(value)) return value;
  const events = eventsOf(value);
  if (events.length === 0) return undefined;
  return isAnthropicStream(events) ? foldEvents(events) : foldChunks(events);
}

function callOf(record: JsonObject): Call | undefined {
  const found = isRequest(record) ? record : partOf(record, requestKeys, isRequest);
  if (!isRequest(found)) return undefined;
  const response = responseOf(partOf(record, responseKeys, isResponse));
  const anthropic =
    'system' in found ||
    'max_tokens_to_sample' in found ||
    (response !== undefined && Array.isArray(response.content)) ||
    listAt(found, 'messages').some(
      (one) =>
        isJsonObject(one) &&
        listAt(one, 'content').some(
          (block) => isJsonObject(block) && (block.type === 'tool_use' || block.type === 'tool_result'),
        ),
    );
  const own = timeKeys.map((key) => fromAnyTime(record[key])).find((at) => at !== undefined);
  return { request: found, response, anthropic, at: own ?? fromAnyTime(response?.created) };
}

function detect(sample: Sample): number {
  const [file] = sample.files;
  if (file === undefined || sample.files.length > 1) return 0;
  const { json } = file;
  const first = file.lines.length > 1 ? file.lines[0] : Array.isArray(json) ? json[0] : json;
  if (!isJsonObject(first) || callOf(first) === undefined) return 0;
  return isRequest(first) && partOf(first, responseKeys, isResponse) === undefined ? 0.6 : 0.8;
}

/** The system prompt of a call, where it is plain text, and the messages below it, in canonical form. */
function historyOf({ request, anthropic }: Call): {
  readonly prompt: string | undefined;
  readonly messages: readonly JsonObject[];
} {
  const messages = listAt(request, 'messages').filter((one): one is JsonObject => isJsonObject(one));
  if (anthropic) {
    const { system } = request;
    const texts = Array.isArray(system)
      ? system.map((one) => (isJsonObject(one) ? (textAt(one, 'text') ?? '') : '')).join('\n\n')
      : system;
    const flat = messages.flatMap((one, index) => fromAnthropic(one, `${index}`));
    return { prompt: typeof texts === 'string' ? texts : undefined, messages: flat };
  }
  const [first] = messages;
  const leads = (first?.role === 'system' || first?.role === 'developer') && typeof first.content === 'string';
  const prompt = leads ? textAt(first ?? {}, 'content') : undefined;
  return { prompt, messages: (leads ? messages.slice(1) : messages).map(fromOpenAi) };
}

function answersOf(
  call: Call,
): readonly { readonly message: JsonObject; readonly finish: string | undefined; readonly choice: JsonObject }[] {
  const { response, anthropic } = call;
  if (response === undefined || isJsonObject(response.error)) return [];
  if (anthropic) {
    const [message] = fromAnthropic({ ...response, role: 'assistant' }, filledAt(response, 'id') ?? 'reply').slice(-1);
    return message === undefined ? [] : [{ message, finish: filledAt(response, 'stop_reason'), choice: response }];
  }
  return listAt(response, 'choices')
    .filter((one): one is JsonObject => isJsonObject(one))
    .map((choice) => ({
      message: fromOpenAi({ role: 'assistant', ...objectAt(choice, 'message') }),
      finish: filledAt(choice, 'finish_reason'),
      choice,
    }));
}

/** The name of a message: the way to it. What a client may leave out or change in transport does not count. */
function nameOf(parent: string, message: JsonObject): string {
  const read = normaliseMessage(message, { blank: 'keep' });
  const key = read.ok ? equalityKey(read.value) : sha256Hex(canonicalJson(message));
  return sha256Hex(`${parent}${key}`).slice(0, 32);
}

function treeOf(
  call: Call,
  record: JsonObject,
  place: string,
  findings: readonly Finding[],
  scope: string,
): ImportedTree {
  const { prompt, messages } = historyOf(call);
  const root = sha256Hex(JSON.stringify(['log', prompt ?? null])).slice(0, 32);
  const nodes: ImportedNode[] = [];
  const at = call.at === undefined ? {} : { createdAt: call.at };
  let parent: string | null = null;
  for (const message of messages) {
    const externalId = nameOf(parent ?? root, message);
    // The same message twice in one history is named by its way, so none is taken for another.
    nodes.push({ externalId, parentExternalId: parent, message, records: 0, place, ...at });
    parent = externalId;
  }
  const answers = answersOf(call);
  const model = filledAt(call.response ?? {}, 'model') ?? filledAt(call.request, 'model') ?? 'unknown';
  const parameters = without(call.request, 'messages', 'system', 'model', 'tools', 'stream');
  const usage = objectAt(call.response ?? {}, 'usage');
  let active = parent;
  for (const [index, { message, finish }] of answers.entries()) {
    const externalId = nameOf(parent ?? root, message);
    active = externalId;
    nodes.push({
      externalId,
      parentExternalId: parent,
      message,
      records: index === 0 ? 1 : 0,
      place,
      ...(answers.length > 1 ? { group: `${filledAt(call.response ?? {}, 'id') ?? place}` } : {}),
      ...at,
      meta: {
        source: {
          type: 'model',
          provider: call.anthropic ? 'anthropic' : 'openai',
          model_name: model,
          parameters,
          ...(finish === undefined ? {} : { finish_reason: finish }),
          ...(Object.keys(usage).length === 0 ? {} : { usage }),
        },
      },
      ...(index === 0 ? { record: bareRecord(record) } : {}),
      ...(finish === undefined && call.response !== undefined ? { status: 'interrupted' } : {}),
    });
  }
  const error = objectAt(call.response ?? {}, 'error');
  if (answers.length === 0 && Object.keys(error).length > 0) {
    active = sha256Hex(`${parent ?? root}error${canonicalJson(error)}`).slice(0, 32);
    const message = { role: 'assistant', content: [{ type: 'text', text: '' }] };
    const source = { type: 'model', provider: call.anthropic ? 'anthropic' : 'openai', model_name: model };
    nodes.push({
      externalId: active,
      parentExternalId: parent,
      message,
      status: 'error',
      meta: { source, error },
      record: bareRecord(record),
      place,
      ...at,
    });
  }
  const counted = nodes.some((node) => (node.records ?? 1) > 0);
  return {
    externalId: root,
    scope,
    ...(prompt === undefined ? {} : { systemPrompt: prompt }),
    ...(call.at === undefined ? {} : { updatedAt: call.at }),
    nodes,
    activeExternalId: active,
    ...(counted ? {} : { ownRecords: 1 }),
    place,
    findings,
  };
}

/** The record of a call without the history, which the nodes hold. */
function bareRecord(record: JsonObject): JsonObject {
  if (Array.isArray(record.messages)) return { ...record, messages: [] };
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      if (!isJsonObject(value)) return [key, value];
      if (Array.isArray(value.messages)) return [key, { ...value, messages: [] }];
      const body =
        isJsonObject(value.body) && Array.isArray(value.body.messages) ? { body: { ...value.body, messages: [] } } : {};
      return [key, { ...value, ...body }];
    }),
  );
}

async function* readFile(file: InputFile, scope: string): AsyncGenerator<ReadEvent> {
  const lines = await isLineFile(file);
  for await (const record of lines ? lineRecords(file) : documentRecords(file, [['*']])) {
    if (record.type === 'finding') {
      yield record;
      continue;
    }
    const { value } = record;
    if (record.type === 'rest' && !isJsonObject(value)) continue;
    const call = isJsonObject(value) ? callOf(value) : undefined;
    const found = record.type === 'record' ? record.findings : [];
    if (call !== undefined && isJsonObject(value))
      yield { type: 'tree', tree: treeOf(call, value, record.place, found, scope) };
    else
      yield { type: 'finding', finding: finding('import/skipped', 'loss', record.place, 'no call with messages', 1) };
  }
}

async function* read(input: Input, options: { readonly scope?: string }): AsyncGenerator<ReadEvent> {
  for (const file of input.files) yield* readFile(file, options.scope ?? '');
}

/** Logs of chat completions and of Anthropic messages, whole or streamed. */
export const requestLog = defineFormat({
  name: 'request-log',
  label: 'OpenAI and Anthropic request logs',
  summary: 'Logged calls with their history and reply, folded into trees by their longest common beginning.',
  reader: { detect, read },
});
