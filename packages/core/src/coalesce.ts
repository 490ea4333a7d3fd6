import { isTextOnly, type Message, textMessage, textOf } from './message.ts';

function mayMerge(message: Message): boolean {
  return (message.role === 'user' || message.role === 'assistant') && isTextOnly(message);
}

/**
 * Merges neighbours that one side wrote: adjacent user or assistant messages whose blocks are all text become one
 * message of one text block, joined with nothing, so that a split reply reads as before the split. For a request only.
 * Messages that do not merge stay the same objects; if none does, the list itself is returned.
 */
export function coalesce(messages: readonly Message[]): readonly Message[] {
  const merged: Message[] = [];
  let run: Message[] = [];
  let open = false;
  const close = () => {
    const [first] = run;
    if (first !== undefined) merged.push(run.length === 1 ? first : textMessage(first.role, run.map(textOf).join('')));
  };
  for (const message of messages) {
    const mergeable = mayMerge(message);
    if (open && mergeable && run[0]?.role === message.role) run.push(message);
    else {
      close();
      run = [message];
      open = mergeable;
    }
  }
  close();
  return merged.length === messages.length ? messages : merged;
}
