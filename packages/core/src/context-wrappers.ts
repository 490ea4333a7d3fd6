/** The texts that Coppice adds to messages for a model. Every provider gets the same texts. */
import {
  type Block,
  isText,
  type Message,
  type Role,
  type TextBlock,
  type ToolUseBlock,
  textMessage,
} from './message.ts';

/** The text before and after a wrapped text. */
export interface TextWrapper {
  readonly before: string;
  readonly after: string;
}

/** Every text that Coppice adds to a model's input. Pass your own to change them. */
export interface ContextTexts {
  /** The wrapper of a compaction's summary. */
  readonly summary: TextWrapper;
  /** The wrapper of the summary of a branch that was left or merged. */
  readonly branchSummary: TextWrapper;
  /** The wrapper of a system message that is sent as a user message. */
  readonly system: TextWrapper;
  /** The wrapper of a tool result whose call the model does not see. */
  readonly strayResult: (callId: string) => TextWrapper;
  /** The result that is sent for a call without a result. */
  readonly missingResult: (call: ToolUseBlock) => string;
}

// Messages are coalesced without a separator; the line feeds keep the tags apart from neighbouring text.
function wrapInTag(tag: string, note: string, attributes = ''): TextWrapper {
  return { before: `\n<${tag}${attributes}>\n${note}\n\n`, after: `\n</${tag}>\n` };
}

/** The texts for callers that pass none. */
export const contextTexts: ContextTexts = {
  summary: wrapInTag(
    'conversation-summary',
    'The beginning of this conversation was summarised to save room; the summary stands for those messages.',
  ),
  branchSummary: wrapInTag(
    'branch-summary',
    'Another branch of this conversation was explored; this is a summary of it, not a message of this branch.',
  ),
  system: wrapInTag('system-message', 'This is a message of the system, not of the user.'),
  strayResult: (callId) =>
    wrapInTag(
      'tool-result',
      'This is the result of a tool call that is not part of what is shown here.',
      ` call=${JSON.stringify(callId)}`,
    ),
  missingResult: (call) => `Error: the call of ${call.name} has no result; it was interrupted before it returned.`,
};

/**
 * Builds a message with a wrapper around its content. Adjacent text blocks are joined, including those of the wrapper.
 */
export function wrapMessage(role: Role, content: readonly Block[], wrapper: TextWrapper): Message {
  const blocks: Block[] = [];
  let text = wrapper.before;
  let open = true;
  for (const block of content) {
    if (open && isText(block)) text += block.text;
    else {
      if (open) blocks.push(contextTextBlock(text));
      open = isText(block);
      if (isText(block)) text = block.text;
      else blocks.push(block);
    }
  }
  blocks.push(contextTextBlock(open ? text + wrapper.after : wrapper.after));
  return { role, content: blocks };
}

function contextTextBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/**
 * Builds the message for a compaction's summary. It is a user message, because a summary has no more authority than the
 * messages that it replaces.
 */
export function buildSummaryMessage(summary: Message, words: ContextTexts = contextTexts): Message {
  return wrapMessage('user', summary.content, words.summary);
}

/** Builds the message for a branch summary. */
export function buildBranchSummaryMessage(summary: Message, words: ContextTexts = contextTexts): Message {
  return wrapMessage('user', summary.content, words.branchSummary);
}

/** Converts a system message for providers that accept no system messages inside a conversation. */
export function convertSystemToUserMessage(message: Message, words: ContextTexts = contextTexts): Message {
  return wrapMessage('user', message.content, words.system);
}

/** Builds a user message from a tool result without a call, because no provider accepts it as a tool message. */
export function buildStrayResultMessage(message: Message, words: ContextTexts = contextTexts): Message {
  return wrapMessage('user', message.content, words.strayResult(message.tool_call_id ?? ''));
}

/** Builds the result for a call without a result. It is only sent, never stored. */
export function buildMissingResultMessage(call: ToolUseBlock, words: ContextTexts = contextTexts): Message {
  return { ...textMessage('tool', words.missingResult(call)), tool_call_id: call.id };
}
