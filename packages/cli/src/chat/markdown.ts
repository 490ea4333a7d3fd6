/**
 * Renders Markdown for a terminal: wrapped, indented and styled, without any control sequences of the text itself.
 */
import { Lexer, type Token, type Tokens } from 'marked';
import { toDocsCommand } from '../documents.ts';
import { stripControlSequences } from '../terminal/strip-control-sequences.ts';
import type { TextStyles } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import { wrapLines } from '../terminal/wrap.ts';
import { highlightCode } from './highlight-code.ts';

// A very long text is shown without formatting, because parsing it would block the screen.
const plainAbove = 200_000;

/** Layout options. For text that people copy from the screen, lines of code and long words are not broken. */
interface Layout {
  readonly style: TextStyles;
  readonly isCopied: boolean;
}

function wrapText(text: string, width: number, { isCopied }: Layout): string[] {
  const lines = wrapLines(text, width, { keepsWords: isCopied });
  return isCopied ? lines.map((line) => line.trimEnd()) : lines;
}

/** Renders a text as lines of at most `width` columns. Control sequences are removed first. */
export function renderMarkdownLines(
  text: string,
  width: number,
  style: TextStyles,
  { isCopied = false } = {},
): string[] {
  const layout: Layout = { style, isCopied };
  const clean = stripControlSequences(text);
  if (clean.length > plainAbove) return wrapText(clean, width, layout);
  const lines: string[] = [];
  for (const token of new Lexer({ gfm: true }).lex(clean)) {
    const block = blockLines(token, width, layout);
    if (block.length === 0) continue;
    if (lines.length > 0) lines.push('');
    // Nested lists may indent by more columns than the screen has; then the text is put below the list marks.
    for (const line of block)
      if (isCopied || widthOf(line) <= width) lines.push(line);
      else for (const part of wrapText(line, width, layout)) lines.push(part);
  }
  return lines;
}

/**
 * Returns the length of the part of a growing text that further text cannot change: all blocks except the last. Only
 * this part can be printed to the scrollback, which cannot be changed later.
 */
export function measureFinishedMarkdown(text: string): number {
  if (text.length > plainAbove) return text.lastIndexOf('\n') + 1;
  const tokens = new Lexer({ gfm: true }).lex(text);
  const last = tokens.findLastIndex((token) => token.type !== 'space');
  let length = 0;
  for (const token of tokens.slice(0, Math.max(0, last))) length += token.raw.length;
  // The parser normalises tabs and line ends. If the lengths differ for that reason, the result is not used.
  return text.startsWith(
    tokens
      .slice(0, Math.max(0, last))
      .map(({ raw }) => raw)
      .join(''),
  )
    ? length
    : 0;
}

function blockLines(token: Token, width: number, layout: Layout): string[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading':
      return wrapText(layout.style.strong(renderInline(token, layout)), width, layout);
    case 'paragraph':
    case 'text':
      return wrapText(renderInline(token, layout), width, layout);
    case 'code':
      return codeLines(token as Tokens.Code, width, layout);
    case 'blockquote':
      return indentBlock(token, width, layout, layout.style.quiet('│ '), 2);
    case 'list':
      return listLines(token as Tokens.List, width, layout);
    case 'table':
      return tableLines(token as Tokens.Table, width, layout);
    case 'hr':
      return [layout.style.quiet('─'.repeat(Math.max(1, width)))];
    default:
      // HTML and all other tokens are shown as written.
      return wrapText(token.raw.trimEnd(), width, layout);
  }
}

function indentBlock(token: Token, width: number, layout: Layout, edge: string, taken: number): string[] {
  const lines: string[] = [];
  for (const inner of 'tokens' in token ? (token.tokens ?? []) : []) {
    if (lines.length > 0 && inner.type !== 'space') lines.push(edge.trimEnd());
    for (const line of blockLines(inner, width - taken, layout)) lines.push(edge + line);
  }
  return lines;
}

function codeLines({ text, lang }: Tokens.Code, width: number, layout: Layout): string[] {
  const head = lang === undefined || lang === '' ? [] : [layout.style.quiet(`  ${lang}`)];
  const code = highlightCode(text, lang ?? '', layout.style);
  // Marks before lines, or line breaks, would be copied with the code.
  if (layout.isCopied) return [...head, ...code.split('\n').map((line) => `  ${line}`)];
  const edge = layout.style.quiet('│ ');
  return [...head, ...wrapText(code, width - 2, layout).map((line) => edge + line)];
}

function listLines(list: Tokens.List, width: number, layout: Layout): string[] {
  const lines: string[] = [];
  const start = typeof list.start === 'number' ? list.start : 1;
  for (const [index, item] of list.items.entries()) {
    const box = item.task ? (item.checked === true ? '[x] ' : '[ ] ') : '';
    const mark = `${list.ordered ? `${start + index}. ` : '• '}${box}`;
    const inner: string[] = [];
    for (const token of item.tokens) {
      const block = blockLines(token, width - mark.length, layout);
      if (list.loose && inner.length > 0 && block.length > 0) inner.push('');
      for (const line of block) inner.push(line);
    }
    for (const [at, line] of inner.entries())
      lines.push(`${at === 0 ? layout.style.quiet(mark) : ' '.repeat(mark.length)}${line}`);
    if (inner.length === 0) lines.push(layout.style.quiet(mark));
  }
  return lines;
}

// A narrower column would break words.
const leastColumn = 8;

function tableLines(table: Tokens.Table, width: number, layout: Layout): string[] {
  const rows = [table.header, ...table.rows].map((row) => row.map((cell) => renderInline(cell, layout)));
  const natural = table.header.map((_, at) => rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 3));
  // Cells of text that people copy are not wrapped.
  const widths = fitColumns(
    natural,
    width - 3 * (natural.length - 1),
    layout.isCopied ? Number.POSITIVE_INFINITY : leastColumn,
  );
  // The table is too wide for the screen: each cell is printed on its own line, so that nothing is cut off.
  if (widths === null)
    return rows
      .slice(1)
      .flatMap((row) => [
        ...row.flatMap((cell, at) => wrapText(`${layout.style.strong(rows[0]?.[at] ?? '')}: ${cell}`, width, layout)),
        '',
      ]);
  const between = layout.style.quiet(' │ ');
  const rowLines = (row: readonly string[], set: (text: string) => string): string[] => {
    const cells = widths.map((space, at) => wrapLines(row[at] ?? '', space).map((line) => line.trimEnd()));
    const height = Math.max(1, ...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      widths
        .map((space, at) => {
          const text = cells[at]?.[line] ?? '';
          return alignText(set(text), space - widthOf(text), table.align[at] ?? null);
        })
        .join(between),
    );
  };
  const [head = [], ...body] = rows;
  return [
    ...rowLines(head, layout.style.strong),
    layout.style.quiet(widths.map((each) => '─'.repeat(each)).join('─┼─')),
    ...body.flatMap((row) => rowLines(row, (text) => text)),
  ];
}

/**
 * Returns the widths of columns within a total. Wide columns are narrowed first. Null if a column would be too narrow.
 */
function fitColumns(natural: readonly number[], total: number, least: number): readonly number[] | null {
  const widths = [...natural];
  let over = widths.reduce((sum, each) => sum + each, 0) - total;
  while (over > 0) {
    const widest = widths.reduce((best, each, at) => (each > (widths[best] ?? 0) ? at : best), 0);
    if ((widths[widest] ?? 0) <= least) return null;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over--;
  }
  return widths;
}

function alignText(text: string, space: number, align: 'left' | 'right' | 'center' | null): string {
  const free = Math.max(0, space);
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(free - before);
}

function renderInline(token: Token | Tokens.TableCell, layout: Layout): string {
  const tokens = 'tokens' in token ? token.tokens : undefined;
  if (tokens === undefined) return 'text' in token && typeof token.text === 'string' ? token.text : '';
  return tokens.map((each) => renderSpan(each, layout)).join('');
}

function renderSpan(token: Token, layout: Layout): string {
  switch (token.type) {
    case 'strong':
      return layout.style.strong(renderInline(token, layout));
    case 'em':
      return layout.style.italic(renderInline(token, layout));
    case 'codespan':
      return layout.style.active(token.text);
    case 'del':
      return layout.style.quiet(renderInline(token, layout));
    case 'br':
      return '\n';
    case 'link': {
      const shown = renderInline(token, layout);
      // A terminal cannot open a section of a file, so the command that prints the section is shown.
      const address = toDocsCommand(token.href) ?? token.href;
      return shown === address || `mailto:${shown}` === address
        ? shown
        : `${shown} ${layout.style.quiet(`(${address})`)}`;
    }
    case 'image':
      return layout.style.quiet(`[picture: ${token.text} ${token.href}]`);
    default:
      return 'tokens' in token && token.tokens !== undefined
        ? renderInline(token, layout)
        : 'text' in token
          ? String(token.text)
          : token.raw;
  }
}
