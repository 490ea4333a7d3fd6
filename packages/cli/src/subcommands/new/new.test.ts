import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice new', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O88] starts an empty chat with the given options, and prints the command that continues it', async () => {
    const { out } = await fixture.run(['new', 'Code', 'review', '--system', 'You review.', '--tag', 'work']);
    const [, end = ''] = /^Created ([0-9a-f]{8})\. Continue with coppice chat -t \1\.\n$/.exec(out) ?? [];
    expect(await fixture.json(['show', end])).toMatchObject({
      title: 'Code review',
      systemPrompt: 'You review.',
      activeNodeId: null,
    });
    expect(await fixture.json(['ls', '--tag', 'work'])).toMatchObject({
      items: [{ attributes: { title: 'Code review' } }],
    });
  });
});
