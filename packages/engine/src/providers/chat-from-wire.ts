/** Chat completions, as OpenAI defined them and many servers speak them: from chunks and bodies to events. Pure. */
import type { Json, JsonObject } from '@coppice/core';
import type { FinishReason, ProviderEvent } from './contract.ts';
import { fail } from './errors.ts';
import { countMember, dataUrl, jsonListOf, jsonObjectOf, memberAt, textMember } from './json.ts';
import { doneMark, type WireReader } from './stream-over-http.ts';
import { parseToolArguments } from './tool-arguments.ts';
import { usageEvent } from './usage.ts';

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

interface OpenToolCall {
  /** What the wire calls it: its index, or its id where there is none. */
  id: string;
  json: string;
}

/** A reader for the chunks of one completion. Of several choices only the first is read: n is done by calling n times. */
export function chatReader(): WireReader {
  const calls: OpenToolCall[] = [];
  // From the wire's index to ours: servers count from one, not at all, or always say 0.
  const places = new Map<number, number>();
  const details: JsonObject[] = [];
  let finish: Json = null;
  let refused = false;
  let usage: JsonObject | undefined;
  let done = false;

  const readCall = (wired: Json, out: ProviderEvent[]) => {
    const id = textMember(wired, 'id') ?? '';
    const name = textMember(wired, 'function', 'name') ?? '';
    const said = countMember(wired, 'index');
    let place = said === undefined ? undefined : places.get(said);
    const open = place === undefined ? undefined : calls[place];
    const another = open !== undefined && id !== '' && open.id !== id && name !== '';
    if (said === undefined && name === '' && calls.length > 0) place = calls.length - 1;
    if (place === undefined || another) {
      place = calls.length;
      calls.push({ id, json: '' });
      if (said !== undefined) places.set(said, place);
      out.push({ type: 'tool-use-start', index: place, id, name });
    }
    const call = calls[place];
    const piece = memberAt(wired, 'function', 'arguments');
    // Some servers send the arguments as an object.
    const json = typeof piece === 'string' ? piece : jsonObjectOf(piece) === undefined ? '' : JSON.stringify(piece);
    if (call === undefined || json === '') return;
    call.json += json;
    out.push({ type: 'tool-use-delta', index: place, json });
  };

  const readReasoning = (delta: Json, out: ProviderEvent[]) => {
    const text =
      textMember(delta, 'reasoning_content') ?? textMember(delta, 'reasoning') ?? textMember(delta, 'thinking') ?? '';
    let detailed = '';
    for (const each of jsonListOf(memberAt(delta, 'reasoning_details'))) {
      const detail = jsonObjectOf(each);
      if (detail === undefined) continue;
      mergeDetail(details, detail);
      detailed += textMember(detail, 'text') ?? textMember(detail, 'summary') ?? '';
    }
    if (text !== '' || detailed !== '') out.push({ type: 'thinking-delta', text: text === '' ? detailed : text });
  };

  const readContent = (content: Json | undefined, out: ProviderEvent[]) => {
    if (typeof content === 'string') out.push({ type: 'text-delta', text: content });
    for (const part of jsonListOf(content)) {
      const text = textMember(part, 'text');
      if (text !== undefined) out.push({ type: 'text-delta', text });
      for (const thought of jsonListOf(memberAt(part, 'thinking')))
        out.push({ type: 'thinking-delta', text: textMember(thought, 'text') ?? '' });
    }
  };

  return {
    get done() {
      return done;
    },
    read(data) {
      if (data === doneMark) {
        done = true;
        return [];
      }
      const out: ProviderEvent[] = [];
      const counted = jsonObjectOf(memberAt(data, 'usage')) ?? jsonObjectOf(memberAt(data, 'x_groq', 'usage'));
      usage = counted ?? usage;
      let moved = counted !== undefined;
      for (const choice of jsonListOf(memberAt(data, 'choices'))) {
        if ((countMember(choice, 'index') ?? 0) !== 0) continue;
        const delta = memberAt(choice, 'delta') ?? null;
        readReasoning(delta, out);
        readContent(memberAt(delta, 'content'), out);
        const refusal = textMember(delta, 'refusal') ?? '';
        if (refusal !== '') {
          refused = true;
          out.push({ type: 'text-delta', text: refusal });
        }
        for (const wired of jsonListOf(memberAt(delta, 'images'))) {
          const image = dataUrl(textMember(wired, 'image_url', 'url') ?? '');
          if (image === undefined) continue;
          const source = { type: 'base64', data: image.data } as const;
          out.push({ type: 'image', block: { type: 'image', mediaType: image.mediaType, source } });
        }
        for (const wired of jsonListOf(memberAt(delta, 'tool_calls'))) readCall(wired, out);
        const reason = memberAt(choice, 'finish_reason');
        if (reason !== undefined && reason !== null) {
          finish = reason;
          moved = true;
        }
      }
      const says = out.some((event) => event.type !== 'text-delta' || event.text !== '');
      if (!says) return moved ? [] : null;
      // What proves the reasoning comes with its last piece, so it is closed when something else begins.
      return closingEvents(out, details);
    },
    end() {
      const out: ProviderEvent[] = [];
      if (details.length > 0) out.push(signatureOf(details));
      for (const [index, call] of calls.entries())
        out.push({ type: 'tool-use-end', index, ...parseToolArguments(call.json) });
      if (usage !== undefined) out.push(chatUsage(usage));
      if (finish === null && !done) return out;
      out.push({ type: 'end', finishReason: chatFinish(finish, refused, calls.length > 0), raw: finish });
      return out;
    },
  };
}

// How other servers say that a limit of tokens was reached, such as `model_length` and `MAX_TOKENS`.
const lengthLike = /length|max.*tokens|token.*limit|context.*(?:window|exceeded)/i;

function chatFinish(finish: Json, refused: boolean, called: boolean): FinishReason {
  if (refused) return 'refusal';
  const known = typeof finish === 'string' ? (finishReasons.get(finish) ?? lengthOf(finish)) : 'stop';
  // Several servers say `stop` whatever happened.
  return called && (known === 'stop' || known === undefined) ? 'tool-use' : (known ?? 'other');
}

function lengthOf(finish: string): FinishReason | undefined {
  return lengthLike.test(finish) ? 'length' : undefined;
}

function signatureOf(details: JsonObject[]): ProviderEvent {
  const proved = details.splice(0);
  const worth = proved.some(
    (each) => memberAt(each, 'signature') !== undefined || memberAt(each, 'data') !== undefined,
  );
  return { type: 'thinking-end', ...(worth ? { signature: JSON.stringify(proved) } : {}) };
}

function closingEvents(events: readonly ProviderEvent[], details: JsonObject[]): readonly ProviderEvent[] {
  const first = events.findIndex(
    (event) => event.type !== 'thinking-delta' && !(event.type === 'text-delta' && event.text === ''),
  );
  if (first === -1 || details.length === 0) return events;
  return [...events.slice(0, first), signatureOf(details), ...events.slice(first)];
}

// Details come in pieces like everything else: those of one index belong together, text to text.
function mergeDetail(details: JsonObject[], piece: JsonObject): void {
  const last = details.at(-1);
  const same =
    last !== undefined &&
    memberAt(last, 'type') === memberAt(piece, 'type') &&
    memberAt(last, 'index') === memberAt(piece, 'index');
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

function chatUsage(usage: JsonObject): ProviderEvent {
  return usageEvent(usage, {
    inputTokens: countMember(usage, 'prompt_tokens') ?? 0,
    outputTokens: countMember(usage, 'completion_tokens') ?? 0,
    cacheReadTokens:
      countMember(usage, 'prompt_tokens_details', 'cached_tokens') ?? countMember(usage, 'prompt_cache_hit_tokens'),
    cacheWriteTokens: countMember(usage, 'prompt_tokens_details', 'cache_write_tokens'),
    reasoningTokens: countMember(usage, 'completion_tokens_details', 'reasoning_tokens'),
  });
}

/** The events of a whole completion: the same reader, fed with one chunk that says everything. */
export function chatWhole(body: Json): readonly ProviderEvent[] {
  const [choice] = jsonListOf(memberAt(body, 'choices'));
  const message = memberAt(choice, 'message');
  if (jsonObjectOf(message) === undefined)
    return fail('provider/bad-response', 'The answer has no choices with a message.', {
      excerpt: JSON.stringify(body),
    });
  const reader = chatReader();
  const usage = memberAt(body, 'usage') ?? null;
  const finish = memberAt(choice, 'finish_reason') ?? null;
  const events =
    reader.read({ choices: [{ index: 0, delta: message ?? null, finish_reason: finish }], usage }, '') ?? [];
  reader.read(doneMark, '');
  return [...events, ...reader.end()];
}
