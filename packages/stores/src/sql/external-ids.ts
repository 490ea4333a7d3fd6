/** Writes the external ids of trees and nodes. */
import { type ExternalId, type NodeId, refuse, type TreeId } from '@coppice/core';
import type { StoreScope } from './change.ts';
import { encodeColumnText } from './exact-text.ts';
import { execute, type SqlDialect, type SqlTask } from './query.ts';
import { baseOfScope, type TreeScope } from './scope.ts';
import { findMissingNodes } from './side-tables.ts';

/** Writes the external ids of one or several trees, all or none. `known` throws if the owner does not have the tree. */
export function* writeExternalIds(
  keeping: StoreScope,
  ids: readonly ExternalId[],
  known: (treeId: TreeId) => SqlTask<TreeScope>,
): SqlTask<void> {
  const byTree = new Map<TreeId, ExternalId[]>();
  for (const one of ids) {
    const names = byTree.get(one.treeId);
    if (names === undefined) byTree.set(one.treeId, [one]);
    else names.push(one);
  }
  for (const [treeId, names] of byTree) {
    const scope = yield* known(treeId);
    yield* refuseUnknownNodes(scope, names);
    yield* putExternalIds(keeping.dialect, keeping.owner, treeId, names);
  }
}

function* refuseUnknownNodes(scope: TreeScope, names: readonly ExternalId[]): SqlTask<void> {
  const nodes = new Set<NodeId>();
  for (const { nodeId } of names) if (nodeId !== null) nodes.add(nodeId);
  for (const id of yield* findMissingNodes(scope.dialect, baseOfScope(scope), nodes)) unknownNode(id);
}

function unknownNode(id: NodeId): never {
  return refuse('tree/unknown-node', `There is no message ${id}.`, { nodeId: id });
}

/** The external ids of one source (format and scope), by id. */
interface NamedSource {
  readonly format: string;
  readonly scope: string;
  readonly nodes: Map<string, string | null>;
}

function sourcesOf(ids: readonly ExternalId[]): Iterable<NamedSource> {
  const sources = new Map<string, NamedSource>();
  let source: NamedSource | undefined;
  for (const { format, scope, id, nodeId: node } of ids) {
    // All ids of an import have the same source, so the last source is compared first.
    if (source === undefined || source.format !== format || source.scope !== scope) {
      const key = JSON.stringify([format, scope]);
      source = sources.get(key) ?? { format, scope, nodes: new Map<string, string | null>() };
      sources.set(key, source);
    }
    source.nodes.set(encodeColumnText(id), node === null ? null : encodeColumnText(node));
  }
  return sources.values();
}

/**
 * Stores the external ids of a tree and its nodes. An id that the tree already has refers to the new node afterwards.
 * One statement stores all ids of a source, because an import has one id per message.
 */
function* putExternalIds(dialect: SqlDialect, owner: string, tree: TreeId, ids: readonly ExternalId[]): SqlTask<void> {
  for (const { format, scope, nodes } of sourcesOf(ids))
    yield* execute(
      `INSERT INTO external_id (tree_id, format, scope, id, node_id, owner)
      SELECT $1, $2, $3, pair.a, pair.b, $4 FROM ${dialect.pairs('$5')} AS pair WHERE pair.a IS NOT NULL
      ON CONFLICT (tree_id, format, scope, id) DO UPDATE SET node_id = excluded.node_id`,
      tree,
      format,
      scope,
      owner,
      JSON.stringify(Array.from(nodes)),
    );
}
