/** Parses the responses of each API format: a JSON document or server-sent events, complete or cut off. */
import { assembleAnthropicReply, assembleChatCompletion, assembleOpenAiResponse } from '@coppice/content/formats';
import { joinGoogleChunks, readModelCallAnswers } from '@coppice/content/wires';
import { isBlank, type JsonObject, type NodeStatus } from '@coppice/core';
import { isJsonObject, listOrEmpty, objectOrEmpty } from '@coppice/core/decode';
import { redactKeys } from '@coppice/engine';
import {
  type CutOffReason,
  type ModelCompletion,
  type ParsedResponse,
  parseJsonObject,
  readTextField,
  type WireKind,
} from './exchange.ts';
import { readWireMessage } from './read-message.ts';
import { isEventStreamText } from './stream-events.ts';

/** A response before parsing. */
export interface RawResponse {
  /** The document, parsed or assembled from a stream; null if the response is not JSON. */
  readonly document: JsonObject | null;
  /** The text or its first part, if the response is not a document. */
  readonly text: string;
  readonly status: number;
  readonly cut: CutOffReason;
  /** The content encoding of a response that could not be decompressed. */
  readonly unreadableEncoding?: string | undefined;
}

const nothing: ParsedResponse = { before: [], answers: [], model: null, usage: null, id: null, items: [], error: null };
/** How many characters of an unreadable response are recorded. */
export const maxRecordedExcerptLength = 2_000;

export function parseResponse(wire: WireKind, raw: RawResponse): ParsedResponse {
  const { document, status, cut } = raw;
  if (status >= 300) return { ...nothing, error: { status, ...failureOfResponse(raw) } };
  const whole = document ?? {};
  const read = readers[wire](whole, cut);
  const error = read.error ?? (cut === 'limit' ? tooLong : null);
  if (read.answers.length > 0 || read.error !== null) return { ...read, error };
  // An HTML page, an image or an empty body with a success status is recorded as an error and never as an answer.
  const failedCompletion: ModelCompletion = {
    message: null,
    finish: null,
    status: cut === null ? 'error' : endOfAnswer(cut),
  };
  return {
    ...read,
    answers: [failedCompletion],
    error: error ?? { status, ...failureOfResponse({ ...raw, document: null }) },
  };
}

const tooLong: JsonObject = {
  code: 'proxy/answer-too-long',
  message: 'The response is too long to be recorded completely. The client received all of it.',
};

const inBackground: JsonObject = {
  message: 'The service answers in the background. The program fetches the answer with another call.',
};

/** Returns the document that a stream of events contains. */
export function foldStreamEvents(wire: WireKind, events: readonly JsonObject[]): JsonObject {
  if (wire === 'chat') return assembleChatCompletion(events);
  if (wire === 'google') return joinGoogleChunks(events);
  return wire === 'messages' ? assembleAnthropicReply(events) : assembleOpenAiResponse(events);
}

/** Returns the recorded form of a failure: the service's message, shortened and without keys. */
function failureOfResponse({ document, text, cut, unreadableEncoding }: RawResponse): JsonObject {
  if (unreadableEncoding !== undefined)
    return { message: `The response has the content encoding ${unreadableEncoding}, and could not be decompressed.` };
  if (document === null && text === '')
    return { message: cut === 'client' ? 'The client disconnected.' : 'The service sent nothing.' };
  if (document === null && cut !== null && isEventStreamText(text))
    return { message: `${cut === 'client' ? 'The client disconnected' : 'The stream ended'} before the answer began.` };
  if (document === null) return { message: redactKeys(text.slice(0, maxRecordedExcerptLength)) };
  return failureOfReport(document);
}

function failureOfReport(document: JsonObject): JsonObject {
  const said = objectOrEmpty(document, 'error');
  const kept = Object.keys(said).length > 0 ? said : document;
  const short = JSON.stringify(kept);
  if (short.length > maxRecordedExcerptLength) return { message: redactKeys(short.slice(0, maxRecordedExcerptLength)) };
  return parseJsonObject(redactKeys(short)) ?? { message: 'The service reported an error without a readable message.' };
}

function usageOfResponse(record: JsonObject): JsonObject | null {
  const usage = objectOrEmpty(record, 'usage');
  return Object.keys(usage).length === 0 ? null : usage;
}

function endOfAnswer(cut: CutOffReason): NodeStatus {
  return cut === 'client' ? 'aborted' : 'interrupted';
}

function completionOf(record: JsonObject, finish: string | null, cut: CutOffReason): ModelCompletion {
  const message = readWireMessage(record);
  // Many clients disconnect right after the last event, so an answer with a finish reason is complete.
  if (finish === null) return { message, finish, status: endOfAnswer(cut) };
  // A blank answer is recorded as an error.
  return { message, finish, status: message === null || isBlank(message) ? 'error' : 'success' };
}

function errorOfResponse(record: JsonObject): JsonObject | null {
  const { error } = record;
  if (typeof error === 'string') return { message: redactKeys(error.slice(0, maxRecordedExcerptLength)) };
  return isJsonObject(error) && Object.keys(error).length > 0 ? failureOfReport({ error }) : null;
}

function fromChat(completion: JsonObject, cut: CutOffReason): ParsedResponse {
  const answers = readModelCallAnswers('chat', completion).flatMap(({ messages, finish }) =>
    messages.map(({ message }) => completionOf(message, finish ?? null, cut)),
  );
  return {
    ...common(completion),
    before: [],
    answers,
    items: listOrEmpty(completion, 'choices')
      .slice(0, 1)
      .flatMap((choice) =>
        isJsonObject(choice)
          ? (readTextField(objectOrEmpty(objectOrEmpty(choice, 'message'), 'audio'), 'id') ?? [])
          : [],
      ),
  };
}

function fromMessages(message: JsonObject, cut: CutOffReason): ParsedResponse {
  const [read] = listOrEmpty(message, 'content').length === 0 ? [] : readModelCallAnswers('anthropic', message);
  const said = read?.messages.at(-1);
  return {
    ...common(message),
    before: [],
    answers: said === undefined ? [] : [completionOf(said.message, read?.finish ?? null, cut)],
    items: [],
  };
}

function fromResponses(response: JsonObject, cut: CutOffReason): ParsedResponse {
  // If the service ran tools itself, their calls and results come before the final answer.
  const said = [...(readModelCallAnswers('responses', response)[0]?.messages ?? [])];
  const last = said.at(-1)?.message['role'] === 'assistant' ? said.pop() : undefined;
  const before = said.flatMap(({ message: record, items }) => {
    const message = readWireMessage(record);
    return message === null ? [] : [{ message, items }];
  });
  const status = readTextField(response, 'status');
  const finish = status === 'completed' || status === 'incomplete' ? status : null;
  const isInBackground = last === undefined && (status === 'queued' || status === 'in_progress') && cut === null;
  return {
    ...common(response),
    ...(isInBackground ? { error: inBackground } : {}),
    before: before.map(({ message }) => message),
    answers:
      last !== undefined
        ? [completionOf(last.message, finish, cut)]
        : isInBackground
          ? [{ message: null, finish: null, status: 'interrupted' }]
          : [],
    items: listOrEmpty(response, 'output').flatMap((item) =>
      isJsonObject(item) ? (readTextField(item, 'id') ?? []) : [],
    ),
    itemsBefore: before.map(({ items }) => items),
    answerItems: last?.items ?? [],
  };
}

function fromGoogle(response: JsonObject, cut: CutOffReason): ParsedResponse {
  const blocked = readTextField(objectOrEmpty(response, 'promptFeedback'), 'blockReason');
  return {
    before: [],
    answers: readModelCallAnswers('google', response).flatMap(({ messages, finish }) =>
      messages.map(({ message }) => completionOf(message, finish ?? null, cut)),
    ),
    model: readTextField(response, 'modelVersion'),
    usage: googleUsage(objectOrEmpty(response, 'usageMetadata')),
    id: readTextField(response, 'responseId'),
    items: [],
    error: errorOfResponse(response) ?? (blocked === null ? null : { message: `The prompt was blocked: ${blocked}.` }),
  };
}

/**
 * Adds `inputTokens` and `outputTokens`, from which the cost is computed, to Google's usage. Thinking tokens are
 * charged as output.
 */
function googleUsage(usage: JsonObject): JsonObject | null {
  const count = (key: string) => (typeof usage[key] === 'number' ? usage[key] : 0);
  if (Object.keys(usage).length === 0) return null;
  const inputTokens = count('promptTokenCount') + count('toolUsePromptTokenCount');
  const outputTokens = count('candidatesTokenCount') + count('thoughtsTokenCount');
  return { ...usage, inputTokens, outputTokens };
}

const readers: Readonly<Record<WireKind, (document: JsonObject, cut: CutOffReason) => ParsedResponse>> = {
  chat: fromChat,
  messages: fromMessages,
  responses: fromResponses,
  google: fromGoogle,
};

/** Returns the fields that all formats except Google's have in common. */
function common(document: JsonObject): Pick<ParsedResponse, 'model' | 'usage' | 'id' | 'error'> {
  return {
    model: readTextField(document, 'model'),
    usage: usageOfResponse(document),
    id: readTextField(document, 'id'),
    error: errorOfResponse(document),
  };
}
