/** Counts the DOM elements of Markdown before they are created. */
import type { Token, Tokens } from 'marked';

/** A slice with more elements than this is shown as source. */
export const maxSliceElements = 5_000;

// The approximate number of elements of a rendered formula.
const formulaElements = 12;

// The elements of a code block with its header, and the limit of its tokens.
const codeElements = 12;
const mostPieces = 1_500;

function elementsOf(token: Token): number {
  if (token.type === 'math') return formulaElements;
  if (token.type !== 'code') return 1;
  let lines = 0;
  for (let at = 0; at >= 0 && lines * 2 < mostPieces; at = token.raw.indexOf('\n', at + 1)) lines++;
  return codeElements + lines * 2;
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table' && 'rows' in token;
}

/** Counts the elements of tokens, up to a limit. Iterative: quotes may be nested thousands deep. */
export function countMarkdownElements(tokens: readonly Token[], most = maxSliceElements): number {
  let count = 0;
  const waiting: (readonly Token[])[] = [tokens];
  for (let next = waiting.pop(); next !== undefined && count <= most; next = waiting.pop())
    for (const token of next) {
      count += elementsOf(token);
      if (count > most) break;
      if (isTable(token)) {
        count += token.rows.length;
        for (const cells of [token.header, ...token.rows]) {
          count += cells.length;
          for (const cell of cells) waiting.push(cell.tokens);
        }
      } else if (token.type === 'list' && 'items' in token && Array.isArray(token.items)) {
        const items: readonly Token[] = token.items;
        waiting.push(items);
      } else if ('tokens' in token && token.tokens !== undefined) waiting.push(token.tokens);
    }
  return count;
}
