// Session files of Claude Code: one file per session, one line per block of a reply, subagents in separate files. The
// sessions folder converts the lines; this format imports them with their records and writes them back.
import { defineFormat } from '../contract.ts';
import { metadataLossTexts } from '../exporting.ts';
import { detect, read } from './read.ts';
import { write } from './write.ts';

/** Imports and exports Claude Code's session files, including those of subagents. */
export const claudeCode = defineFormat({
  name: 'claude-code',
  label: 'Claude Code session',
  summary: 'Session files of Claude Code, with branches, parallel calls, compactions and subagents.',
  keeps: [
    'branches',
    'titles',
    'models',
    'times',
    'reasoning',
    'tools',
    'pictures',
    'files',
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
      'system-prompt': 'The system prompt is left out.',
      bookmarks: 'Bookmarks are left out.',
      tags: 'Tags of messages are left out.',
      groups: 'Variants are written without their groups.',
      markers: 'Summaries of other branches are written as notes; markers of extensions are left out.',
      system: 'System messages inside a conversation are written as notes to the user.',
      excluded: 'Messages that are hidden from the model are written as ordinary messages.',
      'cut-short': metadataLossTexts['cut-short'],
      notes: metadataLossTexts.notes,
      attributes: metadataLossTexts.attributes,
      attachments: 'Attachments whose bytes are missing are written by name only.',
    },
    write,
  },
});
