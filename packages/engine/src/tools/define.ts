import type { Json, JsonObject } from '@coppice/core';
import type { ToolContent } from './content.ts';
import type { Tool, ToolOrigin, ToolScope } from './contract.ts';
import { toolError } from './errors.ts';

/** What a member says itself; the rest has defaults. */
export interface ToolSpecification {
  readonly name: string;
  readonly description: string;
  /** An object without properties if not given. */
  readonly parameters?: JsonObject;
  /** True if not given: a tool that forgets to say is asked about. */
  readonly sideEffects?: boolean;
  readonly timeoutMs?: number | undefined;
  readonly origin?: ToolOrigin | undefined;
  run(parameters: JsonObject, scope: ToolScope): Promise<Json | ToolContent> | Json | ToolContent;
}

// What every provider takes as the name of a function.
const name = /^[A-Za-z0-9_-]{1,64}$/;

/** Completes a tool with the defaults. Refuses a name that providers would refuse. */
export function defineTool(spec: ToolSpecification): Tool {
  if (!name.test(spec.name))
    throw toolError(
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
