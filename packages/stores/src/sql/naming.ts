/** Foreign ids of trees and nodes, which must be there. */
import { ask, type ExternalId, type NodeId, refuse, type TreeId } from '@coppice/core';
import { answered, type Keeping, linearOf } from './change.ts';
import { toColumn } from './exact-text.ts';
import { type Dialect, exec, type Work } from './query.ts';
import type { Scope } from './scope.ts';
import { missingNodes } from './side-tables.ts';

/** Enters names of one or several trees, all of them or none; `known` refuses a tree that the owner has not. */
export function* putNames(
  keeping: Keeping,
  ids: readonly ExternalId[],
  known: (treeId: TreeId) => Work<Scope>,
): Work<void> {
  const byTree = new Map<TreeId, ExternalId[]>();
  for (const one of ids) {
    const names = byTree.get(one.treeId);
    if (names === undefined) byTree.set(one.treeId, [one]);
    else names.push(one);
  }
  for (const [treeId, names] of byTree) {
    const scope = yield* known(treeId);
    yield* refuseStrangers(keeping, scope, names);
    yield* putExternalIds(keeping.dialect, keeping.owner, treeId, names);
  }
}

function* refuseStrangers(keeping: Keeping, scope: Scope, names: readonly ExternalId[]): Work<void> {
  const nodes = new Set<NodeId>();
  for (const { nodeId } of names) if (nodeId !== null) nodes.add(nodeId);
  const linear = linearOf(keeping, scope.tree);
  if (linear === null) for (const id of yield* missingNodes(scope.dialect, scope.treeId, nodes)) unknownNode(id);
  else
    for (const id of nodes)
      if ((yield* answered(keeping, scope, ask('anyNode', { id }), linear)) === null) unknownNode(id);
}

function unknownNode(id: NodeId): never {
  return refuse('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
}

/** Names of one source, by what they are names of. */
interface Source {
  readonly format: string;
  readonly scope: string;
  readonly nodes: Map<string, string | null>;
}

function sourcesOf(ids: readonly ExternalId[]): Iterable<Source> {
  const sources = new Map<string, Source>();
  let source: Source | undefined;
  for (const { format, scope, id, nodeId: node } of ids) {
    // Mostly all are of one.
    if (source === undefined || source.format !== format || source.scope !== scope) {
      const key = JSON.stringify([format, scope]);
      source = sources.get(key) ?? { format, scope, nodes: new Map<string, string | null>() };
      sources.set(key, source);
    }
    source.nodes.set(toColumn(id), node === null ? null : toColumn(node));
  }
  return sources.values();
}

/**
 * Keeps other names of a tree and its nodes; a name that is known for the tree points at its newest node. One statement
 * for all names of one source: an import brings a name for each of its messages.
 */
function* putExternalIds(dialect: Dialect, owner: string, tree: TreeId, ids: readonly ExternalId[]): Work<void> {
  for (const { format, scope, nodes } of sourcesOf(ids))
    yield* exec(
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
