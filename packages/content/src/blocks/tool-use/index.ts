import type { ToolUseBlock as CoreToolUseBlock, Json } from '@coppice/core';
import { isJsonObject } from '../../json-copy.ts';
import { estimateTokens } from '../../tokens.ts';
import { comparedFields, defineBlock, optionalStringProblem } from '../define.ts';

/** A model's request to run a tool, with what its provider wants back unchanged. */
export interface ToolUseBlock extends CoreToolUseBlock {
  /** The arguments as the model wrote them, where a provider compares them byte for byte. */
  readonly arguments?: string;
  /** Opaque proof of the reasoning behind the call. */
  readonly thoughtSignature?: string;
}

/** What a call costs around its name and arguments: id, type and markup. */
const overhead = 12;

function isFilled(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/** A tool call. Only assistant messages call tools; the raw argument text never counts, its parameters do. */
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
    return optionalStringProblem(fields, 'arguments') ?? optionalStringProblem(fields, 'thoughtSignature');
  },
  toText: (block) => `${block.name}(${JSON.stringify(block.parameters)})`,
  normal: (block) => comparedFields(block, ['arguments']),
  withKnownFields: ({ id, name, parameters }) => ({ type: 'tool-use', id, name, parameters }),
  tokens: (block) => overhead + estimateTokens(block.name) + estimateTokens(JSON.stringify(block.parameters)),
});
