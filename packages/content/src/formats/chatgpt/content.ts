// Converts the message of a ChatGPT node to a canonical message.
import type { Json, JsonObject, NodeKind, NodeMeta, NodeStatus } from '@coppice/core';
import { parseFiniteJson } from '../../finite-json.ts';
import { type Attachment, buildAttachmentBlock } from '../attachments.ts';
import { getFilledText, isJsonObject, listAt, numberAt, objectAt, omitKeys, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { hasTextFields } from '../text-fields.ts';

/** The canonical form of one node's message, and what the reader must still do for it. */
export interface ConvertedChatgptMessage {
  /** Null if the node has no content. */
  readonly message: JsonObject | null;
  readonly kind?: Exclude<NodeKind, 'root'>;
  readonly status?: NodeStatus;
  readonly meta: NodeMeta;
  readonly blobs: readonly Attachment[];
  /**
   * The ids of referenced files that were not passed. The caller looks for these files and converts the message again.
   */
  readonly wanted: readonly string[];
  readonly findings: readonly ImportFinding[];
}

/** Returns the tool that a message is addressed to; undefined if it is addressed to the user. */
export function recipientOf(message: JsonObject): string | undefined {
  const recipient = getFilledText(message, 'recipient');
  const role = textAt(objectAt(message, 'author'), 'role');
  return role === 'assistant' && recipient !== undefined && recipient !== 'all' ? recipient : undefined;
}

/** Derives the id of a call from its node, because exports have no call ids. */
export function deriveCallId(nodeId: string): string {
  return `call-${nodeId}`;
}

const chatgptText = (value: string): JsonObject => ({ type: 'text', text: value });

/** Returns the id in a pointer such as `sediment://file_0001` or `file-service://file-abc`. */
function assetId(pointer: string): string {
  return pointer.replace(/^[a-z-]+:\/\//, '').replace(/[#?].*$/s, '');
}

interface MessageDraft {
  readonly blocks: Json[];
  readonly blobs: Attachment[];
  readonly findings: ImportFinding[];
  /** The ids of referenced files that are not in `files`. */
  readonly wanted: string[];
  readonly place: string;
  readonly files: AttachmentsById;
}

/** Attachment files by the id in their name. */
export type AttachmentsById = ReadonlyMap<string, Attachment>;

const noFiles: AttachmentsById = new Map();

function attachedFile(id: string, draft: MessageDraft): Attachment | undefined {
  const found = draft.files.get(id);
  if (found === undefined) draft.wanted.push(id);
  return found;
}

function assetBlock(part: JsonObject, draft: MessageDraft): Json {
  const pointer = getFilledText(part, 'asset_pointer');
  const found = pointer === undefined ? undefined : attachedFile(assetId(pointer), draft);
  if (found === undefined) {
    draft.findings.push(
      buildFinding('import/attachment-missing', 'note', draft.place, pointer ?? buildFindingDetail('no-address')),
    );
    const type = `chatgpt-${textAt(part, 'content_type') ?? 'asset'}`;
    return { ...part, type };
  }
  draft.blobs.push(found);
  return buildAttachmentBlock(found);
}

/** Returns blocks for the sound of a voice chat, and for its video and pictures if there are any. */
function recordedBlocks(part: JsonObject, draft: MessageDraft): Json[] {
  const video = part.video_container_asset_pointer;
  const seen = [...(video === null || video === undefined ? [] : [video]), ...listAt(part, 'frames_asset_pointers')];
  const blocks = [assetBlock(objectAt(part, 'audio_asset_pointer'), draft)];
  for (const one of seen) {
    const asset = typeof one === 'string' ? { asset_pointer: one } : isJsonObject(one) ? one : { value: one };
    blocks.push(assetBlock(asset, draft));
  }
  return blocks;
}

function addPart(part: Json, draft: MessageDraft): void {
  if (typeof part === 'string') {
    if (part !== '') draft.blocks.push(chatgptText(part));
    return;
  }
  if (!isJsonObject(part)) {
    draft.blocks.push({ type: 'chatgpt-value', value: part });
    return;
  }
  const type = textAt(part, 'content_type');
  if (type === 'audio_transcription') draft.blocks.push({ ...part, type: 'text', text: textAt(part, 'text') ?? '' });
  else if (type === 'image_asset_pointer' || type === 'audio_asset_pointer') draft.blocks.push(assetBlock(part, draft));
  else if (type === 'real_time_user_audio_video_asset_pointer')
    for (const block of recordedBlocks(part, draft)) draft.blocks.push(block);
  else draft.blocks.push({ ...part, type: `chatgpt-${type ?? 'part'}` });
}

/** Content types of plain text, with the fields that contain the text. The fields are joined by line feeds. */
const plainFields: ReadonlyMap<Json | undefined, readonly string[]> = new Map<Json, readonly string[]>([
  ['code', ['text']],
  ['execution_output', ['text']],
  ['system_error', ['text']],
  ['tether_browsing_code', ['text']],
  ['tether_quote', ['title', 'url', 'text']],
  ['sonic_webpage', ['title', 'url', 'text']],
  ['tether_browsing_display', ['summary', 'result']],
  ['user_editable_context', ['user_profile', 'user_instructions']],
  ['model_editable_context', ['model_set_context']],
  ['reasoning_recap', ['content']],
]);

/** Returns the text of a plain text content type; undefined for others. */
function chatgptPlainText(content: JsonObject): string | undefined {
  return plainFields
    .get(content.content_type)
    ?.map((key) => getFilledText(content, key))
    .filter((one) => one !== undefined)
    .join('\n');
}

function thoughtBlocks(content: JsonObject): Json[] {
  const blocks: Json[] = [];
  for (const thought of listAt(content, 'thoughts')) {
    if (!isJsonObject(thought)) continue;
    const thinking = getFilledText(thought, 'content') ?? getFilledText(thought, 'summary');
    const summary = getFilledText(thought, 'summary');
    if (thinking !== undefined)
      blocks.push({ type: 'thinking', thinking, ...(summary === undefined ? {} : { summary }) });
  }
  return blocks;
}

function readContent(content: JsonObject, draft: MessageDraft): void {
  const type = textAt(content, 'content_type');
  const plain = chatgptPlainText(content);
  if (plain !== undefined) {
    if (plain !== '') draft.blocks.push(chatgptText(plain));
  } else if (type === 'thoughts') {
    for (const block of thoughtBlocks(content)) draft.blocks.push(block);
  } else if (type === 'text' || type === 'multimodal_text' || (type === undefined && Array.isArray(content.parts))) {
    for (const part of listAt(content, 'parts')) addPart(part, draft);
  } else if (type !== undefined) {
    draft.findings.push(buildFinding('import/unknown-type', 'note', draft.place, type));
    draft.blocks.push({ ...content, type: `chatgpt-${type}` });
  }
}

/** Builds a tool call with its code or JSON as parameters. */
function callBlock(message: JsonObject, recipient: string, nodeId: string, blocks: readonly Json[]): JsonObject {
  const content = objectAt(message, 'content');
  const input = blocks.map((block) => (isJsonObject(block) ? (textAt(block, 'text') ?? '') : '')).join('');
  const language = getFilledText(content, 'language');
  let parameters: JsonObject = { input, ...(language === undefined ? {} : { language }) };
  try {
    const value = parseFiniteJson(input);
    if (isJsonObject(value)) parameters = value;
  } catch {
    // The text is not JSON: code or plain text becomes a parameter.
  }
  return { type: 'tool-use', id: deriveCallId(nodeId), name: recipient, parameters };
}

function messageStatus(message: JsonObject): NodeStatus | undefined {
  const ended = textAt(objectAt(objectAt(message, 'metadata'), 'finish_details'), 'type');
  if (ended === 'interrupted') return 'aborted';
  const status = textAt(message, 'status');
  if (status === 'in_progress' || status === 'finished_partial_completion') return 'interrupted';
  return objectAt(message, 'content').content_type === 'system_error' ? 'error' : undefined;
}

function messageMeta(message: JsonObject, role: string): NodeMeta {
  const metadata = objectAt(message, 'metadata');
  const model = getFilledText(metadata, 'model_slug') ?? getFilledText(metadata, 'default_model_slug');
  const ended = textAt(objectAt(metadata, 'finish_details'), 'type');
  const seconds = numberAt(metadata, 'finished_duration_sec');
  const hidden = metadata.is_visually_hidden_from_conversation === true ? { hidden: true } : {};
  if (role === 'user') return { source: { type: 'user' }, ...hidden };
  if (role === 'tool')
    return {
      source: { type: 'tool_result', tool_name: textAt(objectAt(message, 'author'), 'name') ?? 'unknown' },
      ...hidden,
    };
  if (role !== 'assistant' || model === undefined) return hidden;
  return {
    source: {
      type: 'model',
      provider: 'openai',
      model_name: model,
      ...(ended === undefined ? {} : { finish_reason: ended }),
      ...(seconds === undefined ? {} : { duration: seconds * 1000 }),
    },
    ...hidden,
  };
}

function addFiles(message: JsonObject, draft: MessageDraft): void {
  for (const attached of listAt(objectAt(message, 'metadata'), 'attachments')) {
    if (!isJsonObject(attached)) continue;
    const id = getFilledText(attached, 'id');
    const found = id === undefined ? undefined : attachedFile(id, draft);
    if (found !== undefined && draft.blobs.some((one) => one.hash === found.hash)) continue;
    if (found === undefined) {
      draft.findings.push(
        buildFinding('import/attachment-missing', 'note', draft.place, getFilledText(attached, 'name') ?? id ?? ''),
      );
      draft.blocks.push({ ...attached, type: 'chatgpt-attachment' });
    } else {
      draft.blobs.push(found);
      draft.blocks.push(buildAttachmentBlock(found, getFilledText(attached, 'name') ?? found.name));
    }
  }
}

const markers: ReadonlySet<unknown> = new Set(['user_editable_context', 'model_editable_context']);

/**
 * Converts a node's message. `callId` is the call that a tool message answers. Synchronous, because few messages refer
 * to a file, and awaiting each message would cost more than the conversion.
 */
export function readChatgptMessage(
  message: JsonObject,
  given: {
    readonly nodeId: string;
    readonly callId: string | undefined;
    readonly place: string;
    readonly files?: AttachmentsById;
  },
): ConvertedChatgptMessage {
  const { nodeId, callId, place, files = noFiles } = given;
  const draft: MessageDraft = { blocks: [], blobs: [], findings: [], wanted: [], place, files };
  const content = objectAt(message, 'content');
  const role = textAt(objectAt(message, 'author'), 'role') ?? 'assistant';
  const status = messageStatus(message);
  readContent(content, draft);
  const recipient = recipientOf(message);
  let blocks: readonly Json[] = draft.blocks;
  if (recipient !== undefined && content.content_type !== 'thoughts')
    blocks = [callBlock(message, recipient, nodeId, draft.blocks)];
  else addFiles(message, draft);
  const rest = {
    meta: messageMeta(message, role),
    ...(status === undefined ? {} : { status }),
    blobs: draft.blobs,
    wanted: draft.wanted,
    findings: draft.findings,
  };
  if (role === 'tool') {
    const answers = callId ?? deriveCallId(nodeId);
    const found = blocks.length === 0 ? [chatgptText('')] : blocks;
    return { ...rest, message: { role, content: found, tool_call_id: answers } };
  }
  if (blocks.length === 0) {
    if (hasTextFields(omitKeys(message, 'metadata')))
      draft.findings.push(
        buildFinding('import/message-unreadable', 'repair', place, buildFindingDetail('text-in-unknown-fields')),
      );
    return { ...rest, message: null, kind: 'state' };
  }
  if (markers.has(content.content_type))
    return { ...rest, message: { role: 'system', content: blocks }, kind: 'injected' };
  if (content.content_type === 'reasoning_recap')
    return { ...rest, message: { role: 'system', content: blocks }, kind: 'state' };
  const known = role === 'user' || role === 'system' ? role : 'assistant';
  return { ...rest, message: { role: known, content: blocks } };
}
