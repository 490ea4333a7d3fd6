import type { Block } from '@coppice/core';
import { truncateText } from '../../problem.ts';
import { defineBlock, pickComparedFields } from '../define.ts';
import {
  type ByteSource,
  findByteSourceProblem,
  isByteSource,
  isMediaType,
  pickSourceFields,
  toComparedSource,
} from '../source.ts';

/** A picture in a message. The media type may be missing only for a URL. */
export interface ImageBlock extends Block {
  readonly type: 'image';
  readonly source: ByteSource;
  readonly mediaType?: string;
}

// Providers charge from 85 tokens (low detail) to about 1,600 tokens (full size), depending on dimensions that a block
// does not contain. This value is near the upper end, because an estimate that is too low leads to a rejected request.
const tokensPerImage = 1200;

/** The block type of pictures: bytes, a URL or a stored blob. */
export const image = defineBlock<ImageBlock>({
  type: 'image',
  summary: 'A picture.',
  is: (value): value is ImageBlock =>
    'type' in value && value.type === 'image' && 'source' in value && isByteSource(value.source),
  problem(fields) {
    const problem = findByteSourceProblem(fields.source, 'base64, url, blob');
    if (problem !== undefined) return `is an image block that ${problem}`;
    const named = fields.mediaType;
    const isAddress = isByteSource(fields.source) && fields.source.type === 'url';
    if (named === undefined && isAddress) return undefined;
    if (isMediaType(named) && named.toLowerCase().startsWith('image/')) return undefined;
    return 'is an image block without a mediaType such as image/png';
  },
  toText: (block) =>
    block.source.type === 'url'
      ? `[image: ${truncateText(block.source.url, 200)}]`
      : `[image: ${block.mediaType ?? 'bytes'}]`,
  equalityForm(block) {
    const counted = { ...pickComparedFields(block), source: toComparedSource(block.source) };
    return block.mediaType === undefined ? counted : { ...counted, mediaType: block.mediaType.toLowerCase() };
  },
  tokens: () => tokensPerImage,
  withKnownFields: ({ source, mediaType }) => ({
    type: 'image',
    source: pickSourceFields(source),
    ...(typeof mediaType === 'string' ? { mediaType } : {}),
  }),
});
