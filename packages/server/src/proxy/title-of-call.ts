/** The title of a recorded tree: the user's own words, without additions of the program. */
import { extractUserWords } from '@coppice/content';
import { isText, type Message } from '@coppice/core';
import { titleFromFirstSentence } from '@coppice/engine';

/** Returns the first words of a user in a history; null if no message has words of the user. */
export function titleOfCall(history: readonly Message[]): string | null {
  for (const { role, content } of history) {
    if (role !== 'user') continue;
    const text = content.map((block) => (isText(block) ? block.text : '')).join('\n');
    const title = titleFromFirstSentence(withoutQuotes(extractUserWords(text)));
    if (title !== null) return title;
  }
  return null;
}

/** opencode puts the text that it is started with into quotation marks. */
function withoutQuotes(text: string): string {
  const [, inner] = /^"([^"]*)"$/.exec(text.trim()) ?? [];
  return inner ?? text;
}
