/** Where formulas stand in a text: `$$…$$` and `\[…\]` as blocks, `$…$` and `\(…\)` in a line. */
import type { TokenizerExtensionFunction, TokenizerStartFunction } from 'marked';

const block = /^(?:\$\$([\s\S]{1,20000}?)\$\$|\\\[([\s\S]{1,20000}?)\\\])[ \t]*(?:\n+|$)/;
// A dollar opens a formula only before something that is no space or digit, and closes it only after no space: prices stay prices.
const inline =
  /^(?:\$\$([^$\n]{1,2000}?)\$\$|\$(?![\s\d$])((?:\\.|[^$\\\n]){1,2000}?)(?<!\s)\$(?!\d)|\$(\d(?:\\.|[^$\\\n]){0,2000}?[=+^_\\](?:\\.|[^$\\\n]){0,2000}?)(?<!\s)\$(?!\d)|\\\(([\s\S]{1,2000}?)\\\))/;

const blockTokenizer: TokenizerExtensionFunction = (source) => {
  const match = block.exec(source);
  if (match === null) return undefined;
  return { type: 'math', raw: match[0], tex: (match[1] ?? match[2] ?? '').trim(), display: true };
};

const inlineTokenizer: TokenizerExtensionFunction = (source) => {
  const match = inline.exec(source);
  if (match === null) return undefined;
  const tex = match[1] ?? match[2] ?? match[3] ?? match[4] ?? '';
  return { type: 'math', raw: match[0], tex: tex.trim(), display: match[1] !== undefined };
};

const startOfBlock: TokenizerStartFunction = (source) => {
  const at = source.search(/\n(?:\$\$|\\\[)/);
  return at < 0 ? undefined : at + 1;
};

const startInLine: TokenizerStartFunction = (source) => {
  const at = source.search(/\$|\\\(/);
  return at < 0 ? undefined : at;
};

/** What the lexer is told beside its own grammar. */
export const mathExtensions = {
  renderers: {},
  childTokens: {},
  block: [blockTokenizer],
  startBlock: [startOfBlock],
  inline: [inlineTokenizer],
  startInline: [startInLine],
};
