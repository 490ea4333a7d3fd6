// A session in the lines of the terminal agent whose format this is, version 3. What those lines cannot hold is said.
import { type Block, isText, isToolUse, type JsonObject, type Message, type NodeStatus, usageOf } from '@coppice/core';
import { definitionOf, withoutCalls } from '../blocks/index.ts';
import { canonicalJson } from '../canonical-json.ts';
import { type Fields, given, isFields, isoTime, objectField, own, textField, timeOf, without } from './fields.ts';
import type { EntryMeaning } from './meaning.ts';
import { readSessionMessage } from './messages.ts';
import type { SessionIndex } from './session-index.ts';

/** The lines, and what was put otherwise than it was. */
export interface PiExport {
  readonly lines: readonly JsonObject[];
  readonly losses: readonly { readonly uuid: string; readonly what: string }[];
}

// Types of lines that the tool, or a later version of it, writes itself.
const itsTypes: ReadonlySet<string> = new Set([
  'model_change',
  'thinking_level_change',
  'custom',
  'usage',
  'context_edit',
]);

/** The live tree of a session as lines; `leaf` is the line where it goes on. `now` dates what is added. */
export function piLines(index: SessionIndex, leaf: number, now: number): PiExport {
  return new Writer(index, now).write(leaf);
}

class Writer {
  readonly #index: SessionIndex;
  readonly #now: number;
  readonly #lines: JsonObject[] = [];
  readonly #losses: { readonly uuid: string; readonly what: string }[] = [];
  readonly #tools = new Map<string, string>();
  // The model in force at each line, in the words of a reply's source: lines of the tool always name one.
  readonly #models = new Map<number, JsonObject>();
  // When each line was written: there every line has a time, and one without goes by that above it.
  readonly #times = new Map<number, string>();

  constructor(index: SessionIndex, now: number) {
    this.#index = index;
    this.#now = now;
  }

  write(leaf: number): PiExport {
    const { file } = this.#index;
    const { header } = file;
    const { timestamp, cwd, parentSession } = header;
    this.#lines.push(
      given({
        type: 'session',
        version: 3,
        id: header.id,
        timestamp: timestamp ?? this.#time(this.#now),
        cwd: cwd ?? '',
        parentSession,
      }),
    );
    this.#times.set(0, this.#time(timeOf(timestamp) ?? this.#now));
    let last = 0;
    const order = this.#order();
    for (const at of order) {
      this.#lines.push(this.#entry(at));
      last = at;
    }
    this.#after(leaf, last, new Set(order));
    return { lines: this.#lines, losses: this.#losses };
  }

  /** The live entries in the order of the file, which has parents first unless something was moved. */
  #order(): number[] {
    const found: number[] = [];
    const open = [...this.#index.children(0)].reverse();
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      found.push(at);
      const below = this.#index.children(at);
      for (let child = below.length - 1; child >= 0; child--) open.push(below[child] ?? at);
    }
    const sorted = [...found].sort((a, b) => a - b);
    const placed = new Set([0]);
    for (const at of sorted) {
      if (!placed.has(this.#index.parent(at))) return found;
      placed.add(at);
    }
    return sorted;
  }

  /** Name and labels; and where the last line is not the leaf, one more, since there the last line is the leaf. */
  #after(leaf: number, last: number, written: ReadonlySet<number>): void {
    const { file, labels, name } = this.#index;
    // Before the first message is a place, too.
    const at = leaf === 0 || written.has(leaf) ? leaf : last;
    let parentId = at === 0 ? null : file.uuidAt(at);
    const add = (type: string, fields: Fields) => {
      const id = `${file.header.id}-${this.#lines.length}`;
      this.#lines.push(given({ type, id, parentId, timestamp: this.#time(this.#now), ...fields }));
      parentId = id;
    };
    if (name !== undefined) add('session_info', { name });
    for (const [line, { title }] of labels)
      if (written.has(line)) add('label', { targetId: file.uuidAt(line), label: title });
    if (at !== last && name === undefined && labels.size === 0) add('custom', { customType: 'coppice-leaf' });
  }

  #time(at: number): string {
    return isoTime(at) ?? '1970-01-01T00:00:00.000Z';
  }

  #entry(at: number): JsonObject {
    const { file } = this.#index;
    const parent = this.#index.parent(at);
    const meaning = this.#index.meaningAt(at);
    const { createdAt = 0 } = meaning;
    const above = this.#times.get(Math.max(0, parent)) ?? this.#time(this.#now);
    const timestamp = createdAt === 0 ? above : this.#time(createdAt);
    this.#times.set(at, timestamp);
    const base = { id: file.uuidAt(at), parentId: parent <= 0 ? null : file.uuidAt(parent), timestamp };
    const type = file.typeAt(at);
    const model = modelIn(meaning, type) ?? this.#models.get(parent);
    if (model !== undefined) this.#models.set(at, model);
    return given(this.#said(meaning, base, type, model ?? {}));
  }

  #said(meaning: EntryMeaning, base: Fields & { readonly id: string }, type: string, model: JsonObject): Fields {
    const { kind, message, marker, meta } = meaning;
    const more = objectField(meta, 'sessionFields') ?? {};
    const text = message.content.map((block) => (isText(block) ? block.text : '')).join('');
    switch (kind) {
      case 'message':
        return this.#message(meaning, base, model);
      case 'branch-summary': {
        const fromId = textField(more, 'fromId') ?? base['parentId'] ?? 'root';
        return { type: 'branch_summary', ...base, fromId, summary: text, details: marker?.details, ...others(more) };
      }
      case 'compaction':
        return {
          type: 'compaction',
          ...base,
          summary: text,
          // An id that is not above keeps nothing, which is what a missing one means.
          firstKeptEntryId: marker?.firstKept ?? base.id,
          tokensBefore: marker?.tokensBefore ?? 0,
          details: marker?.details,
          ...others(more),
        };
      case 'injected': {
        const record = recordOf(meaning);
        if (record !== null) return { type: 'message', ...base, message: record };
        const told = marker?.details ?? {};
        if (message.role !== 'user') this.#lose(base.id, 'it is put as said by the user');
        return {
          type: 'custom_message',
          ...base,
          customType: textField(told, 'customType') ?? 'injected',
          content: this.#blocks({ ...message, content: withoutCalls(message.content) }, base.id),
          display: own(told, 'display') ?? true,
          details: own(told, 'details'),
        };
      }
      case 'state': {
        const told = marker?.details ?? {};
        if (text !== '') this.#lose(base.id, 'the words beside the state of an extension are left out');
        if (itsTypes.has(type) && (type !== 'custom' || textField(told, 'customType') !== undefined))
          return { type, ...base, ...without(told, new Set(['type', 'id', 'parentId'])) };
        return { type: 'custom', ...base, customType: textField(told, 'type') ?? type, data: told };
      }
    }
  }

  #message(meaning: EntryMeaning, base: Fields & { readonly id: string }, model: JsonObject): Fields {
    const { message, meta, status } = meaning;
    const kept = recordOf(meaning);
    if (meta.excluded === true && kept === null) {
      this.#lose(base.id, 'it is left out of what the model sees, which such files cannot say of a message');
      return { type: 'custom', ...base, customType: 'coppice-excluded', data: { message } };
    }
    for (const block of message.content) if (isToolUse(block)) this.#tools.set(block.id, block.name);
    if (kept !== null) return { type: 'message', ...base, message: kept };
    if (message.role === 'system') {
      this.#lose(base.id, 'a system message inside the session is put as a message of an extension');
      return {
        type: 'custom_message',
        ...base,
        customType: 'system',
        content: this.#blocks(message, base.id),
        display: true,
      };
    }
    return {
      type: 'message',
      ...base,
      message: this.#written(message, sourceWith(meta.source ?? {}, model), status, base),
    };
  }

  #written(message: Message, source: JsonObject, status: NodeStatus, base: Fields & { readonly id: string }): Fields {
    const timestamp = Date.parse(String(base['timestamp']));
    const content = this.#blocks(message, base.id);
    switch (message.role) {
      case 'tool': {
        const call = message.tool_call_id ?? '';
        return {
          role: 'toolResult',
          toolCallId: call,
          toolName: textField(source, 'tool_name') ?? this.#tools.get(call) ?? 'unknown',
          content,
          isError: own(source, 'is_error') === true,
          timestamp,
        };
      }
      case 'assistant':
        return given({
          role: 'assistant',
          content: Array.isArray(content) ? content : [{ type: 'text', text: content }],
          api: textField(source, 'api') ?? 'unknown',
          provider: textField(source, 'provider') ?? 'unknown',
          model: textField(source, 'model_name') ?? 'unknown',
          usage: figuresOf(source),
          stopReason: stopReason(message, status, source),
          errorMessage: status === 'error' ? textField(source, 'error') : undefined,
          timestamp,
        });
      default:
        return { role: 'user', content, timestamp };
    }
  }

  /** Blocks in their words; one text alone stays a text, as people write it. */
  #blocks(message: Message, uuid: string): string | Fields[] {
    const [first] = message.content;
    if (message.role === 'user' && message.content.length === 1 && first !== undefined && isText(first))
      return first.text;
    return message.content.map((block) => this.#block(block, uuid));
  }

  #block(block: Block, uuid: string): Fields {
    if (isText(block)) return { ...block };
    if (isToolUse(block)) {
      const { parameters, ...rest } = block;
      return { ...without({ ...rest }, new Set(['type', 'arguments'])), type: 'toolCall', arguments: parameters };
    }
    const fields: Fields = { ...block };
    if (block.type === 'thinking') {
      const redacted = textField(fields, 'redacted');
      const signature = textField(fields, 'signature') ?? redacted;
      return given({
        type: 'thinking',
        thinking: textField(fields, 'thinking') ?? '',
        thinkingSignature: signature,
        redacted: redacted === undefined ? undefined : true,
      });
    }
    const source = objectField(fields, 'source');
    if (block.type === 'image' && source !== undefined && textField(source, 'type') === 'base64')
      return {
        type: 'image',
        data: textField(source, 'data') ?? '',
        mimeType: textField(fields, 'mediaType') ?? 'image/png',
      };
    this.#lose(uuid, `a block of type ${block.type} is put as a text`);
    return { type: 'text', text: definitionOf(block).toText(block) };
  }

  #lose(uuid: string, what: string): void {
    this.#losses.push({ uuid, what });
  }
}

/** The model that an entry sets, or that a reply names with its provider. */
function modelIn({ message, meta, marker }: EntryMeaning, type: string): JsonObject | undefined {
  const said =
    type === 'model_change' ? (marker?.details ?? {}) : message.role === 'assistant' ? (meta.source ?? {}) : {};
  const [provider, name] = [textField(said, 'provider'), textField(said, 'modelId') ?? textField(said, 'model_name')];
  return provider === undefined || name === undefined ? undefined : { provider, model_name: name };
}

/** What is known of where a reply came from; one that does not say was made by the model in force. */
function sourceWith(source: JsonObject, model: JsonObject): JsonObject {
  const isNamed = textField(source, 'provider') !== undefined || textField(source, 'model_name') !== undefined;
  return isNamed ? source : { ...source, ...model };
}

// What is written anew, or was another tool's.
const notOthers: ReadonlySet<string> = new Set(['type', 'id', 'parentId', 'timestamp', 'fromId', 'summary', 'record']);

/** Fields of a summary that nothing here reads. */
function others(more: JsonObject): Fields {
  return without(more, notOthers);
}

/** A message as the tool itself wrote it, where it still says the same. */
function recordOf({ message, meta }: EntryMeaning): Fields | null {
  const record = own(meta, 'sessionRecord');
  return isFields(record) && sameMeaning(record, message) ? record : null;
}

function sameMeaning(record: Fields, message: Message): boolean {
  return canonicalJson(readSessionMessage(record).message) === canonicalJson(message);
}

function stopReason(message: Message, status: NodeStatus, source: JsonObject): string {
  if (status === 'error' || status === 'aborted') return status;
  if (status !== 'success') return 'aborted';
  if (message.content.some(isToolUse)) return 'toolUse';
  return textField(source, 'finish_reason') === 'length' ? 'length' : 'stop';
}

/** What a reply used, in their words; noughts where nobody knows, since every reply there has figures. */
function figuresOf(source: JsonObject): Fields {
  const used = usageOf({ meta: { source } }) ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  return {
    input: used.inputTokens,
    output: used.outputTokens,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: used.totalTokens,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}
