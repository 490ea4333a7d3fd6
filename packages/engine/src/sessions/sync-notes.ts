/** Metadata and labels that differ between the two sides of a synchronisation. */
import { canonicalJson } from '@coppice/content';
import { ask, type NodeId, type NodeMeta, type Patch, type Plan, type ReadProgram, type Step } from '@coppice/core';
import { inversePatch } from '@coppice/core/tree';
import type { SyncPair, SyncSide } from './sync-changes.ts';

/** One metadata field of the source side; null if it is absent. */
export interface SourceNote {
  readonly nodeId: NodeId;
  readonly key: string;
  readonly value: unknown;
}

/** Finds metadata fields that differ between nodes that both sides have. */
export function findNoteDifferences(pairs: readonly SyncPair[]): SourceNote[] {
  const notes: SourceNote[] = [];
  for (const { from, to } of pairs) {
    if (from.removedIn !== null) continue;
    for (const key of new Set([...Object.keys(from.meta), ...Object.keys(to.meta)])) {
      const value = ownNote(from.meta, key);
      if (noteText(value) !== noteText(ownNote(to.meta, key))) notes.push({ nodeId: to.id, key, value: value ?? null });
    }
  }
  return notes;
}

function ownNote(meta: NodeMeta, key: string): unknown {
  return Object.hasOwn(meta, key) ? meta[key] : undefined;
}

// Stores may order the members of an object differently.
function noteText(value: unknown): string {
  return value === undefined || value === null ? '' : canonicalJson(JSON.parse(JSON.stringify(value)));
}

/** Plans the metadata of the other side, including fields that only the tree itself writes. */
export function* planAnnotations(notes: readonly SourceNote[]): ReadProgram<Plan<null>> {
  const byNode = new Map<NodeId, Map<string, unknown>>();
  for (const { nodeId, key, value } of notes)
    byNode.set(nodeId, (byNode.get(nodeId) ?? new Map<string, unknown>()).set(key, value));
  const steps: Step[] = [];
  for (const [nodeId, values] of byNode) {
    const node = yield* ask('node', { id: nodeId });
    if (node === null) continue;
    const after: Patch<NodeMeta> = Object.fromEntries(values);
    steps.push({ type: 'annotate', nodeId, after, before: inversePatch(node.meta, after) });
  }
  return { steps, result: null };
}

/** A label of the source side; null if it is absent. */
export interface SourceLabel {
  readonly nodeId: NodeId;
  readonly title: string | null;
}

/** Finds labels of live nodes on this side that have another title on the other side or no longer exist there. */
export function findLabelDifferences({ rows, name }: SyncSide, there: SyncSide['rows']): SourceLabel[] {
  const titles = new Map(rows.bookmarks.map(({ nodeId, title }) => [name(nodeId), title]));
  const live = new Set(rows.nodes.filter((node) => node.removedIn === null).map((node) => name(node.id)));
  return there.bookmarks.flatMap(({ nodeId, title }) => {
    const other = titles.get(nodeId) ?? null;
    return live.has(nodeId) && other !== title ? [{ nodeId, title: other }] : [];
  });
}
