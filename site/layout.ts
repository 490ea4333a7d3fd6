/** Draws the header, the navigation and the frame that all pages share. */
import { projectAddresses } from '../scripts/project-addresses.ts';
import { escapeHtml, relativeAddress } from './html.ts';
import type { PageHeading } from './markdown.ts';

export interface NavigationLine {
  readonly address: string;
  readonly label: string;
}

export interface NavigationSection {
  readonly title: string;
  readonly lines: readonly NavigationLine[];
}

export interface PageContent {
  /** The address from the root of the site, without `.html`. */
  readonly address: string;
  readonly title: string;
  readonly summary: string;
  readonly html: string;
  readonly headings: readonly PageHeading[];
  /** Whether the page is shown without the navigation at its side, like the landing page. */
  readonly wide?: boolean;
}

/** The file names of style and script, which contain a hash. */
export interface BuiltFiles {
  readonly style: string;
  readonly script: string;
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'";

function drawNavigation(sections: readonly NavigationSection[], current: string): string {
  const parts = sections.map(({ title, lines }) => {
    const items = lines.map(({ address, label }) => {
      const here = address === current ? ' aria-current="page"' : '';
      return `<li><a href="${relativeAddress(current, `${address}.html`)}"${here}>${escapeHtml(label)}</a></li>`;
    });
    return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul>`;
  });
  return `<nav class="side" id="side" aria-label="Documentation">${parts.join('')}</nav>`;
}

function drawContents(headings: readonly PageHeading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ level, text, anchor }) =>
      `<li class="level-${level}"><a href="#${escapeHtml(anchor)}">${escapeHtml(text)}</a></li>`,
  );
  return `<aside class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></aside>`;
}

function drawNeighbours(sections: readonly NavigationSection[], current: string): string {
  const all = sections.flatMap(({ lines }) => lines);
  const at = all.findIndex(({ address }) => address === current);
  if (at < 0) return '';
  const link = (line: NavigationLine | undefined, word: string, look: string) =>
    line === undefined
      ? ''
      : `<a class="${look}" href="${relativeAddress(current, `${line.address}.html`)}"><span>${word}</span>${escapeHtml(line.label)}</a>`;
  return `<nav class="neighbours" aria-label="Previous and next page">${link(all[at - 1], 'Previous', 'before')}${link(all[at + 1], 'Next', 'after')}</nav>`;
}

/** Returns a whole page as HTML. */
export function drawPage(page: PageContent, sections: readonly NavigationSection[], files: BuiltFiles): string {
  const at = (to: string) => relativeAddress(page.address, to);
  const body =
    page.wide === true
      ? `<main id="main">${page.html}</main>`
      : `<div class="frame">${drawNavigation(sections, page.address)}<main id="main"><article>${page.html}</article>${drawNeighbours(sections, page.address)}</main>${drawContents(page.headings)}</div>`;
  return `<!doctype html>
<html lang="en" data-root="${at('')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.summary.slice(0, 300))}">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="${at('coppice.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${at(files.style)}">
<script type="module" src="${at(files.script)}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<button class="menu" type="button" aria-controls="side" aria-expanded="false" aria-label="Pages"${page.wide === true ? ' hidden' : ''}>☰</button>
<a class="brand" href="${at('index.html')}"><img src="${at('coppice.svg')}" alt="" width="24" height="24">Coppice</a>
<nav class="main-links" aria-label="Main">
<a href="${at('docs/getting-started.html')}">Docs</a>
<a href="${at('reference/core.html')}">API</a>
<a href="${at('reference/http.html')}">HTTP</a>
<a href="${at('docs/comparison.html')}">Comparison</a>
<a href="${at('demo/index.html')}">Demo</a>
<a href="${projectAddresses.repository}">Source</a>
</nav>
<button class="search-button" type="button" aria-haspopup="dialog"><span>Search</span><kbd>/</kbd></button>
<button class="theme" type="button" aria-label="Light or dark">◐</button>
</header>
${body}
<footer class="foot"><p>Coppice is free software under the MIT licence. This site sets no cookies and sends nothing anywhere. <a href="${at('demo/index.html')}">Demo</a> · <a href="${projectAddresses.repository}">Source</a></p></footer>
<dialog class="search" aria-label="Search">
<form method="dialog"><label for="search-words">Search the documentation</label><input id="search-words" type="search" autocomplete="off" placeholder="How do I …"><button type="submit" aria-label="Close">Esc</button></form>
<ol id="search-hits" aria-live="polite"></ol>
</dialog>
</body>
</html>
`;
}
