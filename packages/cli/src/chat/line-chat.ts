/**
 * A chat in lines, for a terminal without cursor control: reads a line, prints the reply as it streams, and reads the
 * next one.
 */
import type { CliContext } from '../cli-context.ts';
import { readUntilStopped } from '../read-until-stopped.ts';
import type { ChatSession } from './chat-session.ts';
import { printTurn } from './print-turn.ts';

const prompt = '> ';

/**
 * Reads lines until the input ends or the user leaves with /quit. `runCommand` runs a line that begins with a slash and
 * returns what to print. A message or command that fails is reported, and the chat continues.
 */
export async function runLineChat(
  chatSession: ChatSession,
  at: CliContext,
  runCommand: (line: string) => Promise<Iterable<string>>,
): Promise<void> {
  const { host, output } = at;
  const model = output.foreign(chatSession.state.model);
  output.print(output.style.quiet(`${model}. Write and press Enter; /help lists commands, Ctrl-D leaves.`));
  output.write(prompt);
  for await (const line of readLines(readUntilStopped(host.stdin, host.signal))) {
    const text = line.trim();
    if (text === '/quit' || text === '/exit') return;
    if (text === '/new') await chatSession.openChat(null);
    else if (/^\/[a-z]/.test(text)) await report(at, async () => printAll(await runCommand(text), at));
    else if (text !== '') {
      const isWhole = await printTurn(chatSession, line, output, host.signal);
      host.signal.throwIfAborted();
      if (!isWhole)
        output.note(`${output.foreign(chatSession.state.notice?.text ?? 'The reply was not completed.')}\n`);
    }
    output.write(prompt);
  }
  output.write('\n');
}

function printAll(lines: Iterable<string>, { output }: CliContext): void {
  for (const line of lines) output.print(line);
}

async function report({ host, output }: CliContext, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    host.signal.throwIfAborted();
    output.note(`${output.foreign(error instanceof Error ? error.message : String(error))}\n`);
  }
}

/** Returns the lines of a stream, without their ends. */
async function* readLines(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    rest += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
