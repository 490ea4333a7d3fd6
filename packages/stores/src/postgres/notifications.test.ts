import { treeId } from '@coppice/core';
import { testUuid } from '@coppice/core/testing';
import { expect, test } from 'vitest';
import type { FeedTarget } from '../sql/engine.ts';
import type { NewestCommits } from './feed-positions.ts';
import { CommitNotifications, commitChannelOf } from './notifications.ts';

const nothing: NewestCommits = { trees: new Map(), owners: new Map() };

/** Creates notifications without a listening connection. */
function polling(pollInterval: number, newest: (trees: readonly string[], owners: readonly string[]) => NewestCommits) {
  const unused = () => {
    throw new Error('Nothing listens here.');
  };
  return new CommitNotifications({
    mode: 'poll',
    channel: commitChannelOf(null),
    pollInterval,
    client: unused,
    isDirect: unused,
    notify: unused,
    newest: async (trees, owners) => newest(trees, owners),
  });
}

/** Waits for a new commit of a target. `woken` becomes true when one is reported. */
function waiting(news: CommitNotifications, target: FeedTarget): { woken: boolean; readonly done: Promise<void> } {
  const state = { woken: false, done: Promise.resolve() };
  state.done = news.changed(target, undefined, news.mark(target)).then(() => {
    state.woken = true;
  });
  return state;
}

test('[L183] a commit wakes the lists of its owner and the feeds of its tree, and no others', async () => {
  const news = polling(1_000_000, () => nothing);
  const [mine, other] = [treeId(testUuid(1)), treeId(testUuid(2))];
  const ann = waiting(news, { owner: 'ann with a space', positions: [] });
  const ben = waiting(news, { owner: 'ben', positions: [] });
  const tree = waiting(news, { treeId: mine, version: 1 });
  const elsewhere = waiting(news, { treeId: other, version: 1 });
  news.announce('ann with a space', mine, 2);
  await Promise.all([ann.done, tree.done]);
  expect([ben.woken, elsewhere.woken]).toEqual([false, false]);
  await news.close();
});

test('[L183] one poll checks everything that is waited for, and wakes the readers that are behind', async () => {
  const polls: (readonly [trees: number, owners: number])[] = [];
  const owners = Array.from({ length: 600 }, (_, at) => `owner ${at}`);
  const news = polling(20, (trees, asked) => {
    polls.push([trees.length, asked.length]);
    return {
      trees: new Map([[testUuid(1), 3]]),
      owners: new Map([
        ['owner 7', [5, 9]],
        ['owner 8', [5]],
      ]),
    };
  });
  const lists = owners.flatMap((owner) =>
    Array.from({ length: 3 }, () => waiting(news, { owner, positions: owner === 'owner 8' ? [5] : [5, 8] })),
  );
  const tree = waiting(news, { treeId: treeId(testUuid(1)), version: 2 });
  await Promise.all([tree.done, ...lists.slice(21, 24).map(({ done }) => done)]);
  expect(polls).toEqual([[1, 600]]);
  expect(lists.filter(({ woken }) => woken)).toHaveLength(3);
  await news.close();
});

test('[L183] a notification between a read and the wait is not missed', async () => {
  const news = polling(1_000_000, () => nothing);
  const target = { owner: 'ann', positions: [] };
  const mark = news.mark(target);
  news.announce('ann', treeId(testUuid(1)), 1);
  await news.changed(target, undefined, mark);
  await news.close();
});
