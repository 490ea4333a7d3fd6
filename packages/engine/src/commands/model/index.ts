import { run } from '@coppice/core';
import { readBranchModel } from '../branch-model.ts';
import { defineCommand, optionalArgument } from '../define.ts';
import { commandError } from '../errors.ts';

const reasons = {
  set: 'it was set on this branch',
  reply: 'it gave the last reply here',
  tree: 'it was set for the whole conversation',
  default: 'it is the default',
} as const;

/** The model of the branch. */
export const model = defineCommand({
  name: 'model',
  summary: 'Says which model this branch goes on with, or sets it; other branches keep theirs.',
  parameters: { model: optionalArgument('model', 'As provider/model, or a provider alone.') },
  examples: [
    { line: '/model', about: 'which one, and why' },
    { line: '/model anthropic/claude-sonnet-4-5', about: 'goes on with that one from here' },
  ],
  async run(scope, args) {
    const { store, treeId, activeNodeId, models } = scope;
    const before = await store.read(treeId, () => readBranchModel(treeId, activeNodeId));
    if (args.model === undefined) {
      const standard = before === null ? await models?.defaultModel(scope.signal) : undefined;
      const now = before?.model ?? standard ?? null;
      const by = before?.by ?? 'default';
      const said =
        now === null
          ? 'No model was chosen, and none is known here.'
          : `This branch goes on with ${now}: ${reasons[by]}.`;
      return { said, data: { model: now, by, before: now } };
    }
    if (models === undefined) throw commandError('command/unavailable', 'There are no models here to choose from.');
    const { id } = models.model(args.model.trim());
    const choice = models.list().find((one) => one.id === id);
    const missing = choice?.missing ?? null;
    const data = { model: id, by: activeNodeId === null ? 'tree' : 'set', before: before?.model ?? null } as const;
    if (before?.model === id && before.by === data.by) return { said: `This branch goes on with ${id} already.`, data };
    // A note on a node, not a node of its own: setting a model twice leaves no trace in the conversation.
    if (activeNodeId === null) await run(store, { type: 'attributes', treeId, set: { model: id } }, scope.running());
    else await run(store, { type: 'annotate', treeId, nodeId: activeNodeId, set: { model: id } }, scope.running());
    const was = before === null || before.model === id ? '' : `, not ${before.model} any more`;
    const lack = missing === null ? '' : ` It cannot be asked yet. ${missing}`;
    return { said: `This branch goes on with ${id}${was}.${lack}`, undo: '/undo', data };
  },
});
