import type { Json } from '@coppice/core';
import { isJsonObject } from './fields.ts';

// The names of fields in which common formats store text.
const textFields: ReadonlySet<string> = new Set(
  'answer body content fragments markdown mes message parts prompt query reasoning response text thinking value'.split(
    ' ',
  ),
);
const maxVisited = 1000;

/**
 * Whether a record contains text in one of these fields. If so, a reader that made a blank message of the record has
 * misread it.
 */
export function hasTextFields(record: Json | undefined): boolean {
  const stack: { readonly key: string; readonly value: Json }[] = [{ key: '', value: record ?? null }];
  let visited = 0;
  for (let next = stack.pop(); next !== undefined && visited < maxVisited; next = stack.pop(), visited++) {
    const { key, value } = next;
    if (typeof value === 'string') {
      if (textFields.has(key) && value.trim() !== '') return true;
    } else if (Array.isArray(value)) {
      for (const item of value.slice(0, maxVisited)) stack.push({ key, value: item });
    } else if (isJsonObject(value))
      for (const name of Object.keys(value).slice(0, maxVisited)) stack.push({ key: name, value: value[name] ?? null });
  }
  return false;
}
