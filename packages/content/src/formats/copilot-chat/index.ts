// Chats of VS Code (GitHub Copilot): its export, and its session files. A request is a question with its answer in
// parts. Arguments and results of tools are stored separately from the parts.
import type { Json, JsonObject, NodeStatus } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import { defineFormat, type ImportedTree, type ReadEvent, type ReadOptions } from '../contract.ts';
import {
  type ConversationFiles,
  hasConversation,
  readConversationFile,
  readProgramFiles,
} from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys, parseMillisTime, textAt } from '../fields.ts';
import { readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { type InputFile, isJsonLinesFile, type SampleFile } from '../input.ts';
import type { ReplyItem } from '../reply-items.ts';
import { buildNonObjectFinding, checkKnownValue, checkListField } from '../structure-findings.ts';
import {
  buildModelSource,
  buildToolResultItem,
  buildToolUseBlock,
  ConversationNodes,
  omitUndefinedAttributes,
  parseStoredArguments,
  toBlocksItem,
  toTextBlocks,
} from '../turn-nodes.ts';
import { isReplayLine, isReplayStart, ReplayedChatState } from './replay-log.ts';

function isRequest(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.requestId === 'string' && 'message' in value;
}

function isConversation(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value) || !Array.isArray(value.requests)) return false;
  if (value.requests.length > 0) return isRequest(value.requests[0]);
  return 'responderUsername' in value || 'initialLocation' in value;
}

// Part types for the screen, which are kept only in the original record.
const notes: ReadonlySet<string> = new Set([
  'undoStop',
  'codeblockUri',
  'progressTask',
  'progressTaskSerialized',
  'progressMessage',
  'prepareToolInvocation',
  'mcpServersStarting',
  'confirmation',
  'elicitation',
  'elicitationSerialized',
  'command',
  'references',
  'usedContext',
  'treeData',
  'clearToPreviousToolInvocation',
]);
const replyParts: ReadonlySet<string> = new Set([
  'markdownContent',
  'markdownVuln',
  'thinking',
  'inlineReference',
  'textEditGroup',
  'notebookEditGroup',
  'toolInvocationSerialized',
  'warning',
]);

/** Returns the text of a value: a string, a list of texts, or an object with the text under `value`. */
function textIn(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textIn).join('');
  return isJsonObject(value) ? textIn(value.value) : '';
}

function referenceText(part: JsonObject): string {
  const name = getFilledText(part, 'name');
  if (name !== undefined) return `\`${name}\``;
  const target = objectAt(part, 'inlineReference');
  const path =
    getFilledText(target, 'path') ??
    getFilledText(objectAt(target, 'uri'), 'path') ??
    getFilledText(target, 'name') ??
    '';
  return `\`${path.slice(path.lastIndexOf('/') + 1)}\``;
}

interface ToolFacts {
  readonly name: string | undefined;
  readonly input: Json | undefined;
}

/** Returns the arguments of tools by call id, because the parts of the answer do not contain them. */
function argumentsByCall(request: JsonObject): Map<string, ToolFacts> {
  const given = new Map<string, ToolFacts>();
  for (const round of listAt(objectAt(objectAt(request, 'result'), 'metadata'), 'toolCallRounds').filter(isJsonObject))
    for (const call of listAt(round, 'toolCalls').filter(isJsonObject)) {
      given.set(textAt(call, 'id') ?? '', {
        name: getFilledText(call, 'name'),
        input: parseStoredArguments(call.arguments),
      });
    }
  return given;
}

function resultOf(request: JsonObject, part: JsonObject, id: string): Json {
  const results = objectAt(objectAt(objectAt(request, 'result'), 'metadata'), 'toolCallResults');
  const content = listAt(objectAt(results, id), 'content').map((one) => (isJsonObject(one) ? one.value : one));
  if (content.length > 0)
    return content.map((one) => (typeof one === 'string' ? one : JSON.stringify(one ?? ''))).join('\n');
  const details = part.resultDetails;
  if (isJsonObject(details) || Array.isArray(details)) return details;
  return textIn(part.pastTenseMessage) || textIn(part.invocationMessage);
}

function replyItems(request: JsonObject, nodes: ConversationNodes, place: string): ReplyItem[] {
  const items: ReplyItem[] = [];
  const given = argumentsByCall(request);
  let text = '';
  const close = () => {
    if (text !== '') items.push(toBlocksItem(toTextBlocks(text)));
    text = '';
  };
  for (const [index, part] of listAt(request, 'response').entries()) {
    if (!isJsonObject(part)) {
      nodes.report(buildNonObjectFinding(`${place}.response[${index}]`));
      continue;
    }
    const kind = textAt(part, 'kind') ?? 'markdownContent';
    if (!notes.has(kind)) nodes.report(...checkKnownValue('part', kind, (word) => replyParts.has(word), place));
    if (notes.has(kind)) continue;
    if (kind === 'inlineReference') text += referenceText(part);
    else if (kind === 'markdownContent' || kind === 'markdownVuln') text += textIn(part.content ?? part.value);
    else if (kind === 'thinking') {
      close();
      const thinking = textIn(part.value);
      if (thinking !== '') items.push(toBlocksItem([{ type: 'thinking', thinking }]));
    } else if (kind === 'toolInvocationSerialized') {
      close();
      const id = (getFilledText(part, 'toolCallId') ?? `${place}-call-${index}`).replace(/__vscode-\d+$/, '');
      const facts = given.get(id) ?? given.get(textAt(part, 'toolCallId') ?? '');
      const name = facts?.name ?? getFilledText(part, 'toolId') ?? 'unknown';
      items.push(toBlocksItem([buildToolUseBlock(id, name, facts?.input)]));
      if (part.isComplete !== false) items.push(buildToolResultItem(id, name, resultOf(request, part, id), false));
    } else {
      close();
      items.push(toBlocksItem([{ ...part, type: `copilot-${kind}` }]));
    }
  }
  close();
  return items;
}

/** Returns blocks with the names of attached files and selections; the export has no contents. */
function attachedBlocks(request: JsonObject): Json[] {
  return listAt(objectAt(request, 'variableData'), 'variables')
    .filter(isJsonObject)
    .map((one) => ({
      ...omitKeys(one, 'value'),
      type: 'copilot-attachment',
      text: `[${getFilledText(one, 'name') ?? 'attachment'}]`,
    }));
}

function statusOf(request: JsonObject): NodeStatus | undefined {
  if (request.isCanceled === true) return 'aborted';
  return isJsonObject(objectAt(request, 'result').errorDetails) ? 'error' : undefined;
}

function addRequest(request: JsonObject, place: string, nodes: ConversationNodes): void {
  const id = getFilledText(request, 'requestId') ?? place;
  const createdAt = nodes.time(request.timestamp, parseMillisTime, place);
  const { message } = request;
  const asked = isJsonObject(message)
    ? (getFilledText(message, 'text') ??
      listAt(message, 'parts')
        .map((part) => (isJsonObject(part) ? (textAt(part, 'text') ?? '') : ''))
        .join(''))
    : textIn(message);
  nodes.add({
    id,
    parent: nodes.tip,
    role: 'user',
    items: [toBlocksItem([...toTextBlocks(asked), ...attachedBlocks(request)])],
    createdAt,
    place,
    record: omitKeys(request, 'response', 'result', 'responseId'),
  });
  nodes.report(...checkListField(request, 'response', place));
  if (!Array.isArray(request.response) && statusOf(request) === undefined) return;
  const error = getFilledText(objectAt(objectAt(request, 'result'), 'errorDetails'), 'message');
  nodes.add({
    id: getFilledText(request, 'responseId') ?? `${id}/response`,
    parent: id,
    role: 'assistant',
    items: replyItems(request, nodes, place),
    source: buildModelSource(getFilledText(request, 'modelId'), error === undefined ? {} : { error }),
    status: statusOf(request),
    createdAt,
    place,
    record: { response: request.response ?? null, result: request.result ?? null },
  });
  // One record became two nodes.
  const answer = nodes.nodes.pop();
  if (answer !== undefined) nodes.nodes.push({ ...answer, records: 0 });
}

function tree(conversation: JsonObject, place: string, found: readonly ImportFinding[]): ImportedTree {
  const nodes = new ConversationNodes(found);
  for (const [request, at] of nodes.records(conversation, 'requests', place)) addRequest(request, at, nodes);
  const first = listAt(conversation, 'requests')[0];
  const id =
    getFilledText(conversation, 'sessionId') ?? (isJsonObject(first) ? getFilledText(first, 'requestId') : undefined);
  return {
    externalId: id ?? `sha256:${sha256Hex(canonicalJson(conversation))}`,
    scope: '',
    ...omitUndefinedAttributes({
      title: getFilledText(conversation, 'customTitle'),
      createdAt: nodes.time(conversation.creationDate, parseMillisTime, place),
      updatedAt: nodes.time(conversation.lastMessageDate, parseMillisTime, place),
    }),
    nodes: nodes.nodes,
    activeExternalId: nodes.tip,
    record: omitKeys(conversation, 'requests'),
    place,
    findings: nodes.findings,
  };
}

const documents: ConversationFiles = { confidence: 0.93, paths: [['*']], isConversation, tree };
const isOwn = (sample: SampleFile) =>
  isReplayStart(sample.lines[0] ?? sample.json) || hasConversation(documents, sample);

async function* readReplay(file: InputFile): AsyncGenerator<ReadEvent> {
  const state = new ReplayedChatState();
  const found: ImportFinding[] = [];
  for await (const record of readLineRecords(file)) {
    if (record.type === 'finding') yield record;
    if (record.type !== 'record') continue;
    for (const one of record.findings) found.push(one);
    if (!isReplayLine(record.value) || !state.apply(record.value))
      yield {
        type: 'finding',
        finding: buildFinding(
          'import/record-unreadable',
          'loss',
          record.place,
          buildFindingDetail('change-of-missing-value'),
        ),
      };
  }
  const { value } = state;
  if (isConversation(value)) yield { type: 'tree', tree: tree(value, file.name, found) };
}

async function* readFile(file: InputFile, options: ReadOptions): AsyncGenerator<ReadEvent> {
  const replayed = isReplayStart(await firstLine(file)) || (await isJsonLinesFile(file));
  yield* replayed ? readReplay(file) : readConversationFile(file, documents, options);
}

async function firstLine(file: InputFile): Promise<Json | undefined> {
  for await (const record of readLineRecords(file)) return record.type === 'record' ? record.value : undefined;
  return undefined;
}

/** Imports chats of GitHub Copilot in VS Code. */
export const copilotChat = defineFormat({
  name: 'copilot-chat',
  label: 'VS Code chat',
  summary:
    'Chats of GitHub Copilot in VS Code with tools and reasoning: its export, and its session files old and new.',
  keeps: ['titles', 'models', 'times', 'reasoning', 'tools'],
  reader: {
    detect: ({ files }) => (files.some(isOwn) ? documents.confidence : 0),
    read: (input, options) => readProgramFiles(input, isOwn, (file) => readFile(file, options)),
  },
});
