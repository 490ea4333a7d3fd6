// Stores the lines of a session file with their nodes, so that a writer can restore them in their order. Used by
// formats with one record per line, and by formats in which one record is a whole turn.
import type { Json, JsonObject, Node, NodeId } from '@coppice/core';
import { canonicalJson } from '../canonical-json.ts';
import type { ExportedTree } from './contract.ts';
import { groupExportedNodesByParent } from './exporting.ts';
import { getTexts, isJsonObject, listAt, numberAt, textAt } from './fields.ts';
import { isStorableRecord, originalRecordOf } from './original-record.ts';

/** A parsed line, with its line number in the file. */
export interface PreservedLine {
  readonly at: number;
  readonly line: JsonObject;
}

/** The lines of the source that a node was read from. */
export interface PreservedLines {
  readonly lines: readonly PreservedLine[];
  /** Lines after the node that belong to no node, such as titles. */
  readonly after: readonly PreservedLine[];
  /** The id of the original parent. If the parent has not changed, the lines keep their parent ids. */
  readonly parent: string | null;
  /** The ids of ancestors that were read from the same line. */
  readonly parts: readonly string[];
}

const keyValuePairs = (lines: readonly PreservedLine[]): Json[] => lines.map(({ at, line }) => ({ at, line }));

/** Converts lines to the record that is stored with a node. */
export function toPreservedRecord({ lines, after, parent, parts }: PreservedLines): JsonObject {
  return {
    lines: keyValuePairs(lines),
    parent,
    ...(after.length === 0 ? {} : { after: keyValuePairs(after) }),
    ...(parts.length === 0 ? {} : { parts }),
  };
}

/** Returns the lines that {@link toPreservedRecord} stored under a key of a record. */
export function getPreservedLines(record: JsonObject, key: string): PreservedLine[] {
  const found: PreservedLine[] = [];
  for (const pair of listAt(record, key)) {
    if (!isJsonObject(pair) || !isJsonObject(pair.line)) continue;
    found.push({ at: numberAt(pair, 'at') ?? 0, line: pair.line });
  }
  return found;
}

/** Whether two records are equal. Records that are too large or too deep to be stored count as different. */
export function areSameRecords(a: JsonObject, b: JsonObject): boolean {
  return isStorableRecord(a) && isStorableRecord(b) && canonicalJson(a) === canonicalJson(b);
}

/** Converts lines to JSON, to be stored in the record of a conversation. */
export function toLinePairs(lines: readonly PreservedLine[]): Json {
  return keyValuePairs(lines);
}

/** A node to export, with the lines from which it was imported. */
export interface NodeWithLines {
  readonly node: Node;
  readonly id: string;
  /** Null if the node was not imported from this format, or if its lines cannot be restored. */
  readonly kept: PreservedLines | null;
  readonly unchanged: boolean;
  /** Whether the node still has its original parent. */
  readonly inPlace: boolean;
}

/** Returns the nodes of a tree with their original lines in a format, in writing order. */
export function findOriginalLines(
  tree: ExportedTree,
  format: string,
  ids: ReadonlyMap<NodeId, string>,
): NodeWithLines[] {
  return tree.nodes.map((node) => {
    const id = ids.get(node.id) ?? node.id;
    const original = originalRecordOf(node, format);
    const mine = original !== undefined && original.id === id;
    const { record } = original ?? {};
    if (!mine || record === undefined) return { node, id, kept: null, unchanged: false, inPlace: false };
    const kept = {
      lines: getPreservedLines(record, 'lines'),
      after: getPreservedLines(record, 'after'),
      parent: textAt(record, 'parent') ?? null,
      parts: getTexts(record, 'parts'),
    };
    const above = node.parentId === null || node.parentId === tree.rootId ? null : (ids.get(node.parentId) ?? null);
    return { node, id, kept, unchanged: original.unchanged, inPlace: above === kept.parent };
  });
}

/** Where the lines of a node are written: after position `at`. The other numbers decide between equal positions. */
export interface LineRank {
  readonly at: number;
  readonly sequence: number;
  readonly walk: number;
}

const parentKeys = ['parentUuid', 'parentId', 'logicalParentUuid'];

/**
 * Computes the positions of lines. A file orders variants by line, and parents must come first. Therefore a moved or
 * new node comes after its parent and after its earlier variants, and its descendants follow. All other lines keep
 * their position, even if a line names a parent that comes later.
 */
export function computeLineRanks(tree: ExportedTree, nodes: readonly NodeWithLines[]): ReadonlyMap<NodeId, LineRank> {
  const children = groupExportedNodesByParent(tree);
  const returning = new Map(nodes.map((one, index) => [one.node.id, { ...one, index }]));
  const ranks = new Map<NodeId, LineRank>();
  // Nodes whose lines come later than in the original file, so that their descendants must follow them.
  const late = new Set<NodeId>();
  const walk: { readonly node: Node; readonly before: NodeId | undefined }[] = [];
  const open = (parent: NodeId) => {
    let before: NodeId | undefined;
    const family: { readonly node: Node; readonly before: NodeId | undefined }[] = [];
    for (const node of children.get(parent) ?? []) {
      const stray = parent === tree.rootId && isStray(returning.get(node.id));
      family.push({ node, before: stray ? undefined : before });
      if (!stray) before = node.id;
    }
    for (const one of family.reverse()) walk.push(one);
  };
  open(tree.rootId);
  for (let next = walk.pop(); next !== undefined; next = walk.pop()) {
    const { node, before } = next;
    const own = returning.get(node.id);
    const stood = own?.kept == null ? Number.POSITIVE_INFINITY : (own.kept.lines[0]?.at ?? Number.NEGATIVE_INFINITY);
    const above = node.parentId === null ? undefined : ranks.get(node.parentId);
    const follows = own?.inPlace !== true || (node.parentId !== null && late.has(node.parentId));
    const bounds = [follows ? above : undefined, before === undefined ? undefined : ranks.get(before)];
    let at = stood;
    let sequence = own?.index ?? 0;
    for (const bound of bounds) {
      at = Math.max(at, bound?.at ?? at);
      sequence = Math.max(sequence, bound?.sequence ?? sequence);
    }
    if (at > stood || at === Number.POSITIVE_INFINITY) late.add(node.id);
    ranks.set(node.id, { at, sequence, walk: ranks.size });
    open(node.id);
  }
  return ranks;
}

/**
 * Whether a first message names a missing parent. Its line keeps its position, and no other line is ordered after it.
 */
function isStray(one: NodeWithLines | undefined): boolean {
  const line = one?.inPlace === true ? one.kept?.lines[0]?.line : undefined;
  return line !== undefined && parentKeys.some((key) => textAt(line, key) !== undefined);
}

/** Collects lines and sorts them by their original position; new lines come last. */
export class LineCollector {
  readonly #lines: { readonly line: JsonObject; readonly rank: LineRank }[] = [];

  /** Adds a line of a node. A line without a rank comes last. */
  add(line: JsonObject, at = Number.POSITIVE_INFINITY, rank?: LineRank): void {
    const { sequence = Number.MAX_SAFE_INTEGER, walk = 0 } = rank ?? {};
    this.#lines.push({ line, rank: { at: Math.max(at, rank?.at ?? at), sequence, walk } });
  }

  addKept(lines: readonly PreservedLine[]): void {
    for (const { at, line } of lines) this.#lines.push({ line, rank: { at, sequence: 0, walk: 0 } });
  }

  get ordered(): readonly JsonObject[] {
    // Sorting is stable: lines with equal rank stay in the order they were added.
    const order = [...this.#lines].sort(({ rank: a }, { rank: b }) => {
      if (a.at !== b.at) return a.at < b.at ? -1 : 1;
      return a.sequence - b.sequence || a.walk - b.walk;
    });
    return order.map(({ line }) => line);
  }
}

/** Yields the text of a file of JSON lines in pieces of about 64 KB. */
export function* encodeJsonLines(
  lines: readonly JsonObject[],
): Generator<{ readonly type: 'text'; readonly text: string }> {
  let piece = '';
  for (const line of lines) {
    piece += `${JSON.stringify(line)}\n`;
    if (piece.length < 64 * 1024) continue;
    yield { type: 'text', text: piece };
    piece = '';
  }
  if (piece !== '') yield { type: 'text', text: piece };
}

/** Derives a file name from a foreign id; the fallback is used if the id is not a plain name. */
export function toSafeFileName(id: string, fallback: string): string {
  return /^[A-Za-z0-9][\w.-]{0,150}$/.test(id) && !id.includes('..') ? id : fallback;
}
