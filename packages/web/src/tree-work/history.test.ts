import { expect, test } from 'vitest';
import { actorUnlessSelf, describeSteps } from './history.ts';

test('[B263] the history names other people, and neither the user nor Coppice itself', () => {
  const me = { id: 'local' };
  expect(actorUnlessSelf('ada', me)).toBe('ada');
  expect(actorUnlessSelf('local', me)).toBeNull();
  expect(actorUnlessSelf('coppice:titles', me)).toBeNull();
  expect(actorUnlessSelf('ada', null)).toBeNull();
});

test('[B263] several changes of one act are listed, each as it is named alone', () => {
  expect(describeSteps({ annotate: 1, insert: 2 })).toBe('Changed a title or note · Added 2 messages');
  expect(describeSteps({ insert: 1, replace: 1 })).toBe('Added a message');
  expect(describeSteps({ select: 1 })).toBe('Switched branch');
});
