import type { CliContext } from './cli-context.ts';
import { makeUsageError } from './exit-codes.ts';

/**
 * Returns the message: the words of the command line, or standard input if there are no words, without the last line
 * end.
 */
export async function readInputText(words: readonly string[], at: CliContext): Promise<string> {
  if (words.length > 0 && !(words.length === 1 && words[0] === '-')) return words.join(' ');
  if (words.length === 0 && at.host.stdin.isTTY === true)
    throw makeUsageError('The message is empty. Give a text, or pipe one in.');
  return (await at.input()).replace(/\r?\n$/, '');
}
