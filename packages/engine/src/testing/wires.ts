/** Encodes replies in the formats of OpenAI's chat completions and Anthropic's messages, streamed and not streamed. */
import type { Json, JsonObject } from '@coppice/core';

/** The content of a reply to encode. */
export interface WireReply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly parameters: JsonObject }[];
}

export type WireName = 'openai' | 'anthropic';

function pieces(text: string): string[] {
  return text.match(/\s*\S+/g) ?? [];
}

function sse(data: Json, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

const counts = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } as const;

function chunk(delta: JsonObject, finish: string | null = null): string {
  return sse({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1767323045,
    model: 'm-x',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
}

function openaiEvents(reply: WireReply): string[] {
  const out = [chunk({ role: 'assistant', content: '' })];
  for (const piece of pieces(reply.thinking ?? '')) out.push(chunk({ reasoning_content: piece }));
  for (const piece of pieces(reply.text ?? '')) out.push(chunk({ content: piece }));
  for (const [index, { id, name, parameters }] of (reply.calls ?? []).entries()) {
    out.push(chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }));
    for (const piece of JSON.stringify(parameters).match(/.{1,7}/gs) ?? [])
      out.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
  }
  out.push(chunk({}, reply.calls === undefined ? 'stop' : 'tool_calls'));
  out.push(
    sse({ id: 'c1', object: 'chat.completion.chunk', created: 1767323045, model: 'm-x', choices: [], usage: counts }),
  );
  out.push('data: [DONE]\n\n');
  return out;
}

function anthropicEvents(reply: WireReply): string[] {
  const out: string[] = [];
  const push = (data: JsonObject & { readonly type: string }) => out.push(sse(data, data.type));
  push({
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm-x',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  });
  let index = 0;
  const block = (content: JsonObject, deltas: readonly JsonObject[]) => {
    push({ type: 'content_block_start', index, content_block: content });
    for (const delta of deltas) push({ type: 'content_block_delta', index, delta });
    push({ type: 'content_block_stop', index });
    index++;
  };
  if (reply.thinking !== undefined)
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...pieces(reply.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: 'sig==' },
    ]);
  if (reply.text !== undefined)
    block(
      { type: 'text', text: '' },
      pieces(reply.text).map((text) => ({ type: 'text_delta', text })),
    );
  for (const { id, name, parameters } of reply.calls ?? [])
    block(
      { type: 'tool_use', id, name, input: {} },
      (JSON.stringify(parameters).match(/.{1,7}/gs) ?? []).map((piece) => ({
        type: 'input_json_delta',
        partial_json: piece,
      })),
    );
  const reason = reply.calls === undefined ? 'end_turn' : 'tool_use';
  push({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 4 } });
  push({ type: 'message_stop' });
  return out;
}

/** Encodes a reply as the events of a stream, each with its blank line. */
export function encodeReplyStream(wire: WireName, reply: WireReply): string[] {
  return wire === 'openai' ? openaiEvents(reply) : anthropicEvents(reply);
}

/** Encodes a reply as a non-streamed response. */
export function encodeReply(wire: WireName, reply: WireReply): JsonObject {
  const { text, thinking, calls = [] } = reply;
  if (wire === 'openai') {
    const tool_calls = calls.map(({ id, name, parameters }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(parameters) },
    }));
    const message: JsonObject = {
      role: 'assistant',
      content: text ?? null,
      refusal: null,
      ...(thinking === undefined ? {} : { reasoning_content: thinking }),
      ...(calls.length === 0 ? {} : { tool_calls }),
    };
    const choice = { index: 0, message, finish_reason: calls.length === 0 ? 'stop' : 'tool_calls', logprobs: null };
    return { id: 'c1', object: 'chat.completion', created: 1767323045, model: 'm-x', choices: [choice], usage: counts };
  }
  const content: JsonObject[] = [];
  if (thinking !== undefined) content.push({ type: 'thinking', thinking, signature: 'sig==' });
  if (text !== undefined) content.push({ type: 'text', text });
  for (const { id, name, parameters } of calls) content.push({ type: 'tool_use', id, name, input: parameters });
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm-x',
    content,
    stop_reason: calls.length === 0 ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 4 },
  };
}

/** Encodes a keep-alive event without content. */
export function encodePing(wire: WireName): string {
  return wire === 'openai' ? ': ping\n\n' : 'event: ping\ndata: {"type":"ping"}\n\n';
}

/** Encodes an error response with this status. */
export function encodeFailure(wire: WireName, status: number): JsonObject {
  const message = `failed with ${status}`;
  const types: Readonly<Record<number, string>> = { 429: 'rate_limit_error', 529: 'overloaded_error' };
  const type = types[status] ?? 'api_error';
  return wire === 'openai'
    ? { error: { message, type, param: null, code: null } }
    : { type: 'error', error: { type, message } };
}
