/** Derives the title of a recorded tree from the words of the user, without additions of the program. */
import { extractUserWords } from '@coppice/content';
import { isText, type Message } from '@coppice/core';
import { makeTitleFromFirstSentence } from '@coppice/engine';

/** Returns the first words of the user in a history; null if no message has any. */
export function titleOfCall(history: readonly Message[]): string | null {
  for (const { role, content } of history) {
    if (role !== 'user') continue;
    const text = content.map((block) => (isText(block) ? block.text : '')).join('\n');
    const title = makeTitleFromFirstSentence(withoutQuotes(extractUserWords(text)));
    if (title !== null) return title;
  }
  return null;
}

/** Removes quotation marks around a text. opencode adds them to the text with which it is started. */
function withoutQuotes(text: string): string {
  const [, inner] = /^"([^"]*)"$/.exec(text.trim()) ?? [];
  return inner ?? text;
}
