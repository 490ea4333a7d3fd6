/** A provider that returns scripted replies. */
import type { Json, JsonObject } from '@coppice/core';
import { chatCompletionParameters, chatCompletionSupport } from '../providers/chat-completions.ts';
import { systemClock } from '../providers/clock.ts';
import type { Provider, ProviderCall, ProviderEvent, ProviderRequest, ProviderSpec } from '../providers/contract.ts';
import { defineProvider } from '../providers/define.ts';
import { makeErrorEvent } from '../providers/errors.ts';

/** One action of a scripted reply: an event, a pause, a throw (which violates the contract), or no further response. */
export type ScriptedEvent =
  | ProviderEvent
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'throw'; readonly error: Error }
  | { readonly type: 'hang' };

/** A reply: events, or a function that creates them from the request and the number of the call, from 0. */
export type ScriptedReply =
  | readonly ScriptedEvent[]
  | ((
      request: ProviderRequest,
      call: number,
      options: ProviderCall,
    ) => Iterable<ScriptedEvent> | AsyncIterable<ScriptedEvent>);

/** A scripted provider that records its requests. */
export interface ScriptedProvider extends Provider {
  /** All requests so far, in order, as they reached the provider: clamped and lowered. */
  readonly requests: readonly ProviderRequest[];
  /** The number of calls that have not ended. */
  readonly running: number;
}

/** Changes to the scripted provider, which by default supports every feature. */
export type ScriptedOptions = Partial<Omit<ProviderSpec, 'stream'>> & {
  /** The reply to further calls; by default the last scripted reply again. */
  readonly afterwards?: ScriptedReply;
};

/** Returns the events of a text reply, word by word, with usage and an end. */
export function makeTextEvents(text: string, finishReason: 'stop' | 'length' = 'stop'): ProviderEvent[] {
  const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
  return [
    ...words.map((word): ProviderEvent => ({ type: 'text-delta', text: word })),
    makeUsageEvent(10, words.length),
    { type: 'end', finishReason, raw: finishReason },
  ];
}

/** Returns the events of a reply that calls tools. */
export function makeToolEvents(
  ...calls: readonly { readonly id: string; readonly name: string; readonly parameters: JsonObject }[]
): ProviderEvent[] {
  const events: ProviderEvent[] = [];
  for (const [index, { id, name, parameters }] of calls.entries()) {
    events.push({ type: 'tool-use-start', index, id, name });
    events.push({ type: 'tool-use-delta', index, json: JSON.stringify(parameters) });
    events.push({ type: 'tool-use-end', index, parameters });
  }
  events.push(makeUsageEvent(10, 5 * calls.length), { type: 'end', finishReason: 'tool-use', raw: 'tool_calls' });
  return events;
}

export function makeUsageEvent(inputTokens: number, outputTokens: number): ProviderEvent {
  const raw: Record<string, Json> = { input: inputTokens, output: outputTokens };
  return { type: 'usage', inputTokens, outputTokens, raw };
}

/** Creates a provider, by default named `scripted`, that returns the next reply with each call. */
export function createScriptedProvider(
  replies: readonly ScriptedReply[],
  options: ScriptedOptions = {},
): ScriptedProvider {
  const { afterwards, ...spec } = options;
  const requests: ProviderRequest[] = [];
  let running = 0;
  const provider = defineProvider({
    name: 'scripted',
    label: 'Scripted',
    baseUrl: null,
    supports: {
      blocks: ['text', 'thinking', 'tool-use', 'image', 'file'],
      ...chatCompletionSupport,
    },
    parameters: { ...chatCompletionParameters, seed: { min: 0, max: Number.MAX_SAFE_INTEGER } },
    defaultModel: 'one',
    models: [{ id: 'one' }, { id: 'two' }],
    ...spec,
    async *stream(request, call) {
      const number = requests.length;
      requests.push(request);
      const reply = replies[number] ?? afterwards ?? replies.at(-1) ?? [];
      running++;
      try {
        const events = typeof reply === 'function' ? reply(request, number, call) : reply;
        for await (const event of events) yield* play(event, call);
      } finally {
        running--;
      }
    },
  });
  return Object.defineProperties(
    { ...provider, requests, running },
    { running: { get: () => running, enumerable: true } },
  );
}

async function* play(event: ScriptedEvent, call: ProviderCall): AsyncGenerator<ProviderEvent> {
  const signal = call.signal ?? new AbortController().signal;
  if (signal.aborted) yield makeErrorEvent('provider/aborted', 'The reply was stopped.');
  else if (event.type === 'wait') await (call.clock ?? systemClock).wait(event.ms, signal);
  else if (event.type === 'throw') throw event.error;
  else if (event.type === 'hang')
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  else yield event;
}
