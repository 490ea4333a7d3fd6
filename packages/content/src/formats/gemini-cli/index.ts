// Sessions of Google's Gemini CLI.
import { defineFormat } from '../contract.ts';
import { metadataLossTexts } from '../exporting.ts';
import { detect, read } from './read.ts';
import { write } from './write.ts';

/** Imports and exports Gemini CLI's sessions, as documents and as files of lines. */
export const geminiCli = defineFormat({
  name: 'gemini-cli',
  label: 'Gemini CLI session',
  summary: 'Sessions of Gemini CLI with tools, thoughts and rewinds, as documents or as files of lines.',
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
    'sub-agents',
  ],
  reader: { detect, read },
  writer: {
    extension: 'jsonl',
    mediaType: 'application/jsonl',
    files: 'per-tree',
    loses: {
      branches: 'Only the current branch is written.',
      'system-prompt': 'The system prompt is left out.',
      bookmarks: 'Bookmarks are left out.',
      tags: 'Tags of messages are left out.',
      groups: 'Variants are written without their groups.',
      markers: 'Summaries are written as messages; markers of extensions are left out.',
      system: 'System messages inside a conversation are written as user messages.',
      thinking: 'Reasoning is written without its signature.',
      block: 'Blocks that the format does not support are written as text.',
      excluded: metadataLossTexts.excluded,
      failed: metadataLossTexts.failed,
      'cut-short': metadataLossTexts['cut-short'],
      notes: metadataLossTexts.notes,
      attributes: metadataLossTexts.attributes,
    },
    write,
  },
});
