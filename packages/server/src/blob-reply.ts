/** The answer that an attachment is: its bytes or a range of them, and what keeps them from running as a page of ours. */
import type { BlobStore } from '@coppice/core';
import { noneMatch } from './entity-tags.ts';
import { refuseHttp } from './http-errors.ts';
import { attachmentPolicy } from './middleware/security-headers.ts';
import type { RawReply, RouteScope } from './routes/define.ts';

// Shown in place by a browser; whatever else there is is downloaded, so that it never runs as a page of ours.
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

/** One range of bytes; null where the header asks for none that we know, which means all of them. */
function byteRangeOf(header: string | undefined, size: number): ByteRange | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return null;
  // One that ends before it begins is no range, and counts as not said.
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  if (start < end) return { start, end };
  return refuseHttp('http/range', `The attachment has ${size} bytes.`, { size });
}

/** Answers with an attachment, for whoever may have it; refuses one that is not there. */
export async function blobReply(
  blobs: BlobStore,
  hash: string,
  header: RouteScope['header'],
  more: Readonly<Record<string, string>>,
): Promise<RawReply> {
  const info = (await blobs.find(hash)) ?? noSuchBlob(hash);
  const etag = `"${hash}"`;
  const headers = {
    'Content-Type': info.mediaType,
    'Content-Disposition': inline.has(info.mediaType) ? 'inline' : 'attachment',
    'Content-Security-Policy': attachmentPolicy,
    'Accept-Ranges': 'bytes',
    ETag: etag,
    ...more,
  };
  if (noneMatch(header('if-none-match'), etag)) return { raw: null, status: 304, headers };
  const wanted = header('if-range');
  const range = wanted === undefined || wanted === etag ? byteRangeOf(header('range'), info.size) : null;
  const bytes = (await (range === null ? blobs.read(hash) : blobs.read(hash, range))) ?? noSuchBlob(hash);
  const partial = range === null ? {} : { 'Content-Range': `bytes ${range.start}-${range.end - 1}/${info.size}` };
  return { raw: new Uint8Array(bytes), status: range === null ? 200 : 206, headers: { ...headers, ...partial } };
}

/** Refuses an attachment in the words that hold for one that is not there and one that is not for the caller. */
export function noSuchBlob(hash: string): never {
  return refuseHttp('http/not-found', `There is no attachment ${hash}.`);
}
