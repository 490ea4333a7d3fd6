/**
 * Renders the documents as HTML files that are installed with the page, so that the links of the guide work without a
 * network.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { projectAddresses } from '../scripts/project-addresses.ts';
import { openRepository, workspaceRoot } from '../test/checks/workspace.ts';
import { escapeHtml, relativeAddress } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { listDocumentPages } from './pages.ts';

/** A file of the built page. */
export interface DocumentFile {
  /** The path from the root of the page, such as `docs/models.html`. */
  readonly path: string;
  readonly content: string;
}

// Linked as a file, because the content security policy of the page allows no scripts and no inline styles.
const style = `:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { display: grid; grid-template-columns: minmax(10rem, 15rem) minmax(0, 46rem); gap: 3rem; margin: 2rem auto; max-width: 66rem; padding: 0 1rem; }
nav { font-size: 0.9em; } nav ul { list-style: none; margin: 0; padding: 0; } nav li { margin: 0.35em 0; }
[aria-current] { font-weight: 700; }
h1 { margin-top: 0; line-height: 1.2; } h2, h3 { margin-top: 2em; line-height: 1.3; }
.anchor { margin-left: 0.4em; opacity: 0.4; text-decoration: none; }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; } pre { overflow-x: auto; padding: 0.8em 1em; background: #8881; }
.table { overflow-x: auto; } table { border-collapse: collapse; } th, td { border: 1px solid #8886; padding: 0.3em 0.6em; text-align: left; vertical-align: top; }
img { max-width: 100%; background: #fff; }
@media (max-width: 50rem) { body { grid-template-columns: minmax(0, 1fr); } nav { order: 2; } }
`;

/** Returns the name of a document in links and in `coppice docs`: `models`, `guides/deploy`, `readme`. */
export function documentNameOf(source: string): string {
  return source === 'README.md' ? 'readme' : source.replace(/^docs\/|\.md$/g, '');
}

/**
 * Renders README.md and every document of `docs/`. Screenshots are left out, because they are larger than all texts
 * together.
 */
export function renderDocumentFiles(): readonly DocumentFile[] {
  const workspace = openRepository();
  const sources = workspace.paths.filter((path) => path === 'README.md' || /^docs\/.*\.md$/.test(path));
  const known = new Set(sources);
  const listed = listDocumentPages(sources).filter(
    ({ source }) => known.has(source) && !source.startsWith('docs/decisions/'),
  );
  const drawings = new Map<string, string>();
  const pages = sources.map((source): DocumentFile => {
    const path = `docs/${documentNameOf(source)}.html`;
    const rendered = renderMarkdown(workspace.read(source).replaceAll(/^!\[[^\]]*\]\([^)]*\.png\)$/gm, ''), {
      linkTo(href) {
        if (/^[a-z]+:/i.test(href) || href.startsWith('#')) return href;
        const [name = '', anchor] = href.split('#');
        const target = posix.join(posix.dirname(source), name).replace(/\/$/, '');
        const fragment = anchor === undefined ? '' : `#${anchor}`;
        const document = [target, `${target}/README.md`].find((each) => known.has(each));
        if (document !== undefined)
          return `${relativeAddress(path, `docs/${documentNameOf(document)}.html`)}${fragment}`;
        const kind = existsSync(join(workspaceRoot, target)) && !workspace.has(target) ? 'tree' : 'blob';
        return `${projectAddresses.repository}/${kind}/main/${target}${fragment}`;
      },
      imageAt(href) {
        const image = posix.join(posix.dirname(source), href);
        const at = `docs/drawings/${basename(image)}`;
        drawings.set(at, readFileSync(join(workspaceRoot, image), 'utf8'));
        return relativeAddress(path, at);
      },
    });
    const items = listed.map((page) => {
      const here = page.source === source ? ' aria-current="page"' : '';
      const address = relativeAddress(path, `docs/${documentNameOf(page.source)}.html`);
      return `<li><a href="${address}"${here}>${escapeHtml(page.label)}</a></li>`;
    });
    const title = escapeHtml(`${rendered.title} · Coppice`);
    const content = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="stylesheet" href="${relativeAddress(path, 'docs/style.css')}"></head><body><nav aria-label="Documentation"><ul>${items.join('')}</ul></nav><main>${rendered.html}</main></body></html>\n`;
    return { path, content };
  });
  return [
    ...pages,
    ...[...drawings].map(([path, content]) => ({ path, content })),
    { path: 'docs/style.css', content: style },
  ];
}
