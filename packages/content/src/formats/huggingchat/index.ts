// Conversations of HuggingChat (chat-ui): messages that list all their ancestors, below a system message.
import type { Json, JsonObject } from '@coppice/core';
import { isBase64 } from '../../base64.ts';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { createConversationReader } from '../conversation-files.ts';
import { getFilledText, getTexts, isJsonObject, listAt, omitKeys, parseAnyTime, textAt } from '../fields.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { checkRole } from '../structure-findings.ts';
import {
  buildModelSource,
  ConversationNodes,
  findFirstFilledText,
  omitUndefinedAttributes,
  toBlocksItem,
  toTextBlocks,
} from '../turn-nodes.ts';

function isConversation(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value) || !Array.isArray(value.messages)) return false;
  const [first] = value.messages;
  return (
    isJsonObject(first) &&
    typeof first.from === 'string' &&
    'content' in first &&
    ('id' in first || 'ancestors' in first)
  );
}

const senders: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);

function fileBlock(file: JsonObject, nodes: ConversationNodes, place: string): Json {
  const name = getFilledText(file, 'name') ?? 'file';
  const mediaType = getFilledText(file, 'mime') ?? 'application/octet-stream';
  const data = textAt(file, 'value') ?? '';
  if (file.type === 'base64' && data !== '' && isBase64(data)) {
    const source = { type: 'base64', data };
    return mediaType.startsWith('image/')
      ? { type: 'image', mediaType, source }
      : { type: 'file', name, mediaType, source };
  }
  nodes.report(buildFinding('import/attachment-missing', 'note', place, name.slice(0, 200)));
  return { ...file, type: 'huggingchat-file', text: `[${name}]` };
}

/** Returns an id, which may be in the database's export form. */
const idOf = (value: Json | undefined) =>
  isJsonObject(value) ? getFilledText(value, '$oid') : typeof value === 'string' ? value : undefined;

/** Parses a time, which may be in the database's export form. */
const fromDate = (value: Json | undefined) => parseAnyTime(isJsonObject(value) ? value.$date : value);

function tree(conversation: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const linked = listAt(conversation, 'messages').some((one) => isJsonObject(one) && Array.isArray(one.ancestors));
  const model = getFilledText(conversation, 'model');
  const roots = new Set<string>();
  const childOrder = new Map<string, readonly string[]>();
  let prompt = getFilledText(conversation, 'preprompt');
  let system: JsonObject | undefined;
  for (const [message, at, index] of nodes.records(conversation, 'messages', place)) {
    const id = getFilledText(message, 'id') ?? String(index);
    const ancestors = getTexts(message, 'ancestors');
    const listed = getTexts(message, 'children');
    // The first message contains the system prompt, or nothing.
    const isText = typeof (message.content ?? '') === 'string';
    if (message.from === 'system' && ancestors.length === 0 && index === 0 && isText) {
      roots.add(id);
      system ??= message;
      prompt ??= getFilledText(message, 'content');
      if (listed.length > 0) childOrder.set('', listed);
      continue;
    }
    nodes.report(...checkRole('sender', message.from, (word) => senders.has(word), at));
    const role = message.from === 'assistant' || message.from === 'system' ? message.from : 'user';
    const above = linked ? (ancestors.at(-1) ?? null) : nodes.tip;
    const thinking = getFilledText(message, 'reasoning');
    const files = listAt(message, 'files').filter(isJsonObject);
    const blocks: Json[] = [
      ...(thinking === undefined ? [] : [{ type: 'thinking', thinking }]),
      ...toTextBlocks(textAt(message, 'content')),
      ...files.map((file) => fileBlock(file, nodes, at)),
    ];
    nodes.add({
      id,
      parent: above !== null && roots.has(above) ? null : above,
      role,
      items: blocks.length === 0 ? [] : [toBlocksItem(blocks)],
      ...(role === 'assistant' ? { source: buildModelSource(getFilledText(message, 'model') ?? model) } : {}),
      status: message.interrupted === true ? 'aborted' : undefined,
      createdAt: nodes.time(message.createdAt, fromDate, at),
      place: at,
      record: message,
    });
    if (listed.length > 0) childOrder.set(id, listed);
  }
  return {
    externalId: idOf(conversation._id) ?? findFirstFilledText(conversation, 'id', 'rootMessageId') ?? place,
    scope: '',
    ...omitUndefinedAttributes({
      title: getFilledText(conversation, 'title'),
      systemPrompt: prompt,
      createdAt: nodes.time(conversation.createdAt, fromDate, place),
      updatedAt: nodes.time(conversation.updatedAt, fromDate, place),
    }),
    nodes: nodes.nodes,
    childOrder,
    ...(linked ? {} : { activeExternalId: nodes.tip }),
    record: { ...omitKeys(conversation, 'messages'), ...(system === undefined ? {} : { system }) },
    ownRecords: roots.size,
    place,
    findings: nodes.findings,
  };
}

/** Imports conversations of HuggingChat. */
export const huggingchat = defineFormat({
  name: 'huggingchat',
  label: 'HuggingChat export',
  summary: 'Conversations of HuggingChat with branches, reasoning and files.',
  keeps: ['branches', 'titles', 'system prompts', 'models', 'times', 'reasoning', 'pictures'],
  reader: createConversationReader({
    confidence: 0.92,
    paths: [['*'], ['conversations', '*']],
    lines: true,
    isConversation,
    tree,
  }),
});
