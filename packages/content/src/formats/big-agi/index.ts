// Exports of big-AGI: messages in fragments, each of which is content, an attachment or metadata.
import type { Json, JsonObject } from '@coppice/core';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { conversationReader } from '../conversation-files.ts';
import { filledAt, fromMillis, isJsonObject, listAt, objectAt, omitKeys, textAt } from '../fields.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import type { ReplyItem } from '../reply-items.ts';
import { roleFinding, unknownValueFinding } from '../structure-findings.ts';
import {
  blockItem,
  ConversationNodes,
  callBlock,
  firstFilled,
  knownFields,
  modelSource,
  parsedArguments,
  resultItem,
  textBlocks,
} from '../turn-nodes.ts';

function isConversation(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value) || typeof value.id !== 'string' || !Array.isArray(value.messages)) return false;
  const [first] = value.messages;
  if (isJsonObject(first) && Array.isArray(first.fragments)) return true;
  // Older messages have no fragments, only a text and a sender.
  return 'systemPurposeId' in value && (first === undefined || (isJsonObject(first) && 'text' in first));
}

const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);
const partTypes: ReadonlySet<string> = new Set([
  'text',
  'code',
  'image_ref',
  'tool_invocation',
  'tool_response',
  'error',
  'doc',
  'reference',
  'hosted_resource',
  'annotations',
  'ma',
  'ph',
  '_pt_sentinel',
]);

function itemOf(fragment: JsonObject, nodes: ConversationNodes, place: string): ReplyItem[] {
  const part = objectAt(fragment, 'part');
  const type = textAt(part, 'pt') ?? '';
  if (!('part' in fragment)) return [];
  nodes.report(...unknownValueFinding('part', type, (word) => partTypes.has(word), place));
  const id = filledAt(part, 'id') ?? filledAt(fragment, 'fId') ?? place;
  switch (type) {
    case 'text':
      return [blockItem(textBlocks(textAt(part, 'text')))];
    case 'code':
      return [blockItem(textBlocks(textAt(part, 'code')))];
    case 'error':
      return [blockItem(textBlocks(textAt(part, 'error')))];
    case 'ma':
      return reasoningItems(fragment, part);
    case 'doc': {
      const text = textAt(objectAt(part, 'data'), 'text') ?? '';
      const name = firstFilled(part, 'l1Title', 'title', 'ref') ?? filledAt(fragment, 'title') ?? 'document';
      return [blockItem([{ type: 'file', name, mediaType: 'text/plain', source: { type: 'text', text } }])];
    }
    case 'tool_invocation': {
      const invocation = objectAt(part, 'invocation');
      const code = textAt(invocation, 'code');
      return [
        blockItem([
          callBlock(
            id,
            filledAt(invocation, 'name') ?? textAt(invocation, 'type') ?? 'unknown',
            code ?? parsedArguments(invocation.args),
          ),
        ]),
      ];
    }
    case 'tool_response': {
      const response = objectAt(part, 'response');
      const failed = part.error !== undefined && part.error !== null && part.error !== false;
      return [
        resultItem(id, filledAt(response, 'name') ?? textAt(response, 'type') ?? 'unknown', response.result, failed),
      ];
    }
    case 'image_ref':
      return [
        missingItem(part, 'big-agi-image', filledAt(part, 'altText') ?? filledAt(fragment, 'title'), nodes, place),
      ];
    // Pictures and sounds are in the browser's own storage.
    case 'reference': {
      const before = objectAt(part, '_legacyImageRefPart');
      const name = filledAt(objectAt(part, 'zRefSummary'), 'text') ?? filledAt(before, 'altText');
      const kind = filledAt(part, 'assetType') === 'audio' ? 'big-agi-audio' : 'big-agi-image';
      return [missingItem(part, kind, name ?? filledAt(fragment, 'title'), nodes, place)];
    }
    // A file that only the provider has, for a time.
    case 'hosted_resource': {
      const resource = objectAt(part, 'resource');
      const name = firstFilled(resource, 'filename', 'fileName', 'fileId');
      return [missingItem(part, 'big-agi-file', name, nodes, place)];
    }
    case 'ph':
    case '_pt_sentinel':
      return [];
    default:
      return [blockItem([{ ...part, type: `big-agi-${type === '' ? 'part' : type}` }])];
  }
}

/** Reads reasoning; its signature depends on the provider, and is needed to send the reasoning back. */
function reasoningItems(fragment: JsonObject, part: JsonObject): ReplyItem[] {
  const thinking = textAt(part, 'aText') ?? '';
  const vendor = objectAt(fragment, 'vendorState');
  const item = [objectAt(vendor, 'openai'), objectAt(vendor, 'xai')]
    .map((state) => objectAt(state, 'reasoningItem'))
    .find((one) => filledAt(one, 'encryptedContent') !== undefined);
  const signature =
    filledAt(part, 'textSignature') ??
    filledAt(objectAt(vendor, 'gemini'), 'thoughtSignature') ??
    filledAt(item ?? {}, 'id');
  const [hidden] = listAt(part, 'redactedData').filter((one) => typeof one === 'string');
  const redacted = hidden ?? filledAt(item ?? {}, 'encryptedContent');
  if (thinking === '' && redacted === undefined) return [];
  const proof = { ...(signature === undefined ? {} : { signature }), ...(redacted === undefined ? {} : { redacted }) };
  return [blockItem([{ type: 'thinking', thinking, ...proof }])];
}

/** Keeps something whose bytes are not in the export by its name. */
function missingItem(
  part: JsonObject,
  type: string,
  name: string | undefined,
  nodes: ConversationNodes,
  place: string,
): ReplyItem {
  const shown = (name ?? type.replace('big-agi-', '')).slice(0, 200);
  nodes.report(buildFinding('import/attachment-missing', 'note', place, shown));
  return blockItem([{ ...part, type, text: `[${shown}]` }]);
}

function sourceOf(message: JsonObject): JsonObject {
  const generator = objectAt(message, 'generator');
  const metrics = objectAt(generator, 'metrics');
  const aix = objectAt(generator, 'aix');
  const model = filledAt(generator, 'name') ?? filledAt(aix, 'mId') ?? filledAt(message, 'originLLM');
  const usage = {
    ...(typeof metrics.TIn === 'number' ? { input_tokens: metrics.TIn } : {}),
    ...(typeof metrics.TOut === 'number' ? { output_tokens: metrics.TOut } : {}),
  };
  return modelSource(model, Object.keys(usage).length === 0 ? {} : { usage });
}

function tree(conversation: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  for (const [message, at, index] of nodes.records(conversation, 'messages', place)) {
    nodes.report(...roleFinding('role', message.role, (word) => roles.has(word), at));
    const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user';
    const fragments = listAt(message, 'fragments').filter(isJsonObject);
    const items =
      fragments.length === 0
        ? [blockItem(textBlocks(textAt(message, 'text')))]
        : fragments.flatMap((one) => itemOf(one, nodes, at));
    nodes.add({
      id: filledAt(message, 'id') ?? String(index),
      parent: nodes.tip,
      role,
      items: items.filter((item) => item.type !== 'blocks' || item.blocks.length > 0),
      ...(role === 'assistant' ? { source: sourceOf(message) } : {}),
      createdAt: nodes.time(message.created, fromMillis, at),
      place: at,
      record: message,
    });
  }
  return {
    externalId: filledAt(conversation, 'id') ?? place,
    scope: '',
    ...knownFields({
      title: firstFilled(conversation, 'userTitle', 'autoTitle'),
      createdAt: nodes.time(conversation.created, fromMillis, place),
      updatedAt: nodes.time(conversation.updated, fromMillis, place),
    }),
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    record: omitKeys(conversation, 'messages'),
    place,
    findings: nodes.findings,
  };
}

/** big-AGI's exports. */
export const bigAgi = defineFormat({
  name: 'big-agi',
  label: 'big-AGI export',
  summary: 'Conversations of big-AGI with reasoning, tools and attached texts, one or all of them.',
  keeps: ['titles', 'models', 'times', 'reasoning', 'tools', 'files', 'usage'],
  reader: conversationReader({ confidence: 0.92, paths: [['conversations', '*'], ['*']], isConversation, tree }),
});
