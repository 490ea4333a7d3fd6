/** Requests for import and export, with their types. */

import {
  type ApiSchemas,
  buildApiUrl,
  HttpProblem,
  type ListPage,
  parseProblemBody,
  readResponse,
  treeApiPath,
} from '@coppice/client';
import type { NodeId, TreeId } from '@coppice/core';
import { routes } from '../state/page-client.ts';

export type ImportViewData = ApiSchemas['ImportView'];
export type ImportFindingData = ApiSchemas['ImportFinding'];
/** Conversations of another program on the server's computer. */
export type FoundProgram = ApiSchemas['FoundProgram'];
export type FormatView = ApiSchemas['FormatView'];
/** What an export would write and lose. */
export type ExportReportData = ApiSchemas['ExportReport'];

/** A conversation that an import read, and the tree that it became. */
export interface ImportedTreeData {
  readonly treeId: TreeId;
  readonly title: string | null;
  readonly created: boolean;
}

export interface ImportOptionsBody {
  readonly dryRun: boolean;
  readonly strict: boolean;
}

/** Which part of a tree is exported. */
export interface ExportScope {
  readonly what: 'tree' | 'branch' | 'path';
  readonly node?: NodeId | undefined;
}

export const transferApi = {
  formats: () => readResponse<{ readonly items: readonly FormatView[] }>(routes.GET('/api/formats')),
  imports: () => readResponse<{ readonly items: readonly ImportViewData[] }>(routes.GET('/api/imports')),
  found: () =>
    readResponse<{ readonly offered: boolean; readonly items: readonly FoundProgram[] }>(routes.GET('/api/found')),
  importFound: (format: string, wish: ImportOptionsBody) =>
    readResponse<ImportViewData>(routes.POST('/api/found/imports', { body: { format, ...wish } })),
  import: (id: string) => readResponse<ImportViewData>(routes.GET('/api/imports/{id}', { params: { path: { id } } })),
  cancel: (id: string) =>
    readResponse<{ readonly import: ImportViewData }>(routes.DELETE('/api/imports/{id}', { params: { path: { id } } })),
  findings: (id: string, cursor?: string) =>
    readResponse<ListPage<ImportFindingData>>(
      routes.GET('/api/imports/{id}/findings', {
        params: { path: { id }, query: { ...(cursor === undefined ? {} : { cursor: Number(cursor) }), limit: 50 } },
      }),
    ),
  trees: (id: string, cursor?: string) =>
    readResponse<ListPage<ImportedTreeData>>(
      routes.GET('/api/imports/{id}/trees', {
        params: { path: { id }, query: { ...(cursor === undefined ? {} : { cursor: Number(cursor) }), limit: 20 } },
      }),
    ),
  report: (tree: TreeId, format: string, { what, node }: ExportScope, signal: AbortSignal) =>
    readResponse<ExportReportData>(
      routes.GET('/api/trees/{tree}/export/report', {
        params: { path: { tree }, query: { format, what, ...(node === undefined ? {} : { node }) } },
        signal,
      }),
    ),
};

export function importEventsUrl(id: string): string {
  return `/api/imports/${encodeURIComponent(id)}/events`;
}

/** The URL of a download: a tree, a part of it, or everything. */
export function exportUrl(tree: TreeId | null, format: string, part: ExportScope, trashed: boolean): string {
  if (tree === null) return buildApiUrl('/api/export', { format, trashed: trashed || undefined });
  return buildApiUrl(`${treeApiPath(tree)}/export`, { format, ...part });
}

/** Reads an export of a whole chat into memory, with the file name that the server gives it. */
export async function fetchExport(tree: TreeId, format: string): Promise<File> {
  const { data, error, response } = await routes.GET('/api/trees/{tree}/export', {
    params: { path: { tree }, query: { format, what: 'tree' } },
    parseAs: 'blob',
  });
  if (data === undefined) throw parseProblemBody(error, response.status);
  const [, name] = /filename\*=UTF-8''([^;]+)/i.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return new File([data], name === undefined ? `${tree}.txt` : decodeURIComponent(name));
}

function problemIn(request: XMLHttpRequest): HttpProblem {
  try {
    return parseProblemBody(JSON.parse(request.responseText), request.status);
  } catch {
    return parseProblemBody(null, request.status);
  }
}

/** Uploads a file with progress; only XMLHttpRequest can report that. */
export function sendImport(
  body: Blob,
  name: string,
  wish: ImportOptionsBody,
  { signal, onSent }: { readonly signal: AbortSignal; readonly onSent: (share: number) => void },
): Promise<ImportViewData> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const query = { name, dryRun: wish.dryRun || undefined, strict: wish.strict || undefined };
    request.open('POST', buildApiUrl('/api/imports', query));
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
    request.addEventListener('abort', () => reject(new HttpProblem('page/aborted', 'The request was aborted.', -1)));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    if (signal.aborted) reject(new HttpProblem('page/aborted', 'The request was aborted.', -1));
    else request.send(body);
  });
}
