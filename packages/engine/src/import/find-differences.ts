/**
 * Finds messages that changed at the source since the last import. The stored content does not change; the report lists
 * the difference.
 */
import {
  buildFinding,
  buildFindingDetail,
  type FindingDetail,
  findRecordDifference,
  hasSameContent,
  type ImportFinding,
  type RecordDifference,
  type StorableTree,
} from '@coppice/content/formats';
import { ask, type ImportCommand, type NodeId, type Store } from '@coppice/core';
import { waitForNextTask } from '../event-loop.ts';

/** A node whose message at the source differs from the stored one. */
export interface NodeDifference {
  readonly node: NodeId;
  /** Whether the node was also edited here, or was exported from here and is imported again. */
  readonly changed: boolean;
  readonly found: ImportFinding;
}

// How many nodes are read at once; small enough not to block other work.
const atOnce = 200;

function describeDifference({ messageDiffers, edited }: RecordDifference, restored: boolean): FindingDetail {
  if (restored) return buildFindingDetail('text-differs-here');
  if (messageDiffers) return buildFindingDetail(edited ? 'text-changed-on-both-sides' : 'text-changed-at-source');
  return buildFindingDetail(edited ? 'data-changed-and-edited' : 'data-changed-at-source');
}

/** A conversation that is imported again. */
export interface ReimportedTree extends Pick<StorableTree, 'command' | 'sources'> {
  /** The same command with the bytes of pictures and files in the messages, as older imports stored them. */
  readonly inline: ImportCommand;
  /** The nodes that existed before this import. */
  readonly present: readonly NodeId[];
  /** Whether Coppice exported the conversation. */
  readonly restored: boolean;
}

/**
 * Yields a finding for each node whose record changed at the source since the last import. Nodes that the user deleted
 * are skipped.
 */
export async function* findDifferences(
  store: Store,
  { command, sources, inline, present, restored }: ReimportedTree,
): AsyncGenerator<NodeDifference> {
  const { treeId } = command;
  const asBefore = command === inline ? undefined : new Map(inline.nodes.map((node) => [node.id, node]));
  const again = new Map(command.nodes.map((node) => [node.id, node]));
  const row = present.length === 0 ? null : await store.read(treeId, () => ask('tree', {}));
  for (let from = 0; from < present.length; from += atOnce) {
    const ids = present.slice(from, from + atOnce);
    for (const node of await store.read(treeId, () => ask('nodes', { ids }))) {
      const [incoming, source] = [again.get(node.id), sources.get(node.id)];
      if (incoming === undefined || source === undefined || source.repeats === true) continue;
      // An exported message may be imported with other blocks; it counts as unchanged if the content is equal.
      if (!restored && source.externalId === node.id && hasSameContent(node, incoming.message)) continue;
      const inPlace = node.parentId === (incoming.parentId ?? row?.rootId);
      const difference = findRecordDifference(node, incoming, { restored, inPlace });
      const before = difference === null ? undefined : asBefore?.get(node.id);
      if (before !== undefined && findRecordDifference(node, before, { restored, inPlace }) === null) continue;
      if (difference !== null)
        yield {
          node: node.id,
          changed: difference.edited || restored,
          found: buildFinding(
            'import/differs',
            difference.messageDiffers ? 'loss' : 'note',
            source.place,
            describeDifference(difference, restored),
          ),
        };
    }
    await waitForNextTask();
  }
}
