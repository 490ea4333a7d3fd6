// The export of TypingMind: chats with messages in the form of chat completions.
import type { Json, JsonObject } from '@coppice/core';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { createConversationReader, readListedFolders } from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys, parseAnyTime } from '../fields.ts';
import type { ImportFinding } from '../findings.ts';
import { parseListMessage } from '../list-messages.ts';
import { buildModelSource, ConversationNodes, findFirstFilledText, omitUndefinedAttributes } from '../turn-nodes.ts';

function isConversation(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value) || !Array.isArray(value.messages)) return false;
  const [first] = value.messages;
  return (
    typeof value.chatID === 'string' ||
    (isJsonObject(first) && typeof first.uuid === 'string' && typeof first.role === 'string')
  );
}

function tree(chat: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const chatModel = getFilledText(chat, 'model') ?? getFilledText(objectAt(chat, 'modelInfo'), 'id');
  for (const [message, at, index] of nodes.records(chat, 'messages', place)) {
    const { role, items } = parseListMessage(message, nodes, at);
    const usage = objectAt(message, 'usage');
    nodes.add({
      id: findFirstFilledText(message, 'uuid', 'id') ?? String(index),
      parent: nodes.tip,
      role,
      items,
      ...(role === 'assistant'
        ? {
            source: buildModelSource(
              getFilledText(message, 'model') ?? chatModel,
              Object.keys(usage).length === 0 ? {} : { usage },
            ),
          }
        : {}),
      createdAt: nodes.time(message.createdAt, parseAnyTime, at),
      place: at,
      record: message,
    });
  }
  const tags = listAt(chat, 'tags').filter((tag) => typeof tag === 'string');
  return {
    externalId: findFirstFilledText(chat, 'chatID', 'id') ?? place,
    scope: '',
    ...omitUndefinedAttributes({
      title: findFirstFilledText(chat, 'chatTitle', 'title'),
      systemPrompt: getFilledText(objectAt(chat, 'chatParams'), 'systemMessage'),
      createdAt: nodes.time(chat.createdAt, parseAnyTime, place),
      updatedAt: nodes.time(chat.updatedAt, parseAnyTime, place),
    }),
    ...(tags.length === 0 ? {} : { attributes: { tags } }),
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    record: omitKeys(chat, 'messages'),
    place,
    findings: nodes.findings,
  };
}

/** Imports chats that TypingMind exported. */
export const typingmind = defineFormat({
  name: 'typingmind',
  label: 'TypingMind export',
  summary: 'Chats as TypingMind exports them, with pictures and tools.',
  keeps: ['titles', 'folders', 'system prompts', 'models', 'times', 'reasoning', 'tools', 'pictures', 'usage'],
  reader: createConversationReader({
    confidence: 0.9,
    paths: [['data', 'chats', '*'], ['chats', '*'], ['*']],
    isConversation,
    folders: {
      paths: [['data', 'folders'], ['folders']],
      read: readListedFolders,
      idOf: (chat) => getFilledText(chat, 'folderID'),
    },
    tree,
  }),
});
