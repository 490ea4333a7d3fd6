/**
 * Formats the links between agents: the session that started a tree as a sub-agent, and the sub-agents that the tree
 * started.
 */
import { findSubAgents, spawnLinkOf } from '@coppice/content';
import { ask, type Store, type TreeRow } from '@coppice/core';
import { readChatName, readChatNames } from './first-words.ts';
import type { OutputWriter } from './output.ts';
import { shortenId } from './short-ids.ts';
import { toOneLine } from './terminal/strip-control-sequences.ts';

/** Returns one line for each link of a tree to another session; none for a tree without links. */
export async function formatSubAgentLines(
  store: Store,
  row: TreeRow,
  output: OutputWriter,
): Promise<readonly string[]> {
  const name = (title: string) => toOneLine(output.foreign(title), 60);
  const lines: string[] = [];
  const link = spawnLinkOf(row.attributes);
  const parent = link === null ? null : await store.read(link.treeId, () => ask('tree', {}));
  if (parent !== null) lines.push(`Sub-agent of "${name(await readChatName(store, parent))}"  ${shortenId(parent.id)}`);
  const agents = (await findSubAgents(store, [row.id])).get(row.id) ?? [];
  const nameOf = await readChatNames(store, agents);
  for (const agent of agents) lines.push(`Sub-agent: ${name(nameOf(agent.treeId))}  ${shortenId(agent.treeId)}`);
  return lines;
}
