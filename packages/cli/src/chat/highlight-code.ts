/**
 * Colours code by patterns that most languages share: comments, strings, numbers and keywords. It needs no grammar per
 * language, so it loads nothing at startup and works on incomplete code.
 */
import { fieldsOrEmpty } from '@coppice/core/decode';
import type { TextStyles } from '../terminal/style.ts';

const keywords =
  'abstract as async await break case catch class const continue def default defer del do elif else end enum except export extends false False final finally fn for foreach from func function go if impl implements import in instanceof interface is lambda let local loop match mod module mut namespace new nil None not null of or package pass private protected pub public raise return select self static struct super switch then this throw trait true True try type typeof undefined union unless until use using val var void where while with yield';

// Languages in which # begins a comment; elsewhere it may be a colour, a private name or a directive.
const hashComments =
  /^(?:py|python|sh|bash|zsh|shell|console|fish|rb|ruby|yaml|yml|toml|r|perl|pl|make|makefile|dockerfile|elixir|nix)$/i;
const dashComments = /^(?:sql|lua|haskell|hs|elm|ada)$/i;
// Text in which words are not keywords.
const noCode = /^(?:|text|txt|plain|plaintext|markdown|md|diff|patch|csv|log|output)$/i;

const strings = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${'`'}(?:[^${'`'}\\]|\\[^])*${'`'}`;
const numbers = String.raw`\b(?:0x[\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\b`;

function shapesOf(language: string): RegExp {
  const slashes = hashComments.test(language) || dashComments.test(language) ? '' : String.raw`\/\/[^\n]*|`;
  const comments = `${slashes}${String.raw`\/\*[^]*?(?:\*\/|$)`}${hashComments.test(language) ? String.raw`|(?<!\S)#[^\n]*` : ''}${dashComments.test(language) ? String.raw`|--[^\n]*` : ''}`;
  const words = String.raw`(?<![\w$.-])(?:${keywords.replaceAll(' ', '|')})(?![\w$-])`;
  return new RegExp(`(?<comment>${comments})|(?<string>${strings})|(?<word>${words})|(?<number>${numbers})`, 'g');
}

/** Colours code. Each piece is coloured line by line, so that a line can be cut from the rest. */
export function highlightCode(code: string, language: string, style: TextStyles): string {
  const [name = ''] = language.trim().split(/[\s{:,]/);
  if (!style.colors || noCode.test(name)) return code;
  return code.replace(shapesOf(name), (piece, ...rest: unknown[]) => {
    const groups = rest.at(-1);
    const paint = paintFor(groups, style);
    return piece
      .split('\n')
      .map((line) => (line === '' ? line : paint(line)))
      .join('\n');
  });
}

function paintFor(groups: unknown, style: TextStyles): (text: string) => string {
  const found = fieldsOrEmpty(groups);
  const has = (name: string) => found[name] !== undefined;
  if (has('comment')) return style.quiet;
  if (has('string')) return style.active;
  return has('word') ? style.strong : style.warn;
}
