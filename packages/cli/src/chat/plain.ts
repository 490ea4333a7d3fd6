/** A turn without an interface: for pipes and scripts. */
import type { Output } from '../output.ts';
import type { ChatSession } from './chat-session.ts';

/** Says something and prints the reply as it comes. Gives whether it came to its end. */
export async function plainTurn(
  chatSession: ChatSession,
  text: string,
  output: Output,
  signal: AbortSignal,
): Promise<boolean> {
  let nodeId: string | null = null;
  let printed = 0;
  // What a command said before is known already.
  let noted = chatSession.state.notice?.text ?? '';
  const listening = chatSession.listen(() => {
    const { growing, question, notice } = chatSession.state;
    if (notice !== null && !notice.bad && notice.text !== noted) {
      noted = notice.text;
      output.note(`${output.foreign(noted)}\n`);
    }
    // Nobody is there to ask.
    question?.answer(false);
    if (growing === null || growing.nodeId === null) return;
    if (growing.nodeId !== nodeId) {
      if (printed > 0) output.write('\n');
      nodeId = growing.nodeId;
      printed = 0;
    }
    // A character whose second half is still to come would be printed as two broken ones.
    const end = /[\ud800-\udbff]$/.test(growing.text) ? growing.text.length - 1 : growing.text.length;
    if (end <= printed) return;
    output.write(output.foreign(growing.text.slice(printed, end)));
    printed = end;
  });
  const stop = () => void chatSession.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await chatSession.send(text);
  } finally {
    listening();
    signal.removeEventListener('abort', stop);
  }
  if (printed > 0) output.write('\n');
  return chatSession.state.notice?.bad !== true;
}
