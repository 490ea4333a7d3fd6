// Conversations of LM Studio: a list of messages, each with versions. The list continues below the selected versions.
import type { Json, JsonObject } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { createConversationReader } from '../conversation-files.ts';
import {
  getFilledText,
  isJsonObject,
  listAt,
  numberAt,
  objectAt,
  omitKeys,
  parseMillisTime,
  textAt,
} from '../fields.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import type { ReplyItem } from '../reply-items.ts';
import { buildNonObjectFinding, checkKnownValue, checkListField, checkRole } from '../structure-findings.ts';
import {
  buildModelSource,
  buildToolResultItem,
  buildToolUseBlock,
  ConversationNodes,
  findFirstFilledText,
  omitUndefinedAttributes,
  toBlocksItem,
} from '../turn-nodes.ts';

const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);
const stepTypes: ReadonlySet<string> = new Set(['contentBlock', 'debugInfoBlock', 'status', 'toolStatus']);

function isVersions(value: Json | undefined): boolean {
  const [first] = isJsonObject(value) ? listAt(value, 'versions') : [];
  return isJsonObject(first) && (first.type === 'singleStep' || first.type === 'multiStep');
}

function isConversation(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && Array.isArray(value.messages) && isVersions(value.messages[0]);
}

/** Returns the id of a call in earlier versions: a number or a text. */
function deriveCallId({ callId }: JsonObject, fallback: string): string {
  return typeof callId === 'number' || typeof callId === 'string' ? String(callId) : fallback;
}

/** Converts a part of a message: text, a picture or file with its name, a call or its result. */
function partItem(part: Json, thinking: boolean, fallback: string, nodes: ConversationNodes, place: string): ReplyItem {
  if (!isJsonObject(part)) return toBlocksItem([{ type: 'x-value', value: part }]);
  const text = textAt(part, 'text');
  const callId = findFirstFilledText(part, 'toolCallRequestId', 'toolCallId') ?? deriveCallId(part, fallback);
  switch (part.type) {
    case 'text':
      return toBlocksItem([thinking ? { type: 'thinking', thinking: text ?? '' } : { type: 'text', text: text ?? '' }]);
    case 'toolCallRequest':
      return toBlocksItem([
        buildToolUseBlock(callId, getFilledText(part, 'name') ?? 'unknown', part.parameters ?? part.arguments),
      ]);
    case 'toolCallResult':
      return buildToolResultItem(callId, getFilledText(part, 'name') ?? 'unknown', part.content, false);
    case 'file': {
      const name = findFirstFilledText(part, 'name', 'fileIdentifier') ?? 'file';
      nodes.report(buildFinding('import/attachment-missing', 'note', place, name.slice(0, 200)));
      return toBlocksItem([{ ...part, type: 'lm-studio-file', text: `[${name}]` }]);
    }
    default:
      return toBlocksItem([{ ...part, type: `lm-studio-${textAt(part, 'type') ?? 'part'}` }]);
  }
}

/** Returns the parts of a message or step; a plain string becomes one text part. */
function partsOf(record: JsonObject): readonly Json[] {
  return typeof record.content === 'string' ? [{ type: 'text', text: record.content }] : listAt(record, 'content');
}

/** Returns the content of a version, in the order of its steps. Status texts for the screen are left out. */
function itemsOf(version: JsonObject, id: string, nodes: ConversationNodes, place: string): ReplyItem[] {
  if (version.type === 'singleStep')
    return partsOf(version).map((part, index) => partItem(part, false, `${id}-${index}`, nodes, place));
  return listAt(version, 'steps').flatMap((step, at) => {
    if (!isJsonObject(step)) {
      nodes.report(buildNonObjectFinding(`${place} ${id}.steps[${at}]`));
      return [];
    }
    nodes.report(...checkKnownValue('step', step.type, (word) => stepTypes.has(word), place));
    if (step.type !== 'contentBlock') return [];
    const thinking = objectAt(step, 'style').type === 'thinking';
    return partsOf(step).map((part, index) => partItem(part, thinking, `${id}-${at}-${index}`, nodes, place));
  });
}

/** Returns the model and usage of a version, from its last step. */
function sourceOf(version: JsonObject): JsonObject {
  const infos = listAt(version, 'steps').map((step) => (isJsonObject(step) ? objectAt(step, 'genInfo') : {}));
  const info = infos.findLast((one) => Object.keys(one).length > 0) ?? {};
  const stats = objectAt(info, 'stats');
  const [input, output] = [numberAt(stats, 'promptTokensCount'), numberAt(stats, 'predictedTokensCount')];
  const model = getFilledText(info, 'identifier') ?? getFilledText(info, 'indexedModelIdentifier');
  return buildModelSource(model ?? getFilledText(objectAt(version, 'senderInfo'), 'senderName'), {
    ...(input === undefined && output === undefined
      ? {}
      : { usage: { input_tokens: input ?? 0, output_tokens: output ?? 0 } }),
  });
}

function tree(conversation: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  let tip: string | null = null;
  for (const [message, at, index] of nodes.records(conversation, 'messages', place)) {
    const versions = listAt(message, 'versions');
    // If no version is selected, the program shows the first one.
    const selected = numberAt(message, 'currentlySelected') ?? 0;
    const parent: string | null = tip;
    nodes.report(...checkListField(message, 'versions', at));
    if (versions.length === 0) {
      // The record of a message without versions is kept in a blank message, because its role is not known.
      const id = String(index);
      nodes.add({ id, parent, role: 'user', items: [], place: at, record: message });
      tip = id;
      continue;
    }
    for (const [number, version] of versions.entries()) {
      if (!isJsonObject(version)) {
        nodes.report(buildNonObjectFinding(`${at}.versions[${number}]`));
        continue;
      }
      const id = `${index}.${number}`;
      nodes.report(...checkRole('role', version.role, (word) => roles.has(word), at));
      const role = version.role === 'assistant' || version.role === 'system' ? version.role : 'user';
      nodes.add({
        id,
        parent,
        role,
        items: itemsOf(version, id, nodes, at),
        ...(role === 'assistant' ? { source: sourceOf(version) } : {}),
        place: `${at}.versions[${number}]`,
        record: number === 0 ? { ...omitKeys(message, 'versions'), version } : { version },
        group: versions.length > 1 ? String(index) : undefined,
      });
      if (number === selected || tip === parent) tip = id;
    }
  }
  const createdAt = nodes.time(conversation.createdAt, parseMillisTime, place);
  const name = getFilledText(conversation, 'name');
  // Files have no id, so one is derived from the creation time and the first message.
  const origin = { createdAt: conversation.createdAt ?? null, first: listAt(conversation, 'messages')[0] ?? null };
  return {
    externalId: `sha256:${sha256Hex(canonicalJson(createdAt === undefined ? origin : { createdAt }))}`,
    scope: '',
    ...omitUndefinedAttributes({ title: name, systemPrompt: getFilledText(conversation, 'systemPrompt'), createdAt }),
    ...(conversation.pinned === true ? { attributes: { pinned: true } } : {}),
    nodes: nodes.nodes,
    activeExternalId: tip,
    record: omitKeys(conversation, 'messages'),
    place,
    findings: nodes.findings,
  };
}

/** Imports conversation files of LM Studio. */
export const lmStudio = defineFormat({
  name: 'lm-studio',
  label: 'LM Studio conversation',
  summary: 'Conversation files of LM Studio with all versions of each message, reasoning and tools.',
  keeps: ['branches', 'titles', 'system prompts', 'models', 'reasoning', 'tools', 'usage'],
  reader: createConversationReader({ confidence: 0.94, paths: [['*']], isConversation, tree }),
});
