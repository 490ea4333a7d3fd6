import type { Json, JsonObject } from '@coppice/core';
import { isJsonObject, objectAt } from '../fields.ts';
import type { InputSample } from '../input.ts';
import { isExoloom } from './exoloom.ts';

function isLoomNode(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.text === 'string' && Array.isArray(value.children);
}

function isNotes(value: JsonObject): boolean {
  return Object.values(objectAt(value, 'state')).some(
    (note) => isJsonObject(note) && isJsonObject(note.nodes) && ('current' in note || 'hoisted' in note),
  );
}

/** Returns the confidence that the beginning of a file belongs to Loom or a related program. */
export function detectLoomFile(json: Json | undefined): number {
  if (Array.isArray(json)) return isLoomNode(json[0]) ? 0.8 : 0;
  if (!isJsonObject(json)) return 0;
  // The fields before the children may fill the whole sample.
  const { root } = json;
  if (isLoomNode(root) || (isJsonObject(root) && 'mutable' in root)) return 0.95;
  if (isExoloom(json)) return 0.95;
  if (isNotes(json)) return 0.9;
  return isLoomNode(json) ? 0.8 : 0;
}

/** Returns the highest confidence of all files that they belong to Loom or a related program. */
export function detect(sample: InputSample): number {
  let best = 0;
  for (const file of sample.files) best = Math.max(best, detectLoomFile(file.json));
  return best;
}
