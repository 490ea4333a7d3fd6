/** Google generateContent: converts chunks and bodies to wire events. Pure. */
import type { Json, JsonObject } from '@coppice/core';
import type { FinishReason, WireReader, WireReplyEvent } from './contract.ts';
import { WireAnswerFailure } from './contract.ts';
import { readToolArguments } from './tool-arguments.ts';
import { buildUsageEvent } from './usage-event.ts';
import { getCountMember, getMember, getTextMember, listOrNone, objectOrUndefined } from './wire-json.ts';

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
]);

/** Creates a reader for the chunks of one answer. Calls are sent complete and without ids. */
export function createGoogleReader(): WireReader {
  let calls = 0;
  let thinking = false;
  let finish: Json = null;
  let blocked: Json = null;
  let usage: JsonObject | undefined;
  const readPart = (part: Json, out: WireReplyEvent[]) => {
    const signature = getTextMember(part, 'thoughtSignature');
    const text = getTextMember(part, 'text') ?? '';
    const call = getMember(part, 'functionCall');
    if (getMember(part, 'thought') === true) {
      if (text !== '') out.push({ type: 'thinking-delta', text });
      thinking = true;
      return;
    }
    if (objectOrUndefined(call) !== undefined) {
      const index = calls++;
      const wired = getMember(call, 'args');
      const json = typeof wired === 'string' ? wired : JSON.stringify(wired ?? {});
      out.push({
        type: 'tool-use-start',
        index,
        id: getTextMember(call, 'id') ?? '',
        name: getTextMember(call, 'name') ?? '',
      });
      out.push({ type: 'tool-use-delta', index, json });
      out.push({
        type: 'tool-use-end',
        index,
        ...readToolArguments(wired),
        ...(signature === undefined ? {} : { thoughtSignature: signature }),
      });
      return;
    }
    if (thinking && text !== '') {
      thinking = false;
      out.push({ type: 'thinking-end' });
    }
    if (text !== '') out.push({ type: 'text-delta', text });
    // Without a call, the signature of thoughts is part of the text, often in a separate last part.
    if (signature !== undefined) out.push({ type: 'thinking-end', signature });
    const [mediaType, data] = [
      getTextMember(part, 'inlineData', 'mimeType'),
      getTextMember(part, 'inlineData', 'data'),
    ];
    if (mediaType?.startsWith('image/') && data !== undefined)
      out.push({ type: 'image', block: { type: 'image', mediaType, source: { type: 'base64', data } } });
  };
  return {
    get done() {
      return finish !== null || blocked !== null;
    },
    read(data) {
      const counted = objectOrUndefined(getMember(data, 'usageMetadata'));
      usage = counted ?? usage;
      blocked = getMember(data, 'promptFeedback', 'blockReason') ?? blocked;
      const [candidate] = listOrNone(getMember(data, 'candidates'));
      const out: WireReplyEvent[] = [];
      for (const part of listOrNone(getMember(candidate, 'content', 'parts'))) readPart(part, out);
      finish = getMember(candidate, 'finishReason') ?? finish;
      return out.length > 0 || finish !== null || blocked !== null ? out : null;
    },
    end() {
      const out: WireReplyEvent[] = usage === undefined ? [] : [googleUsage(usage)];
      if (finish !== null) {
        const known = typeof finish === 'string' ? finishReasons.get(finish) : undefined;
        const finishReason = known === 'stop' && calls > 0 ? 'tool-use' : (known ?? 'other');
        out.push({ type: 'end', finishReason, raw: finish });
      } else if (blocked !== null) out.push({ type: 'end', finishReason: 'content-filter', raw: blocked });
      return out;
    },
  };
}

function googleUsage(usage: JsonObject): WireReplyEvent {
  const thoughts = getCountMember(usage, 'thoughtsTokenCount');
  return buildUsageEvent(usage, {
    inputTokens:
      (getCountMember(usage, 'promptTokenCount') ?? 0) + (getCountMember(usage, 'toolUsePromptTokenCount') ?? 0),
    // `candidatesTokenCount` excludes thoughts, which are charged as well.
    outputTokens: (getCountMember(usage, 'candidatesTokenCount') ?? 0) + (thoughts ?? 0),
    cacheReadTokens: getCountMember(usage, 'cachedContentTokenCount'),
    reasoningTokens: thoughts,
  });
}

/** Returns the events of a complete answer, which has the shape of one chunk. */
export function readWholeGoogleAnswer(body: Json): readonly WireReplyEvent[] {
  const reader = createGoogleReader();
  const events = reader.read(body, '') ?? [];
  const end = reader.end();
  if (!end.some((event) => event.type === 'end'))
    throw new WireAnswerFailure('The answer has no complete candidate.', body);
  return [...events, ...end];
}
