/** Text as HTML. */

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for HTML, in content and in attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character);
}

/** The anchor of a heading, in the same form as on GitHub and in the guide of Coppice. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** The address of a page relative to another page. Both are given from the root of the site. */
export function relativeAddress(from: string, to: string): string {
  const up = from.split('/').length - 1;
  return `${up === 0 ? './' : '../'.repeat(up)}${to}`;
}
