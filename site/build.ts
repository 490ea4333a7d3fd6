/** Builds the site: documents, references, charts, search and the demo, as files that any host can serve. */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { splitIntoPassages } from '@coppice/engine/guide-passages';
import type { GuidePassage } from '@coppice/engine/guide-search';
import { build } from 'esbuild';
import { projectAddresses } from '../scripts/project-addresses.ts';
import { openRepository, type Workspace, workspaceRoot } from '../test/checks/workspace.ts';
import { type ApiEntry, apiPagePath, documentedPackages, readApi } from './api-reference.ts';
import { buildDemo } from './build-demo.ts';
import { type BenchmarkFile, drawBenchmarks } from './charts.ts';
import { anchorOf, escapeHtml, relativeAddress } from './html.ts';
import { drawHttpReference, readApiDocument } from './http-reference.ts';
import { drawLanding } from './landing.ts';
import { type BuiltFiles, drawPage, type NavigationSection, type PageContent } from './layout.ts';
import { colourCode, type PageHeading, renderMarkdown } from './markdown.ts';
import { type DocumentPage, listDocumentPages, navigationGroups } from './pages.ts';

const browser = join(import.meta.dirname, 'browser');

/** Returns the navigation: the documents, and the references between them. */
export function buildNavigation(): readonly NavigationSection[] {
  const references = [
    ...documentedPackages.map((folder) => ({ address: apiPagePath(folder), label: `@coppice/${folder}` })),
    { address: 'reference/http', label: 'HTTP API' },
  ];
  return navigationGroups.map(({ title, pages }) => ({
    title,
    lines: [...pages.map(({ address, label }) => ({ address, label })), ...(title === 'Reference' ? references : [])],
  }));
}

/**
 * Returns a function that converts the links of a document to addresses of the site, or of the repository for files
 * without a page.
 */
function linksOf(page: DocumentPage, pages: readonly DocumentPage[], workspace: Workspace) {
  return (href: string): string => {
    if (/^[a-z]+:/i.test(href) || href.startsWith('#')) return href;
    const [path = '', anchor] = href.split('#');
    const target = posix.join(posix.dirname(page.source), path).replace(/\/$/, '');
    const fragment = anchor === undefined ? '' : `#${anchor}`;
    const known = pages.find(({ source }) => source === target || source === `${target}/README.md`);
    if (known !== undefined) return `${relativeAddress(page.address, `${known.address}.html`)}${fragment}`;
    if (target === 'README.md') return relativeAddress(page.address, 'index.html');
    const isFile = workspace.has(target);
    if (!isFile && !existsSync(join(workspaceRoot, target)))
      throw new Error(`${page.source} links to ${href}, which does not exist.`);
    return `${projectAddresses.repository}/${isFile ? 'blob' : 'tree'}/main/${target}${fragment}`;
  };
}

function renderDocument(
  page: DocumentPage,
  pages: readonly DocumentPage[],
  workspace: Workspace,
  into: string,
): PageContent {
  const rendered = renderMarkdown(workspace.read(page.source), {
    linkTo: linksOf(page, pages, workspace),
    imageAt(href) {
      const source = posix.join(posix.dirname(page.source), href);
      const target = join(into, 'images', basename(source));
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(workspaceRoot, source), target);
      return relativeAddress(page.address, `images/${basename(source)}`);
    },
  });
  return { ...rendered, address: page.address, title: `${rendered.title || page.label} · Coppice` };
}

/** Adds the charts above the tables of the benchmark page. */
function withCharts(content: PageContent, workspace: Workspace): PageContent {
  const files = workspace.paths.filter((path) => /^docs\/benchmarks\/[\w-]+\.json$/.test(path));
  const charts = files.map((path) => {
    const file: BenchmarkFile = JSON.parse(workspace.read(path));
    return drawBenchmarks(posix.basename(path, '.json'), file);
  });
  const at = content.html.indexOf('<h2');
  const headings = files.map((path): PageHeading => {
    const name = posix.basename(path, '.json');
    return { level: 2, text: `Charts: ${name}`, anchor: `chart-${name}` };
  });
  return {
    ...content,
    html: `${content.html.slice(0, at)}${charts.join('')}${content.html.slice(at)}`,
    headings: [...headings, ...content.headings],
  };
}

/** Converts a comment of the sources to HTML. */
function commentHtml(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((part) => `<p>${escapeHtml(part).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
    .join('');
}

const longestSignature = 4_000;

/** Cuts a long declaration, such as the generated types of all routes, at a line. */
function shorten(signature: string): string {
  if (signature.length <= longestSignature) return signature;
  return `${signature.slice(0, signature.lastIndexOf('\n', longestSignature))}\n  // … and so on; your editor shows the rest`;
}

function drawApi(folder: string, entries: readonly ApiEntry[]): PageContent {
  const headings: PageHeading[] = [];
  const parts = entries.map(({ specifier, comment, names }) => {
    const entry = anchorOf(specifier);
    headings.push({ level: 2, text: specifier, anchor: entry });
    const items = names.map(({ name, kind, comment: about, signature }) => {
      const anchor = `${entry}-${name}`;
      return `<section class="name"><h3 id="${escapeHtml(anchor)}"><code>${escapeHtml(name)}</code><span class="kind">${kind}</span><a class="anchor" href="#${escapeHtml(anchor)}" aria-label="Link to this section">#</a></h3>${commentHtml(about)}<pre tabindex="0"><code>${colourCode(shorten(signature), 'ts')}</code></pre></section>`;
    });
    const index = names.map(({ name }) => `<a href="#${escapeHtml(`${entry}-${name}`)}">${escapeHtml(name)}</a>`);
    return `<h2 id="${escapeHtml(entry)}"><code>${escapeHtml(specifier)}</code></h2>${commentHtml(comment)}<p class="name-list">${index.join(' ')}</p>${items.join('')}`;
  });
  const count = entries.reduce((sum, { names }) => sum + names.length, 0);
  return {
    address: apiPagePath(folder),
    title: `@coppice/${folder} · Coppice`,
    summary: `The public names of @coppice/${folder}, made from its sources.`,
    html: `<h1 id="coppice-${folder}">@coppice/${folder}</h1><p>${count} names in ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}, made from the sources.</p>${parts.join('')}`,
    headings,
  };
}

function httpPage(): { readonly page: PageContent; readonly passages: readonly GuidePassage[] } {
  const { html, groups } = drawHttpReference();
  const passages = groups.flatMap(({ operations }) =>
    operations.map(
      ({ id, line, summary }): GuidePassage => ({
        path: 'reference/http.html',
        title: `HTTP API: ${line}`,
        anchor: id,
        asks: [],
        sentences: [summary],
        commands: [],
        table: '',
      }),
    ),
  );
  const headings = groups.map(({ tag }): PageHeading => ({ level: 2, text: tag, anchor: `group-${anchorOf(tag)}` }));
  const page = {
    address: 'reference/http',
    title: 'HTTP API reference · Coppice',
    summary: 'Every route of the HTTP API, with parameters, bodies and answers.',
    html,
    headings,
  };
  return { page, passages };
}

function apiPassages(folder: string, entries: readonly ApiEntry[]): readonly GuidePassage[] {
  return entries.flatMap(({ specifier, names }) =>
    names
      .filter(({ comment }) => comment !== '')
      .map(
        ({ name, comment }): GuidePassage => ({
          path: `${apiPagePath(folder)}.html`,
          title: `${specifier}: ${name}`,
          anchor: `${anchorOf(specifier)}-${name}`,
          asks: [],
          sentences: [comment.replaceAll(/\s+/g, ' ').split(/(?<=\.) /)[0] ?? ''],
          commands: [],
          table: '',
        }),
      ),
  );
}

/** Bundles style and script; their names contain a hash. */
async function buildFiles(into: string): Promise<BuiltFiles> {
  const { metafile } = await build({
    entryPoints: { site: join(browser, 'site.ts'), style: join(browser, 'site.css') },
    outdir: join(into, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    loader: { '.woff2': 'file' },
    metafile: true,
  });
  const names = Object.keys(metafile.outputs).map((path) => `assets/${basename(path)}`);
  const find = (pattern: RegExp) => names.find((name) => pattern.test(name)) ?? '';
  return { style: find(/\/style-\w+\.css$/), script: find(/\/site-\w+\.js$/) };
}

/** Returns the links that lead to no page, or to an anchor that the page does not have. */
function checkLinks(pages: readonly PageContent[], into: string): readonly string[] {
  const anchors = new Map(
    pages.map(({ address, html }) => [
      `${address}.html`,
      new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)),
    ]),
  );
  const found: string[] = [];
  for (const { address, html } of pages)
    for (const [, href = ''] of html.matchAll(/\shref="([^"]*)"/g)) {
      if (/^[a-z]+:/i.test(href)) continue;
      const [path = '', anchor] = href.replaceAll('&amp;', '&').split('#');
      const target = path === '' ? `${address}.html` : posix.join(posix.dirname(address), path);
      const known = anchors.get(target);
      if (known === undefined && !existsSync(join(into, target))) found.push(`${address}: ${href} leads nowhere.`);
      else if (known !== undefined && anchor !== undefined && !known.has(decodeURIComponent(anchor)))
        found.push(`${address}: ${href} has no such section.`);
    }
  return found;
}

/** Empties a folder and builds the site into it. Throws if a link has no target. */
export async function buildSite(into: string): Promise<{ readonly pages: readonly string[] }> {
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const workspace = openRepository();
  const documents = listDocumentPages(workspace.paths);
  await buildDemo(join(into, 'demo'));
  const files = await buildFiles(into);
  cpSync(join(workspaceRoot, 'packages/web/public/coppice.svg'), join(into, 'coppice.svg'));
  const rendered = documents.map((page) => {
    const content = renderDocument(page, documents, workspace, into);
    return page.source === 'docs/benchmarks.md' ? withCharts(content, workspace) : content;
  });
  const passages: GuidePassage[] = documents.flatMap((page) =>
    splitIntoPassages(page.source, workspace.read(page.source)).map((passage) => ({
      ...passage,
      path: `${page.address}.html`,
    })),
  );
  const references = documentedPackages.map((folder) => {
    const entries = readApi(workspace, folder);
    passages.push(...apiPassages(folder, entries));
    return drawApi(folder, entries);
  });
  const http = httpPage();
  passages.push(...http.passages);
  const landing: PageContent = {
    address: 'index',
    title: 'Coppice: conversations with language models as trees',
    summary:
      'Coppice keeps every conversation with a language model as a tree: edit, branch, compare, merge, search and undo without losing anything.',
    html: drawLanding(),
    headings: [],
    wide: true,
  };
  const missing: PageContent = {
    address: '404',
    title: 'Not found · Coppice',
    summary: 'This page does not exist.',
    html: '<div class="landing"><section class="hero"><h1>This page does not exist</h1><p><a href="./index.html">Go to the first page</a></p></section></div>',
    headings: [],
    wide: true,
  };
  const pages = [landing, missing, ...rendered, ...references, http.page];
  writeFileSync(join(into, 'openapi.json'), JSON.stringify(readApiDocument(), null, 2));
  writeFileSync(join(into, 'search.json'), JSON.stringify(passages));
  // Without this file GitHub Pages ignores folders whose names start with an underscore.
  writeFileSync(join(into, '.nojekyll'), '');
  const navigation = buildNavigation();
  for (const page of pages) {
    const path = join(into, `${page.address}.html`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, drawPage(page, navigation, files));
  }
  const broken = checkLinks(pages, into);
  if (broken.length > 0) throw new Error(`Links of the site:\n${broken.join('\n')}`);
  return { pages: pages.map(({ address }) => `${address}.html`) };
}
