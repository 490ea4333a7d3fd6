/** Lists the tools of a server, page by page, within limits. */
import type { Json } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import type { McpLimits } from './contract.ts';
import { isJsonDeeperThan } from './escape-invisible-characters.ts';
import type { ToolDefinition } from './pins.ts';

/** The valid tools of a server, and messages about those that cannot be used. */
export interface ListedTools {
  readonly definitions: readonly ToolDefinition[];
  readonly problems: readonly string[];
}

/** Accepts every response without validation, because one invalid entry must not reject a whole list. */
export const uncheckedResponseSchema: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'coppice', validate: (value) => ({ value }) },
};

// The deepest nesting of a schema that is accepted.
const deepest = 64;
const longestName = 256;

/** Reads the tool list of a server. Entries beyond a limit are left out and reported; the others can be used. */
export async function listTools(
  client: Pick<Client, 'request'>,
  limits: McpLimits,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<ListedTools> {
  const definitions = new Map<string, ToolDefinition>();
  const problems: string[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 0; ; page++) {
    if (page === limits.pages) {
      problems.push(`The list of tools has more than ${limits.pages} pages; the rest is left out.`);
      break;
    }
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, uncheckedResponseSchema, options);
    const list = isJsonObject(answer) && Array.isArray(answer.tools) ? answer.tools : null;
    if (list === null) throw new Error('its list of tools is none');
    bytes += JSON.stringify(list).length;
    if (bytes > limits.listBytes) {
      problems.push(`The list of tools has more than ${limits.listBytes} characters; the rest is left out.`);
      break;
    }
    for (const entry of list) {
      const definition = readToolDefinition(entry);
      if (typeof definition === 'string') addProblem(problems, definition);
      else if (definitions.has(definition.tool))
        addProblem(problems, `The tool ${JSON.stringify(definition.tool)} is listed twice.`);
      else if (definitions.size < limits.tools) definitions.set(definition.tool, definition);
      else {
        problems.push(`There are more than ${limits.tools} tools; the rest is left out.`);
        return { definitions: [...definitions.values()], problems };
      }
    }
    const next = isJsonObject(answer) ? answer.nextCursor : undefined;
    if (typeof next !== 'string' || next === '') break;
    if (seen.has(next)) {
      problems.push('The pages of the list of tools lead in a circle.');
      break;
    }
    seen.add(next);
    cursor = next;
  }
  return { definitions: [...definitions.values()], problems };
}

const mostProblems = 20;

function addProblem(problems: string[], problem: string): void {
  if (problems.length < mostProblems) problems.push(problem);
}

/** Parses one entry of a list; returns a message if it is invalid. */
function readToolDefinition(entry: Json): ToolDefinition | string {
  if (!isJsonObject(entry) || typeof entry.name !== 'string' || entry.name === '')
    return 'A tool without a name is listed.';
  const { name, title } = entry;
  const shown = JSON.stringify(name.slice(0, 80));
  if (name.length > longestName) return `The tool ${shown} has a name of more than ${longestName} characters.`;
  const parameters = entry.inputSchema ?? { type: 'object' };
  if (!isJsonObject(parameters)) return `The tool ${shown} describes its arguments by no object.`;
  const annotations = isJsonObject(entry.annotations) ? entry.annotations : {};
  if (isJsonDeeperThan([parameters, annotations], deepest)) return `The tool ${shown} is described too deeply.`;
  const description = typeof entry.description === 'string' ? entry.description : '';
  const titled = typeof title === 'string' ? title : typeof annotations.title === 'string' ? annotations.title : '';
  return { tool: name, description: description === '' ? titled : description, parameters, annotations };
}
