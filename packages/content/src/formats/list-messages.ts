// Reads lists of messages in the form of chat completions, with the additional fields of several programs.
import type { Json, JsonObject } from '@coppice/core';
import { fromAnthropicBlock } from './anthropic-blocks.ts';
import { getFilledText, isJsonObject, listAt, textAt } from './fields.ts';
import { fromOpenAiMessage } from './openai-messages.ts';
import type { ReplyItem } from './reply-items.ts';
import { checkRole } from './structure-findings.ts';
import { type ConversationNodes, type ParsedTurn, toBlocksItem } from './turn-nodes.ts';

const roles: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** Converts the content of a message from OpenAI's or Anthropic's form to canonical blocks. */
function blocksOf(message: JsonObject): readonly Json[] {
  const { content } = message;
  if (Array.isArray(content) && content.some((part) => isJsonObject(part) && isAnthropic(part)))
    return content.map((part, index) => fromAnthropicBlock(part, `call-${index}`));
  return listAt(fromOpenAiMessage(message), 'content');
}

function isAnthropic({ type }: JsonObject): boolean {
  return (
    type === 'tool_use' ||
    type === 'thinking' ||
    type === 'redacted_thinking' ||
    type === 'image' ||
    type === 'document'
  );
}

/** Converts a message of a list to the role and items of a turn, and reports unknown roles. */
export function parseListMessage(
  message: JsonObject,
  nodes: ConversationNodes,
  place: string,
): Pick<ParsedTurn, 'role' | 'items'> {
  nodes.report(...checkRole('role', message.role, (word) => roles.has(word), place));
  const role = textAt(message, 'role') ?? 'user';
  const blocks = blocksOf(message).filter(
    (block) => !isJsonObject(block) || block.type !== 'text' || block.text !== '',
  );
  if (role === 'tool' || role === 'function') {
    const callId = getFilledText(message, 'tool_call_id') ?? `call-${getFilledText(message, 'name') ?? ''}`;
    const content = blocks.length === 0 ? [{ type: 'text', text: '' }] : blocks;
    const item: ReplyItem = {
      type: 'result',
      callId,
      name: getFilledText(message, 'name') ?? 'unknown',
      content,
      isError: false,
    };
    return { role: 'assistant', items: [item] };
  }
  const items = blocks.length === 0 ? [] : [toBlocksItem(blocks)];
  if (role === 'system' || role === 'developer') return { role: 'system', items };
  return { role: role === 'assistant' ? 'assistant' : 'user', items };
}
