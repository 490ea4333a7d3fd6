import type { ToolSpec } from '../providers/contract.ts';
import { answerCall, defaultToolLimits, type ReadyTool, type ToolLimits } from './call.ts';
import type { Tool, ToolCall, ToolCallOptions, ToolResult } from './contract.ts';
import { toolError } from './errors.ts';
import * as members from './members.ts';
import { askAlways, type ToolRules } from './rules.ts';
import { compileSchema } from './schema.ts';

/** The tools that are built in. */
export const builtInTools: readonly Tool[] = Object.values(members);

/** What a registry is made with. */
export interface ToolsOptions {
  /** The tools to begin with; the built-in ones if not given. */
  readonly tools?: readonly Tool[] | undefined;
  readonly limits?: Partial<ToolLimits> | undefined;
  /** What the operator says; whoever starts a turn is asked about every side effect if not given. */
  readonly rules?: ToolRules | undefined;
  /** Milliseconds since 1970; the machine's clock if not given. */
  readonly now?: (() => number) | undefined;
}

/** The tools that models may call. Several sources add to one registry and take away what is theirs. */
export interface ToolRegistry {
  /** Adds a tool; what is returned takes it away again. Refuses a name that is taken and a schema that cannot be used. */
  add(tool: Tool): () => void;
  list(): readonly Tool[];
  find(name: string): Tool | undefined;
  /** What a provider is told of the tools, or of those named; refuses a name that no tool has. */
  specs(names?: readonly string[]): readonly ToolSpec[];
  /** Runs a call and answers it with a tool message. Never rejects. */
  call(call: ToolCall, options?: ToolCallOptions): Promise<ToolResult>;
  /** Runs calls at the same time; the answers come in the order of the calls. */
  callAll(calls: readonly ToolCall[], options?: ToolCallOptions): Promise<readonly ToolResult[]>;
}

/** Makes a registry. */
export function createTools(options: ToolsOptions = {}): ToolRegistry {
  const ready = new Map<string, ReadyTool>();
  const shop = {
    limits: { ...defaultToolLimits, ...options.limits },
    rules: options.rules ?? askAlways,
    now: options.now ?? Date.now,
    find: (name: string) => ready.get(name),
    names: () => [...ready.keys()],
  };
  const tools: ToolRegistry = {
    add(tool) {
      if (ready.has(tool.name))
        throw toolError('tool/exists', `There is a tool ${tool.name} already.`, { name: tool.name });
      const entry: ReadyTool = { tool, check: compileSchema(tool.name, tool.parameters) };
      ready.set(tool.name, entry);
      return () => {
        // Somebody else's tool may have taken the name since.
        if (ready.get(tool.name) === entry) ready.delete(tool.name);
      };
    },
    list: () => [...ready.values()].map(({ tool }) => tool),
    find: (name) => ready.get(name)?.tool,
    specs: (names) => (names ?? shop.names()).map((name) => specOf(ready, name)),
    call: (call, how = {}) => answerCall(shop, call, how),
    callAll: (calls, how = {}) => Promise.all(calls.map((call) => answerCall(shop, call, how))),
  };
  for (const tool of options.tools ?? builtInTools) tools.add(tool);
  return tools;
}

function specOf(ready: ReadonlyMap<string, ReadyTool>, name: string): ToolSpec {
  const found = ready.get(name)?.tool;
  if (found === undefined) throw toolError('tool/unknown', `There is no tool ${JSON.stringify(name)}.`, { name });
  return { name: found.name, description: found.description, parameters: found.parameters };
}
