// Writes a branch as a session, so that `gemini --resume` can continue it. Original records are written back unchanged.
import { type Block, isText, type Json, type JsonObject, type Message, type Node } from '@coppice/core';
import { parseUsage } from '@coppice/core/context';
import { blockDefinitionOf } from '../../blocks/index.ts';
import { deriveId } from '../../derive-id.ts';
import { sha256Hex } from '../../sha256.ts';
import type { ExportedTree, WriteEvent, WriteOptions } from '../contract.ts';
import { embedBytes } from '../embed-bytes.ts';
import {
  buildLossEvent,
  findAttributeLosses,
  findBookmarkLosses,
  findExportedPath,
  findMetadataLosses,
  findOriginalTreeRecord,
  findProducerLosses,
  findSessionLosses,
  getConversationTimes,
} from '../exporting.ts';
import { formatIsoTime, getFilledText, objectAt, omitKeys, textAt } from '../fields.ts';
import { encodeJsonLines, getPreservedLines } from '../preserved-lines.ts';
import { groupIntoTurns, type RecordTurn } from '../record-turns.ts';
import { isFailedToolResult } from '../tool-results.ts';
import { branchSessionField, geminiCliName, listedMessageField } from './read.ts';

type Lose = (node: Node, what: string, message: string) => void;

function partOf(block: Block, node: Node, lose: Lose): JsonObject {
  if (isText(block)) return { text: block.text };
  const json: JsonObject = JSON.parse(JSON.stringify(block));
  const source = objectAt(json, 'source');
  const mimeType = getFilledText(json, 'mediaType') ?? 'application/octet-stream';
  if (source.type === 'base64') return { inlineData: { mimeType, data: source.data ?? '' } };
  if (source.type === 'url') return { fileData: { mimeType, fileUri: source.url ?? '' } };
  lose(node, 'block', `A block of type ${block.type} is written as text.`);
  return { text: blockDefinitionOf(block).toText(block) };
}

/** Returns the content of a message; a single text part becomes a string, as in the files of the program. */
function contentOf(parts: readonly JsonObject[]): Json {
  const [only] = parts;
  return parts.length === 0
    ? ''
    : parts.length === 1 && only !== undefined && 'text' in only
      ? (only.text ?? '')
      : [...parts];
}

/**
 * Splits a reply into steps: text and calls of the model, with the results. The program writes one message for each
 * step.
 */
function stepsOf(turn: RecordTurn): Node[][] {
  const steps: Node[][] = [];
  for (const node of turn.nodes) {
    const step = steps.at(-1);
    if (step !== undefined && node.message?.role === 'tool') step.push(node);
    else steps.push([node]);
  }
  return steps;
}

class GeminiStep {
  readonly #id: string;
  readonly #nodes: readonly Node[];
  readonly #lose: Lose;
  readonly #options: WriteOptions;

  constructor(id: string, nodes: readonly Node[], options: WriteOptions, lose: Lose) {
    this.#id = id;
    this.#nodes = nodes;
    this.#options = options;
    this.#lose = lose;
  }

  async record(): Promise<JsonObject> {
    const [first] = this.#nodes;
    const message = first?.message ?? null;
    const base = { id: this.#id, timestamp: formatIsoTime(first?.createdAt ?? this.#options.now) };
    if (first === undefined || message === null) return { ...base, type: 'info', content: '' };
    if (message.role === 'assistant' || message.role === 'tool') return { ...base, ...(await this.#reply(first)) };
    if (first.kind !== 'message' && first.kind !== 'injected')
      this.#lose(first, 'markers', `A ${first.kind} is written as a message.`);
    if (message.role === 'system') this.#lose(first, 'system', 'A system message is written as a user message.');
    const said = await embedBytes(message, this.#options);
    return { ...base, type: 'user', content: contentOf(said.content.map((block) => partOf(block, first, this.#lose))) };
  }

  async #reply(maker: Node): Promise<JsonObject> {
    const parts: JsonObject[] = [];
    const thoughts: Json[] = [];
    const calls = new Map<string, JsonObject>();
    for (const node of this.#nodes) {
      if (node.message === null) continue;
      const message = await embedBytes(node.message, this.#options);
      if (message.role === 'tool') this.#result(message, node, calls);
      else
        for (const block of message.content) {
          if (block.type === 'thinking') thoughts.push(this.#thought(block, node));
          else if (block.type === 'tool-use') {
            const json: JsonObject = JSON.parse(JSON.stringify(block));
            const id = textAt(json, 'id') ?? '';
            const timestamp = formatIsoTime(node.createdAt);
            calls.set(id, { id, name: json.name ?? '', args: json.parameters ?? {}, status: 'success', timestamp });
          } else parts.push(partOf(block, node, this.#lose));
        }
    }
    const model = maker.meta.source?.model_name;
    return {
      type: 'gemini',
      content: contentOf(parts),
      ...(thoughts.length === 0 ? {} : { thoughts }),
      ...(calls.size === 0 ? {} : { toolCalls: [...calls.values()] }),
      ...tokensOf(maker),
      ...(typeof model === 'string' ? { model } : {}),
    };
  }

  #thought(block: Block, node: Node): JsonObject {
    if ('signature' in block || 'redacted' in block)
      this.#lose(node, 'thinking', 'The signature of its reasoning is left out.');
    const description = 'thinking' in block ? String(block.thinking) : '';
    return { subject: '', description, timestamp: formatIsoTime(node.createdAt) };
  }

  #result(message: Message, node: Node, calls: Map<string, JsonObject>): void {
    const id = message.tool_call_id ?? '';
    const toolName = node.meta.source?.tool_name;
    const call = calls.get(id) ?? {
      id,
      name: typeof toolName === 'string' ? toolName : 'unknown',
      args: {},
      timestamp: formatIsoTime(node.createdAt),
    };
    const parts = message.content.map((block) => partOf(block, node, this.#lose));
    const text = contentOf(parts);
    const result =
      typeof text === 'string'
        ? [{ functionResponse: { id, name: call.name ?? '', response: { output: text } } }]
        : parts;
    calls.set(id, { ...call, result, status: isFailedToolResult(node.meta) ? 'error' : 'success' });
  }
}

function tokensOf(node: Node): JsonObject {
  const usage = parseUsage(node);
  if (usage === undefined || usage === null) return {};
  const [input, output] = [usage.inputTokens ?? 0, usage.outputTokens ?? 0];
  return { tokens: { input, output, cached: 0, total: usage.totalTokens ?? input + output } };
}

/** Whether every turn of a tree still has its original record and position, and nothing was left out. */
function isWhole(turns: readonly RecordTurn[], left: readonly Node[]): boolean {
  return left.length === 0 && turns.every(({ original, inPlace }) => original !== null && inPlace);
}

async function* writeTree(tree: ExportedTree, options: WriteOptions): AsyncGenerator<WriteEvent> {
  const original = findOriginalTreeRecord(tree, geminiCliName);
  const all = groupIntoTurns(tree, geminiCliName);
  const whole = original !== undefined && isWhole(all.ordered, all.left);
  const thread = whole ? tree.nodes : findExportedPath(tree);
  const shown = { ...tree, nodes: thread };
  const { ordered, left } = whole ? all : groupIntoTurns(shown, geminiCliName);
  const lost: { readonly node: Node; readonly what: string; readonly message: string }[] = [];
  const records: { readonly at: number; readonly line: JsonObject }[] = [];
  for (const turn of ordered) {
    if (turn.original !== null) {
      // A list among the preserved lines contains this message. Without these lines the message is written as a
      // separate line.
      if (!whole || turn.original[listedMessageField] !== true)
        records.push({ at: turn.at, line: omitKeys(turn.original, listedMessageField) });
      continue;
    }
    const steps = stepsOf(turn);
    for (const [index, step] of steps.entries()) {
      const id = index === steps.length - 1 ? turn.id : (step.at(-1)?.id ?? turn.id);
      const made = new GeminiStep(id, step, options, (node, what, message) => lost.push({ node, what, message }));
      records.push({ at: turn.at, line: await made.record() });
    }
  }
  for (const node of left) lost.push({ node, what: 'markers', message: 'A marker of an extension is left out.' });
  const off = tree.nodes.length - thread.length;
  if (off > 0) yield buildLossEvent(tree, null, 'branches', `${off} messages off the current branch are left out.`);
  for (const { node, what, message } of lost) yield buildLossEvent(tree, node, what, message);
  yield* findSessionLosses(shown);
  yield* findMetadataLosses(shown, geminiCliName, ['excluded', 'failed', 'cut-short', 'notes']);
  yield* findProducerLosses(shown, geminiCliName);
  yield* findAttributeLosses(tree, geminiCliName);
  yield* findBookmarkLosses(tree);
  const id = whole ? (original?.id ?? tree.treeId) : original === undefined ? tree.treeId : branchId(tree);
  const about = aboutSession(tree, original?.record ?? {}, id, original?.id);
  const { createdAt } = getConversationTimes(tree);
  const file = `session-${formatIsoTime(createdAt).slice(0, 16).replaceAll(':', '-')}-${id.slice(0, 8).replace(/[^\w-]/g, '_')}`;
  const inLines = !(whole && original?.record?.$form === 'json');
  yield {
    type: 'file',
    name: `${file}.json${inLines ? 'l' : ''}`,
    mediaType: inLines ? 'application/jsonl' : 'application/json',
  };
  if (!inLines) {
    records.sort((a, b) => a.at - b.at);
    yield { type: 'text', text: `${JSON.stringify({ ...about, messages: records.map(({ line }) => line) })}\n` };
  } else if (whole) {
    const others = getPreservedLines(original?.record ?? {}, '$lines');
    yield* encodeJsonLines([...others, ...records].sort((a, b) => a.at - b.at).map(({ line }) => line));
  } else yield* encodeJsonLines([about, ...records.map(({ line }) => line)]);
  yield { type: 'count', written: thread.length - left.length, left: off + left.length };
}

const branchId = (tree: ExportedTree) => deriveId('gemini-branch', tree.treeId, tree.activeNodeId ?? '');

function aboutSession(tree: ExportedTree, record: JsonObject, id: string, origin: string | undefined): JsonObject {
  const was = objectAt(record, '$about');
  const { createdAt, updatedAt } = getConversationTimes(tree);
  const { title, metadata = {} } = tree.attributes;
  return {
    // The program ignores a session without a hash. It finds sessions by their folder, not by this hash.
    projectHash: getFilledText(metadata, 'project') ?? sha256Hex(getFilledText(metadata, 'cwd') ?? ''),
    startTime: formatIsoTime(createdAt),
    lastUpdated: formatIsoTime(updatedAt),
    ...omitKeys(was, 'sessionId', 'summary'),
    sessionId: id,
    ...(origin === undefined || origin === id ? {} : { [branchSessionField]: origin }),
    ...(title === undefined ? {} : { summary: title }),
  };
}

/** Writes one session per tree. An imported tree without changes is written completely, else only the active branch. */
export async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  for await (const tree of trees) yield* writeTree(tree, options);
}
