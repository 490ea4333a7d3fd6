/** Footnotes: `[^1]` in a line, and its definition `[^1]: …`. */
import type { TokenizerExtensionFunction, TokenizerStartFunction } from 'marked';
import { createContext } from 'react';

const definition =
  /^ {0,3}\[\^([^\]\s]{1,60})\]:[ \t]*((?:[^\n]+|(?=\n {2,}\S))(?:\n(?![ \t]*(?:\n|$)|\[\^)[^\n]+)*)(?:\n+|$)/;
const reference = /^\[\^([^\]\s]{1,60})\](?!:)/;

const definitionTokenizer: TokenizerExtensionFunction = function (source) {
  const match = definition.exec(source);
  if (match === null) return undefined;
  const text = (match[2] ?? '').replace(/\n[ \t]+/g, '\n').trim();
  const token = { type: 'footnote', raw: match[0], label: match[1] ?? '', text, tokens: [] };
  this.lexer.inline(text, token.tokens);
  return token;
};

const referenceTokenizer: TokenizerExtensionFunction = (source) => {
  const match = reference.exec(source);
  return match === null ? undefined : { type: 'footnote-reference', raw: match[0], label: match[1] ?? '' };
};

const startOfDefinition: TokenizerStartFunction = (source) => {
  const at = source.search(/\n {0,3}\[\^[^\]\s]{1,60}\]:/);
  return at < 0 ? undefined : at + 1;
};

const startOfReference: TokenizerStartFunction = (source) => {
  const at = source.indexOf('[^');
  return at < 0 ? undefined : at;
};

/** The extensions of the Markdown lexer that find footnotes. */
export const footnoteExtensions = {
  block: [definitionTokenizer],
  startBlock: [startOfDefinition],
  inline: [referenceTokenizer],
  startInline: [startOfReference],
};

/** The footnotes of a message: numbered by their first reference. */
export interface Footnotes {
  readonly numbers: ReadonlyMap<string, number>;
  /** The prefix of the ids of their elements. */
  readonly prefix: string;
}

// A longer text is parsed in slices; its footnotes are shown as written.
const longestText = 200_000;

/** Numbers the footnotes that are both referenced and defined; null for a text without any. */
export function numberFootnotes(text: string): ReadonlyMap<string, number> | null {
  if (!text.includes('[^') || text.length > longestText) return null;
  const defined = new Set([...text.matchAll(/^ {0,3}\[\^([^\]\s]{1,60})\]:/gm)].map((match) => match[1] ?? ''));
  const numbers = new Map<string, number>();
  for (const [, label = ''] of text.matchAll(/\[\^([^\]\s]{1,60})\](?!:)/g))
    if (defined.has(label) && !numbers.has(label)) numbers.set(label, numbers.size + 1);
  return numbers.size === 0 ? null : numbers;
}

/** The footnotes of the surrounding message. */
export const FootnotesContext = createContext<Footnotes | null>(null);
