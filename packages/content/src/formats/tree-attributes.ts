/** Reads the attributes of a tree from a file that Coppice wrote and that may have been changed since. */
import type { JsonObject, TreeAttributes } from '@coppice/core';
import { buildFinding, type ImportFinding } from './findings.ts';

const textAttributes: ReadonlySet<string> = new Set(['title', 'autoTitle', 'systemPrompt', 'project', 'folder']);

/**
 * Returns the attributes that can be stored, and a finding for each text attribute that is left out because its value
 * is not a text.
 */
export function readTreeAttributes(
  attributes: JsonObject,
  place: string,
): { readonly kept: TreeAttributes; readonly findings: readonly ImportFinding[] } {
  const isUnreadable = ([name, value]: readonly [string, unknown]) =>
    textAttributes.has(name) && typeof value !== 'string' && value !== null;
  const entries = Object.entries(attributes);
  const unreadable = entries.filter(isUnreadable);
  if (unreadable.length === 0) return { kept: attributes, findings: [] };
  return {
    kept: Object.fromEntries(entries.filter((entry) => !isUnreadable(entry))),
    findings: unreadable.map(([name]) => buildFinding('import/record-unreadable', 'loss', `${place} ${name}`)),
  };
}
