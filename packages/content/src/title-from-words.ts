// A name for a conversation that has none: the first words of its user. Programs put text of their own into user messages
// (reminders, the environment, the output of commands), and a list of chats that are all called "<environment_context>" helps
// nobody.
import { isText, type Message } from '@coppice/core';

/** A title has at most so many characters. */
const longestTitle = 60;
// Longer texts are not looked through: what a program puts in front is never that long.
const looksAt = 64 * 1024;

// Elements in which programs put the user's own words; what is inside counts.
const wrappers: ReadonlySet<string> = new Set(
  'feedback prompt query request task user-message user-prompt user-query user-request'.split(' '),
);
// Elements of programs, wherever they are.
const programElements =
  /^(?:system-reminder|environment-(?:context|details)|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|ide-[a-z-]+|user-instructions|user-prompt-submit-hook|turn-aborted|additional-(?:data|context)|instructions|environment|reminder|rules|memory|caveat)$/;
// At the beginning of a line any element with a compound name is a program's: HTML has none of these.
const compoundName = /[-:]/;
const tag = /<(\/?)([a-z][a-z0-9]*(?:[-_:][a-z0-9]+)*)((?:\s[^<>]*)?)>/gi;

// Messages that a program writes in the user's name.
const written =
  /^(?:# AGENTS\.md instructions\b|Caveat: The messages below were generated|This session is being continued from a previous|\[Request (?:interrupted|cancelled))/i;
// A slash command says what the program does, not what the conversation is about.
const command = /^[/!][\w:-]+(?:\s|$)/;

/** Where an element that begins at `from` ends. One that never closes was cut off, and takes the rest with it. */
function endOfElement(lower: string, name: string, from: number): number {
  const closing = `</${name}>`;
  const at = lower.indexOf(closing, from);
  return at === -1 ? lower.length : at + closing.length;
}

/** A text without the elements of programs. One walk: each element is left behind as a whole. */
function withoutElements(text: string): string {
  const lower = text.toLowerCase();
  const parts: string[] = [];
  let at = 0;
  tag.lastIndex = 0;
  for (let found = tag.exec(text); found !== null; found = tag.exec(text)) {
    const [whole, closes, name = '', rest = ''] = found;
    const known = name.toLowerCase().replaceAll('_', '-');
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

/** The user's own words in the text of a user message; the empty text where there are none. */
export function ownWords(text: string): string {
  const whole = text.slice(0, looksAt);
  if (written.test(whole.trimStart())) return '';
  const bare = withoutElements(whole).trim();
  return command.test(bare) || written.test(bare) ? '' : bare;
}

/** Cuts a text between words, or between characters where it has no spaces. */
function shorten(text: string): string {
  const characters = Array.from(text.slice(0, longestTitle * 4));
  if (characters.length <= longestTitle) return text;
  const cut = characters.slice(0, longestTitle - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > longestTitle / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–-]+$/u, '')}…`;
}

/** A title out of the text of a user message; undefined where the user says nothing in it. */
export function titleFromText(text: string): string | undefined {
  for (const line of ownWords(text).split('\n')) {
    // Fences, headings and quotes are how a text is set, not what it says.
    const words = line
      .replace(/^[\s>#*`~=_-]+/u, '')
      .replace(/\s+/gu, ' ')
      .trim();
    if (/[\p{L}\p{N}]/u.test(words)) return shorten(words);
  }
  return undefined;
}

/** A title out of the first user message that has words of the user; undefined where none has. */
export function titleFromMessages(messages: Iterable<Message>): string | undefined {
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    const text = content.map((block) => (isText(block) ? block.text : '')).join('\n');
    const title = titleFromText(text);
    if (title !== undefined) return title;
  }
  return undefined;
}
