// The backup of NextChat (ChatGPT-Next-Web): its browser stores, including sessions.
import type { Json, JsonObject } from '@coppice/core';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { createConversationReader } from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys, parseAnyTime, textAt } from '../fields.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { parseListMessage } from '../list-messages.ts';
import type { ReplyItem } from '../reply-items.ts';
import {
  buildModelSource,
  buildToolResultItem,
  buildToolUseBlock,
  ConversationNodes,
  omitUndefinedAttributes,
  parseStoredArguments,
  toBlocksItem,
} from '../turn-nodes.ts';

function isConversation(value: Json | undefined): value is JsonObject {
  return (
    isJsonObject(value) &&
    typeof value.topic === 'string' &&
    Array.isArray(value.messages) &&
    ('memoryPrompt' in value || 'mask' in value || 'lastUpdate' in value)
  );
}

/** Returns the plugin calls of a reply with their results; the backup stores them in the reply that follows them. */
function toolItems(message: JsonObject, id: string): ReplyItem[] {
  return listAt(message, 'tools')
    .filter(isJsonObject)
    .flatMap((tool, index) => {
      const called = objectAt(tool, 'function');
      const name = getFilledText(called, 'name') ?? 'unknown';
      const callId = getFilledText(tool, 'id') ?? `${id}-call-${index}`;
      const call = toBlocksItem([buildToolUseBlock(callId, name, parseStoredArguments(called.arguments))]);
      const result = tool.content ?? tool.errorMsg;
      return result === undefined ? [call] : [call, buildToolResultItem(callId, name, result, tool.isError === true)];
    });
}

/**
 * Returns the messages of a session: first the messages of its mask, which come before every chat, then the
 * conversation. System messages of the mask are left out, because they become the system prompt.
 */
function* messagesOf(
  session: JsonObject,
  nodes: ConversationNodes,
  place: string,
): Generator<readonly [JsonObject, string, string]> {
  const mask = objectAt(session, 'mask');
  for (const [message, at, index] of nodes.records(mask, 'context', `${place}.mask`))
    if (message.role !== 'system') yield [message, at, getFilledText(message, 'id') ?? `context-${index}`];
  for (const [message, at, index] of nodes.records(session, 'messages', place))
    yield [message, at, getFilledText(message, 'id') ?? String(index)];
}

function tree(session: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const mask = objectAt(session, 'mask');
  for (const [message, at, id] of messagesOf(session, nodes, place)) {
    const { role, items } = parseListMessage(message, nodes, at);
    const createdAt = parseAnyTime(message.date);
    // Dates are written in the browser's language, without a time zone.
    if (createdAt === undefined && getFilledText(message, 'date') !== undefined)
      nodes.report(buildFinding('import/time-unreadable', 'note', at, textAt(message, 'date')?.slice(0, 60) ?? ''));
    const audioUrl = getFilledText(message, 'audio_url');
    if (audioUrl !== undefined)
      nodes.report(buildFinding('import/attachment-missing', 'note', at, audioUrl.slice(0, 200)));
    nodes.add({
      id,
      parent: nodes.tip,
      role,
      items: role === 'assistant' ? [...toolItems(message, id), ...items] : items,
      ...(role === 'assistant'
        ? {
            source: buildModelSource(
              getFilledText(message, 'model') ?? getFilledText(objectAt(mask, 'modelConfig'), 'model'),
            ),
          }
        : {}),
      status:
        message.isError === true && role === 'assistant'
          ? 'error'
          : message.streaming === true
            ? 'interrupted'
            : undefined,
      createdAt,
      place: at,
      record: message,
    });
  }
  const context = listAt(mask, 'context')
    .filter(isJsonObject)
    .filter((one) => one.role === 'system');
  return {
    externalId: getFilledText(session, 'id') ?? place,
    scope: '',
    ...omitUndefinedAttributes({
      title: getFilledText(session, 'topic'),
      systemPrompt: context.map((one) => textAt(one, 'content') ?? '').join('\n'),
      updatedAt: nodes.time(session.lastUpdate, parseAnyTime, place),
    }),
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    record: omitKeys(session, 'messages'),
    place,
    findings: nodes.findings,
  };
}

/** Imports sessions from NextChat's backup. */
export const nextchat = defineFormat({
  name: 'nextchat',
  label: 'NextChat backup',
  summary: 'Sessions of NextChat from its backup, with pictures and plugin calls.',
  keeps: ['titles', 'system prompts', 'models', 'tools', 'pictures'],
  reader: createConversationReader({
    confidence: 0.92,
    paths: [
      ['chat-next-web-store', 'sessions', '*'],
      ['sessions', '*'],
    ],
    isConversation,
    tree,
  }),
});
