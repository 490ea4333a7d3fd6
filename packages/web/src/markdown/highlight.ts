/**
 * Splits code into tokens: keywords, strings, comments. They are distinguished by weight; colours have other
 * meanings.
 */
import type { createLowlight } from 'lowlight';

export type Highlighter = ReturnType<typeof createLowlight>;
type TokenStyle = 'keyword' | 'string' | 'comment' | null;
/** A part of code with one style. */
export interface CodeToken {
  readonly at: number;
  readonly text: string;
  readonly look: TokenStyle;
}

const looks: ReadonlyMap<string, TokenStyle> = new Map([
  ['hljs-keyword', 'keyword'],
  ['hljs-literal', 'keyword'],
  ['hljs-built_in', 'keyword'],
  ['hljs-selector-tag', 'keyword'],
  ['hljs-name', 'keyword'],
  ['hljs-section', 'keyword'],
  ['hljs-string', 'string'],
  ['hljs-regexp', 'string'],
  ['hljs-number', 'string'],
  ['hljs-attr', 'string'],
  ['hljs-addition', 'string'],
  ['hljs-comment', 'comment'],
  ['hljs-quote', 'comment'],
  ['hljs-deletion', 'comment'],
]);

// Each token is a DOM element. After this number of tokens the rest of the code is one token.
const mostParts = 1_500;

type HighlightedNode = ReturnType<Highlighter['highlight']>['children'][number];

function lookOf(names: unknown): TokenStyle {
  if (!Array.isArray(names)) return null;
  for (const name of names) if (typeof name === 'string' && looks.has(name)) return looks.get(name) ?? null;
  return null;
}

/**
 * Splits code into tokens; joined they are the code. Without a library, or in an unknown language, it is one token.
 */
export function splitIntoCodeTokens(
  highlighter: Highlighter | null,
  code: string,
  language: string,
): readonly CodeToken[] {
  const name = language.toLowerCase();
  if (highlighter === null || name === '' || !highlighter.registered(name)) return [{ at: 0, text: code, look: null }];
  const parts: CodeToken[] = [];
  let at = 0;
  const add = (text: string, look: TokenStyle) => {
    if (text === '') return;
    const last = parts.at(-1);
    if (last !== undefined && last.look === look) parts[parts.length - 1] = { ...last, text: last.text + text };
    else parts.push({ at, text, look });
    at += text.length;
  };
  const waiting: { readonly node: HighlightedNode; readonly look: TokenStyle }[] = [];
  const push = (nodes: readonly HighlightedNode[], look: TokenStyle) => {
    for (let index = nodes.length - 1; index >= 0; index--) {
      const node = nodes[index];
      if (node !== undefined) waiting.push({ node, look });
    }
  };
  push(highlighter.highlight(name, code).children, null);
  for (let next = waiting.pop(); next !== undefined && parts.length < mostParts; next = waiting.pop()) {
    const { node, look } = next;
    if (node.type === 'text') add(node.value, look);
    else if (node.type === 'element') push(node.children, lookOf(node.properties.className) ?? look);
  }
  add(code.slice(at), null);
  return parts;
}
