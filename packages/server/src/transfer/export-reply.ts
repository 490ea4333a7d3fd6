/** Conversations on their way out: a download that is written while it is read, and the report of what it would lose. */
import { setImmediate } from 'node:timers/promises';
import {
  type ExportEvent,
  type ExportReport,
  type Format,
  type FormatWriter,
  formatNamed,
  importErrorKinds,
} from '@coppice/content/formats';
import { AppError, type Store } from '@coppice/core';
import { type ExportFromOptions, exportFrom } from '@coppice/engine';
import { attachmentPolicy } from '../middleware/security-headers.ts';
import type { RawReply } from '../routes/define.ts';
import { zipPieces } from './zip-pieces.ts';

/** A format that can be written. */
export type Writable = Format & { readonly writer: FormatWriter };

/** The format of a name; refuses one that nobody knows, and one that is only read. */
export function writableNamed(name: string): Writable {
  const format = formatNamed(name);
  if (format?.writer !== undefined) return { ...format, writer: format.writer };
  const code = format === undefined ? 'import/unknown-format' : 'import/no-writer';
  const why = format === undefined ? `There is no format ${JSON.stringify(name)}` : `${format.label} is only read here`;
  throw new AppError({ code, kind: importErrorKinds[code], message: `${why}; GET /api/formats lists those to write.` });
}

/** What goes out. */
export interface Outgoing {
  readonly store: Store;
  readonly format: Writable;
  readonly options: Omit<ExportFromOptions, 'format' | 'signal'>;
  /** What the file is called, without its ending. */
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

/** Larger pieces out of small ones, with a turn for others after each. */
async function* gatherPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    size += piece.length;
    if (size < pieceBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
    await setImmediate();
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/**
 * The download. What can be refused is refused before it begins; what goes wrong after that cuts the connection, so that
 * nobody takes a part for the whole.
 */
export async function exportReply(outgoing: Outgoing, done: () => void): Promise<RawReply> {
  const { store, format, options, name } = outgoing;
  const { writer } = format;
  // Each conversation in a file of its own, and more than one: an archive holds them.
  const packed = writer.files === 'per-tree' && options.trees?.length !== 1;
  const stop = new AbortController();
  const events = exportFrom(store, { ...options, format: format.name, signal: stop.signal });
  const pieces = gatherPieces(packed ? zipPieces(events) : plainPieces(events));
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
      // A page that somebody exported is somebody's text: it never runs as one of ours.
      'Content-Security-Policy': attachmentPolicy,
    },
  };
}

function withCharset(mediaType: string): string {
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;
}

/** Disposition with a name that every browser reads: plain ASCII, and the whole of it beside. */
function attachmentNamed(name: string): string {
  const plain = name.replaceAll(/[^\w .,()-]/g, '_');
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

/** A title as the name of a file. */
export function fileNameFor(title: string): string {
  // Neither what separates folders, nor what a system will not have, nor what could not be seen or printed.
  const plain = title
    .replaceAll(/[\p{C}\p{Z}/\\:*?"<>|]+/gu, ' ')
    .trim()
    .replace(/^\.+/, '');
  return [...plain].slice(0, 80).join('').trim() || 'conversation';
}

/** Writes everything to nowhere, and tells what was lost on the way. */
export async function exportReport(outgoing: Outgoing, signal: AbortSignal): Promise<ExportReport> {
  let since = 0;
  for await (const event of exportFrom(outgoing.store, { ...outgoing.options, format: outgoing.format.name, signal })) {
    if (event.type === 'report') return event.report;
    since += event.type === 'text' ? event.text.length : event.type === 'bytes' ? event.bytes.length : 0;
    if (since < pieceBytes) continue;
    since = 0;
    await setImmediate();
  }
  throw new Error('An export ended without its report.');
}
