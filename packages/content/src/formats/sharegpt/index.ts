// Conversations in training data sets in the form of ShareGPT: lists of authors and texts.
import type { Json, JsonObject } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { createConversationReader } from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, omitKeys, textAt } from '../fields.ts';
import type { ImportFinding } from '../findings.ts';
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

const speakers: ReadonlyMap<string, 'user' | 'assistant' | 'system' | 'call' | 'result'> = new Map([
  ['human', 'user'],
  ['user', 'user'],
  ['gpt', 'assistant'],
  ['chatgpt', 'assistant'],
  ['assistant', 'assistant'],
  ['model', 'assistant'],
  ['bing', 'assistant'],
  ['bard', 'assistant'],
  ['system', 'system'],
  ['function_call', 'call'],
  ['tool_call', 'call'],
  ['observation', 'result'],
  ['function_response', 'result'],
  ['tool', 'result'],
]);

const keyOf = (value: JsonObject) => (Array.isArray(value.conversations) ? 'conversations' : 'items');

function isConversation(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const [first] = listAt(value, keyOf(value));
  return isJsonObject(first) && typeof first.from === 'string' && 'value' in first;
}

function turnItems(
  speaker: string | undefined,
  said: string,
  id: string,
  open: { id: string; name: string },
): ReplyItem[] {
  if (speaker === 'call') {
    const call = parseStoredArguments(said);
    const name = (isJsonObject(call) ? getFilledText(call, 'name') : undefined) ?? 'unknown';
    open.id = `call-${id}`;
    open.name = name;
    return [
      toBlocksItem([
        buildToolUseBlock(
          open.id,
          name,
          isJsonObject(call) && 'name' in call ? parseStoredArguments(call.arguments) : call,
        ),
      ]),
    ];
  }
  if (speaker === 'result') return [buildToolResultItem(open.id, open.name, said, false)];
  return [toBlocksItem(toTextBlocks(said))];
}

function tree(conversation: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const key = keyOf(conversation);
  const model = getFilledText(conversation, 'model');
  // Results do not name their call, so each result answers the previous call.
  const open = { id: 'call', name: 'unknown' };
  let prompt = getFilledText(conversation, 'system');
  let system: JsonObject | undefined;
  for (const [turn, at, index] of nodes.records(conversation, key, place)) {
    const from = textAt(turn, 'from');
    nodes.report(...checkRole('sender', from, (word) => speakers.has(word), at));
    const speaker = speakers.get(from ?? '') ?? 'user';
    const text = textAt(turn, 'value') ?? '';
    if (speaker === 'system' && index === 0 && prompt === undefined && text !== '') {
      prompt = text;
      system = turn;
      continue;
    }
    const id = String(index);
    const role = speaker === 'call' || speaker === 'result' ? 'assistant' : speaker;
    nodes.add({
      id,
      parent: nodes.tip,
      role,
      items: turnItems(speaker, text, id, open),
      ...(role === 'assistant' ? { source: buildModelSource(model) } : {}),
      place: at,
      record: turn,
    });
  }
  const first = listAt(conversation, key).slice(0, 2);
  return {
    externalId: findFirstFilledText(conversation, 'id', 'hash') ?? `sha256:${sha256Hex(canonicalJson(first))}`,
    scope: '',
    ...omitUndefinedAttributes({ title: getFilledText(conversation, 'title'), systemPrompt: prompt }),
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    record: { ...omitKeys(conversation, key), ...(system === undefined ? {} : { system }) },
    ownRecords: system === undefined ? 0 : 1,
    place,
    findings: nodes.findings,
  };
}

/** Imports conversations of data sets in ShareGPT's form. */
export const sharegpt = defineFormat({
  name: 'sharegpt',
  label: 'ShareGPT data set',
  summary: 'Conversations of data sets in the form of ShareGPT, in a list or one per line, with calls of functions.',
  keeps: ['system prompts', 'tools'],
  reader: createConversationReader({ confidence: 0.9, paths: [['*']], lines: true, isConversation, tree }),
});
