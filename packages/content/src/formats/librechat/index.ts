import { defineFormat } from '../contract.ts';
import { metadataLossTexts } from '../exporting.ts';
import { detect, read } from './read.ts';
import { write } from './write.ts';

/** Imports and exports conversations of LibreChat, flat or nested, including parallel answers of several agents. */
export const librechat = defineFormat({
  name: 'librechat',
  label: 'LibreChat export',
  summary: 'Conversations as LibreChat exports them, flat or nested, with branches and parallel answers.',
  keeps: ['branches', 'titles', 'system prompts', 'models', 'times', 'reasoning', 'tools', 'usage', 'compactions'],
  reader: { detect, read },
  writer: {
    extension: 'json',
    mediaType: 'application/json',
    files: 'per-tree',
    loses: {
      active: 'The current message is not marked.',
      bookmarks: 'Bookmarks are left out.',
      tags: 'Tags of messages are left out.',
      groups: 'Variants are written without their groups.',
      markers:
        'Summaries and injected messages are written as messages of the model; markers of extensions are left out.',
      system: 'System messages inside a conversation are written as replies.',
      steps:
        'A child of a step of a reply is written below the whole reply; of several models only the last is written.',
      results: 'Several results of one call are joined.',
      usage: 'Of the token usage, only the output tokens are written.',
      thinking: 'Reasoning is written without its signature.',
      block: 'Blocks that LibreChat does not have are written as text.',
      'cut-short': 'Stopped replies are written as interrupted replies.',
      excluded: metadataLossTexts.excluded,
      failures: metadataLossTexts.failures,
      notes: metadataLossTexts.notes,
      attributes: metadataLossTexts.attributes,
    },
    write,
  },
});
