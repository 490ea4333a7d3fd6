/** Reads a secret from a terminal. */
import { AppError } from '@coppice/core';
import type { ProcessHost } from '../output.ts';
import { readUntilStopped } from '../read-until-stopped.ts';

const endsLine: ReadonlySet<string> = new Set(['\r', '\n', '\u0004']);
const interrupt = '\u0003';
const erases: ReadonlySet<string> = new Set(['\b', '\u007f']);
const eraseAll = '\u0015';

/**
 * Asks for a line on the terminal and does not show what is typed or pasted. Backspace and Ctrl-U erase; Ctrl-C stops
 * the command.
 */
export async function readSecret({ stdin, stderr, signal }: ProcessHost, question: string): Promise<string> {
  // Raw mode comes first: a terminal would show what is typed between the question and raw mode.
  stdin.setRawMode?.(true);
  stderr.write(question);
  try {
    const decoder = new TextDecoder();
    let secret: readonly string[] = [];
    for await (const piece of readUntilStopped(stdin, signal))
      for (const character of typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })) {
        if (endsLine.has(character)) return secret.join('').trim();
        // In raw mode the terminal sends no signal for Ctrl-C.
        if (character === interrupt) throw new AppError({ code: 'cli/aborted', kind: 'aborted', message: 'Stopped.' });
        if (erases.has(character)) secret = secret.slice(0, -1);
        else if (character === eraseAll) secret = [];
        else if (character >= ' ') secret = [...secret, character];
      }
    return secret.join('').trim();
  } finally {
    stdin.setRawMode?.(false);
    stderr.write('\n');
  }
}
