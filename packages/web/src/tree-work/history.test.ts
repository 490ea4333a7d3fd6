import { expect, test } from 'vitest';
import { describeSteps, nameOfOtherActor } from './history.ts';

test('[B263] the history names other people, and neither the user nor Coppice itself', () => {
  const me = { id: 'local' };
  expect(nameOfOtherActor('ada', me)).toBe('ada');
  expect(nameOfOtherActor('local', me)).toBeNull();
  expect(nameOfOtherActor('coppice:titles', me)).toBeNull();
  expect(nameOfOtherActor('ada', null)).toBeNull();
});

test('[B263] several changes of one act are listed, each as it is named alone', () => {
  expect(describeSteps({ annotate: 1, insert: 2 })).toBe('Changed a title or note · Added 2 messages');
  expect(describeSteps({ insert: 1, replace: 1 })).toBe('Added a message');
  expect(describeSteps({ select: 1 })).toBe('Switched branch');
});
