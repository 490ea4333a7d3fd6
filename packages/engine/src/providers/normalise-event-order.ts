/** Sorts and completes the events of a stream as the contract requires. */
import { parseToolArguments } from '@coppice/content/wires';
import { isToolUse, type Message } from '@coppice/core';
import type { ProviderEvent, UsageEvent } from './contract.ts';

export interface EventOrderNormaliser {
  /** Returns the events to pass on now, in order. */
  push(event: ProviderEvent): readonly ProviderEvent[];
  /** Whether the final event has been passed on. */
  readonly ended: boolean;
}

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
 * Enforces the contract of `ProviderEvent` on any input: closes reasoning before another part starts, ends calls before
 * the end, moves usage there, drops events after the final one, and assigns a new id to a call whose id is missing or
 * in `taken`. Some servers count ids from zero in every turn, so a result would be matched to the wrong call.
 */
export function normaliseEventOrder(taken: Set<string>, random: () => number): EventOrderNormaliser {
  const calls = new Map<number, OpenCall>();
  let thinking = false;
  let usage: UsageEvent | null = null;
  let ended = false;
  const closeThinking = (out: ProviderEvent[]) => {
    if (thinking) out.push({ type: 'thinking-end' });
    thinking = false;
  };
  const closeCalls = (out: ProviderEvent[]) => {
    for (const [index, call] of calls) {
      if (call.ended) continue;
      call.ended = true;
      out.push({ type: 'tool-use-end', index, ...parseToolArguments(call.json) });
    }
  };
  const last = (event: ProviderEvent, out: ProviderEvent[]) => {
    if (usage !== null) out.push(usage);
    out.push(event);
    ended = true;
  };
  return {
    get ended() {
      return ended;
    },
    push(event) {
      if (ended) return [];
      const out: ProviderEvent[] = [];
      switch (event.type) {
        case 'thinking-delta':
          if (event.text === '') break;
          thinking = true;
          return [event];
        case 'thinking-end':
          if (!thinking && event.signature === undefined && event.redacted === undefined) break;
          thinking = false;
          return [event];
        case 'text-delta':
          if (event.text === '') break;
          if (!thinking) return [event];
          closeThinking(out);
          out.push(event);
          break;
        case 'image':
          closeThinking(out);
          out.push(event);
          break;
        case 'tool-use-start': {
          if (calls.has(event.index)) break;
          closeThinking(out);
          calls.set(event.index, { json: '', ended: false });
          const id = event.id === '' || taken.has(event.id) ? newCallId(random, taken) : event.id;
          taken.add(id);
          out.push(id === event.id ? event : { ...event, id });
          break;
        }
        case 'tool-use-delta': {
          const call = calls.get(event.index);
          if (call === undefined || call.ended || event.json === '') break;
          call.json += event.json;
          if (!thinking) return [event];
          // Reasoning may start between two deltas of a call. It is closed before the call continues; otherwise the
          // rest of the call would count as reasoning.
          closeThinking(out);
          out.push(event);
          break;
        }
        case 'tool-use-end': {
          const call = calls.get(event.index);
          if (call === undefined || call.ended) break;
          call.ended = true;
          closeThinking(out);
          out.push(event);
          break;
        }
        case 'usage':
          usage = event;
          break;
        case 'end':
          closeThinking(out);
          closeCalls(out);
          last(event, out);
          break;
        case 'error':
          closeThinking(out);
          last(event, out);
          break;
      }
      return out;
    },
  };
}
