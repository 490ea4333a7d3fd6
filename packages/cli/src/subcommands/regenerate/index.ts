import { AppError, ask, type Node } from '@coppice/core';
import { readBranchModel } from '@coppice/engine';
import { openChatEngine } from '../../cli-engine.ts';
import { exitCodes, makeUsageError } from '../../exit-codes.ts';
import { formatNode } from '../../printing.ts';
import { findTarget } from '../../resolve-target.ts';
import { formatUndoHint } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const regenerate = defineSubcommand({
  name: 'regenerate',
  summary: 'generate another reply and keep the existing ones',
  group: 'Chat',
  arguments: [
    chatArgument,
    {
      name: 'message',
      summary: 'reply or its question (default: the active message)',
      optional: true,
      completes: 'node',
    },
  ],
  options: [
    {
      name: 'model',
      short: 'm',
      value: 'model',
      summary: 'model to ask; repeat for one reply per model',
      many: true,
      completes: 'model',
    },
    { name: 'count', short: 'n', value: 'count', summary: 'replies per model (default 1)' },
    { name: 'temperature', value: 'number', summary: 'sampling temperature' },
  ],
  examples: [
    'coppice regenerate last',
    'coppice regenerate last -n 3',
    'coppice regenerate last -m offline/guide -m offline/babble',
  ],
  async run(given, at) {
    const temperature = given.optional('temperature');
    if (temperature !== undefined && !/^\d+(?:\.\d+)?$/.test(temperature))
      throw makeUsageError(`Invalid temperature ${temperature}. Use a number from 0.`);
    const store = await at.store();
    const { treeId, nodeId } = await findTarget(at, given.text('chat'), given.optional('message'));
    const cliEngine = await openChatEngine(at);
    const requestedModels = given.many('model');
    const before = await store.read(treeId, () => readBranchModel(treeId, nodeId));
    const models =
      requestedModels.length > 0 ? requestedModels : [before?.model ?? (await cliEngine.models.defaultModel())];
    const n = given.count('count');
    const turn = cliEngine.generator.generate(
      { type: 'regenerate', treeId, nodeId },
      {
        models,
        signal: at.host.signal,
        ...(n === undefined ? {} : { n }),
        ...(temperature === undefined ? {} : { temperature: Number(temperature) }),
      },
    );
    for await (const event of turn.events())
      if (event.type === 'notice') at.output.note(`${at.output.foreign(event.message)}\n`);
    const end = await turn.done;
    if (end.type === 'error' && end.nodeIds.length === 0)
      throw new AppError({ code: end.code, kind: end.kind, message: end.message });
    const nodes = await store.read(treeId, function* () {
      const replies: Node[] = [];
      for (const id of end.nodeIds) {
        const node = yield* ask('node', { id });
        if (node !== null) replies.push(node);
      }
      return replies;
    });
    const { output } = at;
    return {
      data: {
        treeId,
        actId: await turn.actId,
        nodes,
        error: end.type === 'error' ? { code: end.code, message: end.message } : null,
      },
      exitCode: end.type === 'error' ? exitCodes[end.kind] : 0,
      lines: [
        ...nodes.map((node) => formatNode(node, '', output)),
        ...(end.type === 'error' ? [output.style.bad(output.foreign(end.message))] : []),
        ...formatUndoHint(at, treeId),
      ],
    };
  },
});
