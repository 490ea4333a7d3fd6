// Sessions of OpenAI's Codex: rollouts, which the program stores, and the events that `codex exec --json` prints.
import { defineFormat } from '../contract.ts';
import { metadataLossTexts } from '../exporting.ts';
import { detect, read } from './read.ts';
import { write } from './write.ts';

/** Imports and exports Codex's rollouts, and imports its streams of events. */
export const codex = defineFormat({
  name: 'codex',
  label: 'Codex session',
  summary:
    'Rollouts of Codex with tools, reasoning, compactions and rollbacks, and the events that `codex exec` prints.',
  keeps: [
    'branches',
    'titles',
    'system prompts',
    'models',
    'times',
    'reasoning',
    'tools',
    'pictures',
    'usage',
    'compactions',
    'sub-agents',
  ],
  reader: { detect, read },
  writer: {
    extension: 'jsonl',
    mediaType: 'application/jsonl',
    files: 'per-tree',
    loses: {
      branches: 'Only the current branch is written.',
      bookmarks: 'Bookmarks are left out.',
      tags: 'Tags of messages are left out.',
      groups: 'Variants are written without their groups.',
      markers: 'Summaries of other branches are written as messages; markers of extensions are left out.',
      thinking: 'Reasoning of providers other than OpenAI is left out.',
      block: 'Blocks that the format does not support are written as text.',
      usage: metadataLossTexts.usage,
      excluded: metadataLossTexts.excluded,
      failures: metadataLossTexts.failures,
      failed: metadataLossTexts.failed,
      'cut-short': metadataLossTexts['cut-short'],
      notes: metadataLossTexts.notes,
      attributes: metadataLossTexts.attributes,
    },
    write,
  },
});
