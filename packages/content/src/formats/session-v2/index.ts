// Session files of version 2, Coppice's own format: one line per entry with its parent id; the header is the root. The
// sessions folder converts the lines.
import { defineFormat } from '../contract.ts';
import { detect, read } from './read.ts';
import { write } from './write.ts';

/** Imports and exports session files of version 2. */
export const sessionV2 = defineFormat({
  name: 'session-v2',
  label: 'JSONL session',
  summary: 'Session files of version 2, as the store of session files keeps them.',
  reader: { detect, read },
  writer: {
    extension: 'jsonl',
    mediaType: 'application/jsonl',
    files: 'per-tree',
    loses: {
      trash: 'Removed messages are left out.',
      attachments: 'Attachments whose bytes are not in the store are written by their hashes.',
    },
    write,
  },
});
