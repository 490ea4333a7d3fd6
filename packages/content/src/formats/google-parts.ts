// Converts message parts of Google's API to blocks. Google's programs write the same parts to their files.
import type { Json, JsonObject } from '@coppice/core';
import { isBase64 } from '../base64.ts';
import { getFilledText, isJsonObject, objectAt, textAt } from './fields.ts';

/** Converts one part to a block; an unknown part is kept unchanged. */
export function fromGooglePart(part: Json): Json {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isJsonObject(part)) return { type: 'x-value', value: part };
  const text = textAt(part, 'text');
  const signature = getFilledText(part, 'thoughtSignature');
  const signed = signature === undefined ? {} : { signature };
  if (part.thought === true && text !== undefined) return { type: 'thinking', thinking: text, ...signed };
  if (text !== undefined) return { type: 'text', text };
  if (isJsonObject(part.inlineData)) return fromGoogleInlineData(part.inlineData, part);
  if (isJsonObject(part.functionCall)) {
    const { functionCall: call } = part;
    const name = getFilledText(call, 'name') ?? 'unknown';
    const id = getFilledText(call, 'id') ?? `call-${name}`;
    return {
      type: 'tool-use',
      id,
      name,
      parameters: objectAt(call, 'args'),
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    };
  }
  const file = objectAt(part, 'fileData');
  const uri = getFilledText(file, 'fileUri');
  const mediaType = getFilledText(file, 'mimeType') ?? 'application/octet-stream';
  if (uri !== undefined && /^https?:/i.test(uri))
    return mediaType.startsWith('image/')
      ? { type: 'image', mediaType, source: { type: 'url', url: uri } }
      : { type: 'file', name: getFilledText(file, 'displayName') ?? uri, mediaType, source: { type: 'url', url: uri } };
  const code = objectAt(part, 'executableCode');
  if (typeof code.code === 'string') return { type: 'google-code', ...code, text: code.code };
  const ran = objectAt(part, 'codeExecutionResult');
  if (typeof ran.output === 'string') return { type: 'google-code-result', ...ran, text: ran.output };
  return { ...part, type: 'google-part' };
}

/**
 * Converts inline bytes to an image or file block. Invalid base64 becomes an opaque block with the fields of
 * `otherwise`.
 */
export function fromGoogleInlineData(inline: JsonObject, otherwise: JsonObject): JsonObject {
  const data = textAt(inline, 'data') ?? '';
  const mediaType = getFilledText(inline, 'mimeType') ?? 'application/octet-stream';
  if (data === '' || !isBase64(data)) return { ...otherwise, type: 'google-part' };
  const source = { type: 'base64', data };
  return mediaType.startsWith('image/')
    ? { type: 'image', mediaType, source }
    : { type: 'file', name: getFilledText(inline, 'displayName') ?? 'file', mediaType, source };
}

/** Converts a text, a part or a list of parts to blocks. */
export function fromGoogleParts(content: Json | undefined): Json[] {
  if (content === undefined || content === null || content === '') return [];
  return (Array.isArray(content) ? content : [content]).map(fromGooglePart);
}

/** Converts the result of a function to blocks: the text of its output, else the whole result. */
export function fromGoogleFunctionResult(result: Json | undefined): Json[] {
  const parts: readonly Json[] =
    result === undefined || result === null ? [] : Array.isArray(result) ? result : [result];
  return parts.map((part) => {
    if (!isJsonObject(part) || !isJsonObject(part.functionResponse)) return fromGooglePart(part);
    const response = objectAt(part.functionResponse, 'response');
    const text = textAt(response, 'output') ?? textAt(response, 'error') ?? textAt(response, 'content');
    return { type: 'text', text: text ?? JSON.stringify(response) };
  });
}
