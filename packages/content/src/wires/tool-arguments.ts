/** Parses the JSON text that a model writes to the parameters of a call. */

import type { Block, Json, JsonObject, ToolUseBlock } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import { parseJson } from '../json-text.ts';

/** The parsed arguments of a tool call. */
export interface ToolArguments {
  /** Empty if the arguments are malformed. */
  readonly parameters: JsonObject;
  /** The problem with the arguments, as a sentence. */
  readonly malformed?: string;
}

/**
 * Parses the arguments of a call. Empty text and `null` mean no parameters, because several models write them so. Text
 * that is incomplete, not a JSON object, or would change when written back is malformed, and the call is never run.
 */
export function parseToolArguments(text: string): ToolArguments {
  if (text.trim() === '') return { parameters: {} };
  const parsed = parseJson(text, 'The arguments');
  if (!parsed.ok) return { parameters: {}, malformed: parsed.refusal.message };
  if (parsed.value === null) return { parameters: {} };
  if (isJsonObject(parsed.value)) return { parameters: parsed.value };
  const what = Array.isArray(parsed.value) ? 'a list' : `a ${typeof parsed.value}`;
  return { parameters: {}, malformed: `The arguments are ${what} where a JSON object is needed.` };
}

/**
 * Reads arguments from a wire that sends a JSON value instead of text. A string is parsed as JSON text, and null means
 * no parameters. Any other value except an object is malformed, and the call is never run.
 */
export function readToolArguments(value: Json | undefined): ToolArguments {
  if (value === undefined) return { parameters: {} };
  return parseToolArguments(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A tool call with malformed arguments; `arguments` contains the model's own text. */
export interface MalformedToolUse extends ToolUseBlock {
  readonly malformed: string;
}

/** Whether a call must be answered with an error instead of being run; its `malformed` contains the reason. */
export function isMalformedToolUse(block: Block): block is MalformedToolUse {
  return block.type === 'tool-use' && 'malformed' in block && typeof block.malformed === 'string';
}
