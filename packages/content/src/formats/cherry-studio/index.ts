// Backups of Cherry Studio in the backup format up to version 5 (one JSON document with topics, blocks and settings,
// and separate files), and rows of the database tables of app version 2.
import type { Json } from '@coppice/core';
import { defineFormat, type ReadEvent, type ReadOptions } from '../contract.ts';
import { isJsonObject, objectAt } from '../fields.ts';
import { type ImportInput, type InputSample, readSample } from '../input.ts';
import { read } from './read.ts';
import { hasTableRows, readCherryRows } from './rows.ts';

/** Whether the beginning of a document looks like a backup. The settings may fill the whole sample. */
function isBackup(json: Json | undefined): boolean {
  if (!isJsonObject(json)) return false;
  if (typeof objectAt(json, 'localStorage')['persist:cherry-studio'] === 'string') return true;
  const { indexedDB } = json;
  if (isJsonObject(indexedDB)) return Array.isArray(indexedDB.topics) || Array.isArray(indexedDB.message_blocks);
  return Array.isArray(indexedDB) && ('localStorage' in json || 'version' in json);
}

function detect(sample: InputSample): number {
  if (sample.files.some((file) => isBackup(file.json))) return 0.95;
  return sample.files.some(hasTableRows) ? 0.93 : 0;
}

async function* readAny(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  const sample = await readSample(input);
  const backup = sample.files.some((file) => isBackup(file.json));
  const rows = sample.files.some(hasTableRows);
  yield* rows && !backup ? readCherryRows(input) : read(input, options, isBackup);
}

/** Imports JSON backups of Cherry Studio, and rows of its tables. */
export const cherryStudio = defineFormat({
  name: 'cherry-studio',
  label: 'Cherry Studio backup',
  summary:
    'Topics of a JSON backup with answers of several models, reasoning, tools and files; or the database of version 2, and rows of its tables as JSON.',
  keeps: ['branches', 'titles', 'system prompts', 'models', 'times', 'reasoning', 'tools', 'pictures', 'usage'],
  reader: { detect, read: readAny },
});
