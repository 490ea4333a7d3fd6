/** Finds and applies metadata and labels that differ between the two sides of a synchronisation. */
import { canonicalJson } from '@coppice/content';
import { ask, type NodeId, type NodeMeta, type Patch, type Plan, type ReadProgram, type Step } from '@coppice/core';
import { inversePatch } from '@coppice/core/tree';
import type { SyncPair, SyncSide } from './sync-changes.ts';

/** A metadata field as the source side has it; `value` is null if the source does not have it. */
export interface SourceMetadataField {
  readonly nodeId: NodeId;
  readonly key: string;
  readonly value: unknown;
}

/** Returns the metadata fields that differ on nodes that both sides have. */
export function findMetadataDifferences(pairs: readonly SyncPair[]): SourceMetadataField[] {
  const notes: SourceMetadataField[] = [];
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

// Encodes a value with sorted keys, because stores may order the members of an object differently.
function noteText(value: unknown): string {
  return value === undefined || value === null ? '' : canonicalJson(JSON.parse(JSON.stringify(value)));
}

/** Plans the steps that set metadata, including fields that commands cannot set. */
export function* planAnnotations(notes: readonly SourceMetadataField[]): ReadProgram<Plan<null>> {
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

/** A label as the source side has it; `title` is null if the source does not have it. */
export interface SourceLabel {
  readonly nodeId: NodeId;
  readonly title: string | null;
}

/**
 * Compares the labels in `there`, the rows of the target side, with those of the source side. Returns the labels whose
 * title differs or that the source side does not have, if their node is live at the source.
 */
export function findLabelDifferences({ rows, name }: SyncSide, there: SyncSide['rows']): SourceLabel[] {
  const titles = new Map(rows.bookmarks.map(({ nodeId, title }) => [name(nodeId), title]));
  const live = new Set(rows.nodes.filter((node) => node.removedIn === null).map((node) => name(node.id)));
  return there.bookmarks.flatMap(({ nodeId, title }) => {
    const other = titles.get(nodeId) ?? null;
    return live.has(nodeId) && other !== title ? [{ nodeId, title: other }] : [];
  });
}
