import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { runBlockConformance } from '../conformance.ts';
import { type FileBlock, file } from './index.ts';

const bytes = Buffer.from('%PDF-1.7 …');
const hash = createHash('sha256').update(bytes).digest('hex');
const pdf = { type: 'file', name: 'a.pdf', mediaType: 'application/pdf' } as const;

runBlockConformance(file, {
  good: {
    'its bytes': { ...pdf, source: { type: 'base64', data: bytes.toString('base64') } },
    'an address': { ...pdf, source: { type: 'url', url: 'https://example.org/a.pdf' } },
    'a blob': { ...pdf, source: { type: 'blob', hash } },
    'its text': {
      type: 'file',
      name: 'a.txt',
      mediaType: 'text/plain; charset=utf-8',
      source: { type: 'text', text: '' },
    },
    'a name that looks like a path': { ...pdf, name: '../../etc/passwd', source: { type: 'blob', hash } },
  },
  bad: {
    'without a name': { mediaType: 'text/plain', source: { type: 'text', text: 'a' } },
    'without a mediaType such as application/pdf': { name: 'a', mediaType: 'pdf', source: { type: 'text', text: 'a' } },
    'one of base64, url, blob, text': { name: 'a', mediaType: 'text/plain', source: 'a' },
    'type "text"; one of base64, url, blob, text is needed': { ...pdf, source: { type: 'text' } },
  },
});

it('[C34] a file is compared by its bytes, wherever they are stored', () => {
  const inline: FileBlock = { ...pdf, source: { type: 'base64', data: bytes.toString('base64') } };
  const stored: FileBlock = { ...pdf, source: { type: 'blob', hash, size: bytes.length } };
  expect(file.equalityForm(inline)).toEqual(file.equalityForm(stored));
  expect(file.equalityForm({ ...inline, name: 'b.pdf' })).not.toEqual(file.equalityForm(stored));
});

it('[C36] a file reads as its text under its name, or as name and media type', () => {
  const text: FileBlock = {
    type: 'file',
    name: 'a.txt',
    mediaType: 'text/plain',
    source: { type: 'text', text: 'oak' },
  };
  expect(file.toText(text)).toBe('a.txt\noak');
  expect(file.toText({ ...pdf, source: { type: 'blob', hash } })).toBe('[file: a.pdf, application/pdf]');
});

it('[C37] a file costs tokens by its size, and as one page if the size is unknown', () => {
  const ofSize = (size: number): FileBlock => ({ ...pdf, source: { type: 'blob', hash, size } });
  const unknown: FileBlock = { ...pdf, source: { type: 'blob', hash } };
  expect(file.tokens(ofSize(500_000)) - file.tokens(ofSize(0))).toBe(20_000);
  expect(file.tokens(unknown) - file.tokens(ofSize(0))).toBe(2000);
});
