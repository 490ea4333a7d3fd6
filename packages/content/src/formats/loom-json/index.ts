// Files of Loom (nested alternative continuations of texts, without roles), and notes of a plugin with the same
// structure.
import { defineFormat } from '../contract.ts';
import { detect } from './detect.ts';
import { read } from './read.ts';

/** Imports trees of texts of Loom and related programs. */
export const loomJson = defineFormat({
  name: 'loom-json',
  label: 'Loom JSON',
  summary:
    'Nested texts with their generations, tags and chapters; also bare nodes, notes of Loomsidian and files of Exoloom.',
  keeps: ['branches', 'titles', 'models', 'times', 'bookmarks'],
  reader: { detect, read },
});
