/** What was changed at its source since it came in. Ours stays; the report names it. */
import { setImmediate } from 'node:timers/promises';
import {
  type Difference,
  differenceOf,
  finding,
  hasSameContent,
  type ImportFinding,
  type Incoming,
} from '@coppice/content/formats';
import { ask, type NodeId, type Store } from '@coppice/core';

// As many as are read without holding up others.
const atOnce = 200;

function describeDifference({ said, edited }: Difference, restored: boolean): string {
  if (restored) return 'it says something else here';
  const there = said ? 'it says something else there now' : 'only what is beside its text';
  return edited ? `${there}; it was edited here` : there;
}

/**
 * A finding for each node whose record was changed at the source since the last import. Nodes that the user deleted are
 * none: what they said is not missed here.
 */
export async function* findDifferences(
  store: Store,
  { command, sources }: Incoming,
  present: readonly NodeId[],
  restored: boolean,
): AsyncGenerator<ImportFinding> {
  const { treeId } = command;
  const again = new Map(command.nodes.map((node) => [node.id, node]));
  const row = present.length === 0 ? null : await store.read(treeId, () => ask('tree', {}));
  for (let from = 0; from < present.length; from += atOnce) {
    const ids = present.slice(from, from + atOnce);
    for (const node of await store.read(treeId, () => ask('nodes', { ids }))) {
      const [incoming, source] = [again.get(node.id), sources.get(node.id)];
      if (incoming === undefined || source === undefined || source.repeats === true) continue;
      // What went out from here may come back in other blocks; then the words tell.
      if (!restored && source.externalId === node.id && hasSameContent(node, incoming.message)) continue;
      const inPlace = node.parentId === (incoming.parentId ?? row?.rootId);
      const difference = differenceOf(node, incoming, { restored, inPlace });
      if (difference !== null)
        yield finding(
          'import/differs',
          difference.said ? 'loss' : 'note',
          source.place,
          describeDifference(difference, restored),
        );
    }
    await setImmediate();
  }
}
