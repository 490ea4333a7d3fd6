// Converts messages between the canonical form and the form of OpenAI's wires and logs.
import type { Block, Json, JsonObject, Message } from '@coppice/core';
import { isText } from '@coppice/core';
import { base64Length, isBase64 } from '../base64.ts';
import { byteSourceOf, mediaTypeOf } from '../blocks/source.ts';
import { parseFiniteJson } from '../finite-json.ts';
import { isJsonObject } from '../json-copy.ts';
import { getFilledText, listAt, objectAt, omitKeys, textAt } from './fields.ts';

const dataUrl = /^data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,/i;

/** Builds an image from a URL; a `data:` URL becomes its bytes. */
export function imageFromUrl(url: string): JsonObject {
  const head = dataUrl.exec(url.slice(0, 300));
  const data = head === null ? '' : url.slice(head[0].length);
  const mediaType = head?.[1] ?? '';
  if (head?.[3] !== undefined && mediaType.startsWith('image/') && isBase64(data) && base64Length(data) > 0)
    return { type: 'image', mediaType, source: { type: 'base64', data } };
  return { type: 'image', source: { type: 'url', url } };
}

function openAiPart(part: Json): Json {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isJsonObject(part)) return { type: 'x-value', value: part };
  const type = textAt(part, 'type');
  if (type === undefined) return { ...part, type: 'x-part' };
  if (type === 'input_text' || type === 'output_text') {
    const text = textAt(part, 'text');
    return text === undefined ? part : { ...part, type: 'text', text };
  }
  if (type === 'refusal' && getFilledText(part, 'refusal') !== undefined)
    return { ...part, text: getFilledText(part, 'refusal') ?? '' };
  if (type === 'input_image') {
    const url = getFilledText(part, 'image_url');
    return url === undefined ? part : imageFromUrl(url);
  }
  if (type === 'image_url') {
    const address = part.image_url;
    const url = typeof address === 'string' ? address : getFilledText(objectAt(part, 'image_url'), 'url');
    return url === undefined || url === '' ? part : imageFromUrl(url);
  }
  if (type === 'input_audio') {
    const audio = objectAt(part, 'input_audio');
    const data = getFilledText(audio, 'data');
    const format = getFilledText(audio, 'format') ?? 'wav';
    if (data === undefined || !isBase64(data)) return part;
    return { type: 'file', name: `audio.${format}`, mediaType: `audio/${format}`, source: { type: 'base64', data } };
  }
  if (type === 'file' || type === 'input_file') {
    const file = type === 'file' ? objectAt(part, 'file') : part;
    const data = /^data:([^;,]+);base64,(.+)$/s.exec(getFilledText(file, 'file_data') ?? '');
    if (data?.[1] === undefined || data[2] === undefined || !isBase64(data[2]))
      return type === 'file' ? { ...part, type: 'openai-file' } : part;
    const name = getFilledText(file, 'filename') ?? 'file';
    return { type: 'file', name, mediaType: data[1], source: { type: 'base64', data: data[2] } };
  }
  return part;
}

/** Returns a call's parameters, and the raw arguments if these are not the exact JSON of the parameters. */
function callParameters(raw: Json | undefined): { readonly parameters: JsonObject; readonly arguments?: string } {
  if (isJsonObject(raw)) return { parameters: raw };
  if (typeof raw !== 'string' || raw.trim() === '') return { parameters: {} };
  try {
    const value = parseFiniteJson(raw);
    if (!isJsonObject(value)) return { parameters: {}, arguments: raw };
    return JSON.stringify(value) === raw ? { parameters: value } : { parameters: value, arguments: raw };
  } catch {
    return { parameters: {}, arguments: raw };
  }
}

/** Converts a tool call to a block. A call without an id is named by `index`. */
export function fromOpenAiToolCall(call: Json, index: number): JsonObject {
  if (!isJsonObject(call)) return { type: 'x-tool-call', call };
  const id = getFilledText(call, 'id') ?? `call-${index}`;
  if (call.type === 'custom') {
    const custom = objectAt(call, 'custom');
    return {
      type: 'tool-use',
      id,
      name: getFilledText(custom, 'name') ?? 'custom',
      parameters: { input: custom.input ?? null },
    };
  }
  const called = objectAt(call, 'function');
  const name = getFilledText(called, 'name') ?? getFilledText(call, 'name') ?? 'unknown';
  return { type: 'tool-use', id, name, ...callParameters(called.arguments ?? call.arguments) };
}

/**
 * Converts a chat completion message to canonical form, without validation. Parts become blocks, calls `tool-use`,
 * reasoning `thinking`; the role `developer` becomes system, and `function` becomes tool. Parts of unknown types are
 * kept unchanged.
 */
export function fromOpenAiMessage(record: JsonObject): JsonObject {
  const role = textAt(record, 'role') ?? 'user';
  const blocks: Json[] = [];
  const reasoning = getFilledText(record, 'reasoning_content') ?? getFilledText(record, 'reasoning');
  if (reasoning !== undefined) blocks.push({ type: 'thinking', thinking: reasoning });
  const { content } = record;
  if (typeof content === 'string') {
    if (content !== '') blocks.push({ type: 'text', text: content });
  } else if (Array.isArray(content)) {
    for (const part of content) blocks.push(openAiPart(part));
  } else if (isJsonObject(content)) blocks.push(openAiPart(content));
  const refusal = getFilledText(record, 'refusal');
  if (refusal !== undefined) blocks.push({ type: 'refusal', refusal, text: refusal });
  for (const [index, call] of listAt(record, 'tool_calls').entries()) blocks.push(fromOpenAiToolCall(call, index));
  if (isJsonObject(record.function_call))
    blocks.push(
      fromOpenAiToolCall(
        { id: `call-${getFilledText(record.function_call, 'name') ?? ''}`, function: record.function_call },
        0,
      ),
    );
  if (blocks.length === 0) blocks.push({ type: 'text', text: '' });
  if (role === 'tool' || role === 'function') {
    const call = getFilledText(record, 'tool_call_id') ?? `call-${getFilledText(record, 'name') ?? ''}`;
    return { role: 'tool', content: blocks, tool_call_id: call };
  }
  const known = role === 'assistant' || role === 'system' ? role : role === 'developer' ? 'system' : 'user';
  return { role: known, content: blocks };
}

/**
 * Returns blocks for audio: the transcript, which can be read and searched, and the audio. Returns none for audio
 * without an id.
 */
export function buildAudioBlocks(audio: JsonObject): JsonObject[] {
  const transcript = getFilledText(audio, 'transcript');
  if (getFilledText(audio, 'id') === undefined) return [];
  return [
    ...(transcript === undefined ? [] : [{ type: 'text', text: transcript }]),
    { ...omitKeys(audio, 'transcript'), type: 'audio' },
  ];
}

/** Like {@link fromOpenAiMessage}, but also converts the audio of a reply. */
export function fromOpenAiMessageWithAudio(record: JsonObject): JsonObject {
  const audio = buildAudioBlocks(objectAt(record, 'audio'));
  if (audio.length === 0) return fromOpenAiMessage(record);
  const { content } = record;
  const written: readonly Json[] =
    typeof content === 'string' && content !== '' ? [content] : listAt(record, 'content');
  return fromOpenAiMessage({ ...record, content: [...written, ...audio] });
}

function imageUrlOf(block: Block): string | undefined {
  const source = byteSourceOf(block);
  if (source?.type === 'url') return source.url;
  return source?.type === 'base64' ? `data:${mediaTypeOf(block) ?? 'image/png'};base64,${source.data}` : undefined;
}

/** The parts of a canonical message that a chat completion message cannot represent. */
export type OpenAiMessageLoss = 'thinking' | 'block';

/**
 * Converts a canonical message to a chat completion message and lists its losses. `text` renders a block that has no
 * equivalent.
 */
export function toOpenAiMessage(
  message: Message,
  text: (block: Block) => string,
): { readonly record: JsonObject; readonly losses: readonly OpenAiMessageLoss[] } {
  const parts: JsonObject[] = [];
  const calls: Json[] = [];
  const losses: OpenAiMessageLoss[] = [];
  let reasoning = '';
  const reply = findAudioReply(message);
  for (const block of message.content) {
    if (block === reply.words || block === reply.sound) continue;
    if (isText(block)) parts.push({ type: 'text', text: block.text });
    else if (block.type === 'tool-use' && 'id' in block && 'name' in block && 'parameters' in block)
      calls.push({
        id: String(block.id),
        type: 'function',
        function: { name: String(block.name), arguments: callArguments(block) },
      });
    else if (block.type === 'thinking' && 'thinking' in block) {
      reasoning += String(block.thinking);
      if ('signature' in block || 'redacted' in block) losses.push('thinking');
    } else if (block.type === 'image' && imageUrlOf(block) !== undefined)
      parts.push({ type: 'image_url', image_url: { url: imageUrlOf(block) ?? '' } });
    else {
      parts.push({ type: 'text', text: text(block) });
      losses.push('block');
    }
  }
  const plain = parts.length === 1 && parts[0]?.type === 'text' ? parts[0].text : undefined;
  const audio = audioBlock(reply);
  const mayBeNull = calls.length > 0 || audio !== undefined;
  const content: Json = plain ?? (parts.length === 0 ? (mayBeNull ? null : '') : parts);
  const record: JsonObject = {
    role: message.role,
    content,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(audio === undefined ? {} : { audio }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(message.tool_call_id === undefined ? {} : { tool_call_id: message.tool_call_id }),
  };
  return { record, losses };
}

/** The audio of a message, and the transcript before it. */
interface AudioReply {
  readonly words?: Block | undefined;
  readonly sound?: Block | undefined;
}

function findAudioReply({ role, content }: Message): AudioReply {
  const at = role === 'assistant' ? content.findIndex((block) => block.type === 'audio' && 'id' in block) : -1;
  const before = content[at - 1];
  return at < 0 ? {} : { sound: content[at], words: before !== undefined && isText(before) ? before : undefined };
}

function audioBlock({ words, sound }: AudioReply): JsonObject | undefined {
  if (sound === undefined) return undefined;
  const json: JsonObject = JSON.parse(JSON.stringify(sound));
  return { ...omitKeys(json, 'type'), ...(words !== undefined && isText(words) ? { transcript: words.text } : {}) };
}

function callArguments(block: Block): string {
  if ('arguments' in block && typeof block.arguments === 'string') return block.arguments;
  return JSON.stringify('parameters' in block ? block.parameters : {});
}
