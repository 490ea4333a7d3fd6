/**
 * The response for an attachment: all bytes or a range. Its headers prevent a browser from running the file as a page
 * of Coppice.
 */
import type { BlobStore } from '@coppice/core';
import { matchesEntityTag } from './entity-tags.ts';
import { throwHttpError } from './http-errors.ts';
import { attachmentContentPolicy } from './middleware/content-policies.ts';
import type { RawReply, RouteScope } from './routes/define.ts';

// Types that browsers may display. All other types are downloaded, so that they never run as a page of Coppice.
const inline: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'text/plain',
  'audio/mpeg',
  'audio/wav',
  'video/mp4',
  'application/pdf',
]);

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Parses a `Range` header with one range. Returns null, for all bytes, if the header is missing or not supported. */
function byteRangeOf(header: string | undefined, size: number): ByteRange | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return null;
  // A range that ends before it begins is ignored.
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  if (start < end) return { start, end };
  return throwHttpError('http/range', `The range is outside of the attachment, which has ${size} bytes.`, { size });
}

/** Responds with an attachment. The caller must check access before. Throws if the attachment does not exist. */
export async function respondWithBlob(
  blobs: BlobStore,
  hash: string,
  header: RouteScope['header'],
  more: Readonly<Record<string, string>>,
): Promise<RawReply> {
  const info = (await blobs.find(hash)) ?? throwNoSuchBlob(hash);
  const etag = `"${hash}"`;
  const headers = {
    'Content-Type': info.mediaType,
    'Content-Disposition': inline.has(info.mediaType) ? 'inline' : 'attachment',
    'Content-Security-Policy': attachmentContentPolicy,
    'Accept-Ranges': 'bytes',
    ETag: etag,
    ...more,
  };
  if (matchesEntityTag(header('if-none-match'), etag)) return { raw: null, status: 304, headers };
  const wanted = header('if-range');
  const range = wanted === undefined || wanted === etag ? byteRangeOf(header('range'), info.size) : null;
  const bytes = (await (range === null ? blobs.read(hash) : blobs.read(hash, range))) ?? throwNoSuchBlob(hash);
  const partial = range === null ? {} : { 'Content-Range': `bytes ${range.start}-${range.end - 1}/${info.size}` };
  return { raw: new Uint8Array(bytes), status: range === null ? 200 : 206, headers: { ...headers, ...partial } };
}

/** Throws the same error for a missing attachment and for one that the caller may not read. */
export function throwNoSuchBlob(hash: string): never {
  return throwHttpError('http/not-found', `There is no attachment ${hash}.`);
}
