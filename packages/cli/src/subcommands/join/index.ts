import { change, changed } from '../../changing.ts';
import { findPlaceOf } from '../../place.ts';
import { defineSubcommand } from '../contract.ts';

export const join = defineSubcommand({
  name: 'join',
  summary: 'make one message of a message and the one after it (undoes a split)',
  group: 'Write',
  arguments: [
    { name: 'tree', summary: 'id, beginning of an id, title, or last', completes: 'tree' },
    { name: 'node', summary: 'the first of the two messages', completes: 'node' },
  ],
  examples: ['coppice join last @~1'],
  async run(given, at) {
    const { treeId, nodeId } = await findPlaceOf(at, given.text('tree'), given.text('node'));
    const outcome = await change(at, { type: 'join', treeId, nodeId });
    return changed(outcome, `The joined message is ${outcome.result.nodeId}.`, at);
  },
});
