/**
 * Renders Markdown for a terminal: wrapped, indented and styled, without any control sequences of the text itself.
 */
import { Lexer, type Token, type Tokens } from 'marked';
import { stripControlSequences } from '../terminal/strip-control-sequences.ts';
import type { Style } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import { wrapped } from '../terminal/wrap.ts';
import { highlightCode } from './highlight-code.ts';

// A very long text is shown as it is, because parsing it would block the screen.
const plainAbove = 200_000;

/** Layout options. For text that people copy from the screen, lines of code and long words stay whole. */
interface Layout {
  readonly style: Style;
  readonly isCopied: boolean;
}

function wrapText(text: string, width: number, { isCopied }: Layout): string[] {
  const lines = wrapped(text, width, { keepsWords: isCopied });
  return isCopied ? lines.map((line) => line.trimEnd()) : lines;
}

/** Renders a text as lines of at most so many columns. Control sequences are removed first. */
export function markdownLines(text: string, width: number, style: Style, { isCopied = false } = {}): string[] {
  const layout: Layout = { style, isCopied };
  const clean = stripControlSequences(text);
  if (clean.length > plainAbove) return wrapText(clean, width, layout);
  const lines: string[] = [];
  for (const token of new Lexer({ gfm: true }).lex(clean)) {
    const block = blockLines(token, width, layout);
    if (block.length === 0) continue;
    if (lines.length > 0) lines.push('');
    // Nested lists may indent by more columns than there are: then the text is put below the list marks.
    for (const line of block)
      if (isCopied || widthOf(line) <= width) lines.push(line);
      else for (const part of wrapText(line, width, layout)) lines.push(part);
  }
  return lines;
}

function blockLines(token: Token, width: number, layout: Layout): string[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading':
      return wrapText(layout.style.strong(inline(token, layout)), width, layout);
    case 'paragraph':
    case 'text':
      return wrapText(inline(token, layout), width, layout);
    case 'code':
      return codeLines(token as Tokens.Code, width, layout);
    case 'blockquote':
      return within(token, width, layout, layout.style.quiet('│ '), 2);
    case 'list':
      return listLines(token as Tokens.List, width, layout);
    case 'table':
      return tableLines(token as Tokens.Table, width, layout);
    case 'hr':
      return [layout.style.quiet('─'.repeat(Math.max(1, width)))];
    default:
      // HTML and everything else: as written.
      return wrapText(token.raw.trimEnd(), width, layout);
  }
}

function within(token: Token, width: number, layout: Layout, edge: string, taken: number): string[] {
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
  // A mark before each line, or a line break, would be copied with the code.
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

function tableLines(table: Tokens.Table, width: number, layout: Layout): string[] {
  const rows = [table.header, ...table.rows].map((row) => row.map((cell) => inline(cell, layout)));
  const columns = table.header.length;
  const widths = Array.from({ length: columns }, (_, at) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 3),
  );
  const total = widths.reduce((sum, each) => sum + each + 3, 1);
  // Too wide for the screen: one line per cell, so that nothing is cut off.
  if (total > width)
    return rows
      .slice(1)
      .flatMap((row) => [
        ...row.flatMap((cell, at) => wrapText(`${layout.style.strong(rows[0]?.[at] ?? '')}: ${cell}`, width, layout)),
        '',
      ]);
  const line = (row: readonly string[], set: (text: string) => string) =>
    row
      .map((cell, at) => set(cell) + ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell))))
      .join(layout.style.quiet(' │ '));
  const [head = [], ...body] = rows;
  return [
    line(head, layout.style.strong),
    layout.style.quiet(widths.map((each) => '─'.repeat(each)).join('─┼─')),
    ...body.map((row) => line(row, (text) => text)),
  ];
}

function inline(token: Token | Tokens.TableCell, layout: Layout): string {
  const tokens = 'tokens' in token ? token.tokens : undefined;
  if (tokens === undefined) return 'text' in token && typeof token.text === 'string' ? token.text : '';
  return tokens.map((each) => span(each, layout)).join('');
}

function span(token: Token, layout: Layout): string {
  switch (token.type) {
    case 'strong':
      return layout.style.strong(inline(token, layout));
    case 'em':
      return layout.style.italic(inline(token, layout));
    case 'codespan':
      return layout.style.active(token.text);
    case 'del':
      return layout.style.quiet(inline(token, layout));
    case 'br':
      return '\n';
    case 'link': {
      const shown = inline(token, layout);
      return shown === token.href ? shown : `${shown} ${layout.style.quiet(`(${token.href})`)}`;
    }
    case 'image':
      return layout.style.quiet(`[picture: ${token.text} ${token.href}]`);
    default:
      return 'tokens' in token && token.tokens !== undefined
        ? inline(token, layout)
        : 'text' in token
          ? String(token.text)
          : token.raw;
  }
}
