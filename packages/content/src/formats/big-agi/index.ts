// Exports of big-AGI: messages in fragments, each of which is content, an attachment or metadata. The "flash" backup
// contains the storage of the browser, in which one key has the conversations. Settings and API keys are not read.
import type { Json, JsonObject } from '@coppice/core';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { createConversationReader, readListedFolders } from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys, parseMillisTime, textAt } from '../fields.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import type { ReplyItem } from '../reply-items.ts';
import { checkKnownValue, checkRole } from '../structure-findings.ts';
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
  nodes.report(...checkKnownValue('part', type, (word) => partTypes.has(word), place));
  const id = getFilledText(part, 'id') ?? getFilledText(fragment, 'fId') ?? place;
  switch (type) {
    case 'text':
      return [toBlocksItem(toTextBlocks(textAt(part, 'text')))];
    case 'code':
      return [toBlocksItem(toTextBlocks(textAt(part, 'code')))];
    case 'error':
      return [toBlocksItem(toTextBlocks(textAt(part, 'error')))];
    case 'ma':
      return reasoningItems(fragment, part);
    case 'doc': {
      const text = textAt(objectAt(part, 'data'), 'text') ?? '';
      const name =
        findFirstFilledText(part, 'l1Title', 'title', 'ref') ?? getFilledText(fragment, 'title') ?? 'document';
      return [toBlocksItem([{ type: 'file', name, mediaType: 'text/plain', source: { type: 'text', text } }])];
    }
    case 'tool_invocation': {
      const invocation = objectAt(part, 'invocation');
      const code = textAt(invocation, 'code');
      return [
        toBlocksItem([
          buildToolUseBlock(
            id,
            getFilledText(invocation, 'name') ?? textAt(invocation, 'type') ?? 'unknown',
            code ?? parseStoredArguments(invocation.args),
          ),
        ]),
      ];
    }
    case 'tool_response': {
      const response = objectAt(part, 'response');
      const failed = part.error !== undefined && part.error !== null && part.error !== false;
      return [
        buildToolResultItem(
          id,
          getFilledText(response, 'name') ?? textAt(response, 'type') ?? 'unknown',
          response.result,
          failed,
        ),
      ];
    }
    case 'image_ref':
      return [
        missingItem(
          part,
          'big-agi-image',
          getFilledText(part, 'altText') ?? getFilledText(fragment, 'title'),
          nodes,
          place,
        ),
      ];
    // The bytes of pictures and sounds are in the storage of the browser, not in the export.
    case 'reference': {
      const before = objectAt(part, '_legacyImageRefPart');
      const name = getFilledText(objectAt(part, 'zRefSummary'), 'text') ?? getFilledText(before, 'altText');
      const kind = getFilledText(part, 'assetType') === 'audio' ? 'big-agi-audio' : 'big-agi-image';
      return [missingItem(part, kind, name ?? getFilledText(fragment, 'title'), nodes, place)];
    }
    // Only the provider has the file, and only for a limited time.
    case 'hosted_resource': {
      const resource = objectAt(part, 'resource');
      const name = findFirstFilledText(resource, 'filename', 'fileName', 'fileId');
      return [missingItem(part, 'big-agi-file', name, nodes, place)];
    }
    case 'ph':
    case '_pt_sentinel':
      return [];
    default:
      return [toBlocksItem([{ ...part, type: `big-agi-${type === '' ? 'part' : type}` }])];
  }
}

/** Reads reasoning. Its signature depends on the provider and is needed to send the reasoning back. */
function reasoningItems(fragment: JsonObject, part: JsonObject): ReplyItem[] {
  const thinking = textAt(part, 'aText') ?? '';
  const vendor = objectAt(fragment, 'vendorState');
  const item = [objectAt(vendor, 'openai'), objectAt(vendor, 'xai')]
    .map((state) => objectAt(state, 'reasoningItem'))
    .find((one) => getFilledText(one, 'encryptedContent') !== undefined);
  const signature =
    getFilledText(part, 'textSignature') ??
    getFilledText(objectAt(vendor, 'gemini'), 'thoughtSignature') ??
    getFilledText(item ?? {}, 'id');
  const [hidden] = listAt(part, 'redactedData').filter((one) => typeof one === 'string');
  const redacted = hidden ?? getFilledText(item ?? {}, 'encryptedContent');
  if (thinking === '' && redacted === undefined) return [];
  const proof = { ...(signature === undefined ? {} : { signature }), ...(redacted === undefined ? {} : { redacted }) };
  return [toBlocksItem([{ type: 'thinking', thinking, ...proof }])];
}

/** Builds an item with the name of a file whose bytes are not in the export. */
function missingItem(
  part: JsonObject,
  type: string,
  name: string | undefined,
  nodes: ConversationNodes,
  place: string,
): ReplyItem {
  const shown = (name ?? type.replace('big-agi-', '')).slice(0, 200);
  nodes.report(buildFinding('import/attachment-missing', 'note', place, shown));
  return toBlocksItem([{ ...part, type, text: `[${shown}]` }]);
}

function sourceOf(message: JsonObject): JsonObject {
  const generator = objectAt(message, 'generator');
  const metrics = objectAt(generator, 'metrics');
  const aix = objectAt(generator, 'aix');
  const model = getFilledText(generator, 'name') ?? getFilledText(aix, 'mId') ?? getFilledText(message, 'originLLM');
  const usage = {
    ...(typeof metrics.TIn === 'number' ? { input_tokens: metrics.TIn } : {}),
    ...(typeof metrics.TOut === 'number' ? { output_tokens: metrics.TOut } : {}),
  };
  return buildModelSource(model, Object.keys(usage).length === 0 ? {} : { usage });
}

function tree(conversation: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  for (const [message, at, index] of nodes.records(conversation, 'messages', place)) {
    nodes.report(...checkRole('role', message.role, (word) => roles.has(word), at));
    const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user';
    const fragments = listAt(message, 'fragments').filter(isJsonObject);
    const items =
      fragments.length === 0
        ? [toBlocksItem(toTextBlocks(textAt(message, 'text')))]
        : fragments.flatMap((one) => itemOf(one, nodes, at));
    nodes.add({
      id: getFilledText(message, 'id') ?? String(index),
      parent: nodes.tip,
      role,
      items: items.filter((item) => item.type !== 'blocks' || item.blocks.length > 0),
      ...(role === 'assistant' ? { source: sourceOf(message) } : {}),
      createdAt: nodes.time(message.created, parseMillisTime, at),
      place: at,
      record: message,
    });
  }
  return {
    externalId: getFilledText(conversation, 'id') ?? place,
    scope: '',
    ...omitUndefinedAttributes({
      title: findFirstFilledText(conversation, 'userTitle', 'autoTitle'),
      createdAt: nodes.time(conversation.created, parseMillisTime, place),
      updatedAt: nodes.time(conversation.updated, parseMillisTime, place),
    }),
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    record: omitKeys(conversation, 'messages'),
    place,
    findings: nodes.findings,
  };
}

/** Whether a document is a flash backup, which is marked in one of two fields. */
function isFlashBackup({ schema, _t }: JsonObject): boolean {
  return schema === 'vnd.agi.flash-backup' || _t === 'agi.flash-backup';
}

const inFlashBackup = ['storage', 'indexedDB', 'keyval-store', 'keyval', '*', 'value', 'state', 'conversations', '*'];

/** Imports exports and flash backups of big-AGI. */
export const bigAgi = defineFormat({
  name: 'big-agi',
  label: 'big-AGI export',
  summary:
    'Conversations of big-AGI with reasoning, tools and attached texts: one or all of them, or its flash backup.',
  keeps: ['titles', 'folders', 'models', 'times', 'reasoning', 'tools', 'files', 'usage'],
  reader: createConversationReader({
    confidence: 0.92,
    paths: [['conversations', '*'], ['*'], inFlashBackup],
    isConversation,
    isDocument: isFlashBackup,
    // The folders name their conversations. In older exports `folders` is the list itself.
    folders: {
      paths: [['folders']],
      read: (part) => readListedFolders(isJsonObject(part) ? listAt(part, 'folders') : part),
    },
    tree,
  }),
});
