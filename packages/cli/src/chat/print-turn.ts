/** Runs a turn without the interface, for pipes and scripts. */
import type { OutputWriter } from '../output.ts';
import type { ChatSession } from './chat-session.ts';

/** Sends a message and prints the reply as it streams. Returns whether the reply was completed. */
export async function printTurn(
  chatSession: ChatSession,
  text: string,
  output: OutputWriter,
  signal: AbortSignal,
): Promise<boolean> {
  let nodeId: string | null = null;
  let printed = 0;
  // An earlier notice was printed already.
  let noted = chatSession.state.notice?.text ?? '';
  const listening = chatSession.listen(() => {
    const { growing, question, notice } = chatSession.state;
    if (notice !== null && !notice.bad && notice.text !== noted) {
      noted = notice.text;
      output.note(`${output.foreign(noted)}\n`);
    }
    // Without the interface no user can answer, so the call is refused.
    question?.answer(false);
    if (growing === null || growing.nodeId === null) return;
    if (growing.nodeId !== nodeId) {
      if (printed > 0) output.write('\n');
      nodeId = growing.nodeId;
      printed = 0;
    }
    // Half of a surrogate pair would be printed as a broken character.
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
