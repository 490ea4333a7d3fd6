/** Pins: the definitions of tools when they were first seen or last approved, to detect later changes. */
import { canonicalJson, sha256Hex } from '@coppice/content';
import type { JsonObject } from '@coppice/core';
import type { McpServerConfig } from '../config/contract.ts';
import type { McpToolChange } from './contract.ts';

/** Everything that a model is told about a tool, and everything that decides whether calls need approval. */
export interface ToolDefinition {
  readonly tool: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly annotations: JsonObject;
}

/** A tool as it was approved. */
export interface ApprovedTool extends ToolDefinition {
  readonly server: string;
  /** The hash of the server's command or URL at that time. */
  readonly target: string;
  /** `first-use`: trusted when first seen; `operator`: approved by a person. */
  readonly by: 'first-use' | 'operator';
  /** When the tool was pinned, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Stores pins. `load` throws if they cannot be read, because with an empty list every changed tool would count as new
 * and trusted.
 */
export interface ToolPinStore {
  load(): Promise<readonly ApprovedTool[]>;
  /** Adds pins and replaces those of the same server and tool. They are durable when the promise resolves. */
  put(pins: readonly ApprovedTool[]): Promise<void>;
}

export function makeToolPinKey(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

/** Creates pins in memory. After each start all tools count as new and are trusted. */
export function createMemoryToolPinStore(begin: readonly ApprovedTool[] = []): ToolPinStore {
  const pins = new Map(begin.map((pin) => [makeToolPinKey(pin.server, pin.tool), pin]));
  return {
    load: async () => [...pins.values()],
    async put(more) {
      for (const pin of more) pins.set(makeToolPinKey(pin.server, pin.tool), pin);
    },
  };
}

/** Returns a hash of a server's command or URL, so that another program under the same name is not approved. */
export function hashServerTarget(config: McpServerConfig): string {
  const { name } = config;
  if (config.transport === 'http') return sha256Hex(canonicalJson({ name, url: config.url }));
  return sha256Hex(canonicalJson({ name, command: config.command, cwd: config.cwd ?? null }));
}

/** Returns a hash of all parts of a tool that are pinned. */
export function hashToolDefinition(
  target: string,
  { tool, description, parameters, annotations }: ToolDefinition,
): string {
  return sha256Hex(canonicalJson({ target, tool, description, parameters, annotations }));
}

/** Returns which parts of a tool differ from its pin. */
export function findToolChanges(
  pin: ApprovedTool,
  target: string,
  definition: ToolDefinition,
): readonly McpToolChange[] {
  const changed: McpToolChange[] = [];
  if (pin.target !== target) changed.push('command');
  if (pin.description !== definition.description) changed.push('description');
  if (canonicalJson(pin.parameters) !== canonicalJson(definition.parameters)) changed.push('parameters');
  if (canonicalJson(pin.annotations) !== canonicalJson(definition.annotations)) changed.push('annotations');
  return changed;
}
