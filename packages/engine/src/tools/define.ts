import type { Json, JsonObject } from '@coppice/core';
import type { ToolResultContent } from './content.ts';
import type { Tool, ToolOrigin, ToolScope } from './contract.ts';
import { makeToolError } from './errors.ts';

/** The fields from which {@link defineTool} builds a tool. */
export interface ToolSpecification {
  readonly name: string;
  readonly description: string;
  /** By default a schema without properties. */
  readonly parameters?: JsonObject;
  /** By default true, so that a tool that does not declare it needs approval. */
  readonly sideEffects?: boolean;
  readonly timeoutMs?: number | undefined;
  readonly origin?: ToolOrigin | undefined;
  run(parameters: JsonObject, scope: ToolScope): Promise<Json | ToolResultContent> | Json | ToolResultContent;
}

// Matches function names that every provider accepts.
const name = /^[A-Za-z0-9_-]{1,64}$/;

/** Builds a tool; missing fields get their defaults. Throws on a name that providers would reject. */
export function defineTool(spec: ToolSpecification): Tool {
  if (!name.test(spec.name))
    throw makeToolError(
      'tool/bad-name',
      `A tool's name has 1 to 64 letters, digits, _ or -; got ${JSON.stringify(spec.name.slice(0, 80))}.`,
      { name: spec.name },
    );
  return {
    name: spec.name,
    description: spec.description,
    parameters: spec.parameters ?? { type: 'object', properties: {}, additionalProperties: false },
    sideEffects: spec.sideEffects ?? true,
    timeoutMs: spec.timeoutMs,
    ...(spec.origin === undefined ? {} : { origin: spec.origin }),
    run: (parameters, scope) => spec.run(parameters, scope),
  };
}
