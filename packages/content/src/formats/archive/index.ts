import { defineFormat } from '../contract.ts';
import { detect, read } from './read.ts';
import { write } from './write.ts';

/** Imports and exports Coppice's own archive: complete trees with checksums. */
export const archive = defineFormat({
  name: 'archive',
  label: 'Coppice archive',
  summary: 'Whole trees with trash, bookmarks, attachments and foreign ids, one line of JSON at a time, checksummed.',
  reader: { detect, read },
  writer: {
    extension: 'coppice.jsonl',
    mediaType: 'application/x-ndjson',
    files: 'one',
    recordedPrompts: true,
    storesBlobs: true,
    loses: { blobs: 'Attachments whose bytes are not in the store are written by name only.' },
    write,
  },
});
