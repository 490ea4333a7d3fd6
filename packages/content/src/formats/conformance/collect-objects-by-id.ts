/** Collects records by id, to check that editing one message leaves the records of all others unchanged. */
import type { Json } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { isJsonObject } from '../../json-copy.ts';

const idKeys = ['messageId', 'uuid', 'id'] as const;
// Fields that change with every edit, such as checksums, counts and times of the last change.
const ofTheWhole: ReadonlySet<string> = new Set([
  'sum',
  'nodes',
  'at',
  'updatedAt',
  'updated_at',
  'update_time',
  'updateTime',
]);

function idOf(value: Json): string | undefined {
  if (!isJsonObject(value)) return undefined;
  for (const key of idKeys) {
    const id = value[key];
    if (typeof id === 'string' && id !== '') return id;
  }
  return undefined;
}

/**
 * Returns every object with an id, with all its occurrences, by id. Nested objects with an id are replaced by
 * references, because they have their own entries.
 */
export function collectObjectsById(data: Json): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const open: Json[] = [data];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const id = idOf(value);
    if (id !== undefined) {
      const family = found.get(id);
      const text = canonicalJson(outline(value, open));
      if (family === undefined) found.set(id, [text]);
      else family.push(text);
    } else if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (isJsonObject(value)) for (const item of Object.values(value)) open.push(item);
  }
  return found;
}

// The recursion is limited by the depth of written fixtures.
function outline(value: Json, open: Json[], top = true): Json {
  if (!top && idOf(value) !== undefined) {
    open.push(value);
    return { $id: idOf(value) ?? '' };
  }
  if (Array.isArray(value)) return value.map((item) => outline(item, open, false));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !ofTheWhole.has(key))
      .map(([key, item]) => [key, outline(item, open, false)]),
  );
}
