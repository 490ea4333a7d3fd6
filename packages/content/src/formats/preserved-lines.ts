// Lines of a session file kept beside the nodes that they were read into, so that a writer gives them back as they were
// and in their order. Shared by the formats that have one record a line and name parents by id.
import type { Json, JsonObject, Node, NodeId } from '@coppice/core';
import { canonicalJson } from '../canonical-json.ts';
import type { ExportedTree } from './contract.ts';
import { exportedChildren } from './exporting.ts';
import { isJsonObject, listAt, numberAt, textAt, textsAt } from './fields.ts';
import { isKeepable, originalOf } from './original-record.ts';

/** A line, and the place that it had in its file. */
export interface PreservedLine {
  readonly at: number;
  readonly line: JsonObject;
}

/** What is kept of the lines that a node was read from. */
export interface PreservedLines {
  readonly lines: readonly PreservedLine[];
  /** Lines that are in no chain and followed it. */
  readonly after: readonly PreservedLine[];
  /** The id of the node that it was hung on: where it still hangs there, its lines name their parents as they did. */
  readonly parent: string | null;
  /** Ids of the nodes above it that were read from the same line. */
  readonly parts: readonly string[];
}

const keyValuePairs = (lines: readonly PreservedLine[]): Json[] => lines.map(({ at, line }) => ({ at, line }));

/** Lines as a record. */
export function preservedRecord({ lines, after, parent, parts }: PreservedLines): JsonObject {
  return {
    lines: keyValuePairs(lines),
    parent,
    ...(after.length === 0 ? {} : { after: keyValuePairs(after) }),
    ...(parts.length === 0 ? {} : { parts }),
  };
}

/** The lines under a key of a record. */
export function linesAt(record: JsonObject, key: string): PreservedLine[] {
  const found: PreservedLine[] = [];
  for (const pair of listAt(record, key)) {
    if (!isJsonObject(pair) || !isJsonObject(pair.line)) continue;
    found.push({ at: numberAt(pair, 'at') ?? 0, line: pair.line });
  }
  return found;
}

/** Whether two records say the same. One that nests too deep to be compared equals nothing. */
export function sameRecord(a: JsonObject, b: JsonObject): boolean {
  return isKeepable(a) && isKeepable(b) && canonicalJson(a) === canonicalJson(b);
}

/** Lines for a record of a conversation. */
export function toPairs(lines: readonly PreservedLine[]): Json {
  return keyValuePairs(lines);
}

/** A node on its way out with the lines that it came with. */
export interface Returning {
  readonly node: Node;
  readonly id: string;
  /** Null where it did not come from this format, or where its lines can no longer be told. */
  readonly kept: PreservedLines | null;
  readonly unchanged: boolean;
  /** Whether it hangs where it was read. */
  readonly inPlace: boolean;
}

/** The nodes of a tree with the lines of a format that they came with, in writing order. */
export function returningNodes(tree: ExportedTree, format: string, ids: ReadonlyMap<NodeId, string>): Returning[] {
  return tree.nodes.map((node) => {
    const id = ids.get(node.id) ?? node.id;
    const original = originalOf(node, format);
    const mine = original !== undefined && original.id === id;
    const { record } = original ?? {};
    if (!mine || record === undefined) return { node, id, kept: null, unchanged: false, inPlace: false };
    const kept = {
      lines: linesAt(record, 'lines'),
      after: linesAt(record, 'after'),
      parent: textAt(record, 'parent') ?? null,
      parts: textsAt(record, 'parts'),
    };
    const above = node.parentId === null || node.parentId === tree.rootId ? null : (ids.get(node.parentId) ?? null);
    return { node, id, kept, unchanged: original.unchanged, inPlace: above === kept.parent };
  });
}

/** Where the lines of a node may stand at the earliest; the other numbers decide between those that may stand alike. */
export interface Rank {
  readonly at: number;
  readonly sequence: number;
  readonly walk: number;
}

const parentKeys = ['parentUuid', 'parentId', 'logicalParentUuid'];

/**
 * Where lines may stand. A file of lines tells variants by their order, and names parents that came before: what was
 * moved, or grew in between, comes after the parent and the variants that it follows now, and takes what follows it along.
 * All else stands where it stood, also where a file named parents that came later.
 */
export function ranksOf(tree: ExportedTree, nodes: readonly Returning[]): ReadonlyMap<NodeId, Rank> {
  const children = exportedChildren(tree);
  const returning = new Map(nodes.map((one, index) => [one.node.id, { ...one, index }]));
  const ranks = new Map<NodeId, Rank>();
  // Nodes whose lines stand later than they did: what hangs on them has to follow.
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

/** Whether a first turn names a parent that is not there, or that was cut off: such came after the others. */
function isStray(one: Returning | undefined): boolean {
  const line = one?.inPlace === true ? one.kept?.lines[0]?.line : undefined;
  return line !== undefined && parentKeys.some((key) => textAt(line, key) !== undefined);
}

/** Gathers lines and gives them back in the order of the file that they came from, new ones last. */
export class LinesOut {
  readonly #lines: { readonly line: JsonObject; readonly rank: Rank }[] = [];

  /** Adds a line of a node, or without a rank one that comes last. */
  add(line: JsonObject, at = Number.POSITIVE_INFINITY, rank?: Rank): void {
    const { sequence = Number.MAX_SAFE_INTEGER, walk = 0 } = rank ?? {};
    this.#lines.push({ line, rank: { at: Math.max(at, rank?.at ?? at), sequence, walk } });
  }

  addKept(lines: readonly PreservedLine[]): void {
    for (const { at, line } of lines) this.#lines.push({ line, rank: { at, sequence: 0, walk: 0 } });
  }

  get ordered(): readonly JsonObject[] {
    // Sorting is stable: lines that may stand alike stay in the order in which they were added.
    const order = [...this.#lines].sort(({ rank: a }, { rank: b }) => {
      if (a.at !== b.at) return a.at < b.at ? -1 : 1;
      return a.sequence - b.sequence || a.walk - b.walk;
    });
    return order.map(({ line }) => line);
  }
}

/** The text of a file of lines, in pieces. */
export function* linePieces(lines: readonly JsonObject[]): Generator<{ readonly type: 'text'; readonly text: string }> {
  let piece = '';
  for (const line of lines) {
    piece += `${JSON.stringify(line)}\n`;
    if (piece.length < 64 * 1024) continue;
    yield { type: 'text', text: piece };
    piece = '';
  }
  if (piece !== '') yield { type: 'text', text: piece };
}

/** A name for a file out of a foreign id; ours where that could be anything but a plain name. */
export function fileNameOf(id: string, fallback: string): string {
  return /^[A-Za-z0-9][\w.-]{0,150}$/.test(id) && !id.includes('..') ? id : fallback;
}
