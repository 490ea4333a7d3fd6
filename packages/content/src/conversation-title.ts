// Generates a title for a conversation without a title: the first words of its user. Programs add their own text to
// user messages (reminders, environment, command output). That text must not become the title, because a list of chats
// all named "<environment_context>" would be useless.
import { isText, type Message } from '@coppice/core';

/** The maximum length of a title in characters. */
const longestTitle = 60;
// Only this many characters of a text are searched; text that programs prepend is shorter.
const searchedLength = 64 * 1024;

// Elements in which programs wrap the user's own words. Their content is used.
const wrappers: ReadonlySet<string> = new Set(
  'feedback prompt query request task user-message user-prompt user-query user-request'.split(' '),
);
// Elements of programs that may be anywhere in a text.
const programElements =
  /^(?:system-reminder|environment-(?:context|details)|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|ide-[a-z-]+|user-instructions|user-prompt-submit-hook|turn-aborted|additional-(?:data|context)|instructions|environment|reminder|rules|memory|caveat|skill|attachments?|context|timestamp|permissions)$/;
// At the start of a line, any element with a compound name belongs to a program, because HTML has no such names.
const compoundName = /[-:]/;
const tag = /<(\/?)([a-z][a-z0-9]*(?:[-_:][a-z0-9]+)*)((?:\s[^<>]*)?)>/gi;

const camelCase = /([a-z])([A-Z])/g;

// Messages that a program writes in the user's name.
const written =
  /^(?:# AGENTS\.md instructions\b|Caveat: The messages below were generated|This session is being continued from a previous|\[Request (?:interrupted|cancelled)|This is the Gemini CLI\. We are setting up|Base directory for this skill:)/i;
// An editor puts its state before the words of the user, under this heading.
const editorState = /^# Context from my IDE setup:[\s\S]*?\n## My request for [^\n]*:?\n/;
// A slash command describes an action of the program, not the topic.
const command = /^[/!][\w:-]+(?:\s|$)/;

/**
 * Returns the index after the closing tag of an element whose content begins at `from`. An element that is never closed
 * extends to the end of the text.
 */
function endOfElement(lower: string, name: string, from: number): number {
  const closing = `</${name}>`;
  const at = lower.indexOf(closing, from);
  return at === -1 ? lower.length : at + closing.length;
}

/** Removes the elements of programs, such as reminders, from a text of any length in one pass. */
export function removeProgramElements(text: string): string {
  const lower = text.toLowerCase();
  const parts: string[] = [];
  let at = 0;
  tag.lastIndex = 0;
  for (let found = tag.exec(text); found !== null; found = tag.exec(text)) {
    const [whole, closes, name = '', rest = ''] = found;
    const known = name.replace(camelCase, '$1-$2').toLowerCase().replaceAll('_', '-');
    const begins = /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(at, found.index - 40), found.index));
    const wraps = wrappers.has(known);
    if (!wraps && (closes !== '' || !(programElements.test(known) || (begins && compoundName.test(known))))) continue;
    parts.push(text.slice(at, found.index), '\n');
    const after = found.index + whole.length;
    at = wraps || rest.endsWith('/') ? after : endOfElement(lower, name.toLowerCase(), after);
    tag.lastIndex = at;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/** Whether a program wrote all of a text, such as a reminder or the description of an environment. */
export function isProgramText(text: string): boolean {
  const begins = text.slice(0, searchedLength).trimStart();
  // Texts of programs begin with one of these characters; other texts need no further check.
  if (!/^[<#[A-Z]/.test(begins)) return false;
  return written.test(begins) || (begins.startsWith('<') && removeProgramElements(begins).trim() === '');
}

/** Returns the user's own words in a user message; empty if a program wrote all of it or if it is a slash command. */
export function extractUserWords(text: string): string {
  const whole = text.slice(0, searchedLength).replace(editorState, '');
  if (written.test(whole.trimStart())) return '';
  const bare = removeProgramElements(whole).trim();
  return command.test(bare) || written.test(bare) ? '' : bare;
}

/** Cuts a text between words, or between characters if there is no space near the end. */
function shorten(text: string): string {
  const characters = Array.from(text.slice(0, longestTitle * 4));
  if (characters.length <= longestTitle) return text;
  const cut = characters.slice(0, longestTitle - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > longestTitle / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–-]+$/u, '')}…`;
}

/** Returns a title from the text of a user message; undefined if the text has no words of the user. */
export function titleFromText(text: string): string | undefined {
  for (const line of extractUserWords(text).split('\n')) {
    // Skips the markup of fences, headings and quotes.
    const words = line
      .replace(/^[\s>#*`~=_-]+/u, '')
      .replace(/\s+/gu, ' ')
      .trim();
    if (/[\p{L}\p{N}]/u.test(words)) return shorten(words);
  }
  return undefined;
}

/** Returns a title from the first user message with words of the user; undefined if no message has any. */
export function titleFromMessages(messages: Iterable<Message>): string | undefined {
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    const text = content.map((block) => (isText(block) ? block.text : '')).join('\n');
    const title = titleFromText(text);
    if (title !== undefined) return title;
  }
  return undefined;
}
