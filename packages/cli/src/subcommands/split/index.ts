import { ask, textOf } from '@coppice/core';
import { makeUsageError } from '../../exit-codes.ts';
import { findTarget } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { graphemesOf } from '../../terminal/width.ts';
import { runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const split = defineSubcommand({
  name: 'split',
  summary: 'split a message in two, to branch from its middle',
  group: 'Write',
  arguments: [
    chatArgument,
    { name: 'message', summary: 'message to split', completes: 'node' },
    { name: 'position', summary: 'number of characters in the first part' },
  ],
  examples: ['coppice split last @ 120'],
  async run(given, at) {
    const { treeId, nodeId } = await findTarget(at, given.text('chat'), given.text('message'));
    const position = given.text('position');
    if (!/^\d{1,12}$/.test(position)) throw makeUsageError(`A position is a whole number, not ${position}.`);
    const store = await at.store();
    const node = await store.read(treeId, () => ask('node', { id: nodeId }));
    const offset = offsetOf(node?.message == null ? '' : textOf(node.message), Number(position));
    const outcome = await runTreeChange(at, { type: 'split', treeId, nodeId, position: offset });
    return toChangeOutput(
      outcome,
      `Split into ${shortenId(outcome.result.nodeId)} and ${shortenId(outcome.result.right)}.`,
      at,
    );
  },
});

/** Returns the UTF-16 offset after a number of graphemes. Core refuses an offset beyond the end. */
function offsetOf(text: string, characters: number): number {
  let offset = 0;
  let left = characters;
  for (const character of graphemesOf(text)) {
    if (left === 0) return offset;
    offset += character.length;
    left--;
  }
  return offset + left;
}
