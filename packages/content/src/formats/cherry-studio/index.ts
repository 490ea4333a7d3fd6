// Backups of Cherry Studio up to version 5: one JSON document with topics, blocks and settings, files beside it.
import type { Json } from '@coppice/core';
import { defineFormat } from '../contract.ts';
import { isJsonObject, objectAt } from '../fields.ts';
import type { Sample } from '../input.ts';
import { read } from './read.ts';

/** Whether the beginning of a document shows a backup; settings may fill all of it. */
export function isBackup(json: Json | undefined): boolean {
  if (!isJsonObject(json)) return false;
  if (typeof objectAt(json, 'localStorage')['persist:cherry-studio'] === 'string') return true;
  const { indexedDB } = json;
  if (isJsonObject(indexedDB)) return Array.isArray(indexedDB.topics) || Array.isArray(indexedDB.message_blocks);
  return Array.isArray(indexedDB) && ('localStorage' in json || 'version' in json);
}

function detect(sample: Sample): number {
  return sample.files.some((file) => isBackup(file.json)) ? 0.95 : 0;
}

/** JSON backups of Cherry Studio. */
export const cherryStudio = defineFormat({
  name: 'cherry-studio',
  label: 'Cherry Studio backup',
  summary: 'Topics of a JSON backup with answers of several models, reasoning, tools and files.',
  reader: { detect, read: (input, options) => read(input, options, isBackup) },
});
