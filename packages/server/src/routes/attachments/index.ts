/** The routes that upload and download attachments, by hash. */
import { z } from '@hono/zod-openapi';
import { respondWithBlob } from '../../blob-reply.ts';
import { throwHttpError } from '../../http-errors.ts';
import { defineRoute, toReply } from '../define.ts';

const blobInfo = z.object({ hash: z.string(), size: z.number(), mediaType: z.string() }).openapi('BlobInfo');

const mediaType = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:\s*;.*)?$/;

const upload = defineRoute({
  method: 'post',
  path: '/api/attachments',
  name: 'uploadAttachment',
  summary:
    'Uploads an attachment, which is stored by its hash with the media type of the request. The same bytes give the same attachment.',
  needs: { body: 'bytes', limit: 'attachmentBytes' },
  answer: blobInfo,
  status: 201,
  async handle(call) {
    const type = call.header('content-type') ?? '';
    if (!mediaType.test(type))
      return throwHttpError(
        'http/media-type',
        'The Content-Type header is missing: it is the media type of the attachment.',
      );
    const bytes = await call.bytes();
    if (bytes.byteLength === 0) return throwHttpError('http/invalid', 'The attachment is empty.');
    await call.services.usage.upload(call.caller.owner, bytes.byteLength);
    const [plain = ''] = type.toLowerCase().split(';');
    return toReply(await call.ownerServices.store.blobs.put(bytes, plain.trim()));
  },
});

const download = defineRoute({
  method: 'get',
  path: '/api/attachments/{hash}',
  name: 'getAttachment',
  summary:
    'Returns the bytes of an attachment, or a range of them. They never change, so a client may cache them forever.',
  also: [206, 304],
  produces: '*/*',
  answer: z.string().openapi({ format: 'binary' }),
  handle: (call) =>
    respondWithBlob(call.ownerServices.store.blobs, call.params.hash, call.header, {
      'Cache-Control': 'private, max-age=31536000, immutable',
    }),
});

export const attachmentRoutes = [upload, download];
