import type { ToolUseBlock as CoreToolUseBlock, Json } from '@coppice/core';
import { isJsonObject } from '../../json-copy.ts';
import { estimateTokens } from '../../tokens.ts';
import { defineBlock, findOptionalStringProblem, pickComparedFields } from '../define.ts';

/** A model's request to run a tool, with data that must be sent back to its provider unchanged. */
export interface ToolUseBlock extends CoreToolUseBlock {
  /** The arguments as the model wrote them, for providers that compare them byte by byte. */
  readonly arguments?: string;
  /** An opaque signature of the reasoning behind the call. */
  readonly thoughtSignature?: string;
}

/** The number of tokens of a call besides its name and arguments, for id, type and markup. */
const overhead = 12;

function isFilled(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * The block type of tool calls. Only assistant messages may contain one. Comparisons include the parameters, but not
 * the raw argument text.
 */
export const toolUse = defineBlock<ToolUseBlock>({
  type: 'tool-use',
  summary: "A model's request to run a tool.",
  roles: ['assistant'],
  is: (value): value is ToolUseBlock =>
    'type' in value &&
    value.type === 'tool-use' &&
    'id' in value &&
    typeof value.id === 'string' &&
    'name' in value &&
    typeof value.name === 'string' &&
    'parameters' in value &&
    typeof value.parameters === 'object' &&
    value.parameters !== null &&
    !Array.isArray(value.parameters),
  problem(fields) {
    if (!isFilled(fields.id)) return 'is a tool-use block without an id';
    if (!isFilled(fields.name))
      return `is a tool-use block (id ${JSON.stringify(fields.id)}) without the name of a tool`;
    if (!isJsonObject(fields.parameters)) {
      return `is a tool-use block (id ${JSON.stringify(fields.id)}, tool ${JSON.stringify(fields.name)}) whose parameters are no object`;
    }
    return findOptionalStringProblem(fields, 'arguments') ?? findOptionalStringProblem(fields, 'thoughtSignature');
  },
  toText: (block) => `${block.name}(${JSON.stringify(block.parameters)})`,
  equalityForm: (block) => pickComparedFields(block, ['arguments']),
  withKnownFields: ({ id, name, parameters }) => ({ type: 'tool-use', id, name, parameters }),
  tokens: (block) => overhead + estimateTokens(block.name) + estimateTokens(JSON.stringify(block.parameters)),
});
