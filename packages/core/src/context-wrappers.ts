/** The words around what a model is shown in another shape than it is stored in: one place, so that all faces agree. */
import {
  type Block,
  isText,
  type Message,
  type Role,
  type TextBlock,
  type ToolUseBlock,
  textMessage,
} from './message.ts';

/** What stands before and after a marked text. */
export interface Wrapper {
  readonly before: string;
  readonly after: string;
}

/** Every text that Coppice itself adds to what a model sees. Pass another one to speak otherwise. */
export interface ContextTexts {
  /** Around the summary that a compaction put in place of older messages. */
  readonly summary: Wrapper;
  /** Around the summary of a branch that was left or brought back. */
  readonly branchSummary: Wrapper;
  /** Around a system message that has to go as a user message. */
  readonly system: Wrapper;
  /** Around the result of a call that the model is not shown. */
  readonly strayResult: (callId: string) => Wrapper;
  /** What a call is answered with that has no result. */
  readonly missingResult: (call: ToolUseBlock) => string;
}

// Coalescing joins messages with nothing. The line feeds at both ends keep marks and a neighbour's words apart.
function wrapInTag(tag: string, note: string, attributes = ''): Wrapper {
  return { before: `\n<${tag}${attributes}>\n${note}\n\n`, after: `\n</${tag}>\n` };
}

/** The words that are used unless others are given. */
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

/** A message of a role with marks around its content. Text blocks that follow each other become one, the marks included. */
export function wrappedMessage(role: Role, content: readonly Block[], marks: Wrapper): Message {
  const blocks: Block[] = [];
  let text = marks.before;
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
  blocks.push(contextTextBlock(open ? text + marks.after : marks.after));
  return { role, content: blocks };
}

function contextTextBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** A compaction's summary as a model sees it. A user message: a summary has no more authority than what it sums up. */
export function summaryMessage(summary: Message, words: ContextTexts = contextTexts): Message {
  return wrappedMessage('user', summary.content, words.summary);
}

/** A branch summary as a model sees it. */
export function branchSummaryMessage(summary: Message, words: ContextTexts = contextTexts): Message {
  return wrappedMessage('user', summary.content, words.branchSummary);
}

/** A system message for a provider that takes none inside a conversation. */
export function systemAsUserMessage(message: Message, words: ContextTexts = contextTexts): Message {
  return wrappedMessage('user', message.content, words.system);
}

/** A tool result without a call before it, as a user message, since no provider takes it as what it is. */
export function strayResultMessage(message: Message, words: ContextTexts = contextTexts): Message {
  return wrappedMessage('user', message.content, words.strayResult(message.tool_call_id ?? ''));
}

/** The answer to a call that has none. Made for the request; never stored. */
export function missingResultMessage(call: ToolUseBlock, words: ContextTexts = contextTexts): Message {
  return { ...textMessage('tool', words.missingResult(call)), tool_call_id: call.id };
}
