// A session in the lines of the terminal agent whose format this is, version 3. What those lines cannot hold is said.
import { type Block, isText, isToolUse, type JsonObject, type Message, type NodeStatus } from '@coppice/core';
import { parseUsage } from '@coppice/core/context';
import { blockDefinitionOf, withoutCalls } from '../blocks/index.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { DecodedEntry } from './entry-codec.ts';
import {
  isSessionFields,
  objectField,
  omitSessionFields,
  omitUndefinedFields,
  ownSessionField,
  parseTime,
  type SessionFields,
  textField,
  toIsoTime,
} from './fields.ts';
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
  return new PiLineWriter(index, now).write(leaf);
}

class PiLineWriter {
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
      omitUndefinedFields({
        type: 'session',
        version: 3,
        id: header.id,
        timestamp: timestamp ?? this.#time(this.#now),
        cwd: cwd ?? '',
        parentSession,
      }),
    );
    this.#times.set(0, this.#time(parseTime(timestamp) ?? this.#now));
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
    const add = (type: string, fields: SessionFields) => {
      const id = `${file.header.id}-${this.#lines.length}`;
      this.#lines.push(omitUndefinedFields({ type, id, parentId, timestamp: this.#time(this.#now), ...fields }));
      parentId = id;
    };
    if (name !== undefined) add('session_info', { name });
    for (const [line, { title }] of labels)
      if (written.has(line)) add('label', { targetId: file.uuidAt(line), label: title });
    if (at !== last && name === undefined && labels.size === 0) add('custom', { customType: 'coppice-leaf' });
  }

  #time(at: number): string {
    return toIsoTime(at) ?? '1970-01-01T00:00:00.000Z';
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
    const model = modelOfEntry(meaning, type) ?? this.#models.get(parent);
    if (model !== undefined) this.#models.set(at, model);
    return omitUndefinedFields(this.#said(meaning, base, type, model ?? {}));
  }

  #said(
    meaning: DecodedEntry,
    base: SessionFields & { readonly id: string },
    type: string,
    model: JsonObject,
  ): SessionFields {
    const { kind, message, marker, meta } = meaning;
    const more = objectField(meta, 'sessionFields') ?? {};
    const text = message.content.map((block) => (isText(block) ? block.text : '')).join('');
    switch (kind) {
      case 'message':
        return this.#message(meaning, base, model);
      case 'branch-summary': {
        const fromId = textField(more, 'fromId') ?? base['parentId'] ?? 'root';
        return {
          type: 'branch_summary',
          ...base,
          fromId,
          summary: text,
          details: marker?.details,
          ...otherEntries(more),
        };
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
          ...otherEntries(more),
        };
      case 'injected': {
        const record = piRecord(meaning);
        if (record !== null) return { type: 'message', ...base, message: record };
        const reported = marker?.details ?? {};
        if (message.role !== 'user') this.#lose(base.id, 'it is put as said by the user');
        return {
          type: 'custom_message',
          ...base,
          customType: textField(reported, 'customType') ?? 'injected',
          content: this.#blocks({ ...message, content: withoutCalls(message.content) }, base.id),
          display: ownSessionField(reported, 'display') ?? true,
          details: ownSessionField(reported, 'details'),
        };
      }
      case 'state': {
        const reported = marker?.details ?? {};
        if (text !== '') this.#lose(base.id, 'the words beside the state of an extension are left out');
        if (itsTypes.has(type) && (type !== 'custom' || textField(reported, 'customType') !== undefined))
          return { type, ...base, ...omitSessionFields(reported, new Set(['type', 'id', 'parentId'])) };
        return { type: 'custom', ...base, customType: textField(reported, 'type') ?? type, data: reported };
      }
    }
  }

  #message(meaning: DecodedEntry, base: SessionFields & { readonly id: string }, model: JsonObject): SessionFields {
    const { message, meta, status } = meaning;
    const kept = piRecord(meaning);
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

  #written(
    message: Message,
    source: JsonObject,
    status: NodeStatus,
    base: SessionFields & { readonly id: string },
  ): SessionFields {
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
          isError: ownSessionField(source, 'is_error') === true,
          timestamp,
        };
      }
      case 'assistant':
        return omitUndefinedFields({
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
  #blocks(message: Message, uuid: string): string | SessionFields[] {
    const [first] = message.content;
    if (message.role === 'user' && message.content.length === 1 && first !== undefined && isText(first))
      return first.text;
    return message.content.map((block) => this.#block(block, uuid));
  }

  #block(block: Block, uuid: string): SessionFields {
    if (isText(block)) return { ...block };
    if (isToolUse(block)) {
      const { parameters, ...rest } = block;
      return {
        ...omitSessionFields({ ...rest }, new Set(['type', 'arguments'])),
        type: 'toolCall',
        arguments: parameters,
      };
    }
    const fields: SessionFields = { ...block };
    if (block.type === 'thinking') {
      const redacted = textField(fields, 'redacted');
      const signature = textField(fields, 'signature') ?? redacted;
      return omitUndefinedFields({
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
    return { type: 'text', text: blockDefinitionOf(block).toText(block) };
  }

  #lose(uuid: string, what: string): void {
    this.#losses.push({ uuid, what });
  }
}

/** The model that an entry sets, or that a reply names with its provider. */
function modelOfEntry({ message, meta, marker }: DecodedEntry, type: string): JsonObject | undefined {
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
function otherEntries(more: JsonObject): SessionFields {
  return omitSessionFields(more, notOthers);
}

/** A message as the tool itself wrote it, where it still says the same. */
function piRecord({ message, meta }: DecodedEntry): SessionFields | null {
  const record = ownSessionField(meta, 'sessionRecord');
  return isSessionFields(record) && sameMeaning(record, message) ? record : null;
}

function sameMeaning(record: SessionFields, message: Message): boolean {
  return canonicalJson(readSessionMessage(record).message) === canonicalJson(message);
}

function stopReason(message: Message, status: NodeStatus, source: JsonObject): string {
  if (status === 'error' || status === 'aborted') return status;
  if (status !== 'success') return 'aborted';
  if (message.content.some(isToolUse)) return 'toolUse';
  return textField(source, 'finish_reason') === 'length' ? 'length' : 'stop';
}

/** What a reply used, in their words; noughts where nobody knows, since every reply there has figures. */
function figuresOf(source: JsonObject): SessionFields {
  const used = parseUsage({ meta: { source } }) ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  return {
    input: used.inputTokens,
    output: used.outputTokens,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: used.totalTokens,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}
