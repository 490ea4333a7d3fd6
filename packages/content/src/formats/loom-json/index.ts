// Loom files: texts that go on in several ways, nested, without roles; and the notes of a plugin that keeps the same.
import type { Json, JsonObject } from '@coppice/core';
import { defineFormat } from '../contract.ts';
import { isJsonObject, objectAt } from '../fields.ts';
import type { Sample } from '../input.ts';
import { isExoloom } from './exoloom.ts';
import { read } from './read.ts';

function isLoomNode(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.text === 'string' && Array.isArray(value.children);
}

function isNotes(value: JsonObject): boolean {
  return Object.values(objectAt(value, 'state')).some(
    (note) => isJsonObject(note) && isJsonObject(note.nodes) && ('current' in note || 'hoisted' in note),
  );
}

function certainty(json: Json | undefined): number {
  if (Array.isArray(json)) return isLoomNode(json[0]) ? 0.8 : 0;
  if (!isJsonObject(json)) return 0;
  // What comes before the children may fill the sample.
  const { root } = json;
  if (isLoomNode(root) || (isJsonObject(root) && 'mutable' in root)) return 0.95;
  if (isExoloom(json)) return 0.95;
  if (isNotes(json)) return 0.9;
  return isLoomNode(json) ? 0.8 : 0;
}

function detect(sample: Sample): number {
  let best = 0;
  for (const file of sample.files) best = Math.max(best, certainty(file.json));
  return best;
}

/** Trees of texts as Loom and its kin keep them. */
export const loomJson = defineFormat({
  name: 'loom-json',
  label: 'Loom JSON',
  summary:
    'Nested texts with their generations, tags and chapters; also bare nodes, notes of Loomsidian and files of Exoloom.',
  reader: { detect, read },
});
