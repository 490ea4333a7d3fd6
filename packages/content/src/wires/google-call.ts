/**
 * Google generateContent: converts a complete call, with request and answer, to messages, and joins the chunks of a
 * stream.
 */
import type { Json, JsonObject } from '@coppice/core';
import { getFilledText, isJsonObject, listAt, numberAt, objectAt, textAt } from '../formats/fields.ts';
import { fromGoogleFunctionResult, fromGooglePart } from '../formats/google-parts.ts';

/** Returns the system prompt of a request: a text, or a content with parts. */
function systemTextOf(body: JsonObject): string | undefined {
  const system = body.systemInstruction ?? body.system_instruction;
  if (typeof system === 'string') return system;
  if (!isJsonObject(system)) return undefined;
  return listAt(system, 'parts')
    .map((part) => (isJsonObject(part) ? (textAt(part, 'text') ?? '') : ''))
    .join('\n\n');
}

/**
 * Creates a function that names calls without an id. The results of one function come in the same order as its calls.
 */
function callNames(): (call: JsonObject) => string {
  const counts = new Map<string, number>();
  return (call) => {
    const name = getFilledText(call, 'name') ?? 'unknown';
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return getFilledText(call, 'id') ?? (count === 1 ? `call-${name}` : `call-${name}-${count}`);
  };
}

/** Adds a block. A text continues the previous text, because clients send the chunks again as one part. */
function addBlock(blocks: JsonObject[], block: Json): void {
  const last = blocks.at(-1);
  if (!isJsonObject(block)) return;
  for (const [type, key] of [
    ['text', 'text'],
    ['thinking', 'thinking'],
  ] as const)
    if (last?.type === type && block.type === type) {
      blocks[blocks.length - 1] = { ...last, ...block, [key]: `${textAt(last, key) ?? ''}${textAt(block, key) ?? ''}` };
      return;
    }
  blocks.push(block);
}

/** Converts one content. Results of functions become separate messages. */
function fromGoogleContent(content: JsonObject): JsonObject[] {
  const role = content.role === 'model' ? 'assistant' : 'user';
  const results: JsonObject[] = [];
  const blocks: JsonObject[] = [];
  const [nameCall, nameResult] = [callNames(), callNames()];
  for (const part of listAt(content, 'parts')) {
    const response = isJsonObject(part) ? part.functionResponse : undefined;
    const call = isJsonObject(part) ? part.functionCall : undefined;
    if (isJsonObject(response))
      results.push({ role: 'tool', tool_call_id: nameResult(response), content: fromGoogleFunctionResult([part]) });
    else if (isJsonObject(call)) {
      const block = fromGooglePart(part);
      if (isJsonObject(block)) blocks.push({ ...block, id: nameCall(call) });
    } else addBlock(blocks, fromGooglePart(part));
  }
  return [...results, ...(blocks.length === 0 ? [] : [{ role, content: blocks }])];
}

/** Reads the request of a call. The model is in the path of the request, not in the body. */
export function readGoogleRequest(body: JsonObject): {
  readonly systemPrompt: string | undefined;
  readonly messages: readonly JsonObject[];
} {
  const messages = listAt(body, 'contents').flatMap((content) =>
    isJsonObject(content) ? fromGoogleContent(content) : [],
  );
  return { systemPrompt: systemTextOf(body), messages };
}

/** Reads the alternative answers of a call, each with its finish reason. */
export function readGoogleAnswers(
  response: JsonObject,
): readonly { readonly message: JsonObject; readonly finish: string | undefined }[] {
  return listAt(response, 'candidates')
    .filter((one): one is JsonObject => isJsonObject(one))
    .sort((a, b) => (numberAt(a, 'index') ?? 0) - (numberAt(b, 'index') ?? 0))
    .flatMap((candidate) => {
      const [message] = fromGoogleContent({ ...objectAt(candidate, 'content'), role: 'model' });
      return message === undefined ? [] : [{ message, finish: getFilledText(candidate, 'finishReason') }];
    });
}

/** Joins the chunks of a stream to the document that the service would send without streaming. */
export function joinGoogleChunks(chunks: readonly JsonObject[]): JsonObject {
  let whole: JsonObject = {};
  const candidates = new Map<number, { parts: Json[]; rest: JsonObject }>();
  for (const { candidates: _, ...chunk } of chunks) whole = { ...whole, ...chunk };
  for (const chunk of chunks)
    for (const one of listAt(chunk, 'candidates')) {
      if (!isJsonObject(one)) continue;
      const { content: __, ...rest } = one;
      const index = numberAt(one, 'index') ?? 0;
      const known = candidates.get(index) ?? { parts: [], rest: {} };
      for (const part of listAt(objectAt(one, 'content'), 'parts')) known.parts.push(part);
      candidates.set(index, { parts: known.parts, rest: { ...known.rest, ...rest } });
    }
  const joined = [...candidates.values()].map(({ parts, rest }) => ({ ...rest, content: { role: 'model', parts } }));
  return { ...whole, candidates: joined };
}
