/** Escapes texts and builds addresses for HTML pages. */

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for HTML, in content and in attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character);
}

/** Returns the anchor of a heading, as GitHub and the guide of Coppice make it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** Returns the address of a page relative to another page. Both are given from the root of the site. */
export function relativeAddress(from: string, to: string): string {
  const up = from.split('/').length - 1;
  return `${up === 0 ? './' : '../'.repeat(up)}${to}`;
}
