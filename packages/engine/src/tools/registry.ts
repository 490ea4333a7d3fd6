import type { ToolSpec } from '../providers/contract.ts';
import { type CompiledTool, defaultToolLimits, runToolCall, type ToolLimits } from './call.ts';
import type { Tool, ToolCall, ToolCallOptions, ToolResult } from './contract.ts';
import { makeToolError } from './errors.ts';
import * as members from './members.ts';
import { alwaysAskRules, type ToolRules } from './rules.ts';
import { compileSchema, type SchemaCheck } from './schema.ts';

export const builtInTools: readonly Tool[] = Object.values(members);

/** The first tools of a registry, and the limits and rules for calls. */
export interface ToolsOptions {
  /** The tools at the start; by default the built-in ones. */
  readonly tools?: readonly Tool[] | undefined;
  readonly limits?: Partial<ToolLimits> | undefined;
  /** The operator's rules; by default every tool with side effects needs the caller's approval. */
  readonly rules?: ToolRules | (() => ToolRules) | undefined;
  /** Returns the time in milliseconds since 1970; by default the system's time. */
  readonly now?: (() => number) | undefined;
}

/** The tools that models may call. Several sources can add tools, and each removes only its own. */
export interface ToolRegistry {
  /** Adds a tool; returns a function that removes it. Throws on a name that is taken and on an unusable schema. */
  add(tool: Tool): () => void;
  list(): readonly Tool[];
  find(name: string): Tool | undefined;
  /** Returns the specifications for a provider, of all tools or of the named ones. Throws on an unknown name. */
  specs(names?: readonly string[]): readonly ToolSpec[];
  /** Runs a call and returns a tool message. Never rejects. */
  call(call: ToolCall, options?: ToolCallOptions): Promise<ToolResult>;
  /** Runs calls concurrently; the results are in the order of the calls. */
  callAll(calls: readonly ToolCall[], options?: ToolCallOptions): Promise<readonly ToolResult[]>;
}

/** Creates a registry with the built-in tools or those of `tools`. */
export function createTools(options: ToolsOptions = {}): ToolRegistry {
  const ready = new Map<string, CompiledTool>();
  const { rules = alwaysAskRules } = options;
  const runner = {
    limits: { ...defaultToolLimits, ...options.limits },
    get rules() {
      return typeof rules === 'function' ? rules() : rules;
    },
    now: options.now ?? Date.now,
    find: (name: string) => ready.get(name),
    names: () => [...ready.keys()],
  };
  const tools: ToolRegistry = {
    add(tool) {
      if (ready.has(tool.name))
        throw makeToolError('tool/exists', `There is already a tool ${tool.name}.`, { name: tool.name });
      const entry: CompiledTool = { tool, check: checkFor(tool) };
      ready.set(tool.name, entry);
      return () => {
        // After a removal another tool may have taken the name.
        if (ready.get(tool.name) === entry) ready.delete(tool.name);
      };
    },
    list: () => [...ready.values()].map(({ tool }) => tool),
    find: (name) => ready.get(name)?.tool,
    specs: (names) => (names ?? runner.names()).map((name) => specOf(ready, name)),
    call: (call, how = {}) => runToolCall(runner, call, how),
    callAll: (calls, how = {}) => Promise.all(calls.map((call) => runToolCall(runner, call, how))),
  };
  for (const tool of options.tools ?? builtInTools) tools.add(tool);
  return tools;
}

/**
 * Returns the check of a tool's arguments. Schemas of other tools are compiled at once, so that a bad one is refused
 * here. Those of the built-in tools are valid, and most processes never call them.
 */
function checkFor(tool: Tool): SchemaCheck {
  if (!builtInTools.includes(tool)) return compileSchema(tool.name, tool.parameters);
  let compiled: SchemaCheck | undefined;
  return (parameters) => {
    compiled ??= compileSchema(tool.name, tool.parameters);
    return compiled(parameters);
  };
}

function specOf(ready: ReadonlyMap<string, CompiledTool>, name: string): ToolSpec {
  const found = ready.get(name)?.tool;
  if (found === undefined) throw makeToolError('tool/unknown', `There is no tool ${JSON.stringify(name)}.`, { name });
  return { name: found.name, description: found.description, parameters: found.parameters };
}
