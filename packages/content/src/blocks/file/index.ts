import type { Block } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import { estimateTokens } from '../../tokens.ts';
import { defineBlock, pickComparedFields } from '../define.ts';
import {
  type ByteSource,
  findByteSourceProblem,
  getByteSourceSize,
  isByteSource,
  isMediaType,
  pickSourceFields,
  toComparedSource,
} from '../source.ts';

/** A file whose bytes are unknown, but whose text was extracted. */
export interface TextSource {
  readonly type: 'text';
  readonly text: string;
}

/** An attachment. Its name is only displayed and never used as a path. */
export interface FileBlock extends Block {
  readonly type: 'file';
  readonly name: string;
  readonly mediaType: string;
  readonly source: ByteSource | TextSource;
}

function isTextSource(value: unknown): value is TextSource {
  return isFieldMap(value) && value.type === 'text' && typeof value.text === 'string';
}

// A PDF page has about 50 KB and about 2,000 tokens; text has about four bytes per token. A file of unknown size counts
// as one page.
const bytesPerToken = { text: 4, other: 25 };
const tokensPerPage = 2000;

function fileTokens(block: FileBlock): number {
  if (block.source.type === 'text') return estimateTokens(block.source.text);
  const size = getByteSourceSize(block.source);
  if (size === undefined) return tokensPerPage;
  return Math.ceil(size / (block.mediaType.startsWith('text/') ? bytesPerToken.text : bytesPerToken.other));
}

/** The block type of attachments: bytes, a URL, a stored blob or text. */
export const file = defineBlock<FileBlock>({
  type: 'file',
  summary: 'An attachment.',
  is: (value): value is FileBlock =>
    'type' in value &&
    value.type === 'file' &&
    'name' in value &&
    typeof value.name === 'string' &&
    'mediaType' in value &&
    typeof value.mediaType === 'string' &&
    'source' in value &&
    (isByteSource(value.source) || isTextSource(value.source)),
  problem(fields) {
    if (typeof fields.name !== 'string' || fields.name === '') return 'is a file block without a name';
    if (!isMediaType(fields.mediaType)) return 'is a file block without a mediaType such as application/pdf';
    if (isTextSource(fields.source)) return undefined;
    const problem = findByteSourceProblem(fields.source, 'base64, url, blob, text');
    return problem === undefined ? undefined : `is a file block that ${problem}`;
  },
  toText: (block) =>
    block.source.type === 'text' ? `${block.name}\n${block.source.text}` : `[file: ${block.name}, ${block.mediaType}]`,
  equalityForm(block) {
    const source =
      block.source.type === 'text' ? { type: 'text', text: block.source.text } : toComparedSource(block.source);
    return { ...pickComparedFields(block), mediaType: block.mediaType.toLowerCase(), source };
  },
  tokens: (block) => estimateTokens(block.name) + fileTokens(block),
  withKnownFields: ({ name, mediaType, source }) => ({
    type: 'file',
    name,
    mediaType,
    source: source.type === 'text' ? { type: 'text', text: source.text } : pickSourceFields(source),
  }),
});
