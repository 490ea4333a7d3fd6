// Conversations of Cursor, from its database (`globalStorage/state.vscdb`): one row for a conversation, with the order
// of its messages, and one row for each message ("bubble"). `openForeignTables` of the stores joins the rows of a
// conversation. Other rows of the database, such as sign-ins, are not read. There is no official description; the
// reader follows public descriptions of versions 3 to 10.
import type { Json, JsonObject } from '@coppice/core';
import { describeValue } from '@coppice/core/decode';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { createConversationReader } from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, numberAt, objectAt, omitKeys, parseAnyTime, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import type { ReplyItem } from '../reply-items.ts';
import { checkRole } from '../structure-findings.ts';
import {
  buildModelSource,
  buildToolResultItem,
  buildToolUseBlock,
  ConversationNodes,
  findFirstFilledText,
  omitUndefinedAttributes,
  parseStoredArguments,
  toBlocksItem,
  toTextBlocks,
} from '../turn-nodes.ts';

function isConversation(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value) || !isJsonObject(value.composer) || !Array.isArray(value.bubbles)) return false;
  return getFilledText(value.composer, 'composerId') !== undefined;
}

/** A message of a conversation; `value` is undefined if the database has only its id. */
interface Bubble {
  readonly id: string;
  readonly value: JsonObject | undefined;
  readonly place: string;
}

/** Returns the messages in order. Later versions list message ids, early versions the messages themselves. */
function* bubblesOf(conversation: JsonObject, place: string): Generator<Bubble> {
  const composer = objectAt(conversation, 'composer');
  const known = new Map<string, JsonObject>(
    Object.entries(objectAt(composer, 'conversationMap')).filter((entry): entry is [string, JsonObject] =>
      isJsonObject(entry[1]),
    ),
  );
  for (const bubble of listAt(conversation, 'bubbles').filter(isJsonObject))
    known.set(getFilledText(bubble, 'bubbleId') ?? '', bubble);
  const headers = listAt(composer, 'fullConversationHeadersOnly');
  const inline = listAt(composer, 'conversation');
  for (const [index, header] of (headers.length > 0 ? headers : inline).entries()) {
    const at = `${place}.${headers.length > 0 ? 'fullConversationHeadersOnly' : 'conversation'}[${index}]`;
    const id = isJsonObject(header) ? (getFilledText(header, 'bubbleId') ?? `${index}`) : `${index}`;
    const own = headers.length > 0 ? undefined : header;
    yield { id, value: known.get(id) ?? (isJsonObject(own) ? own : undefined), place: at };
  }
}

/** Reads reasoning, which is a text, or a text with a signature. */
function reasoningItems(bubble: JsonObject): ReplyItem[] {
  const { thinking } = bubble;
  const text = typeof thinking === 'string' ? thinking : textAt(objectAt(bubble, 'thinking'), 'text');
  const signature = getFilledText(objectAt(bubble, 'thinking'), 'signature');
  if (text === undefined || text === '') return [];
  return [toBlocksItem([{ type: 'thinking', thinking: text, ...(signature === undefined ? {} : { signature }) }])];
}

/** Reads a tool call and its result, which are in the same message. */
function toolItems(bubble: JsonObject, id: string): ReplyItem[] {
  const tool = objectAt(bubble, 'toolFormerData');
  const name = getFilledText(tool, 'name') ?? (typeof tool.tool === 'string' ? tool.tool : undefined);
  if (name === undefined) return [];
  const callId = findFirstFilledText(tool, 'toolCallId', 'modelCallId') ?? `${id}-call`;
  const call = toBlocksItem([buildToolUseBlock(callId, name, parseStoredArguments(tool.rawArgs ?? tool.params))]);
  const status = getFilledText(objectAt(tool, 'additionalData'), 'status') ?? getFilledText(tool, 'status');
  const isError = status === 'error' || tool.error !== undefined;
  const result = tool.result ?? tool.error;
  if (result === undefined && !isError) return [call];
  return [call, buildToolResultItem(callId, name, result, isError)];
}

function sourceOf(bubble: JsonObject, composer: JsonObject): JsonObject {
  const named =
    getFilledText(objectAt(bubble, 'modelInfo'), 'modelName') ??
    getFilledText(objectAt(composer, 'modelConfig'), 'modelName');
  const count = objectAt(bubble, 'tokenCount');
  const [input, output] = [numberAt(count, 'inputTokens') ?? 0, numberAt(count, 'outputTokens') ?? 0];
  // "default" lets the service choose a model, and the service does not record its choice.
  return buildModelSource(
    named === 'default' ? undefined : named,
    input + output === 0 ? {} : { usage: { input_tokens: input, output_tokens: output } },
  );
}

function tree(conversation: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const composer = objectAt(conversation, 'composer');
  const listed = new Set<string>();
  for (const { id, value: bubble, place: at } of bubblesOf(conversation, place)) {
    listed.add(id);
    if (bubble === undefined) {
      nodes.report(buildFinding('import/pointer-missing', 'loss', at, buildFindingDetail('message', id.slice(0, 80))));
      continue;
    }
    const type = bubble.type === 1 ? 'user' : bubble.type === 2 ? 'assistant' : describeValue(bubble.type);
    nodes.report(...checkRole('role', type, (word) => word === 'user' || word === 'assistant', at));
    const role = type === 'assistant' ? 'assistant' : 'user';
    for (const _ of listAt(bubble, 'images'))
      nodes.report(buildFinding('import/attachment-missing', 'note', at, buildFindingDetail('image')));
    const text = toBlocksItem(toTextBlocks(textAt(bubble, 'text')));
    const items = role === 'user' ? [text] : [...reasoningItems(bubble), text, ...toolItems(bubble, id)];
    nodes.add({
      id,
      parent: nodes.tip,
      role,
      items: items.filter((item) => item.type !== 'blocks' || item.blocks.length > 0),
      ...(role === 'assistant' ? { source: sourceOf(bubble, composer) } : {}),
      createdAt: nodes.time(bubble.createdAt, parseAnyTime, at),
      place: at,
      record: bubble,
    });
  }
  // If the user returned to an earlier message, the conversation keeps the later messages without their position.
  for (const [index, bubble] of listAt(conversation, 'bubbles').entries()) {
    const id = isJsonObject(bubble) ? (getFilledText(bubble, 'bubbleId') ?? '') : '';
    if (!listed.has(id))
      nodes.report(buildFinding('import/orphan', 'loss', `${place}.bubbles[${index}]`, id.slice(0, 80), 1));
  }
  const branch = getFilledText(composer, 'createdOnBranch');
  return {
    externalId: getFilledText(composer, 'composerId') ?? place,
    scope: '',
    ...omitUndefinedAttributes({
      title: findFirstFilledText(composer, 'name', 'subtitle'),
      createdAt: nodes.time(composer.createdAt, parseAnyTime, place),
      updatedAt: parseAnyTime(composer.lastUpdatedAt),
    }),
    ...(branch === undefined ? {} : { attributes: { metadata: { gitBranch: branch } } }),
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    record: omitKeys(composer, 'conversation', 'conversationMap'),
    place,
    findings: nodes.findings,
  };
}

/** Imports conversations from Cursor's database. */
export const cursor = defineFormat({
  name: 'cursor',
  label: 'Cursor conversation',
  summary: 'Conversations of Cursor with tools and reasoning, from its database `globalStorage/state.vscdb`.',
  keeps: ['titles', 'models', 'times', 'reasoning', 'tools', 'usage'],
  reader: createConversationReader({ confidence: 0.95, paths: [['cursor', '*']], isConversation, tree }),
});
