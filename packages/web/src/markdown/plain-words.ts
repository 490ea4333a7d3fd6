/** The visible words of Markdown, without markup. */
import type { Token } from 'marked';
import { splitMarkdownIntoBlocks } from './blocks.ts';
import { sliceMarkdown } from './slices.ts';

/** Returns the separator after a token: a blank line after a block, a line end after a list item. */
function separatorAfter(type: string): string {
  switch (type) {
    case 'paragraph':
    case 'heading':
    case 'code':
    case 'blockquote':
    case 'list':
    case 'table':
    case 'hr':
    case 'html':
      return '\n\n';
    case 'list_item':
      return '\n';
    default:
      return '';
  }
}

function unescapeText(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** The child tokens in reading order; null for a token with text. */
function childrenOf(token: Token): readonly (Token | string)[] | null {
  if (token.type === 'list' && 'items' in token && Array.isArray(token.items)) {
    const items: readonly Token[] = token.items;
    const first = 'start' in token && typeof token.start === 'number' ? token.start : 1;
    const numbered = 'ordered' in token && token.ordered === true;
    return items.flatMap((item, index) => [numbered ? `${first + index}. ` : '• ', item]);
  }
  if (token.type === 'table' && 'rows' in token && Array.isArray(token.rows) && Array.isArray(token.header)) {
    const rows: readonly (readonly { readonly tokens: readonly Token[] }[])[] = [token.header, ...token.rows];
    return rows.flatMap((row) => [...row.flatMap((cell, index) => [index === 0 ? '' : '  ', ...cell.tokens]), '\n']);
  }
  return 'tokens' in token && token.tokens !== undefined ? token.tokens : null;
}

function ownText(token: Token): string {
  if (token.type === 'space' || token.type === 'def' || token.type === 'hr') return '';
  if (token.type === 'br') return '\n';
  if (token.type === 'math' && 'tex' in token) return String(token.tex);
  if (token.type === 'html') return token.raw.trimEnd();
  return 'text' in token && typeof token.text === 'string' ? unescapeText(token.text) : token.raw;
}

// A longer text is compared as source.
const mostWords = { length: 200_000, weight: 20_000 };

/** Returns the words of a text without markup. A text that is too large or cannot be parsed is returned unchanged. */
export function markdownToPlainText(text: string): string {
  const { list, end, text: clean } = sliceMarkdown(text, mostWords);
  const parts: string[] = [];
  const waiting: (Token | string)[] = [clean.slice(end)];
  for (const { plain, prefix, text: part } of [...list].reverse()) {
    const cut = plain ? null : splitMarkdownIntoBlocks(part, null);
    // The header of a table that was split is in the previous slice.
    if (cut === null || prefix !== '') waiting.push(part);
    else for (const block of [...cut.blocks].reverse()) waiting.push(block.token);
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') {
      parts.push(next);
      continue;
    }
    const children = childrenOf(next);
    const end = separatorAfter(next.type);
    if (end !== '') waiting.push(end);
    if (children === null) parts.push(ownText(next));
    else for (let at = children.length - 1; at >= 0; at--) waiting.push(children[at] ?? '');
  }
  return parts
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
