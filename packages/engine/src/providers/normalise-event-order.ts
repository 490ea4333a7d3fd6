/** Holds any sequence of events to the order that the contract promises. */
import { parseToolArguments } from '@coppice/content/wires';
import { isToolUse, type Message } from '@coppice/core';
import type { ProviderEvent, UsageEvent } from './contract.ts';

/** Puts events in order, one at a time. */
export interface EventOrder {
  /** What is to be passed on for this event, in order. */
  push(event: ProviderEvent): readonly ProviderEvent[];
  /** Whether the last event was passed on. */
  readonly ended: boolean;
}

/** The ids of every call in a history. */
export function callIds(messages: readonly Message[]): Set<string> {
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
 * Keeps to the promises of `ProviderEvent` whatever comes in: closes reasoning before anything else begins, ends calls
 * before the end, holds usage back until then, drops what comes after the last event, and gives a call a fresh id where
 * the provider gave none or one that is `taken` (servers that count from zero in every turn would answer the wrong call).
 */
export function normaliseEventOrder(taken: Set<string>, random: () => number): EventOrder {
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
          // Reasoning may begin between two pieces of a call; it is closed here, or the rest would count as inside it.
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
