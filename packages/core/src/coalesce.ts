import { isTextOnly, type Message, textMessage, textOf } from './message.ts';

function mayMerge(message: Message): boolean {
  return (message.role === 'user' || message.role === 'assistant') && isTextOnly(message);
}

/**
 * Merges neighbours that one side wrote: adjacent user or assistant messages whose blocks are all text become one
 * message of one text block. They are joined with nothing where white space is at the seam, or where the second goes on
 * with the text of the first (`continues` has its index), so that a split reply reads as before the split; else with a
 * blank line. For a request only. Messages that do not merge stay the same objects; if none does, the list is returned.
 */
export function coalesce(messages: readonly Message[], continues?: ReadonlySet<number>): readonly Message[] {
  const merged: Message[] = [];
  let first: Message | null = null;
  let texts: string[] = [];
  // The last piece that says something: an empty one between two questions must not glue them.
  let last = '';
  const close = () => {
    if (first !== null) merged.push(texts.length <= 1 ? first : textMessage(first.role, texts.join('')));
  };
  for (const [index, message] of messages.entries()) {
    const text = mayMerge(message) ? textOf(message) : null;
    if (first !== null && text !== null && texts.length > 0 && first.role === message.role) {
      texts.push(continues?.has(index) === true ? text : `${seamBetween(last, text)}${text}`);
      last = text === '' ? last : text;
    } else {
      close();
      first = message;
      texts = text === null ? [] : [text];
      last = text ?? '';
    }
  }
  close();
  return merged.length === messages.length ? messages : merged;
}

function seamBetween(left: string, right: string): string {
  return left === '' || right === '' || /\s$/u.test(left.slice(-1)) || /^\s/u.test(right) ? '' : '\n\n';
}
