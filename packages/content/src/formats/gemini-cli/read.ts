// Sessions of Gemini CLI: one document, or since 2026 a file of lines to which each change is appended. Messages after
// a rewind form a branch.
import type { Json, JsonObject, NodeStatus } from '@coppice/core';
import { extractUserWords } from '../../conversation-title.ts';
import type { ImportedNode, ImportedTree, ReadEvent, ReadOptions, SpawnedBy } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { checkTime, getFilledText, isJsonObject, listAt, numberAt, omitKeys, parseIsoTime, textAt } from '../fields.ts';
import { readDocumentRecords, readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { fromGoogleFunctionResult, fromGoogleParts } from '../google-parts.ts';
import { type ImportInput, type InputFile, type InputSample, isJsonLinesFile, type SampleFile } from '../input.ts';
import { type PreservedLine, toLinePairs } from '../preserved-lines.ts';
import { buildRecordNodes } from '../record-turns.ts';
import { type ReplyItem, splitReplyItems } from '../reply-items.ts';
import { buildNonObjectFinding, checkKnownValue } from '../structure-findings.ts';
import { buildModelSource, buildToolUseBlock, omitUndefinedAttributes, toBlocksItem } from '../turn-nodes.ts';

/** The key of this format in the registry and in stored import metadata. */
export const geminiCliName = 'gemini-cli';

/** The field in which an export stores the session that a branch belongs to. */
export const branchSessionField = 'coppice';

/** The field that marks a message that was not a separate line, but part of a list that replaced the history. */
export const listedMessageField = '$listed';

// The reply that the program puts after a summary, in place of one of the model.
const afterSummary = 'Got it. Thanks for the additional context!';

const types: ReadonlySet<string> = new Set(['user', 'gemini', 'info', 'warning', 'error']);

/** Whether a value is the first line of a file of lines, or a document with the same fields. */
function isGeminiHeader(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.sessionId === 'string' && typeof value.projectHash === 'string';
}

function isGeminiFile({ json, lines }: Pick<SampleFile, 'json' | 'lines'>): boolean {
  if (isGeminiHeader(lines[0]) || isGeminiHeader(json)) return true;
  // In a document the messages come before the session fields.
  const [first] = isJsonObject(json) ? listAt(json, 'messages') : [];
  return isGeminiMessage(first) && !('role' in first);
}

function isGeminiMessage(value: Json | undefined): value is JsonObject {
  return (
    isJsonObject(value) &&
    typeof value.id === 'string' &&
    'content' in value &&
    typeof value.timestamp === 'string' &&
    types.has(textAt(value, 'type') ?? '')
  );
}

/** Returns 0.92 if a file looks like a session of Gemini CLI, else 0. */
export function detect(sample: InputSample): number {
  return sample.files.some(isGeminiFile) ? 0.92 : 0;
}

/** Returns the thoughts of a message as thinking blocks; each has a subject and a description. */
function thoughtsOf(message: JsonObject): Json[] {
  return listAt(message, 'thoughts')
    .filter(isJsonObject)
    .map((thought) => {
      const subject = getFilledText(thought, 'subject');
      const words = [subject === undefined ? '' : `**${subject}**`, textAt(thought, 'description') ?? ''];
      return { type: 'thinking', thinking: words.filter((word) => word !== '').join('\n') };
    });
}

function callsOf(message: JsonObject, id: string): ReplyItem[] {
  const calls: Json[] = [];
  const results: ReplyItem[] = [];
  for (const [index, call] of listAt(message, 'toolCalls').filter(isJsonObject).entries()) {
    const tool = getFilledText(call, 'name') ?? 'unknown';
    const callId = getFilledText(call, 'id') ?? `${id}-call-${index}`;
    calls.push(buildToolUseBlock(callId, tool, call.args));
    const content = fromGoogleFunctionResult(call.result);
    const isError = call.status === 'error' || call.status === 'cancelled';
    const shown = content.length === 0 ? getFilledText(call, 'resultDisplay') : undefined;
    if (shown !== undefined) content.push({ type: 'text', text: shown });
    if (content.length > 0 || isError)
      results.push({
        type: 'result',
        callId,
        name: tool,
        content: content.length > 0 ? content : [{ type: 'text', text: '' }],
        isError,
      });
  }
  return [...(calls.length === 0 ? [] : [toBlocksItem(calls)]), ...results];
}

function usageOf(message: JsonObject): JsonObject {
  const { tokens } = message;
  if (!isJsonObject(tokens)) return {};
  const [input, output, cached, thoughts, total] = ['input', 'output', 'cached', 'thoughts', 'total'].map((key) =>
    numberAt(tokens, key),
  );
  return {
    usage: {
      ...(input === undefined ? {} : { input_tokens: input }),
      ...(output === undefined ? {} : { output_tokens: output + (thoughts ?? 0) }),
      ...(cached === undefined ? {} : { cached_input_tokens: cached }),
      ...(thoughts === undefined ? {} : { reasoning_output_tokens: thoughts }),
      ...(total === undefined ? {} : { total_tokens: total }),
    },
  };
}

const isText = (block: Json): block is JsonObject => isJsonObject(block) && block.type === 'text';

/** Whether a user message was written by the program and not by the user. */
function isInjected(blocks: readonly Json[]): boolean {
  return (
    blocks.length > 0 &&
    blocks.every((block) => {
      const text = isText(block) ? (textAt(block, 'text') ?? '').trimStart() : '';
      return /^This is the Gemini CLI\./.test(text) || (text.startsWith('<') && extractUserWords(text) === '');
    })
  );
}

/** Returns the results of functions in the content of a message. */
function functionResultsIn(message: JsonObject): JsonObject[] {
  const parts = Array.isArray(message.content) ? message.content : [message.content ?? null];
  return parts.filter(isJsonObject).flatMap((part) => {
    const result = part.functionResponse;
    return isJsonObject(result) ? [result] : [];
  });
}

/** Whether a message of the user consists of results of functions only. */
function hasOnlyResults(message: JsonObject): boolean {
  const parts = Array.isArray(message.content) ? message.content.length : 1;
  return message.type === 'user' && parts > 0 && functionResultsIn(message).length === parts;
}

function resultItem(result: JsonObject, id: string): ReplyItem {
  const name = getFilledText(result, 'name') ?? 'unknown';
  const content = fromGoogleFunctionResult({ functionResponse: result });
  const isError = isJsonObject(result.response) && result.response.error !== undefined;
  return { type: 'result', callId: getFilledText(result, 'id') ?? `${id}-call`, name, content, isError };
}

/** Returns the text of a message without the tags around a summary. */
function textOf(message: JsonObject): string {
  return fromGoogleParts(message.content)
    .map((block) => (isText(block) ? (textAt(block, 'text') ?? '') : ''))
    .join('')
    .trim();
}

/** Returns the summary with which the program replaces the beginning of a session; undefined for other messages. */
function summaryIn(message: JsonObject): string | undefined {
  if (message.type !== 'user') return undefined;
  const [, summary] = /^<state_snapshot>([\s\S]*?)(?:<\/state_snapshot>)?$/.exec(textOf(message)) ?? [];
  return summary?.trim();
}

/** Returns the author and content of a message in the form that nodes are built from. */
function authorAndContent(message: JsonObject, id: string) {
  const calls = new Set(listAt(message, 'toolCalls').map((call) => (isJsonObject(call) ? textAt(call, 'id') : '')));
  const results = functionResultsIn(message);
  const blocks = fromGoogleParts(message.content).filter((block) => {
    if (!isJsonObject(block)) return true;
    // A call may be in the content and in the list of calls, which also has its result.
    if (block.type === 'tool-use') return !calls.has(textAt(block, 'id'));
    return message.type !== 'user' || !isJsonObject(block.functionResponse);
  });
  if (message.type === 'gemini') {
    const said = [...thoughtsOf(message), ...blocks];
    const items = [...(said.length === 0 ? [] : [toBlocksItem(said)]), ...callsOf(message, id)];
    const source = buildModelSource(getFilledText(message, 'model'), { provider: 'google', ...usageOf(message) });
    return { role: 'assistant', items, source };
  }
  const items = blocks.length === 0 ? [] : [toBlocksItem(blocks)];
  if (message.type === 'user')
    return {
      role: 'user',
      items: [...results.map((result) => resultItem(result, id)), ...items],
      source: { type: 'user' },
      ...(isInjected(blocks) ? { kind: 'injected' as const } : {}),
    };
  // Notices of the program are hidden from the model.
  return { role: 'system', items, source: {}, kind: 'state' as const };
}

interface GeminiDraft {
  readonly id: string;
  /** The summary, if the message replaces the messages above it. */
  readonly summary?: string | undefined;
  /** The first message that the summary does not replace. */
  readonly firstKept?: string | undefined;
  readonly parent: string | null;
  readonly at: number;
  readonly place: string;
  message: JsonObject;
  line: PreservedLine;
}

class GeminiSession {
  readonly #file: string;
  readonly #options: ReadOptions;
  readonly #drafts = new Map<string, GeminiDraft>();
  readonly #findings: ImportFinding[] = [];
  /** Lines that are not messages, or that a later line replaced. */
  readonly #others: PreservedLine[] = [];
  #path: string[] = [];
  /** Messages that the program wrote again with another id, by that id. */
  readonly #copies = new Map<string, string>();
  #about: JsonObject = {};

  constructor(file: string, options: ReadOptions) {
    this.#file = file;
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#drafts.size === 0 && Object.keys(this.#about).length === 0;
  }

  /** Whether the session has only what the program writes before the first message of the user. */
  get isUnused(): boolean {
    return [...this.#drafts.values()].every(({ message }) => authorAndContent(message, '').kind === 'injected');
  }

  get findings(): readonly ImportFinding[] {
    return this.#findings;
  }

  addLine(line: JsonObject, at: number, found: readonly ImportFinding[]): void {
    for (const one of found) this.#findings.push(one);
    const place = `${this.#file}:${at}`;
    const rewind = textAt(line, '$rewindTo');
    if (rewind !== undefined) this.#rewind(rewind);
    else if (isJsonObject(line.$set)) {
      this.#about = { ...this.#about, ...omitKeys(line.$set, 'messages') };
      if (Array.isArray(line.$set.messages)) this.#replaceHistory(line.$set.messages, at, place);
    } else if (getFilledText(line, 'id') === undefined && isGeminiHeader(line))
      this.#about = { ...this.#about, ...line };
    else if (getFilledText(line, 'id') !== undefined) {
      this.#message(line, { at, line }, place);
      return;
    } else {
      this.#findings.push(
        buildFinding('import/other-format', 'loss', place, buildFindingDetail('neither-message-nor-session'), 1),
      );
      return;
    }
    this.#others.push({ at, line });
  }

  addDocument(about: JsonObject): void {
    this.#about = about;
  }

  addMessage(message: JsonObject, at: number, place: string, found: readonly ImportFinding[]): void {
    for (const one of found) this.#findings.push(one);
    this.#message(message, { at, line: message }, place);
  }

  /**
   * Applies a list that replaces the history. A list that begins with a summary is a compaction: the messages that it
   * kept are copies with other ids.
   */
  #replaceHistory(list: readonly Json[], at: number, place: string): void {
    const messages = list.flatMap((message, index) =>
      isJsonObject(message) ? [{ message, place: `${place}.messages[${index}]` }] : [],
    );
    const summaryAt = messages.findLastIndex(({ message }) => summaryIn(message) !== undefined);
    const path: string[] = [];
    let rest = messages;
    const [first, ...after] = summaryAt === -1 ? [] : messages.slice(summaryAt);
    if (first !== undefined) {
      rest = after.filter(({ message }) => textOf(message) !== afterSummary);
      const id = textAt(first.message, 'id') ?? '';
      if (!this.#drafts.has(id)) path.push(...this.#path, this.#summarise(first.message, rest, at, first.place));
      else path.push(...this.#path.slice(0, this.#path.indexOf(id)), id);
    }
    for (const { message, place: from } of rest) {
      const id = getFilledText(message, 'id') ?? '';
      const known = this.#copies.get(id) ?? id;
      if (this.#drafts.has(known)) {
        if (!path.includes(known)) path.push(known);
      } else if (!hasOnlyResults(message)) {
        const listed = { at, line: { ...message, [listedMessageField]: true } };
        this.#drafts.set(id, { id, parent: path.at(-1) ?? null, at, place: from, message, line: listed });
        path.push(id);
      }
    }
    this.#path = path;
  }

  /** Adds a summary, and finds the messages that it kept at the end of the path. Returns its id. */
  #summarise(
    message: JsonObject,
    kept: readonly { readonly message: JsonObject }[],
    at: number,
    place: string,
  ): string {
    const id = getFilledText(message, 'id') ?? String(at);
    const copies = kept.filter((one) => !hasOnlyResults(one.message));
    const tail = copies.length === 0 ? [] : this.#path.slice(-copies.length);
    const isCopied =
      tail.length === copies.length &&
      tail.every((own, index) => {
        const [before, copy] = [this.#drafts.get(own)?.message, copies[index]?.message];
        return before !== undefined && before.type === copy?.type && textOf(before) === textOf(copy ?? {});
      });
    if (isCopied)
      for (const [index, own] of tail.entries())
        this.#copies.set(textAt(copies[index]?.message ?? {}, 'id') ?? '', own);
    const listed = { at, line: { ...message, [listedMessageField]: true } };
    const parent = this.#path.at(-1) ?? null;
    const summary = summaryIn(message) ?? '';
    const firstKept = isCopied ? tail[0] : undefined;
    this.#drafts.set(id, { id, parent, at, place, message, line: listed, summary, firstKept });
    return id;
  }

  #message(message: JsonObject, line: PreservedLine, place: string): void {
    const named = getFilledText(message, 'id') ?? String(line.at);
    const id = this.#copies.get(named) ?? named;
    if (this.#repeatsResults(message, named)) {
      this.#others.push(line);
      return;
    }
    const known = this.#drafts.get(id);
    if (known !== undefined) {
      // The program writes a message again whenever it adds something to the message.
      this.#others.push(known.line);
      known.message = message;
      known.line = line;
      return;
    }
    this.#drafts.set(id, { id, parent: this.#path.at(-1) ?? null, at: line.at, place, message, line });
    this.#path.push(id);
  }

  /** Whether a line repeats results that the message with their calls has already. */
  #repeatsResults(message: JsonObject, id: string): boolean {
    if (this.#drafts.has(id) || !hasOnlyResults(message)) return false;
    const calls = new Set(
      this.#path.flatMap((own) =>
        listAt(this.#drafts.get(own)?.message ?? {}, 'toolCalls')
          .filter(isJsonObject)
          .map((call) => textAt(call, 'id')),
      ),
    );
    return functionResultsIn(message).every((result) => calls.has(textAt(result, 'id')));
  }

  #rewind(given: string): void {
    const id = this.#copies.get(given) ?? given;
    const at = this.#path.indexOf(id);
    this.#path = at === -1 ? [] : this.#path.slice(0, at);
  }

  tree(form: 'json' | 'lines'): ImportedTree {
    // The program stores an exported branch as a separate session. The branch is recognised by the session from which
    // it was exported.
    const id = getFilledText(this.#about, branchSessionField) ?? getFilledText(this.#about, 'sessionId');
    if (id === undefined)
      this.#findings.push(buildFinding('import/inferred', 'repair', this.#file, buildFindingDetail('session')));
    const nodes: ImportedNode[] = [];
    const known = (one: string) => this.#drafts.has(one);
    for (const draft of this.#drafts.values()) for (const node of this.#nodes(draft, known)) nodes.push(node);
    const directories = listAt(this.#about, 'directories').filter((one) => typeof one === 'string');
    const project = getFilledText(this.#about, 'projectHash');
    return {
      externalId: id ?? this.#file,
      scope: id === undefined ? (this.#options.scope ?? this.#file) : '',
      ...omitUndefinedAttributes({
        title: getFilledText(this.#about, 'summary'),
        createdAt: parseIsoTime(this.#about.startTime),
        updatedAt: parseIsoTime(this.#about.lastUpdated),
      }),
      attributes: {
        metadata: {
          ...(project === undefined ? {} : { project }),
          ...(directories[0] === undefined ? {} : { cwd: directories[0] }),
          ...(this.#about.kind === 'subagent' ? { agentId: id ?? '' } : {}),
        },
      },
      ...this.#spawnedBy(),
      nodes,
      activeExternalId: this.#path.at(-1) ?? null,
      record: { $form: form, $about: this.#about, ...(form === 'json' ? {} : { $lines: toLinePairs(this.#others) }) },
      ownRecords: this.#others.length,
      place: this.#file,
      findings: this.#findings,
    };
  }

  /** Returns the session of a subagent, which is the folder of its file. */
  #spawnedBy(): { readonly spawnedBy?: SpawnedBy } {
    const session = this.#file.split('/').at(-2);
    const isKnown = this.#about.kind === 'subagent' && session !== undefined && session !== 'chats';
    return isKnown ? { spawnedBy: { session } } : {};
  }

  #nodes(draft: GeminiDraft, known: (id: string) => boolean): ImportedNode[] {
    const { id, parent, message, place, line } = draft;
    for (const one of checkKnownValue('type', message.type, (word) => types.has(word), place, 'repair'))
      this.#findings.push(one);
    const createdAt = parseIsoTime(message.timestamp);
    for (const one of checkTime(message.timestamp, createdAt, place)) this.#findings.push(one);
    if (draft.summary !== undefined) return this.#compaction(draft, draft.summary, createdAt, known);
    const { role, items, source, kind } = authorAndContent(message, id);
    const status: { status?: NodeStatus } = {};
    const pieces = splitReplyItems(id, parent, items, { role, source, ...status }).map((piece) => ({
      ...piece,
      ...(role === 'system' ? { meta: {} } : {}),
      ...(kind === undefined ? {} : { kind }),
    }));
    return buildRecordNodes(id, pieces, { record: line.line, at: line.at, place, createdAt, known });
  }

  #compaction(
    { id, parent, line, place, firstKept }: GeminiDraft,
    summary: string,
    createdAt: number | undefined,
    known: (id: string) => boolean,
  ): ImportedNode[] {
    const items: ReplyItem[] = [{ type: 'compaction', summary, details: {} }];
    const pieces = splitReplyItems(id, parent, items, { role: 'assistant', source: {} }).map((piece) => ({
      ...piece,
      marker: { ...piece.marker, ...(firstKept === undefined ? {} : { firstKept }) },
    }));
    return buildRecordNodes(id, pieces, { record: line.line, at: line.at, place, createdAt, known });
  }
}

async function* readGeminiFile(file: InputFile, options: ReadOptions): AsyncGenerator<ReadEvent> {
  const session = new GeminiSession(file.name, options);
  const lines = await isJsonLinesFile(file);
  let count = 0;
  const records = lines ? readLineRecords(file) : readDocumentRecords(file, [['messages', '*']]);
  for await (const record of records) {
    if (++count % 1000 === 0) yield { type: 'pause' };
    if (record.type === 'finding') yield record;
    else if (record.type === 'rest') {
      if (isGeminiHeader(record.value)) session.addDocument(omitKeys(record.value, 'messages'));
    } else if (!isJsonObject(record.value)) yield { type: 'finding', finding: buildNonObjectFinding(record.place) };
    else if (lines) session.addLine(record.value, Number(record.path[0] ?? 0), record.findings);
    else if (isGeminiMessage(record.value))
      session.addMessage(record.value, Number(record.path[1] ?? 0), record.place, record.findings);
    else
      yield {
        type: 'finding',
        finding: buildFinding('import/other-format', 'loss', record.place, buildFindingDetail('not-a-message'), 1),
      };
  }
  if (session.isEmpty) for (const one of session.findings) yield { type: 'finding', finding: one };
  // The program creates such a file whenever a session is resumed, and continues in the original file of that session.
  else if (lines && session.isUnused)
    yield { type: 'finding', finding: buildFinding('import/skipped', 'note', file.name) };
  else yield { type: 'tree', tree: session.tree(lines ? 'lines' : 'json') };
}

/** Yields one tree for each session file. */
export function read(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  return readProgramFiles(input, isGeminiFile, (file) => readGeminiFile(file, options));
}
