/**
 * Makes models of this server answer in the form of a JSON schema. The schema is the parameter schema of the only tool,
 * which the model has to call, and the arguments of the call are the answer. Every provider with tools supports this.
 */
import type { JsonObject } from '@coppice/core';
import { isJsonObject, objectOrEmpty } from '@coppice/core/decode';
import type { ProviderEvent, ProviderRequest, ToolSpec } from '@coppice/engine';
import { type LocalWireKind, readTextField } from './exchange.ts';

/**
 * Returns the format field of a call with the requested schema. OpenAI's two APIs and Anthropic's have it in different
 * fields.
 */
function formatOf(wire: LocalWireKind, body: JsonObject): JsonObject {
  if (wire === 'chat') {
    const format = objectOrEmpty(body, 'response_format');
    return readTextField(format, 'type') === 'json_schema' ? objectOrEmpty(format, 'json_schema') : {};
  }
  const format =
    wire === 'responses'
      ? objectOrEmpty(objectOrEmpty(body, 'text'), 'format')
      : objectOrEmpty(objectOrEmpty(body, 'output_config'), 'format');
  return readTextField(format, 'type') === 'json_schema' ? format : {};
}

/** Returns the tool whose arguments are the answer; null if the client requests no schema, or has tools itself. */
export function makeAnswerTool(
  wire: LocalWireKind,
  body: JsonObject,
  request: Pick<ProviderRequest, 'tools'>,
): ToolSpec | null {
  const format = formatOf(wire, body);
  const { schema } = format;
  // The arguments of a tool call must be an object.
  if (!isJsonObject(schema) || schema['type'] !== 'object' || (request.tools ?? []).length > 0) return null;
  const name = (readTextField(format, 'name') ?? '').replace(/[^\w-]/g, '_').slice(0, 60);
  const description = readTextField(format, 'description') ?? 'Gives the answer. Call it once, with the whole answer.';
  return { name: name === '' ? 'answer' : name, description, parameters: schema };
}

/**
 * Converts the events of an answer through the tool: the arguments of the call become the text. Other text is left out.
 */
export async function* readAnswerFromTool(events: AsyncIterable<ProviderEvent>): AsyncGenerator<ProviderEvent> {
  let called = false;
  // If the model does not call the tool, this text becomes the answer.
  const texts: ProviderEvent[] = [];
  for await (const event of events) {
    if (event.type === 'tool-use-end') {
      if (called) continue;
      called = true;
      yield { type: 'text-delta', text: JSON.stringify(event.parameters) };
    } else if (event.type === 'text-delta') texts.push(event);
    else if (event.type === 'end') {
      if (!called) yield* texts;
      yield called && event.finishReason === 'tool-use' ? { ...event, finishReason: 'stop', raw: 'stop' } : event;
    } else if (event.type !== 'tool-use-start' && event.type !== 'tool-use-delta') yield event;
  }
}
