import type { Block, Message, Role } from './message.ts';
import type { ContentFields } from './node.ts';

const purgedBlock: Block = { type: 'purged' };
const purgedKey = 'purged';

/** Returns a message of the same role and call without its content. */
export function purgedMessage(message: Omit<Message, 'content'>): Message {
  return { ...message, content: [purgedBlock] };
}

/** Returns the placeholder for the content of a purged message, or for a former content that contained its text. */
export function purgedContent(role: Role): ContentFields {
  const message = purgedMessage(role === 'tool' ? { role, tool_call_id: 'purged' } : { role });
  return { message, status: 'success', key: purgedKey, text: '', tokens: 0, aliases: [] };
}

/** Whether a content is the placeholder of {@link purgedContent}. No message has the equality key `purged`. */
export function isPurgedContent({ key, message }: Pick<ContentFields, 'key' | 'message'>): boolean {
  return key === purgedKey && message.content[0]?.type === purgedBlock.type;
}
