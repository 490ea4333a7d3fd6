import { expect, test } from 'vitest';
import { replyStartOf } from './reply-start.ts';

const reply = { createdAt: 1_000, addedIn: 4, contentIn: 4 };

test('[B323] the seconds of a running reply go on when one returns to its chat', () => {
  expect(replyStartOf(reply, null)).toBe(1_000);
  expect(replyStartOf(reply, { startedAt: 61_000 })).toBe(1_000);
  // A reply that is continued was created long before.
  expect(replyStartOf({ ...reply, contentIn: 9 }, { startedAt: 61_000 })).toBe(61_000);
});
