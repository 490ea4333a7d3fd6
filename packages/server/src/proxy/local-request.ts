/** Parses the options of a call for the models of this server: tools, tool choice, thinking, stop sequences. */
import type { JsonObject } from '@coppice/core';
import { isJsonObject, listOrEmpty, objectOrEmpty } from '@coppice/core/decode';
import type { ProviderRequest, ThinkingOptions, ToolChoice, ToolSpec } from '@coppice/engine';
import { readTextField, type WireKind } from './exchange.ts';

type LocalRequest = Omit<ProviderRequest, 'model' | 'messages' | 'systemPrompt' | 'maxTokens'>;

function numberFieldAt(body: JsonObject, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = body[name];
    if (typeof value === 'number') return value;
  }
  return undefined;
}

/** Returns the requested reply limit, in tokens. */
export function readRequestedMaxTokens(body: JsonObject): number | undefined {
  const most = numberFieldAt(body, 'max_completion_tokens', 'max_tokens', 'max_output_tokens');
  return most === undefined ? undefined : Math.max(1, Math.floor(most));
}

/** Returns the tools of the client. The model may call them, but the client runs them. */
function requestedTools(body: JsonObject): ToolSpec[] {
  return listOrEmpty(body, 'tools')
    .filter(isJsonObject)
    .flatMap((tool) => {
      const spec = isJsonObject(tool['function']) ? objectOrEmpty(tool, 'function') : tool;
      const name = readTextField(spec, 'name');
      const schema = isJsonObject(spec['input_schema']) ? spec['input_schema'] : objectOrEmpty(spec, 'parameters');
      // Tools that the service itself would run, such as a web search, are left out.
      if (name === null || (tool['type'] !== undefined && tool['type'] !== 'function' && tool['type'] !== 'custom'))
        return [];
      const parameters = Object.keys(schema).length === 0 ? { type: 'object', properties: {} } : schema;
      return [{ name, description: readTextField(spec, 'description') ?? '', parameters }];
    });
}

function choiceOf(body: JsonObject): ToolChoice | undefined {
  const { tool_choice: choice } = body;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  if (!isJsonObject(choice)) return undefined;
  const name = readTextField(choice, 'name') ?? readTextField(objectOrEmpty(choice, 'function'), 'name');
  if (name !== null) return { name };
  const type = readTextField(choice, 'type');
  return type === 'any' ? 'required' : type === 'auto' || type === 'none' ? type : undefined;
}

function effortOf(word: string | null): ThinkingOptions | undefined {
  if (word === 'low' || word === 'medium' || word === 'high') return { effort: word };
  if (word === 'minimal') return { effort: 'low' };
  return word === 'xhigh' || word === 'max' ? { effort: 'high' } : undefined;
}

function thinkingOf(wire: WireKind, body: JsonObject): ThinkingOptions | undefined {
  if (wire === 'chat') return effortOf(readTextField(body, 'reasoning_effort'));
  if (wire === 'responses') return effortOf(readTextField(objectOrEmpty(body, 'reasoning'), 'effort'));
  const thinking = objectOrEmpty(body, 'thinking');
  const type = readTextField(thinking, 'type');
  if (type !== 'enabled' && type !== 'adaptive') return undefined;
  const budgetTokens = numberFieldAt(thinking, 'budget_tokens');
  const chosen = effortOf(readTextField(objectOrEmpty(body, 'output_config'), 'effort')) ?? { effort: 'medium' };
  return budgetTokens === undefined ? chosen : { ...chosen, budgetTokens };
}

function stopsOf(body: JsonObject): readonly string[] | undefined {
  const { stop } = body;
  const listed =
    typeof stop === 'string' ? [stop] : [...listOrEmpty(body, 'stop'), ...listOrEmpty(body, 'stop_sequences')];
  const texts = listed.filter((one): one is string => typeof one === 'string');
  return texts.length === 0 ? undefined : texts;
}

/** Returns the options as an engine request. */
export function toEngineRequest(wire: WireKind, body: JsonObject): LocalRequest {
  const tools = requestedTools(body);
  const choice = choiceOf(body);
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length === 0 || choice === undefined ? {} : { toolChoice: choice }),
    temperature: numberFieldAt(body, 'temperature'),
    topP: numberFieldAt(body, 'top_p'),
    seed: numberFieldAt(body, 'seed'),
    stop: stopsOf(body),
    thinking: thinkingOf(wire, body),
  };
}
