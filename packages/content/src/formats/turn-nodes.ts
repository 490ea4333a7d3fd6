// Builds the nodes of a record that contains a whole turn, for read-only formats.
import type { Json, JsonObject, NodeMeta, NodeStatus } from '@coppice/core';
import { parseFiniteJson } from '../finite-json.ts';
import type { ImportedNode } from './contract.ts';
import { checkTime, getFilledText, isJsonObject, listAt } from './fields.ts';
import type { ImportFinding } from './findings.ts';
import { type ReplyItem, splitReplyItems } from './reply-items.ts';
import { buildNonObjectFinding, checkListField } from './structure-findings.ts';

/** The content of a record: its author, and text, calls and results in order. */
export interface ParsedTurn {
  readonly id: string;
  readonly parent: string | null;
  readonly role: 'user' | 'assistant' | 'system';
  readonly items: readonly ReplyItem[];
  /** The model with its parameters and usage, or another author. */
  readonly source?: JsonObject;
  readonly status?: NodeStatus | undefined;
  readonly createdAt?: number | undefined;
  readonly place: string;
  readonly record: Json;
  readonly group?: string | undefined;
  readonly kind?: ImportedNode['kind'];
  readonly meta?: NodeMeta;
}

/** Returns one text block; none for an empty or missing text. */
export function toTextBlocks(text: string | undefined): Json[] {
  return text === undefined || text === '' ? [] : [{ type: 'text', text }];
}

/** Wraps blocks as one item of a turn. */
export function toBlocksItem(blocks: readonly Json[]): ReplyItem {
  return { type: 'blocks', blocks };
}

/** Builds the result of a call from any value. A text is kept, and other values are written as JSON. */
export function buildToolResultItem(
  callId: string,
  name: string,
  value: Json | undefined,
  isError: boolean,
): ReplyItem {
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  return { type: 'result', callId, name, content: [{ type: 'text', text }], isError };
}

/** Builds a tool call. Arguments that are not an object are stored under `input`. */
export function buildToolUseBlock(id: string, name: string, input: Json | undefined): JsonObject {
  const parameters = isJsonObject(input) ? input : input === undefined || input === null ? {} : { input };
  return { type: 'tool-use', id, name, parameters };
}

/** Parses arguments that a program stores as JSON text. Text that is not JSON is kept unchanged. */
export function parseStoredArguments(text: Json | undefined): Json | undefined {
  if (typeof text !== 'string') return text;
  if (text === '') return {};
  try {
    return parseFiniteJson(text);
  } catch {
    return text;
  }
}

/** Builds the nodes of a turn as a chain. The last node has the turn's id and its record. */
function turnNodes(turn: ParsedTurn): ImportedNode[] {
  const { id, parent, role, items, status, createdAt, place, record, group, kind, meta } = turn;
  const source = turn.source ?? (role === 'user' ? { type: 'user' } : role === 'assistant' ? { type: 'model' } : {});
  const pieces = splitReplyItems(id, parent, items, { role, source, ...(status === undefined ? {} : { status }) });
  return pieces.map((piece, index) => {
    const last = index === pieces.length - 1;
    // A system message has no author.
    const own: NodeMeta = { ...(role === 'system' && piece.message !== null ? {} : piece.meta), ...meta };
    return {
      externalId: piece.id,
      parentExternalId: piece.parent,
      message: piece.message,
      place,
      records: last ? 1 : 0,
      ...(last ? { record } : {}),
      ...(piece.kind !== undefined ? { kind: piece.kind } : kind === undefined ? {} : { kind }),
      ...(piece.marker === undefined ? {} : { marker: piece.marker }),
      ...(piece.status === undefined ? {} : { status: piece.status }),
      ...(index === 0 && group !== undefined ? { group } : {}),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(Object.keys(own).length === 0 ? {} : { meta: own }),
    };
  });
}

/** Builds the `source` of a message that a model wrote. `model` is undefined if the file does not name it. */
export function buildModelSource(model: string | undefined, rest: JsonObject = {}): JsonObject {
  return { type: 'model', ...(model === undefined ? {} : { model_name: model }), ...rest };
}

/** Collects the nodes and findings of a conversation while its records are read. */
export class ConversationNodes {
  readonly nodes: ImportedNode[] = [];
  readonly findings: ImportFinding[];
  /** The id of the last turn, below which the list continues. */
  tip: string | null = null;
  readonly #heads = new Map<string, string>();

  constructor(found: readonly ImportFinding[]) {
    this.findings = [...found];
  }

  add(turn: ParsedTurn): void {
    const made = turnNodes(turn);
    for (const node of made) this.nodes.push(node);
    this.#heads.set(turn.id, made[0]?.externalId ?? turn.id);
    this.tip = turn.id;
  }

  /** Returns the id of the first node of a turn, which is a child of the previous turn. */
  headOf(id: string): string {
    return this.#heads.get(id) ?? id;
  }

  report(...found: readonly ImportFinding[]): void {
    for (const one of found) this.findings.push(one);
  }

  /** Parses a time. Returns undefined, and reports a finding, if the time cannot be read. */
  time(value: Json | undefined, read: (value: Json | undefined) => number | undefined, place: string) {
    const at = read(value);
    this.report(...checkTime(value, at, place));
    return at;
  }

  /**
   * Yields the records of a list that are objects, each with its position and index; other values, and a field that is
   * not a list, are reported as unreadable.
   */
  *records(record: JsonObject, key: string, place: string): Generator<readonly [JsonObject, string, number]> {
    this.report(...checkListField(record, key, place));
    for (const [index, value] of listAt(record, key).entries()) {
      const at = `${place}.${key}[${index}]`;
      if (isJsonObject(value)) yield [value, at, index];
      else this.report(buildNonObjectFinding(at));
    }
  }
}

/** Leaves out undefined values, because optional attributes must not be undefined, and an empty system prompt. */
export function omitUndefinedAttributes(fields: {
  readonly title?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly createdAt?: number | undefined;
  readonly updatedAt?: number | undefined;
}) {
  const { title, systemPrompt, createdAt, updatedAt } = fields;
  return {
    ...(title === undefined ? {} : { title }),
    ...(systemPrompt === undefined || systemPrompt === '' ? {} : { systemPrompt }),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}

/** Returns the first field among `keys` that is a non-empty string. */
export function findFirstFilledText(record: JsonObject, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = getFilledText(record, key);
    if (text !== undefined) return text;
  }
  return undefined;
}
