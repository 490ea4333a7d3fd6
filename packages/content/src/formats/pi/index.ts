// Session files of pi, a terminal agent: lines with `id` and `parentId`, and a header outside the tree. The sessions
// folder converts the lines; this format imports them with their records and writes them back as version 3.
import { defineFormat } from '../contract.ts';
import { metadataLossTexts } from '../exporting.ts';
import { detect, read } from './read.ts';
import { write } from './write.ts';

/** Imports pi's session files of versions 1 to 3, and exports version 3. */
export const pi = defineFormat({
  name: 'pi',
  label: 'pi session',
  summary: 'Session files of pi, versions 1 to 3, with branches, labels, compactions and settings.',
  keeps: [
    'branches',
    'titles',
    'models',
    'times',
    'reasoning',
    'tools',
    'pictures',
    'usage',
    'compactions',
    'bookmarks',
  ],
  reader: { detect, read },
  writer: {
    extension: 'jsonl',
    mediaType: 'application/jsonl',
    files: 'per-tree',
    loses: {
      'system-prompt': 'The system prompt is left out.',
      tags: 'Tags of messages are left out.',
      groups: 'Variants are written without their groups.',
      notes: metadataLossTexts.notes,
      attributes: metadataLossTexts.attributes,
      otherwise: "Content that pi's format cannot represent is written in another form.",
    },
    write,
  },
});
