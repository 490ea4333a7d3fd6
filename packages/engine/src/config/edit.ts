/** Changes one key in the text of a configuration file and keeps everything else, including comments. */
import { fieldsOrEmpty, ownField } from '@coppice/core/decode';
import { parse, stringify } from 'smol-toml';
import { findLineOfKey } from './toml.ts';

/** A value that fits on one line of TOML. */
export type ConfigValue = string | number | boolean | readonly string[];

/** Parses a value that the user typed: as TOML if it is valid TOML, else as plain text. */
export function parseConfigValue(text: string): ConfigValue {
  try {
    const { value } = parse(`value = ${text}`);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  } catch {
    // Most values are typed without quotes, which is not valid TOML.
  }
  return text;
}

/**
 * Returns the file's text with one key set, or removed if the value is null. `path` lists the enclosing tables and the
 * key.
 */
export function setConfigValue(text: string, path: readonly string[], value: ConfigValue | null): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const key = path.at(-1) ?? '';
  const line = value === null ? null : stringify({ [key]: value }).trimEnd();
  const at = findConfigValue(text, path) !== undefined ? findLineOfKey(text, path) : null;
  if (at !== null) lines.splice(at - 1, 1, ...(line === null ? [] : [line]));
  else if (line !== null) insertKey(lines, path.slice(0, -1), line);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function insertKey(lines: string[], table: readonly string[], line: string): void {
  if (table.length === 0) {
    // A key at the top belongs before the first table.
    const first = lines.findIndex((each) => each.trimStart().startsWith('['));
    lines.splice(first === -1 ? lines.length : first, 0, line);
    return;
  }
  const head = `[${table.map((part) => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part))).join('.')}]`;
  const at = lines.findIndex((each) => each.replace(/\s*#.*$/, '').trim() === head);
  if (at !== -1) lines.splice(at + 1, 0, line);
  else lines.push(...(lines.length === 0 ? [] : ['']), head, line);
}

/** Returns the value of a key in the file; undefined if the key is missing. */
export function findConfigValue(text: string, path: readonly string[]): unknown {
  let value: unknown = parse(text);
  for (const part of path) {
    value = ownField(fieldsOrEmpty(value), part);
    if (value === undefined) return undefined;
  }
  return value;
}
