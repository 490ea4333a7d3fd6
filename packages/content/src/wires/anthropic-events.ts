/** What the events of an Anthropic message say: for whoever passes a reply on, and whoever puts it together. */
import type { Json, JsonObject } from '@coppice/core';
import { countMember, jsonObjectOf, memberAt, textMember } from './wire-json.ts';

/** A block of a message as far as it has come. */
export interface AnthropicBlockDraft {
  readonly index: number;
  readonly type: string;
  /** As it began, with what came of its text, its reasoning and its signature. */
  readonly fields: Record<string, Json>;
  /** The JSON of its input that came in pieces. */
  json: string;
}

/** What an event did to a block. */
export interface AnthropicChange {
  readonly what: 'begun' | 'text' | 'thinking' | 'input' | 'ended';
  readonly block: AnthropicBlockDraft;
  readonly piece: string;
}

/** Reads the events of one message. */
export class AnthropicEvents {
  readonly #blocks = new Map<number, AnthropicBlockDraft>();
  readonly #usage = new Map<string, Json>();
  #message: JsonObject = {};
  #error: Json | undefined;
  /** Whether the service has said that this was all. */
  done = false;

  /** Why it ended, in the words of the wire; null while it did not say. */
  get stopReason(): Json {
    return memberAt(this.#message, 'stop_reason') ?? null;
  }

  /** What it took; null while nobody said. */
  get usage(): JsonObject | null {
    return this.#usage.size === 0 ? null : Object.fromEntries(this.#usage);
  }

  /** What an event does; null for signs of life and for what is added to the protocol later. */
  read(event: Json, name = ''): readonly AnthropicChange[] | null {
    const index = countMember(event, 'index') ?? 0;
    switch (textMember(event, 'type') ?? name) {
      case 'message_start':
        this.#message = jsonObjectOf(memberAt(event, 'message')) ?? {};
        this.#count(memberAt(event, 'message', 'usage'));
        return [];
      case 'content_block_start':
        return [
          { what: 'begun', block: this.#begin(index, jsonObjectOf(memberAt(event, 'content_block')) ?? {}), piece: '' },
        ];
      case 'content_block_delta':
        return this.#change(index, memberAt(event, 'delta') ?? null);
      case 'content_block_stop': {
        const block = this.#blocks.get(index);
        return block === undefined ? [] : [{ what: 'ended', block, piece: '' }];
      }
      case 'message_delta': {
        const { stop_reason: reason, ...rest } = jsonObjectOf(memberAt(event, 'delta')) ?? {};
        this.#message = { ...this.#message, ...rest, stop_reason: reason ?? this.stopReason };
        this.#count(memberAt(event, 'usage'));
        return [];
      }
      case 'message_stop':
        this.done = true;
        return [];
      case 'error':
        this.#error = memberAt(event, 'error') ?? null;
        return [];
      default:
        return null;
    }
  }

  /** The message that the events are parts of. */
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
    const block = { index, type: textMember(fields, 'type') ?? '', fields: { ...fields }, json: '' };
    this.#blocks.set(index, block);
    return block;
  }

  #change(index: number, delta: Json): readonly AnthropicChange[] {
    const block = this.#blocks.get(index) ?? this.#begin(index, { type: 'text', text: '' });
    const add = (key: string): string => {
      const piece = textMember(delta, key) ?? '';
      block.fields[key] = (textMember(block.fields, key) ?? '') + piece;
      return piece;
    };
    switch (textMember(delta, 'type')) {
      case 'text_delta':
        return [{ what: 'text', block, piece: add('text') }];
      case 'thinking_delta':
        return [{ what: 'thinking', block, piece: add('thinking') }];
      case 'signature_delta':
        add('signature');
        return [];
      case 'input_json_delta': {
        const piece = textMember(delta, 'partial_json') ?? '';
        block.json += piece;
        return [{ what: 'input', block, piece }];
      }
      default:
        return [];
    }
  }

  #count(said: Json | undefined): void {
    for (const [key, value] of Object.entries(jsonObjectOf(said) ?? {})) {
      // Later figures are totals and replace earlier ones; null says nothing.
      if (value !== null && key !== '__proto__') this.#usage.set(key, value);
    }
  }
}

function blockOf({ fields, json }: AnthropicBlockDraft): JsonObject {
  if (json === '') return fields;
  try {
    const input: Json = JSON.parse(json);
    return { ...fields, input };
  } catch {
    return { ...fields, input: { partial: json } };
  }
}
