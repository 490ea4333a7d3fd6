/** A process that works on a folder and prints each acknowledged action. A test may kill it at any point. */
import { writeSync } from 'node:fs';
import { isAppError, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { FileSystemStore } from '../src/files/index.ts';

const [place = '', what = 'append'] = process.argv.slice(2);

function say(word: string): void {
  writeSync(1, `${word}\n`);
}

async function work(): Promise<void> {
  const store = await FileSystemStore.open(place);
  const { readOnly, notes } = await store.info();
  say(readOnly ? 'read-only' : 'opened');
  for (const note of notes) say(`note ${note}`);
  const fixture = new TestTree(store, treeId(testUuid(1)));
  if (what === 'hold') {
    say('holding');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
  if (what === 'list') {
    say(`trees ${(await store.trees()).items.length}`);
    say(`found ${(await store.search({ text: 'first' })).items.length}`);
  }
  const context = { newId: () => testUuid(4000 + Math.floor(Math.random() * 1e9)), now: () => 9000 };
  const messages = [{ message: { role: 'user' as const, content: [{ type: 'text', text: 'second' }] } }];
  if (what === 'create') await fixture.run({ type: 'create', treeId: treeId(testUuid(2)) }, context);
  else if (what === 'clear') await fixture.run({ type: 'clear', treeId: fixture.treeId }, context);
  else await fixture.run({ type: 'append', treeId: fixture.treeId, messages }, context);
  say('acknowledged');
  await store.close();
  say('closed');
}

work().catch((error: unknown) => {
  say(isAppError(error) ? `refused ${error.code}` : `failed ${String(error)}`);
  process.exitCode = 1;
});
