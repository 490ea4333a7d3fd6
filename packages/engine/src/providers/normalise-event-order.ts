/** Sorts and completes the events of a stream as the contract requires. */
import { parseToolArguments } from '@coppice/content/wires';
import { isToolUse, type Message } from '@coppice/core';
import type { ProviderEvent, UsageEvent } from './contract.ts';

/** Returns the ids of all tool calls in a history. */
export function collectToolCallIds(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) for (const block of message.content) if (isToolUse(block)) ids.add(block.id);
  return ids;
}

interface OpenCall {
  json: string;
  ended: boolean;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

function newCallId(random: () => number, taken: ReadonlySet<string>): string {
  for (;;) {
    let id = 'call_';
    for (let count = 0; count < 24; count++) id += alphabet[Math.floor(random() * alphabet.length)] ?? 'a';
    if (!taken.has(id)) return id;
  }
}

/**
 * Enforces the contract of `ProviderEvent` on any input: closes reasoning before another part starts, ends open calls
 * and moves usage before the final event, drops events after it, and assigns a new id to a call whose id is missing or
 * in `taken`. Some servers count ids from zero in every turn, so a result would be matched to the wrong call.
 */
export class EventOrderNormaliser {
  readonly #taken: Set<string>;
  readonly #random: () => number;
  readonly #calls = new Map<number, OpenCall>();
  #isThinking = false;
  #usage: UsageEvent | null = null;
  #ended = false;

  constructor(taken: Set<string>, random: () => number) {
    this.#taken = taken;
    this.#random = random;
  }

  /** Whether the final event has been passed on. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Returns the events to pass on now, in order. */
  push(event: ProviderEvent): readonly ProviderEvent[] {
    if (this.#ended) return [];
    switch (event.type) {
      case 'thinking-delta':
        if (event.text === '') return [];
        this.#isThinking = true;
        return [event];
      case 'thinking-end':
        if (!this.#isThinking && event.signature === undefined && event.redacted === undefined) return [];
        this.#isThinking = false;
        return [event];
      case 'text-delta':
        return event.text === '' ? [] : this.#afterThinking(event);
      case 'image':
        return this.#afterThinking(event);
      case 'tool-use-start':
        return this.#startCall(event);
      case 'tool-use-delta':
      case 'tool-use-end':
        return this.#continueCall(event);
      case 'usage':
        this.#usage = event;
        return [];
      case 'end':
        return this.#finish([...this.#closeThinking(), ...this.#closeCalls()], event);
      case 'error':
        return this.#finish(this.#closeThinking(), event);
    }
  }

  #closeThinking(): readonly ProviderEvent[] {
    if (!this.#isThinking) return [];
    this.#isThinking = false;
    return [{ type: 'thinking-end' }];
  }

  #afterThinking(event: ProviderEvent): readonly ProviderEvent[] {
    return this.#isThinking ? [...this.#closeThinking(), event] : [event];
  }

  #startCall(event: Extract<ProviderEvent, { type: 'tool-use-start' }>): readonly ProviderEvent[] {
    if (this.#calls.has(event.index)) return [];
    this.#calls.set(event.index, { json: '', ended: false });
    const id = event.id === '' || this.#taken.has(event.id) ? newCallId(this.#random, this.#taken) : event.id;
    this.#taken.add(id);
    return this.#afterThinking(id === event.id ? event : { ...event, id });
  }

  /**
   * Reasoning may start between two deltas of a call. It is closed before the call continues; otherwise the rest of the
   * call would count as reasoning.
   */
  #continueCall(event: Extract<ProviderEvent, { type: 'tool-use-delta' | 'tool-use-end' }>): readonly ProviderEvent[] {
    const call = this.#calls.get(event.index);
    if (call === undefined || call.ended) return [];
    if (event.type === 'tool-use-end') call.ended = true;
    else if (event.json === '') return [];
    else call.json += event.json;
    return this.#afterThinking(event);
  }

  #closeCalls(): readonly ProviderEvent[] {
    const closed: ProviderEvent[] = [];
    for (const [index, call] of this.#calls) {
      if (call.ended) continue;
      call.ended = true;
      closed.push({ type: 'tool-use-end', index, ...parseToolArguments(call.json) });
    }
    return closed;
  }

  #finish(before: readonly ProviderEvent[], event: ProviderEvent): readonly ProviderEvent[] {
    this.#ended = true;
    return this.#usage === null ? [...before, event] : [...before, this.#usage, event];
  }
}
