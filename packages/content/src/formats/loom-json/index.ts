// Loom files: texts that go on in several ways, nested, without roles; and the notes of a plugin that keeps the same.
import { defineFormat } from '../contract.ts';
import { detect } from './detect.ts';
import { read } from './read.ts';

/** Trees of texts as Loom and its kin keep them. */
export const loomJson = defineFormat({
  name: 'loom-json',
  label: 'Loom JSON',
  summary:
    'Nested texts with their generations, tags and chapters; also bare nodes, notes of Loomsidian and files of Exoloom.',
  reader: { detect, read },
});
