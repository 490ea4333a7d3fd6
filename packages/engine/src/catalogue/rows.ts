/** Parses catalogue rows from the operator's file. */
import { AppError } from '@coppice/core';
import type { CatalogueRow, Price } from './index.ts';

function invalidRow(where: string, what: string): never {
  throw new AppError({ code: 'catalogue/invalid', kind: 'invalid', message: `${where} ${what}.` });
}

function rowMember(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/**
 * Parses a price in US dollars per million tokens: `[input, output, cacheRead, cacheWrite]` or an object with these
 * names.
 */
function parsePrice(value: unknown, where: string): Partial<Price> | undefined {
  if (value === undefined || value === null) return undefined;
  const names = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
  const price: { -readonly [key in keyof Price]?: number } = {};
  if (typeof value !== 'object') return invalidRow(where, 'has a price that is neither a list nor an object');
  for (const [index, name] of names.entries()) {
    const each: unknown = Array.isArray(value) ? value[index] : rowMember(value, name);
    if (each === undefined) continue;
    if (typeof each !== 'number' || !(each >= 0))
      return invalidRow(where, `has a price for ${name} that is no number from 0 up`);
    price[name] = each;
  }
  return price;
}

function optionalMember<T extends 'string' | 'number' | 'boolean'>(
  value: object,
  key: string,
  type: T,
  where: string,
): unknown {
  const found = rowMember(value, key);
  if (found === undefined || found === null) return undefined;
  if (typeof found !== type) return invalidRow(where, `has a field ${key} that is no ${type}`);
  if (typeof found === 'number' && !(Number.isSafeInteger(found) && found > 0))
    return invalidRow(where, `has a field ${key} that is no whole number from 1 up`);
  return found;
}

function rowTextValue(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
function asBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Parses a catalogue file: `{ "models": [{ "provider", "id", … }] }`. An error names the invalid entry. */
export function parseCatalogue(value: unknown, name = 'The catalogue'): readonly CatalogueRow[] {
  const models = typeof value === 'object' && value !== null ? rowMember(value, 'models') : undefined;
  if (!Array.isArray(models)) return invalidRow(name, 'has no list of models');
  return models.map((row: unknown, index) => {
    const where = `${name}, models[${index}],`;
    if (typeof row !== 'object' || row === null) return invalidRow(where, 'is no object');
    const [provider, id] = [rowTextValue(rowMember(row, 'provider')), rowTextValue(rowMember(row, 'id'))];
    if (provider === undefined || id === undefined || id === '') return invalidRow(where, 'has no provider and id');
    return {
      provider,
      id,
      name: rowTextValue(optionalMember(row, 'name', 'string', where)),
      window: asNumber(optionalMember(row, 'window', 'number', where)),
      maxOut: asNumber(optionalMember(row, 'maxOut', 'number', where)),
      price: parsePrice(rowMember(row, 'price'), where),
      tools: asBoolean(optionalMember(row, 'tools', 'boolean', where)),
      thinking: asBoolean(optionalMember(row, 'thinking', 'boolean', where)),
      images: asBoolean(optionalMember(row, 'images', 'boolean', where)),
    };
  });
}
