// Converts HTML to text, because Takeout contains answers only as HTML. Headings, emphasis, lists, tables, code and
// links become Markdown.
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

/** A link whose text is being converted: its target, and the text before it. */
interface OpenLink {
  readonly target: string;
  readonly before: string;
}

const hrefAttribute = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
const linkSchemes = /^(?:https?:\/\/|mailto:)./i;
// The beginning of a line that is a heading, a quotation, an entry of a list or a cell. A link cannot contain it.
const blockPrefix = /^(?:\s|(?:#{1,4}|[->|])\s)*/;
const blockInside = /\n[ \t]*(?:\n|#{1,4}\s|[->|]\s|---)|```/;

/** Returns the target of a link; null if the tag has none, or one that is no address of the web or of mail. */
function readLinkTarget(tag: string): string | null {
  const [, double, single, bare] = hrefAttribute.exec(tag) ?? [];
  // Browsers ignore tabs and line breaks in an address, and spaces around it.
  const target = decodeEntities(double ?? single ?? bare ?? '')
    .replace(/[\t\n\r]/g, '')
    .trim();
  return linkSchemes.test(target) ? target : null;
}

/** Encodes the characters that would end the target of a Markdown link. */
function encodeLinkTarget(target: string): string {
  return target.replace(/[\s()<>\\]/g, (found) =>
    found === '(' ? '%28' : found === ')' ? '%29' : encodeURIComponent(found),
  );
}

/** Converts the text of a link, which is Markdown already, to the link. */
function formatLink(text: string, target: string): string {
  const prefix = blockPrefix.exec(text)?.[0] ?? '';
  const body = text.slice(prefix.length).trimEnd();
  const end = text.slice(prefix.length + body.length);
  if (body === '' || body === target) return prefix + target + end;
  // Several paragraphs, or a block of code, cannot be the text of a link.
  if (blockInside.test(body)) return `${prefix}${body}\n\n${target}${end}`;
  // A bracket would end the text, except in code.
  const escaped = body.replace(/`[^`]*`|[[\]]/g, (found) => (found.length > 1 ? found : `\\${found}`));
  return `${prefix}[${escaped}](${encodeLinkTarget(target)})${end}`;
}

/**
 * Converts a piece of HTML to text with Markdown. Links keep targets of `http`, `https` and `mailto`; in code, where
 * Markdown has no links, only their text is kept.
 */
export function htmlToText(html: string): string {
  const tag = /<(\/?)([a-z][a-z0-9]*)\b[^<>]*>|<!--[\s\S]*?-->/gi;
  let text = '';
  let at = 0;
  let code = false;
  let inlineCode = false;
  let link: OpenLink | null = null;
  const endLink = () => {
    if (link === null) return;
    text = link.before + formatLink(text, link.target);
    link = null;
  };
  for (let found = tag.exec(html); found !== null; found = tag.exec(html)) {
    const [whole, closes = '', name = ''] = found;
    text += decodeEntities(html.slice(at, found.index));
    at = found.index + whole.length;
    const lower = name.toLowerCase();
    if (lower === 'pre') code = closes === '';
    // Inside a code block, tags other than `pre` and `br` are dropped.
    if (code && lower !== 'pre' && lower !== 'br') continue;
    if (lower === 'code') inlineCode = closes === '';
    if (lower === 'a') {
      endLink();
      const target = closes === '' && !inlineCode ? readLinkTarget(whole) : null;
      if (target !== null) {
        link = { target, before: text };
        text = '';
      }
    }
    const mark = Object.hasOwn(marks, lower) ? marks[lower] : undefined;
    text += mark?.[closes === '' ? 0 : 1] ?? '';
  }
  text += decodeEntities(html.slice(at));
  endLink();
  return text
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
