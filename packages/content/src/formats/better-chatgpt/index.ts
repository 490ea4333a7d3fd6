// The export of BetterChatGPT: chats with messages in the form of chat completions, and their settings.
import type { Json, JsonObject } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { createConversationReader } from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys, textAt } from '../fields.ts';
import type { ImportFinding } from '../findings.ts';
import { parseListMessage } from '../list-messages.ts';
import { buildModelSource, ConversationNodes, omitUndefinedAttributes } from '../turn-nodes.ts';

function isConversation(value: Json | undefined): value is JsonObject {
  return (
    isJsonObject(value) &&
    Array.isArray(value.messages) &&
    typeof objectAt(value, 'config').model === 'string' &&
    ('titleSet' in value || typeof value.title === 'string')
  );
}

function tree(chat: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const model = getFilledText(objectAt(chat, 'config'), 'model');
  let prompt: string | undefined;
  let system: JsonObject | undefined;
  for (const [message, at, index] of nodes.records(chat, 'messages', place)) {
    const text = textAt(message, 'content') ?? soleText(message);
    if (index === 0 && message.role === 'system' && text !== undefined) {
      prompt = text;
      system = message;
      continue;
    }
    const { role, items } = parseListMessage(message, nodes, at);
    const id = String(index);
    nodes.add({
      id,
      parent: nodes.tip,
      role,
      items,
      ...(role === 'assistant' ? { source: buildModelSource(model) } : {}),
      place: at,
      record: message,
    });
  }
  const first = listAt(chat, 'messages').slice(0, 2);
  return {
    externalId: getFilledText(chat, 'id') ?? `sha256:${sha256Hex(canonicalJson(first))}`,
    scope: '',
    ...omitUndefinedAttributes({ title: getFilledText(chat, 'title'), systemPrompt: prompt }),
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    record: { ...omitKeys(chat, 'messages'), ...(system === undefined ? {} : { system }) },
    ownRecords: system === undefined ? 0 : 1,
    place,
    findings: nodes.findings,
  };
}

/** Returns the text of a message whose only part is text; undefined for other messages. */
function soleText(message: JsonObject): string | undefined {
  const parts = listAt(message, 'content');
  const [only] = parts;
  return parts.length === 1 && isJsonObject(only) && only.type === 'text' ? textAt(only, 'text') : undefined;
}

/** Imports chats that BetterChatGPT exported. */
export const betterChatgpt = defineFormat({
  name: 'better-chatgpt',
  label: 'BetterChatGPT export',
  summary: 'Chats as BetterChatGPT exports them, with pictures.',
  keeps: ['titles', 'folders', 'system prompts', 'models', 'pictures'],
  reader: createConversationReader({
    confidence: 0.88,
    paths: [['chats', '*'], ['*']],
    isConversation,
    folders: {
      paths: [['folders']],
      read: (part) =>
        Object.entries(isJsonObject(part) ? part : {}).map(([id, folder]) => ({
          id,
          name: isJsonObject(folder) ? getFilledText(folder, 'name') : undefined,
        })),
      idOf: (chat) => getFilledText(chat, 'folder'),
    },
    tree,
  }),
});
