// The data export of Grok: conversations with their responses. Each response names the previous one.
import type { Json, JsonObject } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { createConversationReader } from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys, parseAnyTime, textAt } from '../fields.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { checkParentId, checkRole } from '../structure-findings.ts';
import {
  buildModelSource,
  ConversationNodes,
  findFirstFilledText,
  omitUndefinedAttributes,
  toBlocksItem,
  toTextBlocks,
} from '../turn-nodes.ts';

function isConversation(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && isJsonObject(value.conversation) && Array.isArray(value.responses);
}

/** Parses a time in the database's export form, or as a text. */
function fromGrok(value: Json | undefined): number | undefined {
  if (!isJsonObject(value)) return parseAnyTime(value);
  const date = value.$date;
  const digits = isJsonObject(date) ? textAt(date, '$numberLong') : undefined;
  return digits === undefined ? parseAnyTime(date) : /^-?\d{1,16}$/.test(digits) ? Number(digits) : undefined;
}

const senders: ReadonlySet<string> = new Set(['human', 'user', 'assistant']);

function tree(entry: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const about = objectAt(entry, 'conversation');
  const linked = listAt(entry, 'responses').some(
    (one) => isJsonObject(one) && 'parent_response_id' in objectAt(one, 'response'),
  );
  for (const [wrapped, at, index] of nodes.records(entry, 'responses', place)) {
    const response = isJsonObject(wrapped.response) ? wrapped.response : wrapped;
    const sender = (textAt(response, 'sender') ?? '').toLowerCase();
    nodes.report(...checkRole('sender', sender === '' ? null : sender, (word) => senders.has(word), at));
    nodes.report(...checkParentId(response.parent_response_id, at));
    const assistant = sender === 'assistant';
    const thinking = findFirstFilledText(response, 'thinking_trace', 'thinking');
    const files = [...listAt(response, 'file_attachments'), ...listAt(response, 'image_attachments')];
    for (const file of files)
      nodes.report(buildFinding('import/attachment-missing', 'note', at, JSON.stringify(file).slice(0, 200)));
    const blocks: Json[] = [
      ...(thinking === undefined ? [] : [{ type: 'thinking', thinking }]),
      ...toTextBlocks(textAt(response, 'message')),
      ...files.map((file) => ({ type: 'grok-file', file, text: '[file]' })),
    ];
    const error = getFilledText(response, 'error');
    nodes.add({
      id: findFirstFilledText(response, '_id', 'id') ?? String(index),
      parent: linked ? (getFilledText(response, 'parent_response_id') ?? null) : nodes.tip,
      role: assistant ? 'assistant' : 'user',
      items: blocks.length === 0 ? [] : [toBlocksItem(blocks)],
      ...(assistant
        ? {
            source: buildModelSource(getFilledText(response, 'model'), {
              provider: 'xai',
              ...(error === undefined ? {} : { error }),
            }),
          }
        : {}),
      status: error === undefined ? undefined : 'error',
      createdAt: nodes.time(response.create_time, fromGrok, at),
      place: at,
      record: wrapped,
    });
  }
  const leaf = getFilledText(about, 'leaf_response_id');
  const id = getFilledText(about, 'id');
  return {
    externalId: id ?? `sha256:${sha256Hex(canonicalJson({ about, first: listAt(entry, 'responses')[0] ?? null }))}`,
    scope: '',
    ...omitUndefinedAttributes({
      title: getFilledText(about, 'title'),
      createdAt: nodes.time(about.create_time, fromGrok, place),
      updatedAt: nodes.time(about.modify_time, fromGrok, place),
    }),
    ...(about.starred === true ? { attributes: { pinned: true } } : {}),
    nodes: nodes.nodes,
    ...(leaf !== undefined ? { activeExternalId: leaf } : linked ? {} : { activeExternalId: nodes.tip }),
    record: omitKeys(entry, 'responses'),
    place,
    findings: nodes.findings,
  };
}

/** Imports conversations that Grok exported. */
export const grok = defineFormat({
  name: 'grok',
  label: 'Grok export',
  summary: 'Conversations as Grok exports them, with branches and reasoning.',
  keeps: ['branches', 'titles', 'models', 'times', 'reasoning'],
  reader: createConversationReader({
    confidence: 0.94,
    paths: [['conversations', '*'], ['*']],
    isConversation,
    // Which conversation belongs to a project is not known, so the names of projects are not imported but counted.
    folders: {
      paths: [['projects']],
      read: (part) => (Array.isArray(part) ? part : []).map(() => ({ id: '', name: undefined })),
    },
    tree,
  }),
});
