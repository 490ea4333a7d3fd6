/** Parses catalogue rows from the operator's file. */
import { AppError, type FieldMap } from '@coppice/core';
import { fieldsOrEmpty, getFilledText, getText, isFieldMap, ownField } from '@coppice/core/decode';
import type { CatalogueRow, Price } from './index.ts';

function invalidRow(where: string, what: string): never {
  throw new AppError({ code: 'catalogue/invalid', kind: 'invalid', message: `${where} ${what}.` });
}

/**
 * Parses a price in US dollars per million tokens: `[input, output, cacheRead, cacheWrite]` or an object with these
 * names.
 */
function parsePrice(value: unknown, where: string): Partial<Price> | undefined {
  if (value === undefined || value === null) return undefined;
  const names = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
  const price: { -readonly [key in keyof Price]?: number } = {};
  if (!Array.isArray(value) && !isFieldMap(value))
    return invalidRow(where, 'has a price that is neither a list nor an object');
  for (const [index, name] of names.entries()) {
    const each: unknown = Array.isArray(value) ? value[index] : ownField(value, name);
    if (each === undefined) continue;
    if (typeof each !== 'number' || !(each >= 0))
      return invalidRow(where, `has a price for ${name} that is no number from 0 up`);
    price[name] = each;
  }
  return price;
}

function optionalMember<T extends 'string' | 'number' | 'boolean'>(
  value: FieldMap,
  key: string,
  type: T,
  where: string,
): unknown {
  const found = ownField(value, key);
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
  const models = ownField(fieldsOrEmpty(value), 'models');
  if (!Array.isArray(models)) return invalidRow(name, 'has no list of models');
  return models.map((row: unknown, index) => {
    const where = `${name}, models[${index}],`;
    if (!isFieldMap(row)) return invalidRow(where, 'is no object');
    const [provider, id] = [getText(row, 'provider'), getFilledText(row, 'id')];
    if (provider === undefined || id === undefined) return invalidRow(where, 'has no provider and id');
    return {
      provider,
      id,
      name: rowTextValue(optionalMember(row, 'name', 'string', where)),
      window: asNumber(optionalMember(row, 'window', 'number', where)),
      maxOut: asNumber(optionalMember(row, 'maxOut', 'number', where)),
      price: parsePrice(ownField(row, 'price'), where),
      tools: asBoolean(optionalMember(row, 'tools', 'boolean', where)),
      thinking: asBoolean(optionalMember(row, 'thinking', 'boolean', where)),
      images: asBoolean(optionalMember(row, 'images', 'boolean', where)),
    };
  });
}
