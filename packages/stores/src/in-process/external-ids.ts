/** Stores the external ids of trees and nodes, and provenance records, in memory. */
import { utf8Length } from '@coppice/content';
import { type ExternalId, type NodeId, type Provenance, refuse, type TreeId } from '@coppice/core';
import { findAnyNode } from '@coppice/core/tree';
import type { InProcessState } from './in-process-state.ts';

const longestForeignId = 512;

/** Throws `id/invalid` if an external id has more than 512 bytes in UTF-8. */
export function assertExternalIdLength(id: string): void {
  if (utf8Length(id) > longestForeignId)
    refuse(
      'id/invalid',
      `An external id has at most ${longestForeignId} bytes; this one begins with ${id.slice(0, 64)}.`,
    );
}

/**
 * Compares external ids by tree, format, scope and id, each by UTF-16 code unit. Databases sort some characters
 * differently, so all stores sort with this function.
 */
export function compareExternalIds(one: ExternalId, other: ExternalId): number {
  for (const field of ['treeId', 'format', 'scope', 'id'] as const)
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  return 0;
}

/** The external ids and provenance records of a store, indexed by tree and by external id. */
export class InProcessExternalIds {
  readonly #state: InProcessState;
  readonly #byTree = new Map<TreeId, Map<string, ExternalId>>();
  readonly #byName = new Map<string, Set<ExternalId>>();
  readonly #provenance = new Map<TreeId, Provenance[]>();

  constructor(state: InProcessState) {
    this.#state = state;
  }

  /** Adds external ids that were read from disk when the store was opened; they are not persisted again. */
  register(ids: readonly ExternalId[], provenance: readonly Provenance[] = []): void {
    for (const id of ids) this.#enter(id);
    for (const row of provenance) {
      const rows = this.#provenance.get(row.treeId);
      if (rows === undefined) this.#provenance.set(row.treeId, [row]);
      else rows.push(row);
    }
  }

  #enter(id: ExternalId): void {
    const own = this.#byTree.get(id.treeId) ?? new Map<string, ExternalId>();
    this.#byTree.set(id.treeId, own);
    const name = externalKey(id.format, id.scope, id.id);
    const before = own.get(name);
    if (before !== undefined) this.#byName.get(name)?.delete(before);
    own.set(name, id);
    const same = this.#byName.get(name) ?? new Set<ExternalId>();
    this.#byName.set(name, same.add(id));
  }

  async put(owner: string, ids: readonly ExternalId[]): Promise<void> {
    this.#state.assertWritable();
    for (const id of ids) {
      assertExternalIdLength(id.id);
      assertExternalIdLength(id.scope);
      const { loadedSlot } = await this.#state.open(owner, id.treeId);
      if (id.nodeId !== null && findAnyNode(loadedSlot.tree, id.nodeId) === undefined)
        refuse('tree/unknown-node', `There is no message ${id.nodeId}.`, { nodeId: id.nodeId });
    }
    await this.#state.persist({ type: 'external-ids', ids });
    for (const id of ids) this.#enter(id);
  }

  find(owner: string, format: string, scope: string, ids: readonly string[]): ExternalId[] {
    this.#state.assertOpen();
    const found: ExternalId[] = [];
    for (const id of new Set(ids))
      for (const known of this.#byName.get(externalKey(format, scope, id)) ?? [])
        if (this.#state.find(owner, known.treeId) !== undefined) found.push(known);
    return found.sort(compareExternalIds);
  }

  async of(owner: string, treeId: TreeId): Promise<readonly ExternalId[]> {
    await this.#state.open(owner, treeId);
    return [...(this.#byTree.get(treeId)?.values() ?? [])].sort(compareExternalIds);
  }

  async addProvenance(owner: string, rows: readonly Provenance[]): Promise<void> {
    this.#state.assertWritable();
    for (const { treeId } of rows) await this.#state.open(owner, treeId);
    await this.#state.persist({ type: 'provenance', rows });
    this.register([], rows);
  }

  async provenanceOf(owner: string, treeId: TreeId): Promise<readonly Provenance[]> {
    await this.#state.open(owner, treeId);
    return [...(this.#provenance.get(treeId) ?? [])];
  }

  /** Deletes the external ids and provenance records of purged nodes, or of a whole tree. */
  forget(treeId: TreeId, nodeIds?: ReadonlySet<NodeId>): void {
    const own = this.#byTree.get(treeId);
    for (const [name, id] of own ?? []) {
      if (nodeIds !== undefined && (id.nodeId === null || !nodeIds.has(id.nodeId))) continue;
      own?.delete(name);
      this.#byName.get(name)?.delete(id);
    }
    const rows = this.#provenance.get(treeId) ?? [];
    const left =
      nodeIds === undefined ? [] : rows.filter((row) => !nodeIds.has(row.firstNodeId) && !nodeIds.has(row.lastNodeId));
    if (left.length === 0) this.#provenance.delete(treeId);
    else this.#provenance.set(treeId, left);
  }
}

function externalKey(format: string, scope: string, id: string): string {
  return JSON.stringify([format, scope, id]);
}
