// Prompts of Google AI Studio as stored in Drive: one list of chunks, with thoughts as separate chunks. A chunk may
// name the chunk that it answers, so that branches are possible.
import type { Json, JsonObject } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import { defineFormat, type ImportedTree } from '../contract.ts';
import { createConversationReader } from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, numberAt, objectAt, omitKeys, parseIsoTime, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { fromGoogleInlineData, fromGooglePart } from '../google-parts.ts';
import { checkRole } from '../structure-findings.ts';
import {
  buildModelSource,
  ConversationNodes,
  findFirstFilledText,
  omitUndefinedAttributes,
  toBlocksItem,
  toTextBlocks,
} from '../turn-nodes.ts';

function isConversation(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && Array.isArray(objectAt(value, 'chunkedPrompt').chunks);
}

const roles: ReadonlySet<string> = new Set(['user', 'model']);

/** Returns blocks for files in Drive, by their ids. The prompt does not contain the bytes of these files. */
function driveBlocks(chunk: JsonObject, nodes: ConversationNodes, place: string): Json[] {
  return ['driveDocument', 'driveImage', 'driveVideo', 'driveAudio', 'youtubeVideo'].flatMap((key) => {
    const file = chunk[key];
    if (!isJsonObject(file)) return [];
    const name = findFirstFilledText(file, 'name', 'id') ?? 'file';
    nodes.report(buildFinding('import/attachment-missing', 'note', place, name.slice(0, 200)));
    return [{ ...file, type: 'ai-studio-file', text: `[${name}]` }];
  });
}

function blocksOf(chunk: JsonObject, nodes: ConversationNodes, place: string): Json[] {
  const text = textAt(chunk, 'text');
  const image = objectAt(chunk, 'inlineImage');
  const parts = listAt(chunk, 'parts');
  const own: Json[] =
    chunk.isThought === true && text !== undefined && text !== ''
      ? [{ type: 'thinking', thinking: text }]
      : // The parts contain the same text.
        text === undefined && parts.length > 0
        ? parts.map(fromGooglePart)
        : toTextBlocks(text);
  const code = [chunk.executableCode, chunk.codeExecutionResult].flatMap((one, at) =>
    isJsonObject(one) ? [fromGooglePart(at === 0 ? { executableCode: one } : { codeExecutionResult: one })] : [],
  );
  return [
    ...driveBlocks(chunk, nodes, place),
    ...(Object.keys(image).length === 0 ? [] : [fromGoogleInlineData(image, image)]),
    ...own,
    ...code,
  ];
}

function usageOf(chunk: JsonObject): JsonObject {
  const tokens = numberAt(chunk, 'tokenCount');
  const reason = getFilledText(chunk, 'finishReason');
  const error = getFilledText(chunk, 'errorMessage');
  return {
    ...(tokens === undefined ? {} : { usage: { output_tokens: tokens, total_tokens: tokens } }),
    ...(reason === undefined ? {} : { finish_reason: reason }),
    ...(error === undefined ? {} : { error }),
  };
}

function tree(prompt: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  const model = getFilledText(objectAt(prompt, 'runSettings'), 'model')?.replace(/^models\//, '');
  const chunked = objectAt(prompt, 'chunkedPrompt');
  const known = new Set(
    listAt(chunked, 'chunks').map((chunk) => (isJsonObject(chunk) ? getFilledText(chunk, 'id') : undefined)),
  );
  let thoughts: { readonly blocks: Json[]; readonly records: JsonObject[] } = { blocks: [], records: [] };
  for (const [chunk, at, index] of nodes.records(chunked, 'chunks', `${place}.chunkedPrompt`)) {
    nodes.report(...checkRole('role', chunk.role, (word) => roles.has(word), at));
    const blocks = blocksOf(chunk, nodes, at);
    const next = listAt(chunked, 'chunks')[index + 1];
    // A thought is stored with the next answer.
    if (chunk.isThought === true && isJsonObject(next) && next.role === 'model' && next.branchParent === undefined) {
      thoughts = { blocks: [...thoughts.blocks, ...blocks], records: [...thoughts.records, chunk] };
      continue;
    }
    const named = getFilledText(objectAt(chunk, 'branchParent'), 'id');
    if (named !== undefined && !known.has(named))
      nodes.report(
        buildFinding('import/pointer-missing', 'repair', at, buildFindingDetail('parent', named.slice(0, 80))),
      );
    const role = chunk.role === 'model' ? 'assistant' : 'user';
    const all = [...thoughts.blocks, ...blocks];
    nodes.add({
      id: getFilledText(chunk, 'id') ?? String(index),
      parent: named !== undefined && known.has(named) ? named : nodes.tip,
      role,
      items: all.length === 0 ? [] : [toBlocksItem(all)],
      ...(role === 'assistant' ? { source: buildModelSource(model, { provider: 'google', ...usageOf(chunk) }) } : {}),
      status: getFilledText(chunk, 'errorMessage') === undefined ? undefined : 'error',
      createdAt: nodes.time(chunk.createTime, parseIsoTime, at),
      place: at,
      record: thoughts.records.length === 0 ? chunk : { ...chunk, $thoughts: thoughts.records },
    });
    const lastNode = nodes.nodes.pop();
    if (lastNode !== undefined) nodes.nodes.push({ ...lastNode, records: 1 + thoughts.records.length });
    thoughts = { blocks: [], records: [] };
  }
  const instruction = objectAt(prompt, 'systemInstruction');
  const texts = listAt(instruction, 'parts').map((part) => (isJsonObject(part) ? (textAt(part, 'text') ?? '') : ''));
  const first = listAt(chunked, 'chunks')[0] ?? null;
  return {
    externalId: getFilledText(prompt, 'id') ?? `sha256:${sha256Hex(canonicalJson(first))}`,
    scope: '',
    ...omitUndefinedAttributes({
      title: findFirstFilledText(prompt, 'title', 'displayName'),
      systemPrompt: getFilledText(instruction, 'text') ?? texts.join('\n'),
      createdAt: nodes.time(prompt.createTime, parseIsoTime, place),
      updatedAt: nodes.time(prompt.updateTime, parseIsoTime, place),
    }),
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    record: { ...omitKeys(prompt, 'chunkedPrompt'), chunkedPrompt: omitKeys(chunked, 'chunks') },
    place,
    findings: nodes.findings,
  };
}

/** Imports prompts of Google AI Studio. */
export const aiStudio = defineFormat({
  name: 'ai-studio',
  label: 'AI Studio prompt',
  summary: 'Prompts of Google AI Studio as it keeps them in Drive, with thoughts, branches and pictures.',
  keeps: ['branches', 'titles', 'system prompts', 'models', 'times', 'reasoning', 'pictures', 'usage'],
  reader: createConversationReader({ confidence: 0.94, paths: [['*']], isConversation, tree }),
});
