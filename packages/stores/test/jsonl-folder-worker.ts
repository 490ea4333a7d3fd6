/**
 * A worker process that creates forest trees, creates a tree with a message, or appends a message, in a folder of
 * sessions. It prints the ids of the trees that it created.
 */
import { randomUUID } from 'node:crypto';
import { messageKit } from '@coppice/content';
import { type Command, type CommandOutcome, type ResultOf, run, textMessage, treeId } from '@coppice/core';
import { SessionStore } from '../src/jsonl/index.ts';

const [folder = '', what = '', ...words] = process.argv.slice(2);
const store = await SessionStore.open(folder);
const change = <C extends Command>(command: C): Promise<CommandOutcome<ResultOf<C['type']>>> =>
  run(store, command, { now: Date.now, newId: randomUUID, kit: messageKit, actor: 'worker' });

if (what === 'forest')
  for (const systemPrompt of words) {
    const { result } = await change({
      type: 'create',
      treeId: treeId(randomUUID()),
      attributes: { systemPrompt },
      forest: true,
    });
    process.stdout.write(`${systemPrompt} ${result.treeId}\n`);
  }
else if (what === 'more')
  await change({
    type: 'append',
    treeId: treeId(words[0] ?? ''),
    messages: [{ message: textMessage('user', words[1] ?? '') }],
  });
else {
  const id = treeId(randomUUID());
  await change({ type: 'create', treeId: id, attributes: { title: words[0] ?? '' } });
  await change({ type: 'append', treeId: id, messages: [{ message: textMessage('user', words[1] ?? '') }] });
  process.stdout.write(`made ${id}\n`);
}
await store.close();
