import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { runBlockConformance } from '../conformance.ts';
import { type ImageBlock, image } from './index.ts';

const bytes = Buffer.from('not really a picture, but bytes all the same');
const hash = createHash('sha256').update(bytes).digest('hex');
const inline: ImageBlock = {
  type: 'image',
  mediaType: 'image/png',
  source: { type: 'base64', data: bytes.toString('base64') },
};

runBlockConformance(image, {
  good: {
    'its bytes': { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: bytes.toString('base64') } },
    'an address': { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
    'a blob': { type: 'image', mediaType: 'image/jpeg', source: { type: 'blob', hash, size: 44 } },
    'further fields': { type: 'image', alt: 'An oak', source: { type: 'url', url: 'x:1' }, detail: 'low' },
  },
  bad: {
    'has no source object; its type is one of base64, url, blob': { mediaType: 'image/png' },
    'of type "file"; one of base64, url, blob is needed': { source: { type: 'file' }, mediaType: 'image/png' },
    'whose data is not base64': { source: { type: 'base64', data: 'a b=' }, mediaType: 'image/png' },
    'data is not base64 (standard alphabet, padded': {
      source: { type: 'base64', data: 'abc' },
      mediaType: 'image/png',
    },
    'without a url': { source: { type: 'url', url: '' } },
    'not a SHA-256': { source: { type: 'blob', hash: hash.toUpperCase() }, mediaType: 'image/png' },
    'size is not a number of bytes': { source: { type: 'blob', hash, size: -1 }, mediaType: 'image/png' },
    'without a mediaType such as image/png': { source: { type: 'blob', hash } },
    'a mediaType such as image/png': { source: { type: 'blob', hash }, mediaType: 'text/html' },
  },
});

it('[C34] an image is compared by its bytes, wherever they are stored', () => {
  const stored: ImageBlock = { type: 'image', mediaType: 'IMAGE/PNG', source: { type: 'blob', hash, size: 44 } };
  expect(image.equalityForm(inline)).toEqual({ type: 'image', mediaType: 'image/png', source: { type: 'blob', hash } });
  expect(image.equalityForm(stored)).toEqual(image.equalityForm(inline));
});

it('[C36] an image reads as its media type or address, in one line', () => {
  expect(image.toText(inline)).toBe('[image: image/png]');
  expect(image.toText({ type: 'image', source: { type: 'url', url: 'https://e.org/a.png' } })).toBe(
    '[image: https://e.org/a.png]',
  );
});
