// Converts messages that consist of parts, as in the AI SDK and programs built on it.
import type { Json, JsonObject, NodeMeta } from '@coppice/core';
import { isBase64 } from '../base64.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys, textAt } from './fields.ts';
import { imageFromUrl } from './openai-messages.ts';
import { buildToolResultMessage } from './tool-results.ts';
import { buildToolUseBlock } from './turn-nodes.ts';

/** The content of a message that becomes one node, and the parts of the message that it came from. */
export interface UiNodePart {
  readonly message: JsonObject;
  readonly meta?: NodeMeta;
  /** For each block, the index of the part from which it was converted. */
  readonly parts: readonly number[];
}

interface UiToolUse {
  readonly block: JsonObject;
  readonly result: UiNodePart | undefined;
}

/** Converts a tool part to a call block and, if the tool has finished, its result. */
function uiTool(part: JsonObject, index: number, fallback: string): UiToolUse {
  const type = textAt(part, 'type') ?? '';
  const toolName =
    getFilledText(part, 'toolName') ?? (type.startsWith('tool-') && type !== 'tool-call' ? type.slice(5) : 'unknown');
  const id = getFilledText(part, 'toolCallId') ?? fallback;
  const input = part.input ?? part.args ?? part.rawInput;
  const block = buildToolUseBlock(id, toolName, input);
  const output = part.output ?? part.result;
  const state = textAt(part, 'state');
  const failed = state === 'output-error' || state === 'output-denied' || part.isError === true;
  if (output === undefined && !failed) return { block, result: undefined };
  const said = failed
    ? (getFilledText(part, 'errorText') ?? (output === undefined ? (state ?? 'failed') : output))
    : (output ?? null);
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  return {
    block,
    result: { ...buildToolResultMessage(id, toolName, [{ type: 'text', text }], failed), parts: [index] },
  };
}

function uiFile(part: JsonObject): JsonObject {
  const url = getFilledText(part, 'url') ?? getFilledText(part, 'image') ?? getFilledText(part, 'data');
  const mediaType = getFilledText(part, 'mediaType') ?? getFilledText(part, 'mimeType');
  if (url === undefined) return { ...part, type: `ai-${textAt(part, 'type') ?? 'file'}` };
  if (mediaType?.startsWith('image/') === true || part.type === 'image') return imageFromUrl(url);
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  const source = data !== undefined && isBase64(data) && data !== '' ? { type: 'base64', data } : { type: 'url', url };
  return {
    type: 'file',
    name: getFilledText(part, 'filename') ?? 'file',
    mediaType: mediaType ?? 'application/octet-stream',
    source,
  };
}

function uiBlock(part: JsonObject): Json | undefined {
  const type = textAt(part, 'type');
  switch (type) {
    case 'step-start':
      return undefined;
    case 'text':
      return { ...omitKeys(part, 'state'), type: 'text', text: textAt(part, 'text') ?? '' };
    case 'reasoning': {
      const metadata = isJsonObject(part.providerMetadata) ? { providerMetadata: part.providerMetadata } : {};
      const signature = getFilledText(objectAt(objectAt(part, 'providerMetadata'), 'anthropic'), 'signature');
      return {
        type: 'thinking',
        thinking: textAt(part, 'text') ?? '',
        ...metadata,
        ...(signature === undefined ? {} : { signature }),
      };
    }
    case 'file':
    case 'image':
      return uiFile(part);
    default:
      return { ...part, type: type ?? 'x-part' };
  }
}

/** Splits a message into nodes: the calls of a step, their results, the next step. */
export function splitUiMessage(message: JsonObject, id: string): UiNodePart[] {
  const role = textAt(message, 'role') ?? 'user';
  const known = role === 'assistant' || role === 'system' ? role : 'user';
  const metadata = objectAt(message, 'metadata');
  const model = getFilledText(metadata, 'model') ?? getFilledText(metadata, 'modelId');
  const source =
    known === 'user'
      ? { source: { type: 'user' } }
      : known === 'assistant' && model !== undefined
        ? { source: { type: 'model', model_name: model } }
        : {};
  const ranges: UiNodePart[] = [];
  let blocks: Json[] = [];
  let from: number[] = [];
  let results: UiNodePart[] = [];
  const add = (block: Json, index: number) => {
    blocks.push(block);
    from.push(index);
  };
  const close = () => {
    if (blocks.length > 0) ranges.push({ message: { role: known, content: blocks }, meta: source, parts: from });
    for (const result of results) ranges.push(result);
    blocks = [];
    from = [];
    results = [];
  };
  const parts = listAt(message, Array.isArray(message.parts) ? 'parts' : 'content');
  const content = textAt(message, 'content');
  if (parts.length === 0 && content !== undefined) add({ type: 'text', text: content }, 0);
  for (const [index, part] of parts.entries()) {
    if (!isJsonObject(part)) {
      add(typeof part === 'string' ? { type: 'text', text: part } : { type: 'x-value', value: part }, index);
      continue;
    }
    const type = textAt(part, 'type') ?? '';
    if (type === 'dynamic-tool' || type.startsWith('tool-')) {
      const { block, result } = uiTool(part, index, `${id}-call-${index}`);
      add(block, index);
      if (result !== undefined) results.push(result);
      continue;
    }
    // The model generated this content after it received the results, so it starts a new node.
    if (type === 'step-start' || results.length > 0) close();
    const block = uiBlock(part);
    if (block !== undefined) add(block, index);
  }
  close();
  return ranges;
}
