// Converts HTML to text, because Takeout contains answers only as HTML. Headings, emphasis, lists, tables and code
// become Markdown; of a link only the text is kept.
import { decodeEntities } from '../entities.ts';

const marks: { readonly [tag: string]: readonly [string, string] } = {
  b: ['**', '**'],
  strong: ['**', '**'],
  i: ['*', '*'],
  em: ['*', '*'],
  code: ['`', '`'],
  pre: ['\n```\n', '\n```\n'],
  li: ['\n- ', ''],
  br: ['\n', ''],
  hr: ['\n---\n', ''],
  p: ['\n\n', '\n\n'],
  h1: ['\n\n# ', '\n\n'],
  h2: ['\n\n## ', '\n\n'],
  h3: ['\n\n### ', '\n\n'],
  h4: ['\n\n#### ', '\n\n'],
  blockquote: ['\n\n> ', '\n\n'],
  tr: ['\n', ''],
  td: ['| ', ' '],
  th: ['| ', ' '],
  ul: ['\n', '\n'],
  ol: ['\n', '\n'],
  div: ['\n', '\n'],
};

/** Converts a piece of HTML to text with Markdown. The targets of links are dropped. */
export function htmlToText(html: string): string {
  const tag = /<(\/?)([a-z][a-z0-9]*)\b[^<>]*>|<!--[\s\S]*?-->/gi;
  let text = '';
  let at = 0;
  let code = false;
  for (let found = tag.exec(html); found !== null; found = tag.exec(html)) {
    const [whole, closes = '', name = ''] = found;
    text += decodeEntities(html.slice(at, found.index));
    at = found.index + whole.length;
    const lower = name.toLowerCase();
    if (lower === 'pre') code = closes === '';
    // Inside a code block, tags other than `pre` and `br` are dropped.
    if (code && lower !== 'pre' && lower !== 'br') continue;
    const mark = Object.hasOwn(marks, lower) ? marks[lower] : undefined;
    text += mark?.[closes === '' ? 0 : 1] ?? '';
  }
  text += decodeEntities(html.slice(at));
  return text
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
