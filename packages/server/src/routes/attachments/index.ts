/** Attachments: bytes by their hash. */
import { z } from '@hono/zod-openapi';
import { refuseHttp } from '../../http-errors.ts';
import { attachmentPolicy } from '../../middleware/security-headers.ts';
import { defineRoute, type RawReply, reply } from '../define.ts';

const blobInfo = z.object({ hash: z.string(), size: z.number(), mediaType: z.string() }).openapi('BlobInfo');

const mediaType = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:\s*;.*)?$/;

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

const upload = defineRoute({
  method: 'post',
  path: '/api/attachments',
  name: 'uploadAttachment',
  summary:
    'Stores bytes under their hash; the media type is that of the request. The same bytes again are the same attachment.',
  needs: { body: 'bytes', limit: 'attachmentBytes' },
  answer: blobInfo,
  status: 201,
  async handle(call) {
    const type = call.header('content-type') ?? '';
    if (!mediaType.test(type)) return refuseHttp('http/media-type', 'Say what the attachment is: Content-Type.');
    const bytes = await call.bytes();
    if (bytes.byteLength === 0) return refuseHttp('http/invalid', 'There is nothing in the attachment.');
    call.services.usage.upload(call.caller.owner, bytes.byteLength);
    const [plain = ''] = type.toLowerCase().split(';');
    return reply(await call.room.store.blobs.put(bytes, plain.trim()));
  },
});

interface Range {
  readonly start: number;
  readonly end: number;
}

/** One range of bytes; null where the header asks for none that we know, which means all of them. */
function rangeOf(header: string | undefined, size: number): Range | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return null;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  if (start < end) return { start, end };
  return refuseHttp('http/range', `The attachment has ${size} bytes.`, { size });
}

const download = defineRoute({
  method: 'get',
  path: '/api/attachments/{hash}',
  name: 'getAttachment',
  summary: 'The bytes, or a range of them. They never change, so they may be kept for good.',
  also: [206, 304],
  produces: '*/*',
  answer: z.string().openapi({ format: 'binary' }),
  async handle(call): Promise<RawReply> {
    const { hash } = call.params;
    const { blobs } = call.room.store;
    const info = (await blobs.find(hash)) ?? refuseHttp('http/not-found', `There is no attachment ${hash}.`);
    const etag = `"${hash}"`;
    const headers = {
      'Content-Type': info.mediaType,
      'Content-Disposition': inline.has(info.mediaType) ? 'inline' : 'attachment',
      'Content-Security-Policy': attachmentPolicy,
      'Cache-Control': 'private, max-age=31536000, immutable',
      'Accept-Ranges': 'bytes',
      ETag: etag,
    };
    if (call.header('if-none-match') === etag) return { raw: null, status: 304, headers };
    const range =
      call.header('if-range') === undefined || call.header('if-range') === etag
        ? rangeOf(call.header('range'), info.size)
        : null;
    const bytes = await (range === null ? blobs.read(hash) : blobs.read(hash, range));
    if (bytes === null) return refuseHttp('http/not-found', `There is no attachment ${hash}.`);
    const partial = range === null ? {} : { 'Content-Range': `bytes ${range.start}-${range.end - 1}/${info.size}` };
    return { raw: new Uint8Array(bytes), status: range === null ? 200 : 206, headers: { ...headers, ...partial } };
  },
});

/** The routes. */
export const attachments = [upload, download];
