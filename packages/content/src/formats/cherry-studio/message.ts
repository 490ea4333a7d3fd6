// Converts a message of a topic. Its blocks contain text, reasoning, calls and results. Calls and results become
// separate messages in a chain.
import type { Json, JsonObject, NodeMeta, NodeStatus } from '@coppice/core';
import { type Attachment, type AttachmentFiles, buildAttachmentBlock } from '../attachments.ts';
import { getFilledText, isJsonObject, listAt, numberAt, objectAt, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { imageFromUrl } from '../openai-messages.ts';
import { buildToolResultMessage } from '../tool-results.ts';
import { buildToolUseBlock } from '../turn-nodes.ts';

/** The content of a message that becomes one node; a message can become several nodes. */
export interface CherryPart {
  readonly message: JsonObject;
  readonly meta: NodeMeta;
}

/** Where the conversion of a topic finds files, and where it puts blobs and findings. */
export interface CherryTopicCollector {
  readonly files: AttachmentFiles;
  readonly blobs: Map<string, Attachment>;
  readonly findings: ImportFinding[];
  readonly place: string;
}

const statuses: ReadonlyMap<string, NodeStatus> = new Map([
  ['sending', 'interrupted'],
  ['pending', 'interrupted'],
  ['searching', 'interrupted'],
  ['processing', 'interrupted'],
  ['paused', 'aborted'],
  ['error', 'error'],
]);

/** Returns how a reply ended; undefined for success. */
export function cherryStatus(message: JsonObject): NodeStatus | undefined {
  return statuses.get(textAt(message, 'status') ?? '');
}

/** Returns the author of a message as a node's `source`; undefined if the model is unknown. */
function cherrySource(message: JsonObject): JsonObject | undefined {
  if (message.role === 'user') return { type: 'user' };
  const model = objectAt(message, 'model');
  const modelName = getFilledText(model, 'id') ?? getFilledText(message, 'modelId');
  if (modelName === undefined) return undefined;
  const provider = getFilledText(model, 'provider');
  const duration = numberAt(objectAt(message, 'metrics'), 'time_completion_millsec');
  return {
    type: 'model',
    ...(provider === undefined ? {} : { provider }),
    model_name: modelName,
    ...(isJsonObject(message.usage) ? { usage: message.usage } : {}),
    ...(duration === undefined ? {} : { duration }),
  };
}

async function fileBlock(block: JsonObject, around: CherryTopicCollector): Promise<Json> {
  const file = objectAt(block, 'file');
  const url = getFilledText(block, 'url');
  if (url !== undefined && block.type === 'image') return imageFromUrl(url);
  const id = getFilledText(file, 'id');
  const found = id === undefined ? undefined : await around.files.find(id);
  const name = getFilledText(file, 'origin_name') ?? getFilledText(file, 'name');
  if (found !== undefined) {
    around.blobs.set(found.hash, found);
    return buildAttachmentBlock(found, name);
  }
  around.findings.push(
    buildFinding('import/attachment-missing', 'note', around.place, name ?? id ?? buildFindingDetail('no-name')),
  );
  return { ...block, type: `cherry-${textAt(block, 'type') ?? 'file'}` };
}

interface ToolUseRecord {
  readonly call: JsonObject;
  readonly result: CherryPart | undefined;
}

function toolOfPart(block: JsonObject, fallback: string): ToolUseRecord {
  const raw = objectAt(objectAt(block, 'metadata'), 'rawMcpToolResponse');
  const id = getFilledText(block, 'toolId') ?? getFilledText(raw, 'id') ?? fallback;
  const name = getFilledText(block, 'toolName') ?? getFilledText(objectAt(raw, 'tool'), 'name') ?? 'unknown';
  const given = block.arguments ?? raw.arguments;
  const call = buildToolUseBlock(id, name, given);
  const said = block.content ?? raw.response;
  if (said === undefined || said === null) return { call, result: undefined };
  const failed = raw.status === 'error' || raw.status === 'cancelled' || block.status === 'error';
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  return { call, result: buildToolResultMessage(id, name, [{ type: 'text', text }], failed) };
}

/** Wraps code in a fence that is longer than any fence inside the code. */
function fencedCode(code: string, language: string): string {
  let fence = '```';
  while (code.includes(fence)) fence += '`';
  return `${fence}${language}\n${code}\n${fence}`;
}

async function cherryContent(block: JsonObject, around: CherryTopicCollector): Promise<Json> {
  const type = textAt(block, 'type') ?? 'unknown';
  const content = textAt(block, 'content');
  switch (type) {
    case 'main_text':
      return { type: 'text', text: content ?? '' };
    case 'code':
      return { type: 'text', text: fencedCode(content ?? '', textAt(block, 'language') ?? '') };
    case 'thinking':
      return { type: 'thinking', thinking: content ?? '' };
    case 'image':
    case 'file':
      return fileBlock(block, around);
    default:
      return { ...block, type: `cherry-${type}` };
  }
}

/** Converts a message to a chain of parts, the last of which has the message's id. */
export async function toCherryParts(
  message: JsonObject,
  blocks: readonly JsonObject[],
  around: CherryTopicCollector,
): Promise<CherryPart[]> {
  const role = message.role === 'user' || message.role === 'system' ? message.role : 'assistant';
  const source = cherrySource(message);
  const meta: NodeMeta = source === undefined ? {} : { source };
  const parts: CherryPart[] = [];
  let content: Json[] = [];
  let results: CherryPart[] = [];
  const close = () => {
    if (content.length > 0) parts.push({ message: { role, content }, meta });
    for (const result of results) parts.push(result);
    content = [];
    results = [];
  };
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'tool' && role === 'assistant') {
      const { call, result } = toolOfPart(block, `${textAt(message, 'id') ?? ''}-call-${index}`);
      content.push(call);
      if (result !== undefined) results.push(result);
      continue;
    }
    // The model generated this content after it received the results, so it becomes a new message.
    if (results.length > 0) close();
    content.push(await cherryContent(block, around));
  }
  // Older messages have no blocks, only text.
  const text = getFilledText(message, 'content');
  if (blocks.length === 0 && text !== undefined) content.push({ type: 'text', text });
  if (blocks.length === 0)
    for (const file of listAt(message, 'files'))
      if (isJsonObject(file)) content.push(await fileBlock({ type: 'file', file }, around));
  close();
  return parts;
}
