import { defineFormat } from '../contract.ts';
import { metadataLossFields } from '../exporting.ts';
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
      active: 'Which message is current is left out.',
      bookmarks: 'Bookmarks are left out.',
      tags: 'Tags of messages are left out.',
      groups: 'Variants are written without the act that made them.',
      markers: "Summaries and injected messages are written as the model's, markers of extensions are left out.",
      system: 'System messages inside a conversation are written as messages of the model.',
      steps:
        'A child of a step inside a reply is written below the whole reply; of several models only the last is written.',
      results: 'Several results of one call are written as one.',
      usage: 'Of what replies used only their own length is written.',
      thinking: 'Reasoning is written without its signature.',
      block: 'Blocks that LibreChat does not have are written as text.',
      'cut-short': 'Replies that were stopped are written as interrupted ones.',
      excluded: metadataLossFields.excluded,
      failures: metadataLossFields.failures,
      notes: metadataLossFields.notes,
      attributes: metadataLossFields.attributes,
    },
    write,
  },
});
