/** What the page asks of the routes for import and export, and what it gets. */
import type { NodeId, TreeId } from '@coppice/core';
import type { Schemas } from '@coppice/server/client';
import { read, routes, treePath } from '../state/client.ts';
import { apiAddress, HttpProblem, problemFrom } from '../state/http.ts';

/** Where an import stands. */
export type ImportViewData = Schemas['ImportView'];
/** Something that an import noticed. */
export type ImportFindingData = Schemas['ImportFinding'];
/** A format that is read or written. */
export type FormatView = Schemas['FormatView'];
/** What an export would write and lose. */
export type ExportReportData = Schemas['ExportReport'];

/** A conversation of an import. */
export interface ImportedTreeData {
  readonly treeId: TreeId;
  readonly title: string | null;
  readonly created: boolean;
}

/** One page of a list. */
export interface PageOf<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

/** How an import is wished. */
export interface ImportOptionsBody {
  readonly dryRun: boolean;
  readonly strict: boolean;
}

/** Which part of a tree goes out. */
export interface UploadPart {
  readonly what: 'tree' | 'branch' | 'path';
  readonly node?: NodeId | undefined;
}

/** The routes. */
export const transferApi = {
  formats: () => read<{ readonly items: readonly FormatView[] }>(routes.GET('/api/formats')),
  imports: () => read<{ readonly items: readonly ImportViewData[] }>(routes.GET('/api/imports')),
  import: (id: string) => read<ImportViewData>(routes.GET('/api/imports/{id}', { params: { path: { id } } })),
  cancel: (id: string) =>
    read<{ readonly import: ImportViewData }>(routes.DELETE('/api/imports/{id}', { params: { path: { id } } })),
  findings: (id: string, cursor?: string) =>
    read<PageOf<ImportFindingData>>(
      routes.GET('/api/imports/{id}/findings', {
        params: { path: { id }, query: { ...(cursor === undefined ? {} : { cursor: Number(cursor) }), limit: 50 } },
      }),
    ),
  trees: (id: string, cursor?: string) =>
    read<PageOf<ImportedTreeData>>(
      routes.GET('/api/imports/{id}/trees', {
        params: { path: { id }, query: { ...(cursor === undefined ? {} : { cursor: Number(cursor) }), limit: 20 } },
      }),
    ),
  report: (tree: TreeId, format: string, { what, node }: UploadPart, signal: AbortSignal) =>
    read<ExportReportData>(
      routes.GET('/api/trees/{tree}/export/report', {
        params: { path: { tree }, query: { format, what, ...(node === undefined ? {} : { node }) } },
        signal,
      }),
    ),
};

/** Where the events of an import are. */
export function importEvents(id: string): string {
  return `/api/imports/${encodeURIComponent(id)}/events`;
}

/** Where a download is: of a part of a tree, or of everything. */
export function downloadOf(tree: TreeId | null, format: string, part: UploadPart, trashed: boolean): string {
  if (tree === null) return apiAddress('/api/export', { format, trashed: trashed || undefined });
  return apiAddress(`${treePath(tree)}/export`, { format, ...part });
}

function problemIn(request: XMLHttpRequest): HttpProblem {
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
  wish: ImportOptionsBody,
  { signal, onSent }: { readonly signal: AbortSignal; readonly onSent: (share: number) => void },
): Promise<ImportViewData> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const query = { name, dryRun: wish.dryRun || undefined, strict: wish.strict || undefined };
    request.open('POST', apiAddress('/api/imports', query));
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total));
    request.addEventListener('load', () => {
      if (request.status !== 202) return reject(problemIn(request));
      const view: ImportViewData = JSON.parse(request.responseText);
      resolve(view);
    });
    request.addEventListener('error', () =>
      reject(new HttpProblem('page/offline', 'The server cannot be reached.', 0)),
    );
    request.addEventListener('abort', () =>
      reject(new HttpProblem('page/aborted', 'Nobody waits for this any more.', -1)),
    );
    signal.addEventListener('abort', () => request.abort(), { once: true });
    if (signal.aborted) reject(new HttpProblem('page/aborted', 'Nobody waits for this any more.', -1));
    else request.send(body);
  });
}
