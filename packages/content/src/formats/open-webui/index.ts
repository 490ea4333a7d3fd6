import { defineFormat } from '../contract.ts';
import { metadataLossTexts } from '../exporting.ts';
import { detect, read } from './read.ts';
import { write } from './write.ts';

/** Imports and exports chats of Open WebUI, with all branches and answers of several models. */
export const openWebui = defineFormat({
  name: 'open-webui',
  label: 'Open WebUI export',
  summary: 'Chats as Open WebUI exports them, with branches and answers of several models.',
  keeps: ['branches', 'titles', 'system prompts', 'models', 'times', 'reasoning', 'tools', 'pictures', 'usage'],
  reader: { detect, read },
  writer: {
    extension: 'json',
    mediaType: 'application/json',
    files: 'one',
    loses: {
      bookmarks: 'Bookmarks are left out.',
      tags: 'Tags of messages are left out.',
      markers: 'Summaries and injected messages are written as ordinary messages; markers of extensions are left out.',
      steps:
        'A child of a step of a reply is written below the whole reply; of several models only the last is written.',
      thinking: 'Reasoning is written without its signature.',
      block: 'Blocks that Open WebUI does not have are written as text.',
      'cut-short': 'Stopped replies are written as interrupted replies.',
      excluded: metadataLossTexts.excluded,
      failures: metadataLossTexts.failures,
      notes: metadataLossTexts.notes,
      attributes: metadataLossTexts.attributes,
    },
    write,
  },
});
