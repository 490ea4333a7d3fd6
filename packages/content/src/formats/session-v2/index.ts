// Session files of version 2, this project's own: one line an entry, each naming the one it hangs on, the header being
// the root. What the lines mean is said in the folder of session lines.
import { defineFormat } from '../contract.ts';
import { detect, read } from './read.ts';
import { write } from './write.ts';

/** Session files of version 2. */
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
      attachments: 'Attachments are written by their sums, without their bytes.',
    },
    write,
  },
});
