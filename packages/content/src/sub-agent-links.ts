// The links between a session and its subagents. The metadata of a subagent's tree contains the call that spawned it,
// and an external id links the session to its subagents.
import type { ExternalId, Store, TreeAttributes, TreeId } from '@coppice/core';
import { ask, isAppError, treeId } from '@coppice/core';
import { getText, isJsonObject } from '@coppice/core/decode';

/** The format of the external ids of subagents. The id is the tree of the session that spawned them. */
export const spawnedByFormat = 'spawned-by';

/** The session and the tool call that spawned a subagent; null fields were not recorded. */
export interface SpawnLink {
  readonly session: string;
  readonly treeId: TreeId;
  readonly call: string | null;
  readonly agentType: string | null;
}

/** A subagent of a session, as a list of subagents shows it. */
export interface SubAgent {
  readonly treeId: TreeId;
  readonly title: string | null;
  readonly call: string | null;
  readonly agentType: string | null;
}

/** Builds the external id that links a session to a subagent. */
export function buildSubAgentLink(child: TreeId, parent: TreeId): ExternalId {
  return { treeId: child, nodeId: null, format: spawnedByFormat, scope: '', id: parent };
}

/** Returns the link of a subagent to its session; null for any other tree. */
export function spawnLinkOf({ metadata }: Pick<TreeAttributes, 'metadata'>): SpawnLink | null {
  const link = metadata?.['spawnedBy'];
  if (!isJsonObject(link)) return null;
  const parent = getText(link, 'treeId');
  if (parent === undefined) return null;
  return {
    session: getText(link, 'session') ?? '',
    treeId: treeId(parent),
    call: getText(link, 'call') ?? null,
    agentType: getText(link, 'agentType') ?? null,
  };
}

/** Finds the subagents of trees, in creation order; those in the trash are left out. */
export async function findSubAgents(
  store: Pick<Store, 'findExternalIds' | 'read'>,
  parents: readonly TreeId[],
): Promise<ReadonlyMap<TreeId, readonly SubAgent[]>> {
  const found = new Map<TreeId, SubAgent[]>();
  if (parents.length === 0) return found;
  const rows = await store.findExternalIds(spawnedByFormat, '', parents);
  const made: { readonly parent: TreeId; readonly at: number; readonly agent: SubAgent }[] = [];
  for (const { treeId: child, id } of rows) {
    const row = await readLive(store, child);
    if (row === null) continue;
    const { title, autoTitle } = row.attributes;
    const link = spawnLinkOf(row.attributes);
    const agent = {
      treeId: child,
      title: title ?? autoTitle ?? null,
      call: link?.call ?? null,
      agentType: link?.agentType ?? null,
    };
    made.push({ parent: treeId(id), at: row.createdAt, agent });
  }
  for (const { parent, agent } of made.toSorted((a, b) => a.at - b.at)) {
    const list = found.get(parent) ?? [];
    list.push(agent);
    found.set(parent, list);
  }
  return found;
}

async function readLive(store: Pick<Store, 'read'>, id: TreeId) {
  try {
    const row = await store.read(id, () => ask('tree', {}));
    return row === null || row.attributes.trashedAt !== undefined ? null : row;
  } catch (error) {
    if (isAppError(error) && error.kind === 'not-found') return null;
    throw error;
  }
}
