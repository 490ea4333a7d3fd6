/** The API reference as a plain HTML page, generated from the table of routes, without scripts or external files. */
import { buildOpenApiDocument } from './openapi.ts';
import type { RouteDefinition } from './routes/define.ts';
import type { ApiReference } from './services.ts';

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:2rem auto;padding:0 1rem}
code,pre{font:0.9em ui-monospace,monospace}h2{margin-top:2.5rem;border-bottom:1px solid #8884}h3{margin:1.5rem 0 0}
.verb{display:inline-block;min-width:4rem;font-weight:700}.needs{opacity:.75;font-size:.9em}p{margin:.25rem 0}`;

/** The Content-Security-Policy of the reference page. It allows only the inline style. */
export const referenceContentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character);
}

function needsOf({ needs }: RouteDefinition): string {
  const words = [`access: ${needs.access}`];
  if (needs.version !== 'none') words.push(`version ${needs.version}`);
  if (needs.body !== 'none') words.push(needs.body === 'json' ? 'JSON body' : 'bytes');
  if (needs.stream) words.push('stays open (server-sent events)');
  return words.join(' · ');
}

function routeEntry(route: RouteDefinition): string {
  const query = route.query === null ? [] : Object.keys(route.query.shape);
  const asked =
    query.length === 0 ? '' : `<p>Query: ${query.map((key) => `<code>${escapeText(key)}</code>`).join(', ')}</p>`;
  return `<h3 id="${escapeText(route.name)}"><code><span class="verb">${route.method.toUpperCase()}</span> ${escapeText(route.path)}</code></h3>
<p>${escapeText(route.summary)}</p>${asked}<p class="needs">${needsOf(route)}</p>`;
}

function referencePage(routes: readonly RouteDefinition[]): string {
  const areas = new Map<string, RouteDefinition[]>();
  for (const route of routes) {
    const area = route.path.split('/').find((part) => part !== '' && part !== 'api') ?? 'server';
    areas.set(area, [...(areas.get(area) ?? []), route]);
  }
  const parts = [...areas].map(([area, members]) => `<h2>${escapeText(area)}</h2>${members.map(routeEntry).join('')}`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Coppice: HTTP API</title><style>${style}</style><h1>Coppice: HTTP API</h1>
<p>Machine-readable as <a href="/api/openapi.json">OpenAPI 3.1</a>. Every response about a tree has its version as <code>ETag</code>; a write that changes structure or content sends the version that it is based on, in <code>If-Match</code> or <code>expectedVersion</code>.</p>${parts.join('')}</html>`;
}

/** Returns functions that build the OpenAPI document and the reference page on first use. */
export function createApiReference(routes: readonly RouteDefinition[]): ApiReference {
  let document: string | null = null;
  let page: string | null = null;
  return {
    document() {
      document ??= JSON.stringify(buildOpenApiDocument(routes));
      return document;
    },
    page() {
      page ??= referencePage(routes);
      return page;
    },
  };
}
