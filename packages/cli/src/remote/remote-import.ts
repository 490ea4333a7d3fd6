/** Imports files into a running server: uploads them one by one and waits until the server has stored each. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type CoppiceClient, HttpProblem, parseProblemBody, readResponse } from '@coppice/client';
import type { ImportFinding, ImportReport } from '@coppice/content/formats';
import { AppError, isErrorKind } from '@coppice/core';
import { describeFetchCause, toAppError, translateServerErrors } from './remote-store.ts';

export interface RemoteImportOptions {
  readonly format?: string;
  readonly scope?: string;
  readonly strict: boolean;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Called with the number of bytes that the server has read, and the total if the server knows it. */
  readonly onProgress: (bytes: number, total: number | null) => void;
}

/** A file to send. */
export interface FileToUpload {
  readonly name: string;
  readonly path: string;
}

/** A finding of an import. A newer server may send codes that this version does not know. */
export type RemoteImportFinding = Pick<ImportFinding, 'severity' | 'place' | 'message'> & { readonly code: string };

/** The report of an import on a server. */
export type RemoteImportReport = Omit<ImportReport, 'findings'> & { readonly findings: readonly RemoteImportFinding[] };

interface RemoteImport {
  readonly id: string;
  readonly strict: boolean;
  readonly dryRun: boolean;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly format: { readonly name: string } | null;
  readonly progress: { readonly bytes: number; readonly total: number | null };
  readonly report: Pick<ImportReport, 'conversations' | 'records' | 'attachments' | 'bytes' | 'counts'> | null;
  readonly error: { readonly code: string; readonly kind: string; readonly message: string } | null;
}

// The interval of progress requests. Shorter intervals would not be visible.
const askMs = 150;

/** Uploads a file and waits for its report. Interrupting cancels the import; chats that were already stored stay. */
export async function importOnServer(
  client: CoppiceClient,
  file: FileToUpload,
  options: RemoteImportOptions,
): Promise<RemoteImportReport> {
  const { signal, onProgress } = options;
  let current = await upload(client, file, options);
  const path = { id: current.id };
  while (current.state === 'running') {
    onProgress(current.progress.bytes, current.progress.total);
    await wait(askMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      await translateServerErrors(readResponse(client.routes.DELETE('/api/imports/{id}', { params: { path } })));
      throw new AppError({ code: 'cli/aborted', kind: 'aborted', message: 'Stopped. Chats that were imported stay.' });
    }
    current = await translateServerErrors(
      readResponse<RemoteImport>(client.routes.GET('/api/imports/{id}', { params: { path } })),
    );
  }
  const { report, error, format, strict, dryRun } = current;
  if (error !== null) throw new AppError({ ...error, kind: isErrorKind(error.kind) ? error.kind : 'internal' });
  if (report === null)
    throw new AppError({ code: 'cli/aborted', kind: 'aborted', message: 'The import was cancelled on the server.' });
  const findings = await readFindings(client, current.id);
  const { counts, ...totals } = report;
  return { format: format?.name ?? '', ...totals, strict, dryRun, findings, counts };
}

async function upload(client: CoppiceClient, file: FileToUpload, options: RemoteImportOptions): Promise<RemoteImport> {
  const { format, scope, strict, dryRun, signal } = options;
  const query = new URLSearchParams({
    name: file.name,
    ...(format === undefined ? {} : { format }),
    ...(scope === undefined ? {} : { scope }),
    ...(strict ? { strict: 'true' } : {}),
    ...(dryRun ? { dryRun: 'true' } : {}),
  });
  let response: Response;
  try {
    response = await client.send(`/api/imports?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      // The file is streamed, because it may be larger than the memory.
      body: Readable.toWeb(createReadStream(file.path)),
      duplex: 'half',
      signal,
    });
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    throw toAppError(new HttpProblem('page/offline', describeFetchCause(thrown), 0));
  }
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw toAppError(parseProblemBody(answer, response.status));
  return answer as RemoteImport;
}

async function readFindings(client: CoppiceClient, id: string): Promise<readonly RemoteImportFinding[]> {
  const findings: RemoteImportFinding[] = [];
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const query = { cursor: Number(cursor), limit: 200 };
    const page: FindingsPage = await translateServerErrors(
      readResponse<FindingsPage>(client.routes.GET('/api/imports/{id}/findings', { params: { path: { id }, query } })),
    );
    findings.push(...page.items);
    cursor = page.cursor;
  }
  return findings;
}

interface FindingsPage {
  readonly items: readonly RemoteImportFinding[];
  readonly cursor: string | null;
}
