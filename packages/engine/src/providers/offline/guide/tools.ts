/** When the guide calls a tool, and with what. */
import { jsonListOf, jsonObjectOf, memberAt, textMember } from '@coppice/content/wires';
import type { Json, JsonObject, Message } from '@coppice/core';
import type { ProviderRequest, ToolSpec } from '../../contract.ts';

/** A call that the guide makes. */
export interface GuideCall {
  readonly name: string;
  readonly parameters: JsonObject;
}

const asksForDate =
  /\b(?:what|which|tell|current|today|now)\b[^.?!]*\b(?:date|day|time|year|month|weekday|clock)\b|\bwhat(?:'s| is) today\b|\btoday'?s date\b|\bcurrent_date\b/i;
const asksForTree =
  /\b(?:introspect|overview)\b|\b(?:this|my|the|our)\b[^.?!]*\b(?:tree|conversation|branches|thread|forest)\b[^.?!]*\b(?:look|shape|size|have|contain|many|deep|big|about)\b|\bhow (?:many|big|deep|large)\b[^.?!]*\b(?:branch|message|node|turn|tree|conversation)/i;

/** The call that a question asks for; null when it asks for none, or when the results are there already. */
export function callFor(request: ProviderRequest, question: string): GuideCall | null {
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

function toCall(tool: ToolSpec): GuideCall {
  return { name: tool.name, parameters: parametersFor(tool.parameters) };
}

/** The least that a schema asks for: required members only, each by its default, its first choice or an empty value. */
function parametersFor(schema: JsonObject): JsonObject {
  const parameters: Record<string, Json> = Object.create(null);
  const properties = jsonObjectOf(memberAt(schema, 'properties')) ?? {};
  const required = jsonListOf(memberAt(schema, 'required'));
  for (const [name, property] of Object.entries(properties)) {
    const choices = jsonListOf(memberAt(property, 'enum'));
    // The first of two levels is the modest one.
    if (choices.includes('overview')) parameters[name] = 'overview';
    else if (required.includes(name)) parameters[name] = valueFor(property, choices);
  }
  return { ...parameters };
}

function valueFor(property: Json, choices: readonly Json[]): Json {
  const said =
    memberAt(property, 'default') ??
    memberAt(property, 'const') ??
    choices[0] ??
    jsonListOf(memberAt(property, 'examples'))[0];
  if (said !== undefined) return said;
  switch (textMember(property, 'type')) {
    case 'number':
    case 'integer':
      return memberAt(property, 'minimum') ?? 1;
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

/** The results at the end of a conversation, with the names of their tools. */
export function resultsIn(
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
