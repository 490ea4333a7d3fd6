/** Decides when the guide calls a tool, and with which arguments. */
import { getMember, getTextMember, listOrNone, objectOrUndefined } from '@coppice/content/wires';
import type { Json, JsonObject, Message } from '@coppice/core';
import type { ProviderRequest, ToolSpec } from '../../contract.ts';

export interface GuideToolCall {
  readonly name: string;
  readonly parameters: JsonObject;
}

const asksForDate =
  /\b(?:what|which|tell|current|today|now)\b[^.?!]*\b(?:date|day|time|year|month|weekday|clock)\b|\bwhat(?:'s| is) today\b|\btoday'?s date\b|\bcurrent_date\b/i;
const asksForTree =
  /\b(?:introspect|overview)\b|\b(?:this|my|the|our)\b[^.?!]*\b(?:tree|conversation|branches|thread|forest)\b[^.?!]*\b(?:look|shape|size|have|contain|many|deep|big|about)\b|\bhow (?:many|big|deep|large)\b[^.?!]*\b(?:branch|message|node|turn|tree|conversation)/i;

/** Returns the tool call for a question; null if no tool fits, or if the conversation ends with tool results. */
export function chooseToolCall(request: ProviderRequest, question: string): GuideToolCall | null {
  const { tools = [], toolChoice = 'auto', messages } = request;
  if (toolChoice === 'none' || tools.length === 0 || messages.at(-1)?.role === 'tool') return null;
  const named = (name: string) => tools.find((tool) => tool.name === name);
  if (typeof toolChoice === 'object') {
    const tool = named(toolChoice.name);
    return tool === undefined ? null : toCall(tool);
  }
  const date = asksForDate.test(question) ? named('current_date') : undefined;
  const tree = asksForTree.test(question) ? named('introspect') : undefined;
  const wanted = date ?? tree ?? (toolChoice === 'required' ? tools[0] : undefined);
  return wanted === undefined ? null : toCall(wanted);
}

function toCall(tool: ToolSpec): GuideToolCall {
  return { name: tool.name, parameters: parametersFor(tool.parameters) };
}

/**
 * Returns the smallest valid arguments for a schema: required members only, each with its default, first choice or
 * empty value.
 */
function parametersFor(schema: JsonObject): JsonObject {
  const parameters: Record<string, Json> = Object.create(null);
  const properties = objectOrUndefined(getMember(schema, 'properties')) ?? {};
  const required = listOrNone(getMember(schema, 'required'));
  for (const [name, property] of Object.entries(properties)) {
    const choices = listOrNone(getMember(property, 'enum'));
    // Chooses the shorter of the two levels of detail.
    if (choices.includes('overview')) parameters[name] = 'overview';
    else if (required.includes(name)) parameters[name] = valueFor(property, choices);
  }
  return { ...parameters };
}

function valueFor(property: Json, choices: readonly Json[]): Json {
  const said =
    getMember(property, 'default') ??
    getMember(property, 'const') ??
    choices[0] ??
    listOrNone(getMember(property, 'examples'))[0];
  if (said !== undefined) return said;
  switch (getTextMember(property, 'type')) {
    case 'number':
    case 'integer':
      return getMember(property, 'minimum') ?? 1;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return {};
    case 'null':
      return null;
    default:
      return 'Coppice';
  }
}

/** Returns the tool results at the end of a conversation, with the names of their tools. */
export function findToolResults(
  messages: readonly Message[],
  names: ReadonlyMap<string, string>,
): { name: string; message: Message }[] {
  const results: { name: string; message: Message }[] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.role !== 'tool') break;
    results.unshift({ name: names.get(message.tool_call_id ?? '') ?? 'the tool', message });
  }
  return results;
}
