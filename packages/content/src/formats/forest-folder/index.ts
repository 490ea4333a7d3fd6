// The data folder of the first Forest: `roots.json`, one file per node, and `config.toml`.
import type { Json } from '@coppice/core';
import { defineFormat } from '../contract.ts';
import { isJsonObject } from '../fields.ts';
import type { InputSample } from '../input.ts';
import { isForestNode, isForestRoot, read } from './read.ts';

function isOurs(json: Json | undefined): boolean {
  if (Array.isArray(json)) return json.some((one) => isJsonObject(one) && isForestRoot(one));
  return isJsonObject(json) && isForestNode(json);
}

function detect(sample: InputSample): number {
  return sample.files.some((file) => isOurs(file.json)) ? 0.96 : 0;
}

/** Imports the data folder of Forest's file store. */
export const forestFolder = defineFormat({
  name: 'forest-folder',
  label: 'Forest folder',
  summary: 'A data folder with roots.json and one file per node; bookmarks and the current node come from config.toml.',
  keeps: ['branches', 'system prompts', 'models', 'times', 'tools', 'bookmarks'],
  reader: { detect, read },
});
