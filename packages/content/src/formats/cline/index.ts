// Tasks of Cline and its forks: the messages in Anthropic's form as they were sent, including the texts that the
// program added about its environment.
import type { Json, JsonObject } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { extractUserWords } from '../../conversation-title.ts';
import { sha256Hex } from '../../sha256.ts';
import {
  fromAnthropicBlock,
  fromAnthropicToolResult,
  isAnthropicToolResult,
  toContentBlocks,
} from '../anthropic-blocks.ts';
import { defineFormat, type ImportedTree, type ReadEvent } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys, parseAnyTime, textAt } from '../fields.ts';
import { readDocumentRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import type { InputFile, SampleFile } from '../input.ts';
import type { ReplyItem } from '../reply-items.ts';
import { checkRole } from '../structure-findings.ts';
import { buildModelSource, ConversationNodes, toBlocksItem } from '../turn-nodes.ts';

const roles: ReadonlySet<string> = new Set(['user', 'assistant']);
const marks = /^\s*<(?:task|user_message|environment_details|feedback)>/;

const textsIn = (message: JsonObject) =>
  toContentBlocks(message).map((block) =>
    isJsonObject(block) && block.type === 'text' ? (textAt(block, 'text') ?? '') : null,
  );

function isTaskMessage(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && roles.has(textAt(value, 'role') ?? '') && 'content' in value;
}

function isTask({ json }: Pick<SampleFile, 'json'>): boolean {
  const list = Array.isArray(json) ? json.slice(0, 5) : [];
  if (list.length === 0 || !list.every(isTaskMessage)) return false;
  return list.some(
    (message) => isTaskMessage(message) && textsIn(message).some((text) => text !== null && marks.test(text)),
  );
}

/** Converts the blocks of a message: tool results become separate items. */
function itemsOf(message: JsonObject, id: string, tools: Map<string, string>): ReplyItem[] {
  return toContentBlocks(message).map((block, index) => {
    const fallback = `${id}-call-${index}`;
    if (isAnthropicToolResult(block)) {
      const { callId, message: result, isError } = fromAnthropicToolResult(block, fallback);
      return {
        type: 'result',
        callId,
        name: tools.get(callId) ?? 'unknown',
        content: listAt(result, 'content'),
        isError,
      };
    }
    const made = fromAnthropicBlock(block, fallback);
    if (isJsonObject(made) && made.type === 'tool-use') tools.set(textAt(made, 'id') ?? '', textAt(made, 'name') ?? '');
    return toBlocksItem([made]);
  });
}

/** Whether a user message contains only text that the program added. */
function isInjected(message: JsonObject): boolean {
  const texts = textsIn(message);
  return texts.length > 0 && texts.every((text) => text !== null && extractUserWords(text) === '');
}

/** Returns the id of a task, which is the name of the folder of its file. */
function taskIdOf(file: string): string | undefined {
  const folder = file.split('/').at(-2);
  return folder !== undefined && /^[\w-]{8,64}$/.test(folder) ? folder : undefined;
}

function taskTree(
  messages: readonly { readonly message: JsonObject; readonly place: string }[],
  file: string,
  found: readonly ImportFinding[],
): ImportedTree {
  const nodes = new ConversationNodes(found);
  const tools = new Map<string, string>();
  for (const [index, { message, place }] of messages.entries()) {
    nodes.report(...checkRole('role', message.role, (word) => roles.has(word), place));
    const id = String(index);
    const info = objectAt(message, 'modelInfo');
    const provider = getFilledText(info, 'providerId');
    const assistant = message.role === 'assistant';
    nodes.add({
      id,
      parent: nodes.tip,
      role: assistant ? 'assistant' : 'user',
      items: itemsOf(message, id, tools),
      ...(assistant
        ? { source: buildModelSource(getFilledText(info, 'modelId'), provider === undefined ? {} : { provider }) }
        : {}),
      ...(!assistant && isInjected(message) ? { kind: 'injected' } : {}),
      createdAt: nodes.time(message.ts, parseAnyTime, place),
      place,
      record: message,
    });
  }
  const [first] = messages;
  return {
    externalId: taskIdOf(file) ?? `sha256:${sha256Hex(canonicalJson(omitKeys(first?.message ?? {}, 'ts')))}`,
    scope: '',
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    place: file,
    findings: nodes.findings,
  };
}

async function* readTask(file: InputFile): AsyncGenerator<ReadEvent> {
  const messages: { message: JsonObject; place: string }[] = [];
  const found: ImportFinding[] = [];
  for await (const record of readDocumentRecords(file, [['*']])) {
    if (record.type === 'finding') yield record;
    if (record.type !== 'record') continue;
    const { value, place, findings } = record;
    if (isJsonObject(value) && 'content' in value && typeof value.role === 'string') {
      messages.push({ message: value, place });
      for (const one of findings) found.push(one);
    } else
      yield {
        type: 'finding',
        finding: buildFinding('import/other-format', 'loss', place, buildFindingDetail('not-a-message'), 1),
      };
  }
  // A plain list of messages belongs to another format, so it is not read as a task.
  if (messages.some(({ message }) => textsIn(message).some((text) => text !== null && marks.test(text))))
    yield { type: 'tree', tree: taskTree(messages, file.name, found) };
  else if (messages.length > 0)
    yield {
      type: 'finding',
      finding: buildFinding(
        'import/other-format',
        'loss',
        file.name,
        buildFindingDetail('not-a-task'),
        messages.length,
      ),
    };
}

/** Imports tasks of Cline and its forks. */
export const cline = defineFormat({
  name: 'cline',
  label: 'Cline task',
  summary: 'Tasks of Cline and its forks (`api_conversation_history.json`), with tools and reasoning.',
  keeps: ['models', 'times', 'reasoning', 'tools'],
  reader: {
    detect: ({ files }) => (files.some(isTask) ? 0.85 : 0),
    read: (input) => readProgramFiles(input, isTask, readTask),
  },
});
