/**
 * Finds formulas in a text: `$$…$$`, `\[…\]` and bare environments such as `\begin{align}…\end{align}` as blocks,
 * `$…$`, `\(…\)` and the block forms within a line.
 */
import type { TokenizerExtensionFunction, TokenizerStartFunction } from 'marked';

const names =
  'equation|align|gather|multline|eqnarray|flalign|alignat|displaymath|math|dmath|subequations|aligned|gathered|split|cases|array|[pbBvV]?matrix|CD';
const environment = `\\\\begin\\{(${names})(\\*?)\\}[\\s\\S]{1,20000}?\\\\end\\{\\KIND\\}`;

function environmentAs(first: number): string {
  return environment.replace('\\KIND', `\\${first}\\${first + 1}`);
}

const block = new RegExp(
  `^ {0,3}(?:\\$\\$([\\s\\S]{1,20000}?)\\$\\$|\\\\\\[([\\s\\S]{1,20000}?)\\\\\\]|(${environmentAs(4)}))[ \\t]*(?:\\n+|$)`,
);
// A dollar sign opens a formula only before a character that is not a space or digit, and closes it only after a
// non-space, so that prices are not formulas. A formula that begins with a digit contains no space, or a character that
// prices do not have.
const inDollars = [
  '\\$(?![\\s\\d$])((?:\\\\.|[^$\\\\\\n]){1,2000}?)(?<!\\s)\\$(?!\\d)',
  '\\$(\\d(?:\\\\.|[^$\\\\\\n]){0,2000}?[=+^_\\\\<>](?:\\\\.|[^$\\\\\\n]){0,2000}?)(?<!\\s)\\$(?!\\d)',
  '\\$(\\d[\\w.,()/*!]{0,40})\\$(?!\\w)',
].join('|');
const inline = new RegExp(
  `^(?:\\$\\$([^$]{1,2000}?)\\$\\$|${inDollars}|\\\\\\(([\\s\\S]{1,2000}?)\\\\\\)|\\\\\\[([\\s\\S]{1,2000}?)\\\\\\]|(${environmentAs(8)}))`,
);

const blockTokenizer: TokenizerExtensionFunction = (source) => {
  const match = block.exec(source);
  if (match === null) return undefined;
  return { type: 'math', raw: match[0], tex: (match[1] ?? match[2] ?? match[3] ?? '').trim(), display: true };
};

const inlineTokenizer: TokenizerExtensionFunction = (source) => {
  const match = inline.exec(source);
  if (match === null) return undefined;
  const [raw, dollars, ...others] = match;
  const [written, digits, number, round, square, bare] = others;
  const tex = dollars ?? written ?? digits ?? number ?? round ?? square ?? bare ?? '';
  if (tex.trim() === '') return undefined;
  return { type: 'math', raw, tex: tex.trim(), display: (dollars ?? square ?? bare) !== undefined };
};

const startOfBlock: TokenizerStartFunction = (source) => {
  const at = source.search(/\n {0,3}(?:\$\$|\\\[|\\begin\{)/);
  return at < 0 ? undefined : at + 1;
};

const startInLine: TokenizerStartFunction = (source) => {
  const at = source.search(/\$|\\\(|\\\[|\\begin\{/);
  return at < 0 ? undefined : at;
};

/** The extensions of the Markdown lexer that find formulas. */
export const mathExtensions = {
  block: [blockTokenizer],
  startBlock: [startOfBlock],
  inline: [inlineTokenizer],
  startInline: [startInLine],
};
