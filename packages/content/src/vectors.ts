import type { Json } from '@coppice/core';
import data from '../vectors.json' with { type: 'json' };

/** The expected result for a vector: the same canonical JSON and stored content everywhere, or the same refusal. */
export type TestVectorOutcome =
  | { readonly accepted: true; readonly canonical: () => string; readonly content: () => string }
  | { readonly accepted: false; readonly code: string };

/** One case of `vectors.json`. Texts are functions, because some have 10 MB. */
export interface TestVector {
  readonly name: string;
  /** The message as JSON text. */
  readonly json: () => string;
  readonly outcome: TestVectorOutcome;
}

function readVectorText(value: Json | undefined, name: string): () => string {
  if (typeof value === 'string') return () => value;
  if (!Array.isArray(value))
    throw new TypeError(`The vector "${name}" has a text that is neither a string nor a recipe.`);
  const parts: readonly Json[] = value;
  return () => {
    let text = '';
    for (const part of parts) {
      if (!Array.isArray(part)) throw new TypeError(`The vector "${name}" has a recipe that is no list of pairs.`);
      const [piece, times] = part;
      // A number stands for one code unit, because not every JSON reader accepts a lone surrogate in a string.
      text += (typeof piece === 'number' ? String.fromCharCode(piece) : String(piece)).repeat(Number(times));
    }
    return text;
  };
}

function readVector(fields: { readonly [key: string]: Json | undefined }): TestVector {
  const name = String(fields.name);
  const json = readVectorText(fields.json, name);
  if (typeof fields.rejected === 'string') return { name, json, outcome: { accepted: false, code: fields.rejected } };
  const canonical = readVectorText(fields.canonical, name);
  return { name, json, outcome: { accepted: true, canonical, content: readVectorText(fields.content, name) } };
}

/** The shared test vectors: Unicode, numbers, keys, depth and size, for every entry point and every store. */
export const testVectors: readonly TestVector[] = data.vectors.map(readVector);
