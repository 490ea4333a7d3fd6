/** What tools were like when they were first seen or last approved: what they say now is held against it. */
import { canonicalJson, sha256Hex } from '@coppice/content';
import type { JsonObject } from '@coppice/core';
import type { McpServerConfig } from '../config/contract.ts';
import type { McpToolChange } from './contract.ts';

/** All that a model is told of a tool, and all that decides whether its calls are asked about. */
export interface ToolDefinition {
  readonly tool: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly annotations: JsonObject;
}

/** A tool as it was approved. */
export interface Pin extends ToolDefinition {
  readonly server: string;
  /** Of the command or address that offered it. */
  readonly target: string;
  /** `first-use`: taken as it was first seen; `operator`: approved by a person. */
  readonly by: 'first-use' | 'operator';
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Where pins are kept. A store that cannot be read refuses, and never passes for an empty one. */
export interface PinStore {
  load(): Promise<readonly Pin[]>;
  /** Adds pins, or puts them in place of those of the same server and tool; durable when it resolves. */
  put(pins: readonly Pin[]): Promise<void>;
}

/** The key of a pin. */
export function pinKey(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

/** Pins for as long as the process lives: every start trusts what it finds. */
export function memoryPins(begin: readonly Pin[] = []): PinStore {
  const pins = new Map(begin.map((pin) => [pinKey(pin.server, pin.tool), pin]));
  return {
    load: async () => [...pins.values()],
    async put(more) {
      for (const pin of more) pins.set(pinKey(pin.server, pin.tool), pin);
    },
  };
}

/** Stands for a server's command or address: another program under an old name is not what was approved. */
export function targetHash(config: McpServerConfig): string {
  const { name } = config;
  if (config.transport === 'http') return sha256Hex(canonicalJson({ name, url: config.url }));
  return sha256Hex(canonicalJson({ name, command: config.command, cwd: config.cwd ?? null }));
}

/** Stands for everything that is pinned of a tool. */
export function definitionHash(target: string, { tool, description, parameters, annotations }: ToolDefinition): string {
  return sha256Hex(canonicalJson({ target, tool, description, parameters, annotations }));
}

/** What of a tool is not as it was pinned. */
export function changesSince(pin: Pin, target: string, face: ToolDefinition): readonly McpToolChange[] {
  const changed: McpToolChange[] = [];
  if (pin.target !== target) changed.push('command');
  if (pin.description !== face.description) changed.push('description');
  if (canonicalJson(pin.parameters) !== canonicalJson(face.parameters)) changed.push('parameters');
  if (canonicalJson(pin.annotations) !== canonicalJson(face.annotations)) changed.push('annotations');
  return changed;
}
