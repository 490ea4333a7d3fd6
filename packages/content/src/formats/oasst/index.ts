// The trees of OpenAssistant: one per line with nested replies, or one message per line with the id of its parent.
import type { Json, JsonObject } from '@coppice/core';
import { defineFormat, type ImportedTree, type ReadEvent } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, omitKeys, parseIsoTime, textAt } from '../fields.ts';
import { readDocumentRecords, readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { type InputFile, isJsonLinesFile, type SampleFile } from '../input.ts';
import { buildNonObjectFinding, checkListField, checkParentId, checkRole } from '../structure-findings.ts';
import { buildModelSource, ConversationNodes, toBlocksItem, toTextBlocks } from '../turn-nodes.ts';

const roles: ReadonlySet<string> = new Set(['prompter', 'assistant']);

function isTree(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.message_tree_id === 'string' && isJsonObject(value.prompt);
}

function isMessage(value: Json | undefined): value is JsonObject {
  return (
    isJsonObject(value) &&
    typeof value.message_tree_id === 'string' &&
    typeof value.message_id === 'string' &&
    'text' in value
  );
}

const isRow = (value: Json | undefined) => isTree(value) || isMessage(value);
const isOwn = ({ lines, json }: Pick<SampleFile, 'lines' | 'json'>) =>
  isRow(lines[0] ?? json) || (Array.isArray(json) && isRow(json[0]));

function addMessage(message: JsonObject, parent: string | null, place: string, nodes: ConversationNodes): void {
  nodes.report(
    ...checkRole('role', message.role, (word) => roles.has(word), place),
    ...checkParentId(message.parent_id, place),
  );
  const assistant = message.role === 'assistant';
  nodes.add({
    id: getFilledText(message, 'message_id') ?? place,
    parent,
    role: assistant ? 'assistant' : 'user',
    items: [toBlocksItem(toTextBlocks(textAt(message, 'text')))],
    ...(assistant ? { source: buildModelSource(getFilledText(message, 'model_name')) } : {}),
    createdAt: nodes.time(message.created_date, parseIsoTime, place),
    place,
    record: omitKeys(message, 'replies'),
  });
}

function treeOf(id: string, nodes: ConversationNodes, place: string, record: JsonObject): ImportedTree {
  return { externalId: id, scope: '', nodes: nodes.nodes, record, place, findings: nodes.findings };
}

/** Converts a tree with nested replies. Iterative, because replies may be nested arbitrarily deep. */
function nestedTree(value: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const open: { readonly message: Json; readonly parent: string | null; readonly at: string }[] = [
    { message: value.prompt ?? null, parent: null, at: `${place}.prompt` },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { message, parent, at } = next;
    if (!isJsonObject(message)) {
      nodes.report(buildNonObjectFinding(at));
      continue;
    }
    addMessage(message, parent, at, nodes);
    const id = nodes.tip;
    nodes.report(...checkListField(message, 'replies', at));
    const replies = listAt(message, 'replies');
    for (let index = replies.length - 1; index >= 0; index--)
      open.push({ message: replies[index] ?? null, parent: id, at: `${at}.replies[${index}]` });
  }
  return treeOf(getFilledText(value, 'message_tree_id') ?? place, nodes, place, omitKeys(value, 'prompt'));
}

async function* readFile(file: InputFile): AsyncGenerator<ReadEvent> {
  let id: string | undefined;
  let nodes = new ConversationNodes([]);
  const end = (): ReadEvent[] =>
    id === undefined ? [] : [{ type: 'tree', tree: treeOf(id, nodes, `${file.name} ${id}`, {}) }];
  const records = (await isJsonLinesFile(file)) ? readLineRecords(file) : readDocumentRecords(file, [['*']]);
  for await (const record of records) {
    if (record.type === 'finding') yield record;
    const value = record.type === 'record' || record.type === 'rest' ? record.value : undefined;
    const place = record.type === 'finding' ? file.name : record.place;
    const found = record.type === 'record' ? record.findings : [];
    if (isTree(value)) yield { type: 'tree', tree: nestedTree(value, place, found) };
    else if (isMessage(value)) {
      const own = getFilledText(value, 'message_tree_id');
      // All messages of one tree follow each other.
      if (own !== id) {
        yield* end();
        id = own;
        nodes = new ConversationNodes([]);
      }
      nodes.report(...found);
      addMessage(value, getFilledText(value, 'parent_id') ?? null, place, nodes);
    } else if (record.type === 'record')
      yield {
        type: 'finding',
        finding: buildFinding('import/other-format', 'loss', place, buildFindingDetail('not-in-a-tree'), 1),
      };
  }
  yield* end();
}

/** Imports message trees of OpenAssistant. */
export const oasst = defineFormat({
  name: 'oasst',
  label: 'OpenAssistant trees',
  summary: 'Message trees of OpenAssistant, nested or one message per line, with all replies.',
  keeps: ['branches', 'times'],
  reader: {
    detect: ({ files }) => (files.some(isOwn) ? 0.95 : 0),
    read: (input) => readProgramFiles(input, isOwn, readFile),
  },
});
