// The data export of DeepSeek's chat: a mapping of nodes like ChatGPT's, with messages in fragments.
import type { Json, JsonObject } from '@coppice/core';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { createConversationReader } from '../conversation-files.ts';
import { getFilledText, getTexts, isJsonObject, listAt, objectAt, omitKeys, parseIsoTime, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { buildNonObjectFinding, checkKnownValue, checkParentId, checkRecordKey } from '../structure-findings.ts';
import { buildModelSource, ConversationNodes, omitUndefinedAttributes, toBlocksItem } from '../turn-nodes.ts';

const fragmentTypes: ReadonlySet<string> = new Set(['REQUEST', 'THINK', 'RESPONSE', 'SEARCH', 'TIP']);

function isConversation(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value) || !isJsonObject(value.mapping)) return false;
  return Object.values(value.mapping)
    .slice(0, 50)
    .some((node) => isJsonObject(node) && Array.isArray(objectAt(node, 'message').fragments));
}

function blockOf(fragment: JsonObject): Json {
  const text = textAt(fragment, 'content') ?? '';
  if (fragment.type === 'THINK') return { type: 'thinking', thinking: text };
  if (fragment.type === 'REQUEST' || fragment.type === 'RESPONSE') return { type: 'text', text };
  return { ...fragment, type: `deepseek-${(textAt(fragment, 'type') ?? 'fragment').toLowerCase()}` };
}

/** Returns blocks with the names of files, because the export does not contain their bytes. */
function fileBlocks(message: JsonObject, nodes: ConversationNodes, place: string): Json[] {
  return listAt(message, 'files')
    .filter(isJsonObject)
    .map((file) => {
      nodes.report(
        buildFinding(
          'import/attachment-missing',
          'note',
          place,
          getFilledText(file, 'file_name') ?? buildFindingDetail('no-name'),
        ),
      );
      return { ...file, type: 'deepseek-file', text: `[${getFilledText(file, 'file_name') ?? 'file'}]` };
    });
}

function tree(conversation: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const mapping = objectAt(conversation, 'mapping');
  const isRoot = (id: string | undefined) =>
    id === undefined || (id === 'root' && objectAt(mapping, id).message === null);
  const childOrder = new Map<string, readonly string[]>();
  let own = 0;
  for (const [key, node] of Object.entries(mapping)) {
    const at = `${place}.mapping.${key}`;
    if (!isJsonObject(node)) {
      nodes.report(buildNonObjectFinding(at));
      continue;
    }
    nodes.report(...checkRecordKey(key, node.id, at), ...checkParentId(node.parent, at));
    const listed = getTexts(node, 'children');
    if (isRoot(key)) {
      own++;
      if (listed.length > 0) childOrder.set('', listed);
      continue;
    }
    const message = objectAt(node, 'message');
    const fragments = listAt(message, 'fragments').filter(isJsonObject);
    for (const { type } of fragments)
      nodes.report(...checkKnownValue('fragment', type, (word) => fragmentTypes.has(word), at));
    const asked = fragments.some(({ type }) => type === 'REQUEST');
    const parent = getFilledText(node, 'parent');
    const blocks = [...fragments.map(blockOf), ...fileBlocks(message, nodes, at)];
    nodes.add({
      id: key,
      parent: isRoot(parent) ? null : (parent ?? null),
      role: asked ? 'user' : 'assistant',
      items: blocks.length === 0 ? [] : [toBlocksItem(blocks)],
      ...(asked ? {} : { source: buildModelSource(getFilledText(message, 'model')) }),
      createdAt: nodes.time(message.inserted_at, parseIsoTime, at),
      place: at,
      record: node,
    });
    if (listed.length > 0) childOrder.set(key, listed);
  }
  return {
    externalId: getFilledText(conversation, 'id') ?? place,
    scope: '',
    ...omitUndefinedAttributes({
      title: getFilledText(conversation, 'title'),
      createdAt: nodes.time(conversation.inserted_at, parseIsoTime, place),
      updatedAt: nodes.time(conversation.updated_at, parseIsoTime, place),
    }),
    nodes: nodes.nodes,
    childOrder,
    record: omitKeys(conversation, 'mapping'),
    ownRecords: own,
    place,
    findings: nodes.findings,
  };
}

/** Imports conversations that DeepSeek exported. */
export const deepseek = defineFormat({
  name: 'deepseek',
  label: 'DeepSeek export',
  summary: 'Conversations as DeepSeek exports them, with all branches and reasoning.',
  keeps: ['branches', 'titles', 'models', 'times', 'reasoning'],
  reader: createConversationReader({ confidence: 0.9, paths: [['*']], lines: true, isConversation, tree }),
});
