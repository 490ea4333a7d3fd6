import { defineFormat } from '../contract.ts';
import { metadataLossTexts } from '../exporting.ts';
import { detect, read } from './read.ts';
import { write } from './write.ts';

/**
 * Imports and exports the data export of ChatGPT: conversations as mappings of nodes, with the attachment files of the
 * archive.
 */
export const chatgpt = defineFormat({
  name: 'chatgpt',
  label: 'ChatGPT export',
  summary: 'Conversations with all branches, as ChatGPT exports them: archive, single file, shards, or one per line.',
  keeps: ['branches', 'titles', 'system prompts', 'models', 'times', 'reasoning', 'tools', 'pictures'],
  reader: { detect, read },
  writer: {
    extension: 'json',
    mediaType: 'application/json',
    files: 'one',
    loses: {
      thinking: 'Reasoning is written without its signature.',
      'call-ids': 'Tool calls are distinguished only by their order.',
      attachments: 'Bytes of attachments are left out.',
      markers: 'Summaries, injected messages and markers of extensions are written as messages.',
      groups: 'Variants are written without their groups.',
      tags: 'Tags are left out.',
      bookmarks: 'Bookmarks are left out.',
      block: 'Blocks that ChatGPT does not have are written as text.',
      usage: metadataLossTexts.usage,
      excluded: metadataLossTexts.excluded,
      failures: metadataLossTexts.failures,
      failed: metadataLossTexts.failed,
      notes: metadataLossTexts.notes,
      attributes: metadataLossTexts.attributes,
    },
    write,
  },
});
