/** What an edit of one message does to the records of all others: nothing. */
import type { Json } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { isJsonObject } from '../../json-copy.ts';

const idKeys = ['messageId', 'uuid', 'id'] as const;
// What tells of the tree as a whole, or repeats what the records themselves say of each other.
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

/** Every object that has an id, without those inside it, which are told by theirs: by id, and how often there is each. */
export function identified(data: Json): ReadonlyMap<string, readonly string[]> {
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

// Recursion is bounded by the depth of what a writer makes of fixtures.
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
