import { run } from '@coppice/core';
import { readBranchModel } from '../branch-model.ts';
import { defineCommand, optionalArgument } from '../define.ts';
import { makeCommandError } from '../errors.ts';
import { makeCommandReport, makePhrase } from '../phrases.ts';

const reasons = {
  set: 'model-by-set',
  reply: 'model-by-reply',
  tree: 'model-by-tree',
  default: 'model-by-default',
} as const;

export const modelCommand = defineCommand({
  name: 'model',
  summary: 'Shows or sets the model of this branch; other branches keep theirs.',
  parameters: { model: optionalArgument('model', 'As provider/model, or only a provider.') },
  examples: [
    { line: '/model', about: 'show the model, and why it is used' },
    { line: '/model anthropic/claude-sonnet-4-5', about: 'use this model from here on' },
  ],
  questions: [
    'How do I switch the model in the middle of a chat?',
    'Which model answers in this chat?',
    'How do I pick another model in a chat?',
  ],
  async run(scope, args) {
    const { store, treeId, activeNodeId, models } = scope;
    const before = await store.read(treeId, () => readBranchModel(treeId, activeNodeId));
    if (args.model === undefined) {
      const standard = before === null ? await models?.defaultModel(scope.signal) : undefined;
      const now = before?.model ?? standard ?? null;
      const by = before?.by ?? 'default';
      const did = now === null ? makePhrase('no-model') : makePhrase(reasons[by], { model: now });
      return { ...makeCommandReport(did), data: { model: now, by, before: now } };
    }
    if (models === undefined) throw makeCommandError('command/unavailable', 'No models are available here.');
    const { id } = models.model(args.model.trim());
    const choice = models.list().find((one) => one.id === id);
    const missing = choice?.missing ?? null;
    const data = { model: id, by: activeNodeId === null ? 'tree' : 'set', before: before?.model ?? null } as const;
    if (before?.model === id && before.by === data.by)
      return { ...makeCommandReport(makePhrase('model-same', { model: id })), data };
    // Stored as metadata of the node: setting a model adds no node to the chat.
    if (activeNodeId === null) await run(store, { type: 'attributes', treeId, set: { model: id } }, scope.running());
    else await run(store, { type: 'annotate', treeId, nodeId: activeNodeId, set: { model: id } }, scope.running());
    const did =
      before === null || before.model === id
        ? makePhrase('model-set', { model: id })
        : makePhrase('model-set-instead', { model: id, before: before.model });
    const lack = missing === null ? [] : [makePhrase('model-not-ready', { missing })];
    return { ...makeCommandReport(did, ...lack), undo: '/undo', data };
  },
});
