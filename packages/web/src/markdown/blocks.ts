import { Lexer, type Token, type TokensList } from 'marked';
import { mathExtensions } from './math-tokens.ts';

/** A block of Markdown: the text it was written in, and what it means. */
export interface MarkdownBlock {
  /** Where it begins in the whole text: a key that stays while text is added below. */
  readonly at: number;
  readonly raw: string;
  readonly token: Token;
}

const options = { gfm: true, breaks: false, extensions: mathExtensions, async: false, silent: false };

// Reading inside a paragraph looks ahead to its end at every mark, so one without end would cost its square, and one full
// of marks for emphasis that do not match more than that.
const longestParagraph = 20_000;
const mostEmphasis = 400;

function isReadable(text: string): boolean {
  if (text.length > longestParagraph) return false;
  let marks = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // * _ ~
    if (code === 42 || code === 95 || code === 126) marks++;
  }
  return marks <= mostEmphasis;
}

class BoundedLexer extends Lexer {
  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (isReadable(text)) return super.inlineTokens(text, tokens);
    tokens.push({ type: 'text', raw: text, text });
    return tokens;
  }
}

function lex(text: string): TokensList {
  return new BoundedLexer(options).lex(text);
}

interface Lexed {
  readonly blocks: readonly MarkdownBlock[];
  readonly sure: number;
}

function blocksFrom(text: string, start: number): Lexed {
  const blocks: MarkdownBlock[] = [];
  let at = 0;
  let exact = true;
  let sure = 0;
  for (const token of lex(text)) {
    // The lexer keeps a second definition of one name to itself, and changes a few blank lines: then places are not sure.
    exact &&= text.startsWith(token.raw, at);
    if (token.type !== 'space' && token.type !== 'def') blocks.push({ at: start + at, raw: token.raw, token });
    if (exact) sure = blocks.length;
    at += token.raw.length;
  }
  return { blocks, sure };
}

/** A text cut into blocks, ready to be gone on with. */
export interface BlockCut {
  readonly text: string;
  readonly blocks: readonly MarkdownBlock[];
  /** How many blocks from the first on stand where they say; a longer text goes on from these. */
  readonly sure: number;
}

/**
 * Cuts a text into blocks. Where the text goes on from one that was cut before, all but its last two blocks stay the
 * same objects, so that a reply which is still being written is neither read nor drawn again from the start. Answers
 * null for a text that no reader of Markdown survives, such as ten thousand quotes in each other.
 */
export function cutBlocks(text: string, before: BlockCut | null): BlockCut | null {
  // Carriage returns are dropped by the lexer; offsets must count the same text.
  const clean = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  try {
    const goesOn = before !== null && clean.startsWith(before.text);
    const kept = goesOn ? before.blocks.slice(0, Math.max(0, Math.min(before.blocks.length - 2, before.sure))) : [];
    const last = kept.at(-1);
    const start = last === undefined ? 0 : last.at + last.raw.length;
    const { blocks, sure } = blocksFrom(clean.slice(start), start);
    return { text: clean, blocks: [...kept, ...blocks], sure: kept.length + sure };
  } catch {
    return null;
  }
}
