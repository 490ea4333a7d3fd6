// Gemini in Google Takeout: a list of activities, each with one prompt and its answer as HTML. The export does not
// record which activities belong to one chat, so each becomes a separate conversation.
import type { Json, JsonObject } from '@coppice/core';
import { sha256Hex } from '../../sha256.ts';
import { defineFormat, type ImportedTree, type ReadEvent } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { getFilledText, getTexts, isJsonObject, listAt, omitKeys, parseIsoTime, textAt } from '../fields.ts';
import { readDocumentRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import type { InputFile, SampleFile } from '../input.ts';
import { buildNonObjectFinding, checkListField } from '../structure-findings.ts';
import {
  buildModelSource,
  ConversationNodes,
  omitUndefinedAttributes,
  toBlocksItem,
  toTextBlocks,
} from '../turn-nodes.ts';
import { htmlToText } from './html-to-text.ts';

function isActivity(value: Json | undefined): value is JsonObject {
  return (
    isJsonObject(value) &&
    typeof value.title === 'string' &&
    typeof value.time === 'string' &&
    (/gemini|bard/i.test(textAt(value, 'header') ?? '') ||
      getTexts(value, 'products').some((name) => /gemini|bard/i.test(name)))
  );
}

const isOwn = ({ json }: Pick<SampleFile, 'json'>) => Array.isArray(json) && json.slice(0, 20).some(isActivity);
// The title of a prompt begins with a word in the account's language; this is the English word.
const promptPrefix = /^Prompted\s+/;

function activityTree(activity: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const createdAt = nodes.time(activity.time, parseIsoTime, place);
  const title = textAt(activity, 'title') ?? '';
  const files = [...listAt(activity, 'attachedFiles'), ...listAt(activity, 'imageFile')];
  for (const file of files)
    nodes.report(buildFinding('import/attachment-missing', 'note', place, JSON.stringify(file).slice(0, 200)));
  nodes.report(...checkListField(activity, 'safeHtmlItem', place));
  const html: string[] = [];
  for (const [index, item] of listAt(activity, 'safeHtmlItem').entries()) {
    const at = `${place}.safeHtmlItem[${index}]`;
    if (!isJsonObject(item)) nodes.report(buildNonObjectFinding(at));
    else if (typeof (item.html ?? '') !== 'string')
      nodes.report(buildFinding('import/record-unreadable', 'loss', at, buildFindingDetail('text-in-wrong-place')));
    else html.push(textAt(item, 'html') ?? '');
  }
  const answer = html.map(htmlToText).join('\n\n');
  const attached = files.map((file) => ({ type: 'gemini-file', file, text: '[file]' }));
  nodes.add({
    id: 'prompt',
    parent: null,
    role: 'user',
    items: [toBlocksItem([...toTextBlocks(title.replace(promptPrefix, '')), ...attached])],
    createdAt,
    place,
    record: answer === '' ? activity : omitKeys(activity, 'safeHtmlItem'),
  });
  if (answer !== '') {
    const items = [toBlocksItem(toTextBlocks(answer))];
    const record = { safeHtmlItem: activity.safeHtmlItem ?? [] };
    nodes.add({
      id: 'answer',
      parent: 'prompt',
      role: 'assistant',
      items,
      source: buildModelSource(undefined, { provider: 'google' }),
      createdAt,
      place,
      record,
    });
    const lastNode = nodes.nodes.pop();
    // One record became two nodes.
    if (lastNode !== undefined) nodes.nodes.push({ ...lastNode, records: 0 });
  }
  return {
    externalId: `${getFilledText(activity, 'time') ?? ''} ${sha256Hex(title).slice(0, 16)}`,
    scope: '',
    ...omitUndefinedAttributes({ createdAt }),
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    record: {},
    place,
    findings: nodes.findings,
  };
}

async function* readFile(file: InputFile): AsyncGenerator<ReadEvent> {
  for await (const record of readDocumentRecords(file, [['*']])) {
    if (record.type === 'finding') yield record;
    if (record.type !== 'record') continue;
    const { value, place, findings } = record;
    // An activity with neither a prompt nor an answer, such as feedback or a settings change, is skipped.
    if (
      isActivity(value) &&
      (promptPrefix.test(textAt(value, 'title') ?? '') || listAt(value, 'safeHtmlItem').length > 0)
    )
      yield { type: 'tree', tree: activityTree(value, place, findings) };
    else {
      const severity = isActivity(value) ? 'note' : 'loss';
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', severity, place, buildFindingDetail('no-prompt'), 1),
      };
    }
  }
}

/** Imports Gemini's activities from Google Takeout. */
export const geminiTakeout = defineFormat({
  name: 'gemini-takeout',
  label: 'Gemini in Google Takeout',
  summary: 'Prompts and answers of Gemini from Google Takeout, each of them a conversation.',
  keeps: ['times'],
  reader: {
    detect: ({ files }) => (files.some(isOwn) ? 0.94 : 0),
    read: (input) => readProgramFiles(input, isOwn, readFile),
  },
});
