/** Interprets the events of an Anthropic message, both to forward a reply and to assemble it. */
import type { Json, JsonObject } from '@coppice/core';
import { parseFiniteJson } from '../finite-json.ts';
import { getCountMember, getMember, getTextMember, objectOrUndefined } from './wire-json.ts';

/** A content block that is still being received. */
export interface AnthropicBlockDraft {
  readonly index: number;
  readonly type: string;
  /** The first state of the block, updated with the received text, reasoning and signature. */
  readonly fields: Record<string, Json>;
  /** The received pieces of the input JSON. */
  json: string;
}

/** A change that an event makes to a block. */
export interface AnthropicBlockChange {
  readonly what: 'begun' | 'text' | 'thinking' | 'input' | 'ended';
  readonly block: AnthropicBlockDraft;
  readonly piece: string;
}

/** Collects the events of one message. */
export class AnthropicEventCollector {
  readonly #blocks = new Map<number, AnthropicBlockDraft>();
  readonly #usage = new Map<string, Json>();
  #message: JsonObject = {};
  #error: Json | undefined;
  /** Whether the service has reported the end. */
  done = false;

  /** The stop reason of the wire; null until it is received. */
  get stopReason(): Json {
    return getMember(this.#message, 'stop_reason') ?? null;
  }

  /** The reported usage; null until it is received. */
  get usage(): JsonObject | null {
    return this.#usage.size === 0 ? null : Object.fromEntries(this.#usage);
  }

  /** Reads an event; returns null for keep-alives and unknown event types. */
  read(event: Json, name = ''): readonly AnthropicBlockChange[] | null {
    const index = getCountMember(event, 'index') ?? 0;
    switch (getTextMember(event, 'type') ?? name) {
      case 'message_start':
        this.#message = objectOrUndefined(getMember(event, 'message')) ?? {};
        this.#count(getMember(event, 'message', 'usage'));
        return [];
      case 'content_block_start':
        return [
          {
            what: 'begun',
            block: this.#begin(index, objectOrUndefined(getMember(event, 'content_block')) ?? {}),
            piece: '',
          },
        ];
      case 'content_block_delta':
        return this.#change(index, getMember(event, 'delta') ?? null);
      case 'content_block_stop': {
        const block = this.#blocks.get(index);
        return block === undefined ? [] : [{ what: 'ended', block, piece: '' }];
      }
      case 'message_delta': {
        const { stop_reason: reason, ...rest } = objectOrUndefined(getMember(event, 'delta')) ?? {};
        this.#message = { ...this.#message, ...rest, stop_reason: reason ?? this.stopReason };
        this.#count(getMember(event, 'usage'));
        return [];
      }
      case 'message_stop':
        this.done = true;
        return [];
      case 'error':
        this.#error = getMember(event, 'error') ?? null;
        return [];
      default:
        return null;
    }
  }

  /** Returns the message assembled from the events. */
  toMessage(): JsonObject {
    const content = [...this.#blocks.values()].sort((a, b) => a.index - b.index).map(blockOf);
    const usage = this.usage;
    return {
      ...this.#message,
      type: 'message',
      content,
      ...(usage === null ? {} : { usage }),
      ...(this.#error === undefined ? {} : { error: this.#error }),
    };
  }

  #begin(index: number, fields: JsonObject): AnthropicBlockDraft {
    const block = { index, type: getTextMember(fields, 'type') ?? '', fields: { ...fields }, json: '' };
    this.#blocks.set(index, block);
    return block;
  }

  #change(index: number, delta: Json): readonly AnthropicBlockChange[] {
    const block = this.#blocks.get(index) ?? this.#begin(index, { type: 'text', text: '' });
    const add = (key: string): string => {
      const piece = getTextMember(delta, key) ?? '';
      if (piece === '') return piece;
      block.fields[key] = (getTextMember(block.fields, key) ?? '') + piece;
      return piece;
    };
    switch (getTextMember(delta, 'type')) {
      case 'text_delta':
        return [{ what: 'text', block, piece: add('text') }];
      case 'thinking_delta':
        return [{ what: 'thinking', block, piece: add('thinking') }];
      case 'signature_delta':
        add('signature');
        return [];
      case 'input_json_delta': {
        const piece = getTextMember(delta, 'partial_json') ?? '';
        block.json += piece;
        return [{ what: 'input', block, piece }];
      }
      default:
        // Collects the text of block types that are not interpreted, such as the summary of a compaction, because
        // clients send these blocks again.
        for (const key in objectOrUndefined(delta)) if (key !== 'type' && key !== '__proto__') add(key);
        return [];
    }
  }

  #count(said: Json | undefined): void {
    for (const [key, value] of Object.entries(objectOrUndefined(said) ?? {})) {
      // Later counts are totals and replace earlier ones; null is ignored.
      if (value !== null && key !== '__proto__') this.#usage.set(key, value);
    }
  }
}

function blockOf({ fields, json }: AnthropicBlockDraft): JsonObject {
  if (json === '') return fields;
  try {
    const input = parseFiniteJson(json);
    return { ...fields, input };
  } catch {
    return { ...fields, input: { partial: json } };
  }
}
