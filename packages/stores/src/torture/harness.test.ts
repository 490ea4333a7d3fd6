import { existsSync, readFileSync, rmSync } from 'node:fs';
import { messageKit } from '@coppice/content';
import { nodeId, run, type Store, textMessage } from '@coppice/core';
import { expect, test } from 'vitest';
import { openStore } from '../index.ts';
import { TortureArguments } from './arguments.ts';
import { WriterBranch } from './branch.ts';
import { TortureFailure, TortureJournal } from './journal.ts';
import { WriterLedger } from './ledger.ts';
import { tortureParts } from './parts.ts';
import { SeededRandom } from './seeded-random.ts';
import { chooseAct } from './writer.ts';

function forget(journal: TortureJournal): void {
  for (const path of [journal.path, journal.path.replace(/\.jsonl$/, '.replay.json')]) rmSync(path, { force: true });
}

test('[Q1] the same seed gives the same acts, another seed different ones', () => {
  const acts = (seed: string) => {
    const random = new SeededRandom('harness', seed);
    let branch = new WriterBranch();
    return Array.from({ length: 60 }, () => {
      const act = chooseAct(branch, random, 'w');
      branch = branch.after(act);
      return act;
    });
  };
  expect(acts('one')).toEqual(acts('one'));
  expect(acts('one')).not.toEqual(acts('two'));
});

test('[Q1][Q2] a run prints its seed at the start and leaves no journal if it succeeds', () => {
  const said: string[] = [];
  const journal = new TortureJournal('harness', 'a-seed', (line) => said.push(line));
  journal.note({ about: 'to do something' });
  expect(readFileSync(journal.path, 'utf8')).toBe('{"about":"to do something"}\n');
  expect(said).toEqual(['torture harness --seed a-seed']);
  expect(journal.done({ things: 1 })).toEqual({ name: 'harness', seed: 'a-seed', figures: { things: 1 } });
  expect(existsSync(journal.path)).toBe(false);
});

/** Creates a ledger with one acknowledged append, and a store that contains the append, another text, or nothing. */
async function reported(said: string | null): Promise<{ ledger: WriterLedger; store: Store; journal: TortureJournal }> {
  const journal = new TortureJournal('harness', `lost ${said}`);
  const ledger = new WriterLedger(journal, 1, new SeededRandom('harness'));
  const [tree] = ledger.trees;
  const store = await openStore('memory:');
  if (tree === undefined) throw new Error('There is no tree.');
  const random = new SeededRandom('ids');
  const context = { actor: 'w0', kit: messageKit, now: () => 0, newId: () => random.uuid() };
  const id = random.uuid();
  const rootId = random.uuid();
  await run(store, { type: 'create', treeId: tree, rootId }, context);
  if (said !== null)
    await run(
      store,
      {
        type: 'append',
        treeId: tree,
        parentId: nodeId(rootId),
        messages: [{ id, message: textMessage('user', said) }],
      },
      context,
    );
  ledger.record({ reported: 'tries', writer: 'w0', act: { act: 'append', parent: null, ids: [id], texts: ['kept'] } });
  ledger.record({ reported: 'done', writer: 'w0', version: 2 });
  return { ledger, store, journal };
}

test('[Q3] a store with all acknowledged messages satisfies the ledger', async () => {
  const { ledger, store, journal } = await reported('kept');
  await ledger.compare(store);
  forget(journal);
});

test.each([
  ['lost', null, /is lost/],
  ['altered', 'another text', /says "another text", not "kept"/],
])(
  '[Q3] an acknowledged message that is %s is a failure with a file to replay it from',
  async (_name, said, sentence) => {
    const { ledger, store, journal } = await reported(said);
    const failure = await ledger.compare(store).then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(TortureFailure);
    if (!(failure instanceof TortureFailure)) return;
    expect(failure.message).toMatch(sentence);
    expect(JSON.parse(readFileSync(failure.replay, 'utf8'))).toMatchObject({ name: 'harness', seed: `lost ${said}` });
    forget(journal);
  },
);

test('[Q3] a message that was never sent is a failure', async () => {
  const { store, journal, ledger } = await reported('kept');
  const other = new WriterLedger(journal, 1, new SeededRandom('harness'));
  expect(other.trees).toEqual(ledger.trees);
  await expect(other.compare(store)).rejects.toThrow(/is nobody's/);
  forget(journal);
});

test('[Q4] every part has a name, and an unknown option is refused', async () => {
  expect([...tortureParts.keys()]).toEqual([
    'kill9',
    'faultwalk',
    'permute',
    'model',
    'twoproc',
    'migrate9',
    'number9',
    'vectors',
    'deep',
  ]);
  await expect(
    tortureParts.get('vectors')?.run(new TortureArguments(['--rounds', '3']), () => undefined),
  ).rejects.toThrow(/--rounds/);
  await expect(
    tortureParts.get('vectors')?.run(new TortureArguments(['--store', 'tape']), () => undefined),
  ).rejects.toThrow(/tape/);
  expect(() => new TortureArguments(['rounds'])).toThrow(/no option/);
});
