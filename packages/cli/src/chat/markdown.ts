/** Markdown as lines of a terminal: wrapped, indented and set in weights, never in a way the text itself asks for. */
import { Lexer, type Token, type Tokens } from 'marked';
import { stripControlSequences } from '../terminal/strip-control-sequences.ts';
import type { Style } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import { wrapped } from '../terminal/wrap.ts';

// A text without end is shown as it is: nobody reads it as prose, and the screen must not hang on it.
const plainAbove = 200_000;

/** The text as lines of at most so many columns. Escapes in it are dropped before anything is drawn. */
export function markdownLines(text: string, width: number, style: Style): string[] {
  const clean = stripControlSequences(text);
  if (clean.length > plainAbove) return wrapped(clean, width);
  const lines: string[] = [];
  for (const token of new Lexer({ gfm: true }).lex(clean)) {
    const block = blockLines(token, width, style);
    if (block.length === 0) continue;
    if (lines.length > 0) lines.push('');
    // Lists in lists may indent by all the columns there are: what does not fit beside the marks goes below them.
    for (const line of block)
      if (widthOf(line) <= width) lines.push(line);
      else for (const part of wrapped(line, width)) lines.push(part);
  }
  return lines;
}

function blockLines(token: Token, width: number, style: Style): string[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading':
      return wrapped(style.strong(inline(token, style)), width);
    case 'paragraph':
    case 'text':
      return wrapped(inline(token, style), width);
    case 'code':
      return codeLines(token as Tokens.Code, width, style);
    case 'blockquote':
      return within(token, width, style, style.quiet('│ '), 2);
    case 'list':
      return listLines(token as Tokens.List, width, style);
    case 'table':
      return tableLines(token as Tokens.Table, width, style);
    case 'hr':
      return [style.quiet('─'.repeat(Math.max(1, width)))];
    default:
      // HTML and whatever else there is: as it was written.
      return wrapped(token.raw.trimEnd(), width);
  }
}

function within(token: Token, width: number, style: Style, edge: string, taken: number): string[] {
  const lines: string[] = [];
  for (const inner of 'tokens' in token ? (token.tokens ?? []) : []) {
    if (lines.length > 0 && inner.type !== 'space') lines.push(edge.trimEnd());
    for (const line of blockLines(inner, width - taken, style)) lines.push(edge + line);
  }
  return lines;
}

function codeLines({ text, lang }: Tokens.Code, width: number, style: Style): string[] {
  const head = lang === undefined || lang === '' ? [] : [style.quiet(`  ${lang}`)];
  const edge = style.quiet('│ ');
  return [...head, ...wrapped(text, width - 2).map((line) => edge + line)];
}

function listLines(list: Tokens.List, width: number, style: Style): string[] {
  const lines: string[] = [];
  const start = typeof list.start === 'number' ? list.start : 1;
  for (const [index, item] of list.items.entries()) {
    const box = item.task ? (item.checked === true ? '[x] ' : '[ ] ') : '';
    const mark = `${list.ordered ? `${start + index}. ` : '• '}${box}`;
    const inner: string[] = [];
    for (const token of item.tokens) {
      const block = blockLines(token, width - mark.length, style);
      if (list.loose && inner.length > 0 && block.length > 0) inner.push('');
      for (const line of block) inner.push(line);
    }
    for (const [at, line] of inner.entries())
      lines.push(`${at === 0 ? style.quiet(mark) : ' '.repeat(mark.length)}${line}`);
    if (inner.length === 0) lines.push(style.quiet(mark));
  }
  return lines;
}

function tableLines(table: Tokens.Table, width: number, style: Style): string[] {
  const rows = [table.header, ...table.rows].map((row) => row.map((cell) => inline(cell, style)));
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
        ...row.flatMap((cell, at) => wrapped(`${style.strong(rows[0]?.[at] ?? '')}: ${cell}`, width)),
        '',
      ]);
  const line = (row: readonly string[], set: (text: string) => string) =>
    row
      .map((cell, at) => set(cell) + ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell))))
      .join(style.quiet(' │ '));
  const [head = [], ...body] = rows;
  return [
    line(head, style.strong),
    style.quiet(widths.map((each) => '─'.repeat(each)).join('─┼─')),
    ...body.map((row) => line(row, (text) => text)),
  ];
}

function inline(token: Token | Tokens.TableCell, style: Style): string {
  const tokens = 'tokens' in token ? token.tokens : undefined;
  if (tokens === undefined) return 'text' in token && typeof token.text === 'string' ? token.text : '';
  return tokens.map((each) => span(each, style)).join('');
}

function span(token: Token, style: Style): string {
  switch (token.type) {
    case 'strong':
    case 'em':
      return style.strong(inline(token, style));
    case 'codespan':
      return style.active(token.text);
    case 'del':
      return style.quiet(inline(token, style));
    case 'br':
      return '\n';
    case 'link': {
      const shown = inline(token, style);
      return shown === token.href ? shown : `${shown} ${style.quiet(`(${token.href})`)}`;
    }
    case 'image':
      return style.quiet(`[picture: ${token.text} ${token.href}]`);
    default:
      return 'tokens' in token && token.tokens !== undefined
        ? inline(token, style)
        : 'text' in token
          ? String(token.text)
          : token.raw;
  }
}
