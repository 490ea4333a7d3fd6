// Writes a session as lines of the terminal agent pi, version 3, and reports what these lines cannot represent.

import type { FieldMap } from '@coppice/core';
import { type Block, isText, isToolUse, type JsonObject, type Message, type NodeStatus } from '@coppice/core';
import { parseUsage } from '@coppice/core/context';
import { getObject, getText, isFieldMap, ownField } from '@coppice/core/decode';
import { blockDefinitionOf, replaceCallsByText } from '../blocks/index.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { DecodedEntry } from './entry-codec.ts';
import { formatSessionTime, omitSessionFields, parseSessionTime, pickJsonFields } from './fields.ts';
import { readSessionMessage } from './messages.ts';
import type { SessionIndex } from './session-index.ts';

/** The lines of a session in pi's format, and what they cannot represent. */
export interface PiExport {
  readonly lines: readonly JsonObject[];
  readonly losses: readonly { readonly uuid: string; readonly what: string }[];
}

// Types of lines that pi or its later versions write, and that are copied unchanged.
const itsTypes: ReadonlySet<string> = new Set([
  'model_change',
  'thinking_level_change',
  'custom',
  'usage',
  'context_edit',
]);

/**
 * Converts the live tree of a session to lines of pi. `leaf` is the active line, and `now` is the time of added lines.
 */
export function toPiLines(index: SessionIndex, leaf: number, now: number): PiExport {
  return new PiLineWriter(index, now).write(leaf);
}

class PiLineWriter {
  readonly #index: SessionIndex;
  readonly #now: number;
  readonly #lines: JsonObject[] = [];
  readonly #losses: { readonly uuid: string; readonly what: string }[] = [];
  readonly #tools = new Map<string, string>();
  // The current model at each line, in the form of a reply's source, because replies of pi always have a model.
  readonly #models = new Map<number, JsonObject>();
  // The time of each line. Lines of pi always have a time, so a line without a time gets that of its parent.
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
      pickJsonFields({
        type: 'session',
        version: 3,
        id: header.id,
        timestamp: timestamp ?? this.#time(this.#now),
        cwd: cwd ?? '',
        parentSession,
      }),
    );
    this.#times.set(0, this.#time(parseSessionTime(timestamp) ?? this.#now));
    let last = 0;
    const order = this.#order();
    for (const at of order) {
      this.#lines.push(this.#entry(at));
      last = at;
    }
    this.#after(leaf, last, new Set(order));
    return { lines: this.#lines, losses: this.#losses };
  }

  /** Returns the live entries in file order; parents come first, even after moves. */
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

  /**
   * Writes name and labels. Adds one more line if the last line is not the leaf, because pi treats the last line as the
   * leaf.
   */
  #after(leaf: number, last: number, written: ReadonlySet<number>): void {
    const { file, labels, name } = this.#index;
    // The leaf may also be before the first message.
    const at = leaf === 0 || written.has(leaf) ? leaf : last;
    let parentId = at === 0 ? null : file.uuidAt(at);
    const add = (type: string, fields: FieldMap) => {
      const id = `${file.header.id}-${this.#lines.length}`;
      this.#lines.push(pickJsonFields({ type, id, parentId, timestamp: this.#time(this.#now), ...fields }));
      parentId = id;
    };
    if (name !== undefined) add('session_info', { name });
    for (const [line, { title }] of labels)
      if (written.has(line)) add('label', { targetId: file.uuidAt(line), label: title });
    if (at !== last && name === undefined && labels.size === 0) add('custom', { customType: 'coppice-leaf' });
  }

  #time(at: number): string {
    return formatSessionTime(at) ?? '1970-01-01T00:00:00.000Z';
  }

  #entry(at: number): JsonObject {
    const { file } = this.#index;
    const parent = this.#index.parent(at);
    const meaning = this.#index.decodedAt(at);
    const { createdAt = 0 } = meaning;
    const above = this.#times.get(Math.max(0, parent)) ?? this.#time(this.#now);
    const timestamp = createdAt === 0 ? above : this.#time(createdAt);
    this.#times.set(at, timestamp);
    const base = { id: file.uuidAt(at), parentId: parent <= 0 ? null : file.uuidAt(parent), timestamp };
    const type = file.typeAt(at);
    const model = modelOfEntry(meaning, type) ?? this.#models.get(parent);
    if (model !== undefined) this.#models.set(at, model);
    return pickJsonFields(this.#said(meaning, base, type, model ?? {}));
  }

  #said(meaning: DecodedEntry, base: FieldMap & { readonly id: string }, type: string, model: JsonObject): FieldMap {
    const { kind, message, marker, meta } = meaning;
    const more = getObject(meta, 'sessionFields') ?? {};
    const text = message.content.map((block) => (isText(block) ? block.text : '')).join('');
    switch (kind) {
      case 'message':
        return this.#message(meaning, base, model);
      case 'branch-summary': {
        const fromId = getText(more, 'fromId') ?? base['parentId'] ?? 'root';
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
          // An id that is not an ancestor keeps nothing, like a missing id.
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
          customType: getText(reported, 'customType') ?? 'injected',
          content: this.#blocks({ ...message, content: replaceCallsByText(message.content) }, base.id),
          display: ownField(reported, 'display') ?? true,
          details: ownField(reported, 'details'),
        };
      }
      case 'state': {
        const reported = marker?.details ?? {};
        if (text !== '') this.#lose(base.id, 'the words beside the state of an extension are left out');
        if (itsTypes.has(type) && (type !== 'custom' || getText(reported, 'customType') !== undefined))
          return { type, ...base, ...omitSessionFields(reported, new Set(['type', 'id', 'parentId'])) };
        return { type: 'custom', ...base, customType: getText(reported, 'type') ?? type, data: reported };
      }
    }
  }

  #message(meaning: DecodedEntry, base: FieldMap & { readonly id: string }, model: JsonObject): FieldMap {
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
    base: FieldMap & { readonly id: string },
  ): FieldMap {
    const timestamp = Date.parse(String(base['timestamp']));
    const content = this.#blocks(message, base.id);
    switch (message.role) {
      case 'tool': {
        const call = message.tool_call_id ?? '';
        return {
          role: 'toolResult',
          toolCallId: call,
          toolName: getText(source, 'tool_name') ?? this.#tools.get(call) ?? 'unknown',
          content,
          isError: ownField(source, 'is_error') === true,
          timestamp,
        };
      }
      case 'assistant':
        return pickJsonFields({
          role: 'assistant',
          content: Array.isArray(content) ? content : [{ type: 'text', text: content }],
          api: getText(source, 'api') ?? 'unknown',
          provider: getText(source, 'provider') ?? 'unknown',
          model: getText(source, 'model_name') ?? 'unknown',
          usage: figuresOf(source),
          stopReason: stopReason(message, status, source),
          errorMessage: status === 'error' ? getText(source, 'error') : undefined,
          timestamp,
        });
      default:
        return { role: 'user', content, timestamp };
    }
  }

  /** Converts blocks to pi's blocks; a single text of a user becomes a string. */
  #blocks(message: Message, uuid: string): string | FieldMap[] {
    const [first] = message.content;
    if (message.role === 'user' && message.content.length === 1 && first !== undefined && isText(first))
      return first.text;
    return message.content.map((block) => this.#block(block, uuid));
  }

  #block(block: Block, uuid: string): FieldMap {
    if (isText(block)) return { ...block };
    if (isToolUse(block)) {
      const { parameters, ...rest } = block;
      return {
        ...omitSessionFields({ ...rest }, new Set(['type', 'arguments'])),
        type: 'toolCall',
        arguments: parameters,
      };
    }
    const fields: FieldMap = { ...block };
    if (block.type === 'thinking') {
      const redacted = getText(fields, 'redacted');
      const signature = getText(fields, 'signature') ?? redacted;
      return pickJsonFields({
        type: 'thinking',
        thinking: getText(fields, 'thinking') ?? '',
        thinkingSignature: signature,
        redacted: redacted === undefined ? undefined : true,
      });
    }
    const source = getObject(fields, 'source');
    if (block.type === 'image' && source !== undefined && getText(source, 'type') === 'base64')
      return {
        type: 'image',
        data: getText(source, 'data') ?? '',
        mimeType: getText(fields, 'mediaType') ?? 'image/png',
      };
    this.#lose(uuid, `a block of type ${block.type} is put as a text`);
    return { type: 'text', text: blockDefinitionOf(block).toText(block) };
  }

  #lose(uuid: string, what: string): void {
    this.#losses.push({ uuid, what });
  }
}

/** Returns the model that an entry sets, or the model and provider of a reply. */
function modelOfEntry({ message, meta, marker }: DecodedEntry, type: string): JsonObject | undefined {
  const said =
    type === 'model_change' ? (marker?.details ?? {}) : message.role === 'assistant' ? (meta.source ?? {}) : {};
  const [provider, name] = [getText(said, 'provider'), getText(said, 'modelId') ?? getText(said, 'model_name')];
  return provider === undefined || name === undefined ? undefined : { provider, model_name: name };
}

/** Adds the current model to the source of a reply without a model. */
function sourceWith(source: JsonObject, model: JsonObject): JsonObject {
  const isNamed = getText(source, 'provider') !== undefined || getText(source, 'model_name') !== undefined;
  return isNamed ? source : { ...source, ...model };
}

// Fields that are written again or belong to another tool.
const notOthers: ReadonlySet<string> = new Set(['type', 'id', 'parentId', 'timestamp', 'fromId', 'summary', 'record']);

/** Returns the fields of a summary that are not decoded. */
function otherEntries(more: JsonObject): FieldMap {
  return omitSessionFields(more, notOthers);
}

/** Returns the original message of pi, if it still has the same content. */
function piRecord({ message, meta }: DecodedEntry): FieldMap | null {
  const record = ownField(meta, 'sessionRecord');
  return isFieldMap(record) && sameMeaning(record, message) ? record : null;
}

function sameMeaning(record: FieldMap, message: Message): boolean {
  return canonicalJson(readSessionMessage(record).message) === canonicalJson(message);
}

function stopReason(message: Message, status: NodeStatus, source: JsonObject): string {
  if (status === 'error' || status === 'aborted') return status;
  if (status !== 'success') return 'aborted';
  if (message.content.some(isToolUse)) return 'toolUse';
  return getText(source, 'finish_reason') === 'length' ? 'length' : 'stop';
}

/**
 * Returns the usage of a reply in pi's fields. Unknown usage is written as zeros, because every reply must have these
 * fields.
 */
function figuresOf(source: JsonObject): FieldMap {
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
