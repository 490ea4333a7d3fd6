// The data export of Claude.ai, and conversations that browser tools save from its API.
import type { Json, JsonObject, NodeMeta } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import {
  fromAnthropicBlock,
  fromAnthropicToolResult,
  isAnthropicToolResult,
  toContentBlocks,
} from '../anthropic-blocks.ts';
import { defineFormat, type ImportedNode, type ImportedTree, type ReadEvent } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { checkTime, getFilledText, isJsonObject, listAt, omitKeys, parseIsoTime, textAt } from '../fields.ts';
import { readDocumentRecords, readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { type ImportInput, type InputFile, type InputSample, isJsonLinesFile } from '../input.ts';
import {
  buildNonObjectFinding,
  checkKnownValue,
  checkParentId,
  checkRole,
  checkRootCount,
  countRoots,
  findForwardParents,
  findMissingFiles,
} from '../structure-findings.ts';
import { buildToolResultMeta } from '../tool-results.ts';
import { omitUndefinedAttributes } from '../turn-nodes.ts';

const name = 'claude-ai';

function isClaudeConversation(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.uuid === 'string' && Array.isArray(value.chat_messages);
}

function isClaudeExport(json: Json | undefined): boolean {
  if (isClaudeConversation(json)) return true;
  return Array.isArray(json) && json.slice(0, 20).some(isClaudeConversation);
}

function detect(sample: InputSample): number {
  return sample.files.some((file) => isClaudeExport(file.json)) ? 0.95 : 0;
}

// Fields of a block about transport and display, which are not content.
const transport = ['start_timestamp', 'stop_timestamp', 'flags', 'alternative_display_type'];

function withoutTransportFields(block: Json): Json {
  if (!isJsonObject(block)) return block;
  const bare = omitKeys(block, ...transport);
  return Array.isArray(bare.citations) && bare.citations.length === 0 ? omitKeys(bare, 'citations') : bare;
}

/** A part of a message that becomes a node: the calls so far, a result, or the remaining content. */
interface ClaudePart {
  readonly message: JsonObject;
  readonly meta?: NodeMeta;
}

/** Pairs calls with results. Calls without an id are paired in order. */
class ToolPairing {
  readonly #open: string[] = [];
  readonly #id: string;
  #count = 0;

  constructor(id: string) {
    this.#id = id;
  }

  call(block: Json): Json {
    const made = fromAnthropicBlock(block, `${this.#id}-call-${this.#count++}`);
    if (isJsonObject(made) && made.type === 'tool-use' && typeof made.id === 'string') this.#open.push(made.id);
    return made;
  }

  /** Returns the call that a result answers: by id, else the first call without a result. */
  answered(block: JsonObject): string | undefined {
    const named = getFilledText(block, 'tool_use_id');
    const at = named === undefined ? 0 : this.#open.indexOf(named);
    const [found] = at === -1 ? [] : this.#open.splice(at, 1);
    return named ?? found;
  }
}

/** Returns the recorded reason why a reply ended, as a field of its source. */
function finishReasonOf(message: JsonObject): JsonObject {
  const reason = getFilledText(message, 'stop_reason');
  return reason === undefined ? {} : { finish_reason: reason };
}

/** Converts a message with calls and results to a chain of separate messages. */
function claudeParts(message: JsonObject, model: string | undefined): { parts: ClaudePart[]; unpaired: number } {
  const id = textAt(message, 'uuid') ?? '';
  const role = textAt(message, 'sender') === 'human' ? 'user' : 'assistant';
  const pairing = new ToolPairing(id);
  const parts: ClaudePart[] = [];
  let blocks: Json[] = [];
  let unpaired = 0;
  const source =
    role === 'user'
      ? { source: { type: 'user' } }
      : model === undefined
        ? {}
        : { source: { type: 'model', provider: 'anthropic', model_name: model, ...finishReasonOf(message) } };
  const close = () => {
    if (blocks.length > 0) parts.push({ message: { role, content: blocks }, meta: source });
    blocks = [];
  };
  const content = toContentBlocks(message);
  for (const block of content) {
    if (!isAnthropicToolResult(block)) {
      blocks.push(pairing.call(withoutTransportFields(block)));
      continue;
    }
    close();
    const call = pairing.answered(block);
    if (call === undefined) unpaired++;
    const result = fromAnthropicToolResult(block, call ?? `${id}-result-${parts.length}`);
    const toolName = getFilledText(block, 'name');
    parts.push({
      message: { ...result.message, content: listAt(result.message, 'content').map(withoutTransportFields) },
      meta: buildToolResultMeta(toolName ?? 'unknown', result.isError),
    });
  }
  const text = getFilledText(message, 'text');
  if (content.length === 0 && text !== undefined) blocks.push({ type: 'text', text });
  for (const attachment of claudeFiles(message)) blocks.push(attachment);
  close();
  return { parts, unpaired };
}

/** Returns the attachments of a message. Exports contain their text, but only the names of images. */
function claudeFiles(message: JsonObject): Json[] {
  const blocks: Json[] = [];
  for (const file of listAt(message, 'attachments')) {
    if (!isJsonObject(file)) continue;
    const text = textAt(file, 'extracted_content');
    const mediaType = getFilledText(file, 'file_type');
    if (text === undefined) blocks.push({ ...file, type: 'claude-attachment' });
    else
      blocks.push({
        type: 'file',
        name: getFilledText(file, 'file_name') ?? 'attachment',
        mediaType: mediaType !== undefined && /^[a-z]+\/[\w.+-]+$/i.test(mediaType) ? mediaType : 'text/plain',
        source: { type: 'text', text },
      });
  }
  const listed = listAt(message, 'files_v2').length > 0 ? listAt(message, 'files_v2') : listAt(message, 'files');
  for (const file of listed) if (isJsonObject(file)) blocks.push({ ...file, type: 'claude-file' });
  return blocks;
}

const senders: ReadonlySet<string> = new Set(['human', 'assistant']);
const blockTypes: ReadonlySet<string> = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'voice_note',
  'token_budget',
  'image',
  'document',
]);

// The null UUID that first messages have as their parent.
const nullUuidPattern = /^0{8}-0{4}-[04]0{3}-[08]0{3}-0{12}$/;

/** The messages of a conversation as nodes. */
interface ClaudeMessages {
  readonly nodes: readonly ImportedNode[];
  /** Whether the messages name their parents; older exports contain one branch as a list. */
  readonly linked: boolean;
  readonly lastId: string | null;
}

/** Converts the messages of a conversation; adds what is unusual about them to `findings`. */
function claudeMessages(conversation: JsonObject, place: string, findings: ImportFinding[]): ClaudeMessages {
  const messages = listAt(conversation, 'chat_messages');
  const linked = messages.some((one) => isJsonObject(one) && 'parent_message_uuid' in one);
  const model = getFilledText(conversation, 'model');
  const nodes: ImportedNode[] = [];
  let previous: string | null = null;
  for (const [index, message] of messages.entries()) {
    const at = `${place}.chat_messages[${index}]`;
    if (!isJsonObject(message)) {
      findings.push(buildNonObjectFinding(at));
      continue;
    }
    const externalId = getFilledText(message, 'uuid') ?? `${index}`;
    const named = getFilledText(message, 'parent_message_uuid');
    let parent = linked ? (named === undefined || nullUuidPattern.test(named) ? null : named) : previous;
    if (linked && !('parent_message_uuid' in message) && previous !== null) {
      parent = previous;
      findings.push(buildFinding('import/inferred', 'repair', at, buildFindingDetail('parent-inferred')));
    }
    const createdAt = parseIsoTime(message.created_at);
    for (const one of checkTime(message.created_at, createdAt, at)) findings.push(one);
    for (const one of checkParentId(message.parent_message_uuid, at)) findings.push(one);
    for (const one of checkRole('sender', message.sender, (word) => senders.has(word), at)) findings.push(one);
    for (const block of listAt(message, 'content')) {
      const type = isJsonObject(block) ? block.type : undefined;
      for (const one of checkKnownValue('block', type, (word) => blockTypes.has(word), at)) findings.push(one);
    }
    const { parts, unpaired } = claudeParts(message, getFilledText(message, 'model') ?? model);
    if (unpaired > 0)
      findings.push(
        buildFinding('import/tool-pairing', 'note', at, buildFindingDetail('results-without-call', unpaired)),
      );
    const last = Math.max(0, parts.length - 1);
    for (let part = 0; part <= last; part++) {
      const own = part === last ? externalId : `${externalId}/${part}`;
      const meta = parts[part]?.meta;
      nodes.push({
        externalId: own,
        parentExternalId: parent,
        message: parts[part]?.message ?? null,
        records: part === last ? 1 : 0,
        place: at,
        ...(part === last ? { record: message } : {}),
        ...(createdAt === undefined ? {} : { createdAt }),
        ...(meta === undefined ? {} : { meta }),
        ...(message.stop_reason === 'user_canceled' ? { status: 'aborted' } : {}),
      });
      parent = own;
    }
    previous = externalId;
  }
  return { nodes, linked, lastId: previous };
}

function claudeTree(conversation: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const findings = [...found];
  const { nodes, linked, lastId } = claudeMessages(conversation, place, findings);
  for (const one of findForwardParents(nodes)) findings.push(one);
  for (const one of checkRootCount(countRoots(nodes), place)) findings.push(one);
  for (const one of findMissingFiles(nodes)) findings.push(one);
  const leaf = getFilledText(conversation, 'current_leaf_message_uuid');
  return {
    externalId: getFilledText(conversation, 'uuid') ?? `sha256:${sha256Hex(canonicalJson(conversation))}`,
    scope: '',
    ...omitUndefinedAttributes({
      title: getFilledText(conversation, 'name'),
      createdAt: parseIsoTime(conversation.created_at),
      updatedAt: parseIsoTime(conversation.updated_at),
    }),
    ...(conversation.is_starred === true ? { attributes: { pinned: true } } : {}),
    nodes,
    // Without parent ids the list is one branch, and its last message is the active node.
    ...(leaf !== undefined ? { activeExternalId: leaf } : linked ? {} : { activeExternalId: lastId }),
    record: omitKeys(conversation, 'chat_messages'),
    place,
    findings,
  };
}

async function* readClaudeFile(file: InputFile): AsyncGenerator<ReadEvent> {
  const records = (await isJsonLinesFile(file)) ? readLineRecords(file) : readDocumentRecords(file, [['*']]);
  for await (const record of records) {
    if (record.type === 'finding') yield record;
    else if (record.type === 'rest') {
      if (isJsonObject(record.value) && Array.isArray(record.value.chat_messages))
        yield { type: 'tree', tree: claudeTree(record.value, file.name, []) };
    } else if (isJsonObject(record.value) && Array.isArray(record.value.chat_messages))
      yield { type: 'tree', tree: claudeTree(record.value, record.place, record.findings) };
    else
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', 'note', record.place, buildFindingDetail('no-messages'), 1),
      };
  }
}

function read(input: ImportInput): AsyncGenerator<ReadEvent> {
  return readProgramFiles(input, ({ json }) => isClaudeExport(json), readClaudeFile);
}

/** Imports Claude.ai's export, with and without parent ids, and single conversations from its API. */
export const claudeAi = defineFormat({
  name,
  label: 'Claude.ai export',
  summary:
    'Conversations as Claude.ai exports them, in a list or one per line, with branches where the export has them.',
  keeps: ['branches', 'titles', 'models', 'times', 'reasoning', 'tools', 'files'],
  reader: { detect, read },
});
