import { Lexer, type Token, type TokensList } from 'marked';
import { footnoteExtensions } from './footnotes.ts';
import { nestTags } from './html-tags.ts';
import { mathExtensions } from './math-tokens.ts';

/** A block of Markdown: its source and its token. */
export interface MarkdownBlock {
  /** The offset in the whole text: a key that is stable while text is appended. */
  readonly at: number;
  readonly raw: string;
  readonly token: Token;
}

const extensions = {
  renderers: {},
  childTokens: {},
  block: [...mathExtensions.block, ...footnoteExtensions.block],
  startBlock: [...mathExtensions.startBlock, ...footnoteExtensions.startBlock],
  inline: [...mathExtensions.inline, ...footnoteExtensions.inline],
  startInline: [...mathExtensions.startInline, ...footnoteExtensions.startInline],
};
const options = { gfm: true, breaks: false, extensions, async: false, silent: false };

// Parsing a paragraph looks ahead to its end at every mark, so a very long one would cost quadratic time, and one full
// of unmatched emphasis marks even more.
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

/** Parses a text as inline Markdown. */
export function tokenizeInline(text: string): readonly Token[] {
  return new BoundedLexer(options).inlineTokens(text, []);
}

/** Groups the blocks between an opening and a closing tag, such as `details`, into one. */
export function nestMarkdownBlocks(blocks: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  const nested = nestTags(blocks, tokenizeInline);
  if (nested === blocks) return blocks;
  return nested.map(({ token, at }) => ({ token, at, raw: token.raw }));
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
    // The lexer drops repeated definitions and changes some blank lines: then offsets are not reliable.
    exact &&= text.startsWith(token.raw, at);
    if (token.type !== 'space' && token.type !== 'def') blocks.push({ at: start + at, raw: token.raw, token });
    if (exact) sure = blocks.length;
    at += token.raw.length;
  }
  return { blocks, sure };
}

/** A text split into blocks, which can be continued. */
export interface SplitMarkdown {
  readonly text: string;
  readonly blocks: readonly MarkdownBlock[];
  /** How many leading blocks have reliable offsets; a longer text continues from these. */
  readonly sure: number;
}

/**
 * Splits a text into blocks. If the text continues an earlier one, all but its last two blocks stay the same objects,
 * so that a streaming reply is not parsed and rendered again from the start. Null for a text that cannot be parsed,
 * such as ten thousand nested quotes.
 */
export function splitMarkdownIntoBlocks(text: string, before: SplitMarkdown | null): SplitMarkdown | null {
  // The lexer drops carriage returns; offsets must refer to the same text.
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
