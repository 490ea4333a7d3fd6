/**
 * Responds with an export: a download that is generated while the client reads it, or a report of what the format
 * cannot store.
 */
import { joinBytes } from '@coppice/content';
import {
  type ExportEvent,
  type ExportReport,
  type Format,
  type FormatWriter,
  findFormat,
  importErrorKinds,
} from '@coppice/content/formats';
import { AppError, type Store } from '@coppice/core';
import { waitForNextTask } from '@coppice/engine';
import { type ExportFromOptions, exportFrom } from '@coppice/engine/import';
import { attachmentContentPolicy } from '../middleware/content-policies.ts';
import type { RawReply } from '../routes/define.ts';
import { streamZip } from './stream-zip.ts';

/** A format with a writer. */
export type WritableFormat = Format & { readonly writer: FormatWriter };

/** Finds a format by name; throws if it is unknown or can only be read. */
export function requireWritableFormat(name: string): WritableFormat {
  const format = findFormat(name);
  if (format?.writer !== undefined) return { ...format, writer: format.writer };
  const code = format === undefined ? 'import/unknown-format' : 'import/no-writer';
  const why =
    format === undefined ? `There is no format ${JSON.stringify(name)}` : `${format.label} can only be imported`;
  throw new AppError({
    code,
    kind: importErrorKinds[code],
    message: `${why}. GET /api/formats lists the formats for export.`,
  });
}

/** The trees, the format and the name of an export. */
export interface ExportJob {
  readonly store: Store;
  readonly format: WritableFormat;
  readonly options: Omit<ExportFromOptions, 'format' | 'signal'>;
  /** The file name without extension. */
  readonly name: string;
}

const pieceBytes = 64 * 1024;
const encoder = new TextEncoder();

async function* plainPieces(events: AsyncIterable<ExportEvent>): AsyncGenerator<Uint8Array> {
  for await (const event of events) {
    if (event.type === 'text') yield encoder.encode(event.text);
    else if (event.type === 'bytes') yield event.bytes;
  }
}

/** Joins small chunks to larger ones, and yields to the event loop after each of them. */
async function* gatherPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    size += piece.length;
    if (size < pieceBytes) continue;
    yield joinBytes(waiting);
    waiting = [];
    size = 0;
    await waitForNextTask();
  }
  if (size > 0) yield joinBytes(waiting);
}

/**
 * Responds with the download. Errors are reported before it starts if possible. Later errors close the connection, so
 * that a client does not mistake a partial export for a complete one.
 */
export async function respondWithExport(job: ExportJob, done: () => void): Promise<RawReply> {
  const { store, format, options, name } = job;
  const { writer } = format;
  // If the format has one file per tree, several trees are packed into an archive.
  const packed = writer.files === 'per-tree' && options.trees?.length !== 1;
  const stop = new AbortController();
  const events = exportFrom(store, { ...options, format: format.name, signal: stop.signal });
  const pieces = gatherPieces(packed ? streamZip(events) : plainPieces(events));
  let next: IteratorResult<Uint8Array> | null;
  try {
    next = await pieces.next();
  } catch (thrown) {
    done();
    throw thrown;
  }
  const raw = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = next ?? (await pieces.next());
        next = null;
        if (piece.done !== true) {
          controller.enqueue(piece.value);
          return;
        }
        done();
        controller.close();
      },
      async cancel() {
        stop.abort();
        done();
        await pieces.return(undefined).catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return {
    raw,
    status: 200,
    headers: {
      'Content-Type': packed ? 'application/zip' : withCharset(writer.mediaType),
      'Content-Disposition': attachmentNamed(`${name}.${packed ? 'zip' : writer.extension}`),
      // An exported HTML page contains untrusted text and must never run as a page of Coppice.
      'Content-Security-Policy': attachmentContentPolicy,
    },
  };
}

function withCharset(mediaType: string): string {
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;
}

/** Returns a Content-Disposition header with an ASCII name and the full name. */
function attachmentNamed(name: string): string {
  const plain = name.replaceAll(/[^\w .,()-]/g, '_');
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

/** Converts a title to a file name that is valid on all systems. */
export function toExportFileName(title: string): string {
  // Removes path separators, reserved and control characters.
  const plain = title
    .replaceAll(/[\p{C}\p{Z}/\\:*?"<>|]+/gu, ' ')
    .trim()
    .replace(/^\.+/, '');
  return [...plain].slice(0, 80).join('').trim() || 'conversation';
}

/** Runs the export without output, and reports what the format would lose. */
export async function previewExport(job: ExportJob, signal: AbortSignal): Promise<ExportReport> {
  let since = 0;
  for await (const event of exportFrom(job.store, { ...job.options, format: job.format.name, signal })) {
    if (event.type === 'report') return event.report;
    since += event.type === 'text' ? event.text.length : event.type === 'bytes' ? event.bytes.length : 0;
    if (since < pieceBytes) continue;
    since = 0;
    await waitForNextTask();
  }
  throw new Error('An export ended without its report.');
}
