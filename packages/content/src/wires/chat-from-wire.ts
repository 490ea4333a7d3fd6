/** OpenAI Chat Completions, which many servers implement: converts chunks and bodies to events. Pure. */
import type { Json, JsonObject } from '@coppice/core';
import { ChatCompletionChunkCollector, type ChatCompletionDelta } from './chat-chunks.ts';
import type { FinishReason, WireReplyEvent } from './contract.ts';
import { endOfStreamMark, WireAnswerFailure, type WireReader } from './contract.ts';
import { parseToolArguments } from './tool-arguments.ts';
import { readUnknownFinishReason } from './unknown-finish.ts';
import { buildUsageEvent } from './usage-event.ts';
import { getCountMember, getMember, getTextMember, listOrNone, objectOrUndefined, splitDataUrl } from './wire-json.ts';

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'tool-use'],
  ['function_call', 'tool-use'],
  ['content_filter', 'content-filter'],
]);

/**
 * Creates a reader for the chunks of one completion. Only the first choice is read, because Coppice makes a separate
 * call for each reply.
 */
export function createChatCompletionReader(): WireReader {
  const chunks = new ChatCompletionChunkCollector();
  const details: JsonObject[] = [];
  // The name of a call may arrive in pieces, so the call is announced when its arguments or another call begin.
  let announced = 0;
  let finish: Json = null;
  let refused = false;
  let done = false;
  const announce = (until: number, out: WireReplyEvent[]) => {
    for (const { place, id, name } of chunks.callsOf(0).slice(announced, until))
      out.push({ type: 'tool-use-start', index: place, id, name });
    announced = Math.max(announced, until);
  };
  const addPiece = (piece: ChatCompletionDelta, out: WireReplyEvent[]) => {
    switch (piece.type) {
      case 'text':
        out.push({ type: 'text-delta', text: piece.text });
        break;
      case 'refusal':
        refused = true;
        out.push({ type: 'text-delta', text: piece.text });
        break;
      case 'reasoning':
        out.push({ type: 'thinking-delta', text: piece.text });
        break;
      case 'detail':
        mergeDetail(details, piece.value);
        break;
      case 'image': {
        const image = splitDataUrl(getTextMember(piece.value, 'image_url', 'url') ?? '');
        if (image === undefined) break;
        const source = { type: 'base64', data: image.data } as const;
        out.push({ type: 'image', block: { type: 'image', mediaType: image.mediaType, source } });
        break;
      }
      case 'call':
        announce(piece.call.place + (piece.json === '' ? 0 : 1), out);
        if (piece.json !== '') out.push({ type: 'tool-use-delta', index: piece.call.place, json: piece.json });
        break;
      case 'finish':
        finish = piece.reason;
        break;
      case 'audio':
        // Audio is never requested, so it is ignored.
        break;
    }
  };
  return {
    get done() {
      return done;
    },
    read(data) {
      if (data === endOfStreamMark) {
        done = true;
        return [];
      }
      const before = chunks.usage;
      const pieces = chunks.read(data).filter(({ choice }) => choice === 0);
      const out: WireReplyEvent[] = [];
      for (const piece of pieces) addPiece(piece, out);
      const moved = pieces.some(({ type }) => type === 'finish' || type === 'call') || chunks.usage !== before;
      if (out.length === 0) return moved ? [] : null;
      // The signature comes with the last piece of reasoning, so the block is closed when something else begins.
      return withSignatures(out, details);
    },
    end() {
      const out: WireReplyEvent[] = [];
      if (details.length > 0) out.push(signatureEvent(details));
      const calls = chunks.callsOf(0);
      announce(calls.length, out);
      for (const { place, json } of calls)
        out.push({ type: 'tool-use-end', index: place, ...parseToolArguments(json) });
      if (chunks.usage !== null) out.push(chatUsage(chunks.usage));
      if (finish === null && !done) return out;
      out.push({ type: 'end', finishReason: finishOf(finish, refused, calls.length > 0), raw: finish });
      return out;
    },
  };
}

function finishOf(finish: Json, refused: boolean, called: boolean): FinishReason {
  if (refused) return 'refusal';
  const known = typeof finish === 'string' ? finishReasons.get(finish) : undefined;
  // Several servers always report `stop`, even if the reply ends with calls.
  return called && known === 'stop' ? 'tool-use' : (known ?? readUnknownFinishReason(finish, called));
}

function signatureEvent(details: JsonObject[]): WireReplyEvent {
  const proved = details.splice(0);
  const worth = proved.some(
    (each) => getMember(each, 'signature') !== undefined || getMember(each, 'data') !== undefined,
  );
  return { type: 'thinking-end', ...(worth ? { signature: JSON.stringify(proved) } : {}) };
}

function withSignatures(events: readonly WireReplyEvent[], details: JsonObject[]): readonly WireReplyEvent[] {
  const first = events.findIndex(
    (event) => event.type !== 'thinking-delta' && !(event.type === 'text-delta' && event.text === ''),
  );
  if (first === -1 || details.length === 0) return events;
  return [...events.slice(0, first), signatureEvent(details), ...events.slice(first)];
}

// Merges a detail into the list. Details arrive in pieces: pieces with the same index belong together, and their texts
// are concatenated.
function mergeDetail(details: JsonObject[], piece: JsonObject): void {
  const last = details.at(-1);
  const same =
    last !== undefined &&
    getMember(last, 'type') === getMember(piece, 'type') &&
    getMember(last, 'index') === getMember(piece, 'index');
  if (last === undefined || !same) {
    details.push(piece);
    return;
  }
  const merged: Record<string, Json> = { ...last };
  for (const [key, value] of Object.entries(piece)) {
    if (value === null) continue;
    const before = merged[key];
    const joins =
      (key === 'text' || key === 'summary' || key === 'data') &&
      typeof before === 'string' &&
      typeof value === 'string';
    merged[key] = joins ? before + value : value;
  }
  details[details.length - 1] = merged;
}

function chatUsage(usage: JsonObject): WireReplyEvent {
  return buildUsageEvent(usage, {
    inputTokens: getCountMember(usage, 'prompt_tokens') ?? 0,
    outputTokens: getCountMember(usage, 'completion_tokens') ?? 0,
    cacheReadTokens:
      getCountMember(usage, 'prompt_tokens_details', 'cached_tokens') ??
      getCountMember(usage, 'prompt_cache_hit_tokens'),
    cacheWriteTokens: getCountMember(usage, 'prompt_tokens_details', 'cache_write_tokens'),
    reasoningTokens: getCountMember(usage, 'completion_tokens_details', 'reasoning_tokens'),
  });
}

/** Returns the events of a complete completion: the same reader reads one chunk with everything. */
export function readWholeChatCompletion(body: Json): readonly WireReplyEvent[] {
  const [choice] = listOrNone(getMember(body, 'choices'));
  const message = objectOrUndefined(getMember(choice, 'message'));
  if (message === undefined) throw new WireAnswerFailure('The answer has no choices with a message.', body);
  // The calls are complete, so each gets its own index, regardless of its id.
  const calls = listOrNone(getMember(message, 'tool_calls')).map((call, index) => ({
    ...objectOrUndefined(call),
    index,
  }));
  const delta = calls.length === 0 ? message : { ...message, tool_calls: calls };
  const reader = createChatCompletionReader();
  const usage = getMember(body, 'usage') ?? null;
  const finish = getMember(choice, 'finish_reason') ?? null;
  const events = reader.read({ choices: [{ index: 0, delta, finish_reason: finish }], usage }, '') ?? [];
  reader.read(endOfStreamMark, '');
  return [...events, ...reader.end()];
}
