/**
 * A model service for agents in tests. It implements the Anthropic Messages, OpenAI Responses and Gemini
 * generateContent APIs, and listens only on loopback.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '@coppice/core';
import { getText, isJsonObject, listOrEmpty, objectOrEmpty } from '@coppice/core/decode';
import {
  encodeFailure,
  encodeReply,
  encodeReplyStream,
  openRawServer,
  type RawServer,
  type SeenRequest,
  type WireReply,
} from '@coppice/engine/testing';

/** What the service answers to a call. */
export interface AgentReply {
  readonly text?: string;
  /** Tool calls with parameters, or with a text (`input`) like the custom tools of the Responses API. */
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly parameters?: JsonObject;
    readonly input?: string;
    /** The namespace of the tool, a field of the Responses API. */
    readonly namespace?: string;
  }[];
  /** The reported tokens of the request. Above a limit a program compacts its history. */
  readonly inputTokens?: number;
  /** The status of an error that is sent instead of a reply. */
  readonly status?: number;
}

/** A call in the same form for all APIs, for the function that answers it. */
export interface AgentCall {
  readonly body: JsonObject;
  /** The messages of the history, each as JSON text. */
  readonly history: readonly string[];
  /** The names of the tools that are offered. */
  readonly tools: readonly string[];
  /** The number of tool results in the history. */
  readonly results: number;
  /** The number of calls that were answered before. */
  readonly number: number;
}

/** The service, with the hashes of the responses that it sent. */
export interface AgentService extends RawServer {
  /** SHA-256 of the bytes of each answer, in the order of the requests. */
  readonly answers: readonly string[];
}

type Answer = (call: AgentCall) => AgentReply;

/** Opens a service. Requests that are not model calls get an empty object. */
export async function openAgentService(answer: Answer): Promise<AgentService> {
  const answers: string[] = [];
  let calls = 0;
  const server = await openRawServer((request, response, index) => {
    const send = (status: number, type: string, text: string) => {
      answers[index] = createHash('sha256').update(text).digest('hex');
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
      response.end(text);
    };
    const write = writerOf(request);
    const body = parsedBody(request);
    if (write === null || body === null) return send(200, 'application/json', '{"data":[],"models":[]}');
    const reply = answer(describeCall(body, calls++));
    if (reply.status !== undefined)
      return send(reply.status, json, JSON.stringify(encodeFailure('anthropic', reply.status)));
    return write(reply, body, send, request);
  });
  return Object.defineProperties(
    { ...server, answers },
    { requests: { get: () => server.requests, enumerable: true } },
  );
}

type Send = (status: number, type: string, text: string) => void;
type Writer = (reply: AgentReply, body: JsonObject, send: Send, request: SeenRequest) => void;

const events = 'text/event-stream';
const json = 'application/json';

function writerOf({ method, path }: SeenRequest): Writer | null {
  if (method !== 'POST') return null;
  const [route = ''] = path.split('?');
  if (route.endsWith('/messages')) return writeMessages;
  if (route.endsWith('/responses')) return writeResponses;
  if (/:(?:stream)?[gG]enerateContent$/.test(route)) return writeContents;
  return null;
}

const writeMessages: Writer = ({ text, calls, inputTokens = 9 }, body, send) => {
  const reply: WireReply = {
    ...(text === undefined ? {} : { text }),
    ...(calls === undefined ? {} : { calls: calls.map((call) => ({ parameters: {}, ...call })) }),
  };
  // Claude Code treats replies with the same id as one reply.
  const own = (written: string) =>
    written
      .replaceAll('"input_tokens":9', `"input_tokens":${inputTokens}`)
      .replaceAll('"id":"msg_1"', `"id":"msg_${idOf(body)}"`);
  return body['stream'] === true
    ? send(200, events, own(encodeReplyStream('anthropic', reply).join('')))
    : send(200, json, own(JSON.stringify(encodeReply('anthropic', reply))));
};

/** Returns an id that is the same for the same request. */
function idOf(body: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 20);
}

const writeResponses: Writer = (reply, body, send) => {
  const id = `resp_${idOf(body)}`;
  const items: JsonObject[] = [];
  if (reply.text !== undefined)
    items.push({
      type: 'message',
      id: `msg_${id}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: reply.text, annotations: [] }],
    });
  for (const { id: call, name, parameters, input, namespace } of reply.calls ?? []) {
    const common = { call_id: call, name, status: 'completed', ...(namespace === undefined ? {} : { namespace }) };
    items.push(
      input === undefined
        ? { type: 'function_call', id: `fc_${call}`, ...common, arguments: JSON.stringify(parameters ?? {}) }
        : { type: 'custom_tool_call', id: `ctc_${call}`, ...common, input },
    );
  }
  const { inputTokens = 9 } = reply;
  const usage = { input_tokens: inputTokens, output_tokens: 4, total_tokens: inputTokens + 4 };
  const finished = { id, object: 'response', status: 'completed', model: 'm-x', output: items, usage };
  if (body['stream'] !== true) return send(200, json, JSON.stringify(finished));
  const sent: JsonObject[] = [
    { type: 'response.created', response: { ...finished, status: 'in_progress', output: [] } },
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: finished },
  ];
  const line = (event: JsonObject, sequence_number: number) =>
    `event: ${String(event['type'])}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`;
  return send(200, events, sent.map(line).join(''));
};

const writeContents: Writer = (reply, _body, send, request) => {
  const parts: JsonObject[] = [];
  if (reply.text !== undefined) parts.push({ text: reply.text });
  for (const { id, name, parameters } of reply.calls ?? [])
    parts.push({ functionCall: { id, name, args: parameters ?? {} } });
  const finished = {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
    modelVersion: 'm-x',
  };
  return request.path.includes('streamGenerateContent')
    ? send(200, events, `data: ${JSON.stringify(finished)}\n\n`)
    : send(200, json, JSON.stringify(finished));
};

function parsedBody({ body }: SeenRequest): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function describeCall(body: JsonObject, number: number): AgentCall {
  const listed = [body['messages'], body['input'], body['contents']].find(Array.isArray) ?? [];
  const said = listed.filter(isJsonObject);
  const isResult = (text: string) =>
    /"(?:tool_result|function_call_output|custom_tool_call_output|functionResponse)"/.test(text);
  const lists = [body, ...said.filter((item) => item['type'] === 'additional_tools')];
  const declared = lists
    .flatMap((list) => listOrEmpty(list, 'tools').filter(isJsonObject))
    .flatMap((tool) => {
      const inner = [...listOrEmpty(tool, 'functionDeclarations'), ...listOrEmpty(tool, 'tools')].filter(isJsonObject);
      return inner.length > 0 ? inner : [tool];
    });
  return {
    body,
    number,
    history: said.map((message) => JSON.stringify(message)),
    tools: declared.flatMap((tool) => getText(tool, 'name') ?? getText(objectOrEmpty(tool, 'function'), 'name') ?? []),
    results: said.filter((message) => isResult(JSON.stringify(message))).length,
  };
}
