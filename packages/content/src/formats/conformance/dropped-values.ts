/**
 * Checks that a reader drops nothing silently: inserts a value at every place of a file, one at a time, and searches
 * the result of the reader for the value.
 */
import type { Json, JsonObject } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import type { Format } from '../contract.ts';
import { decodeUtf8 } from '../decode.ts';
import { readImport } from '../read.ts';
import { encodeFixtureFile, type FixtureFiles, toImportInput } from './storing.ts';

const inserted = 'inserted here';

type Path = readonly (string | number)[];

/** The JSON documents of a file: one, or one per line. */
interface ParsedFile {
  readonly documents: readonly Json[];
  readonly isLines: boolean;
}

function parseFile(text: string): ParsedFile | null {
  try {
    return { documents: [JSON.parse(text)], isLines: false };
  } catch {
    try {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return { documents: lines.map((line) => JSON.parse(line)), isLines: true };
    } catch {
      return null;
    }
  }
}

function toText({ isLines }: ParsedFile, documents: readonly Json[]): string {
  return isLines ? documents.map((one) => `${JSON.stringify(one)}\n`).join('') : JSON.stringify(documents[0]);
}

/** Returns the path and value of everything inside a value. */
function placesIn(value: Json): { readonly path: Path; readonly value: Json }[] {
  const places: { readonly path: Path; readonly value: Json }[] = [{ path: [], value }];
  for (const { path, value: at } of places)
    if (typeof at === 'object' && at !== null)
      for (const [key, inner] of Object.entries(at))
        places.push({ path: [...path, Array.isArray(at) ? Number(key) : key], value: inner });
  return places.slice(1);
}

function replaceAt(value: Json, [key, ...rest]: Path, by: Json): Json {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((inner, index) => (index === key ? replaceAt(inner, rest, by) : inner));
  const own: JsonObject = isJsonObject(value) ? value : {};
  return Object.fromEntries(
    Object.entries(own).map(([name, inner]) => [name, name === key ? replaceAt(inner, rest, by) : inner]),
  );
}

/** Returns the values that replace a value, each of which contains the inserted text. */
function replacementsOf(value: Json): { readonly kind: string; readonly value: Json }[] {
  if (Array.isArray(value))
    return [
      { kind: 'text for a list', value: inserted },
      { kind: 'one more item', value: [...value, { note: inserted }] },
    ];
  if (isJsonObject(value))
    return [
      { kind: 'text for an object', value: inserted },
      { kind: 'one more field', value: { ...value, further: inserted } },
    ];
  if (typeof value !== 'string') return [{ kind: 'text for a value', value: inserted }];
  return [
    { kind: 'longer text', value: `${value} ${inserted}` },
    { kind: 'object for a text', value: { further: inserted } },
  ];
}

/** Returns whether the inserted text was imported, and the codes of the findings. Null if the input was refused. */
async function readFiles(files: FixtureFiles, format: Format) {
  const codes: string[] = [];
  let isPresent = false;
  try {
    for await (const event of readImport(toImportInput(files), { format })) {
      if (event.type === 'finding') codes.push(event.finding.code);
      if (event.type !== 'tree') continue;
      for (const { code } of event.tree.findings) codes.push(code);
      isPresent ||= JSON.stringify(event.tree).includes(inserted);
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('import/')) return null;
    throw error;
  }
  return { isPresent, codes: codes.toSorted().join(' ') };
}

/** Returns the places whose inserted value was neither imported nor reported. */
export async function findDroppedValues(files: FixtureFiles, format: Format): Promise<string[]> {
  const before = await readFiles(files, format);
  const dropped: string[] = [];
  for (const [name, file] of Object.entries(files)) {
    const parsed = parseFile(decodeUtf8(encodeFixtureFile(file)).text);
    if (parsed === null) continue;
    for (const { path, value } of placesIn([...parsed.documents]))
      for (const form of replacementsOf(value)) {
        const documents = replaceAt([...parsed.documents], path, form.value);
        if (!Array.isArray(documents)) continue;
        const after = await readFiles({ ...files, [name]: toText(parsed, documents) }, format);
        if (after === null || after.isPresent || after.codes !== before?.codes) continue;
        dropped.push(`${path.map((key) => (typeof key === 'number' ? '#' : key)).join('.')}: ${form.kind}`);
      }
  }
  return [...new Set(dropped)];
}
