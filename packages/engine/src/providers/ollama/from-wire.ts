/** Converts lines and bodies of Ollama's chat API to events, without I/O. */
import {
  buildUsageEvent,
  getCountMember,
  getMember,
  getTextMember,
  listOrNone,
  objectOrUndefined,
  readToolArguments,
  WireAnswerFailure,
  type WireReader,
  type WireReplyEvent,
} from '@coppice/content/wires';
import type { Json, JsonObject } from '@coppice/core';
import type { FinishReason } from '../contract.ts';

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
]);

/** Creates a reader for the lines of one response. Ollama sends each tool call as a whole, usually without an id. */
export function createOllamaReader(): WireReader {
  let calls = 0;
  let last: JsonObject | undefined;
  return {
    get done() {
      return last !== undefined;
    },
    read(data) {
      const out: WireReplyEvent[] = [];
      const thinking = getTextMember(data, 'message', 'thinking') ?? '';
      const text = getTextMember(data, 'message', 'content') ?? '';
      if (thinking !== '') out.push({ type: 'thinking-delta', text: thinking });
      if (text !== '') out.push({ type: 'text-delta', text });
      for (const call of listOrNone(getMember(data, 'message', 'tool_calls'))) {
        const index = calls++;
        const wired = getMember(call, 'function', 'arguments');
        const read = readToolArguments(wired);
        const json = typeof wired === 'string' ? wired : JSON.stringify(wired ?? {});
        const name = getTextMember(call, 'function', 'name') ?? '';
        out.push({ type: 'tool-use-start', index, id: getTextMember(call, 'id') ?? '', name });
        out.push({ type: 'tool-use-delta', index, json });
        out.push({ type: 'tool-use-end', index, ...read });
      }
      if (getMember(data, 'done') === true) last = objectOrUndefined(data);
      return out.length > 0 || last !== undefined ? out : null;
    },
    end() {
      if (last === undefined) return [];
      const raw = getMember(last, 'done_reason') ?? null;
      const known = typeof raw === 'string' ? finishReasons.get(raw) : 'stop';
      const finishReason = known === 'stop' && calls > 0 ? 'tool-use' : (known ?? 'other');
      const usage = buildUsageEvent(countsOf(last), {
        inputTokens: getCountMember(last, 'prompt_eval_count') ?? 0,
        outputTokens: getCountMember(last, 'eval_count') ?? 0,
      });
      return [usage, { type: 'end', finishReason, raw }];
    },
  };
}

// Keeps only the numbers of the last line, which are the usage; the line repeats message and model too.
function countsOf(last: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(last).filter(([, value]) => typeof value === 'number'));
}

/** Returns the events of a non-streamed response, which has the form of a last line. */
export function readOllamaResponse(body: Json): readonly WireReplyEvent[] {
  const reader = createOllamaReader();
  const events = reader.read(body, '') ?? [];
  if (!reader.done) throw new WireAnswerFailure('The answer does not say that it is done.', body);
  return [...events, ...reader.end()];
}
