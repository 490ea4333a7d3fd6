/** What the page asks of the routes for import and export, and what it gets. */
import type { NodeId, TreeId } from '@coppice/core';
import type { Schemas } from '@coppice/server/client';
import { at } from '../state/client.ts';
import { addressOf, ask, Problem, problemFrom } from '../state/http.ts';

/** Where an import stands. */
export type ImportView = Schemas['ImportView'];
/** Something that an import noticed. */
export type ImportFinding = Schemas['ImportFinding'];
/** A format that is read or written. */
export type FormatView = Schemas['FormatView'];
/** What an export would write and lose. */
export type ExportReport = Schemas['ExportReport'];

/** A conversation of an import. */
export interface ImportedTree {
  readonly treeId: TreeId;
  readonly title: string | null;
  readonly created: boolean;
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

/** How an import is wished. */
export interface ImportWish {
  readonly dryRun: boolean;
  readonly strict: boolean;
}

/** Which part of a tree goes out. */
export interface Part {
  readonly what: 'tree' | 'branch' | 'path';
  readonly node?: NodeId | undefined;
}

const one = (id: string) => `/api/imports/${encodeURIComponent(id)}`;

/** The routes. */
export const transferApi = {
  formats: () => ask<{ readonly items: readonly FormatView[] }>('GET', '/api/formats'),
  imports: () => ask<{ readonly items: readonly ImportView[] }>('GET', '/api/imports'),
  import: (id: string) => ask<ImportView>('GET', one(id)),
  cancel: (id: string) => ask<{ readonly import: ImportView }>('DELETE', one(id)),
  findings: (id: string, cursor?: string) =>
    ask<Page<ImportFinding>>('GET', `${one(id)}/findings`, { query: { cursor, limit: 50 } }),
  trees: (id: string, cursor?: string) =>
    ask<Page<ImportedTree>>('GET', `${one(id)}/trees`, { query: { cursor, limit: 20 } }),
  report: (tree: TreeId, format: string, part: Part, signal: AbortSignal) =>
    ask<ExportReport>('GET', `${at(tree)}/export/report`, { query: { format, ...part }, signal }),
};

/** Where the events of an import are. */
export function eventsOf(id: string): string {
  return `${one(id)}/events`;
}

/** Where a download is: of a part of a tree, or of everything. */
export function downloadOf(tree: TreeId | null, format: string, part: Part, trashed: boolean): string {
  if (tree === null) return addressOf('/api/export', { format, trashed: trashed || undefined });
  return addressOf(`${at(tree)}/export`, { format, ...part });
}

function problemIn(request: XMLHttpRequest): Problem {
  try {
    return problemFrom(JSON.parse(request.responseText), request.status);
  } catch {
    return problemFrom(null, request.status);
  }
}

/** Sends a file to be imported and tells how much of it has left; only this old way of asking can tell that. */
export function sendImport(
  body: Blob,
  name: string,
  wish: ImportWish,
  { signal, onSent }: { readonly signal: AbortSignal; readonly onSent: (share: number) => void },
): Promise<ImportView> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const query = { name, dryRun: wish.dryRun || undefined, strict: wish.strict || undefined };
    request.open('POST', addressOf('/api/imports', query));
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total));
    request.addEventListener('load', () => {
      if (request.status !== 202) return reject(problemIn(request));
      const view: ImportView = JSON.parse(request.responseText);
      resolve(view);
    });
    request.addEventListener('error', () => reject(new Problem('page/offline', 'The server cannot be reached.', 0)));
    request.addEventListener('abort', () => reject(new Problem('page/aborted', 'Nobody waits for this any more.', -1)));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    if (signal.aborted) reject(new Problem('page/aborted', 'Nobody waits for this any more.', -1));
    else request.send(body);
  });
}
