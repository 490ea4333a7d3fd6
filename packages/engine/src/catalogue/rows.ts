/** Reads rows of a catalogue that somebody else wrote. */
import { AppError } from '@coppice/core';
import type { CatalogueRow, Price } from './index.ts';

function invalid(where: string, what: string): never {
  throw new AppError({ code: 'catalogue/invalid', kind: 'invalid', message: `${where} ${what}.` });
}

function member(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** A price in US dollars for a million tokens: `[input, output, cacheRead, cacheWrite]` or the same by name. */
function parsePrice(value: unknown, where: string): Partial<Price> | undefined {
  if (value === undefined || value === null) return undefined;
  const names = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
  const price: { -readonly [key in keyof Price]?: number } = {};
  if (typeof value !== 'object') return invalid(where, 'has a price that is neither a list nor an object');
  for (const [index, name] of names.entries()) {
    const each: unknown = Array.isArray(value) ? value[index] : member(value, name);
    if (each === undefined) continue;
    if (typeof each !== 'number' || !(each >= 0))
      return invalid(where, `has a price for ${name} that is no number from 0 up`);
    price[name] = each;
  }
  return price;
}

function optional<T extends 'string' | 'number' | 'boolean'>(
  value: object,
  key: string,
  type: T,
  where: string,
): unknown {
  const found = member(value, key);
  if (found === undefined || found === null) return undefined;
  if (typeof found !== type) return invalid(where, `has a field ${key} that is no ${type}`);
  if (typeof found === 'number' && !(Number.isSafeInteger(found) && found > 0))
    return invalid(where, `has a field ${key} that is no whole number from 1 up`);
  return found;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
function asBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The rows of a catalogue file: `{ "models": [{ "provider", "id", … }] }`. Refuses with the place of what is wrong. */
export function parseCatalogue(value: unknown, name = 'The catalogue'): readonly CatalogueRow[] {
  const models = typeof value === 'object' && value !== null ? member(value, 'models') : undefined;
  if (!Array.isArray(models)) return invalid(name, 'has no list of models');
  return models.map((row: unknown, index) => {
    const where = `${name}, models[${index}],`;
    if (typeof row !== 'object' || row === null) return invalid(where, 'is no object');
    const [provider, id] = [asText(member(row, 'provider')), asText(member(row, 'id'))];
    if (provider === undefined || id === undefined || id === '') return invalid(where, 'has no provider and id');
    return {
      provider,
      id,
      name: asText(optional(row, 'name', 'string', where)),
      window: asNumber(optional(row, 'window', 'number', where)),
      maxOut: asNumber(optional(row, 'maxOut', 'number', where)),
      price: parsePrice(member(row, 'price'), where),
      tools: asBoolean(optional(row, 'tools', 'boolean', where)),
      thinking: asBoolean(optional(row, 'thinking', 'boolean', where)),
      images: asBoolean(optional(row, 'images', 'boolean', where)),
    };
  });
}
