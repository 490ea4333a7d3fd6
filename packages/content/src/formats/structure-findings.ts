// What readers say alike of records that stand oddly. A record is kept all the same; that it is odd is told.
import type { Json } from '@coppice/core';
import type { ImportedNode } from './contract.ts';
import { filledAt, isJsonObject } from './fields.ts';
import { finding, type ImportFinding, type Severity } from './findings.ts';

/** A finding for a parent that is no id at all, where one should be: what names it hangs on the root. */
export function parentFinding(parent: Json | undefined, place: string): ImportFinding[] {
  if (parent === undefined || parent === null || typeof parent === 'string') return [];
  return [finding('import/orphan', 'repair', place, `parent ${JSON.stringify(parent).slice(0, 80)}`)];
}

/** A finding for more than one beginning. Formats that allow for that say it as a note. */
export function rootsFinding(count: number, place: string, severity: Severity = 'note'): ImportFinding[] {
  return count > 1 ? [finding('import/several-roots', severity, place, `${count} of them`)] : [];
}

/** How many records among these are beginnings; one may have become several nodes. */
export function rootsIn(nodes: readonly ImportedNode[]): number {
  const places = new Set<string>();
  for (const { parentExternalId, place } of nodes) if (parentExternalId === null) places.add(place);
  return places.size;
}

/** A finding for each node of a list whose parent comes later in it. */
export function forwardFindings(nodes: readonly ImportedNode[]): ImportFinding[] {
  const ids = new Set(nodes.map(({ externalId }) => externalId));
  const seen = new Set<string>();
  const found: ImportFinding[] = [];
  for (const { externalId, parentExternalId: parent, place } of nodes) {
    if (parent !== null && parent !== externalId && ids.has(parent) && !seen.has(parent))
      found.push(finding('import/forward-parent', 'note', place));
    seen.add(externalId);
  }
  return found;
}

/** A finding for a word that is not among those that a format has, such as the type of a part. */
export function wordFinding(
  what: string,
  word: Json | undefined,
  known: (word: string) => boolean,
  place: string,
  severity: Severity = 'note',
): ImportFinding[] {
  if (typeof word === 'string' && known(word)) return [];
  const reported = word === undefined || word === null ? `no ${what}` : `${what} ${JSON.stringify(word).slice(0, 80)}`;
  return [finding('import/unknown-type', severity, place, reported)];
}

/** A finding for a record that does not say who speaks in a word of the format: its role is guessed, so strict imports refuse it. */
export function roleFinding(
  what: 'role' | 'sender',
  word: Json | undefined,
  known: (word: string) => boolean,
  place: string,
): ImportFinding[] {
  return wordFinding(what, word, known, place, 'repair');
}

// A record with one of these is part of a tree, whatever its value is.
const linkField = /^(?:parent|children|child)(?:_?(?:message|node|msg))?s?(?:_?(?:id|uuid)s?)?$/i;
// These hold other versions of the same message, if they hold a list or an object.
const versionFields: ReadonlySet<string> = new Set([
  'ancestors',
  'siblings',
  'versions',
  'variants',
  'alternatives',
  'swipes',
]);

function linkIn(record: Json | undefined): string | undefined {
  if (!isJsonObject(record)) return undefined;
  for (const key of Object.keys(record)) {
    if (linkField.test(key)) return key;
    if (versionFields.has(key) && typeof record[key] === 'object' && record[key] !== null) return key;
  }
  return undefined;
}

/** Whether messages name parents, children or other versions of themselves. */
export function hasLinks(messages: readonly Json[]): boolean {
  return messages.some((message) => linkIn(message) !== undefined);
}

/** A finding for a list whose messages name parents or children, in a format whose lists are chains; none for a plain list. */
export function linkFinding(messages: readonly Json[], place: string): ImportFinding | undefined {
  for (const [index, message] of messages.entries()) {
    const key = linkIn(message);
    if (key !== undefined)
      return finding(
        'import/other-format',
        'loss',
        place,
        `message ${index} has the field ${JSON.stringify(key)}, and this format has no branches`,
        messages.length,
      );
  }
  return undefined;
}

/** A finding for a record that stands under another id than its own: the one that it stands under is believed. */
export function keyFinding(key: string, id: Json | undefined, place: string): ImportFinding[] {
  if (id === undefined || id === null || id === key) return [];
  return [finding('import/inferred', 'repair', place, `its id: it calls itself ${JSON.stringify(id).slice(0, 80)}`)];
}

// Blocks by which readers keep files of which an export tells no more than what they are called.
const named: ReadonlySet<string> = new Set(['claude-file', 'claude-attachment', 'open-webui-file', 'librechat-file']);

/** A finding for each file that messages name and the export does not hold. */
export function fileFindings(nodes: readonly ImportedNode[]): ImportFinding[] {
  const found: ImportFinding[] = [];
  for (const { message, place } of nodes) {
    if (typeof message !== 'object' || message === null || !('content' in message)) continue;
    const blocks: readonly Json[] = Array.isArray(message.content) ? message.content : [];
    for (const block of blocks) {
      if (!isJsonObject(block) || typeof block.type !== 'string' || !named.has(block.type)) continue;
      const called = filledAt(block, 'file_name') ?? filledAt(block, 'filename') ?? filledAt(block, 'name');
      found.push(finding('import/attachment-missing', 'note', place, (called ?? 'no name').slice(0, 200)));
    }
  }
  return found;
}
