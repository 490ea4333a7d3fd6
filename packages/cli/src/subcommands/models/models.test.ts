import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice models', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O89] lists usable models, marks the default, and lists the rest on request', async () => {
    const { out } = await fixture.run(['models']);
    expect(out).toMatch(/^offline\/\S+ +.*default/m);
    expect(out).not.toContain('anthropic/');
    expect(out).toContain('coppice models --all');
    const all = await fixture.run(['models', '--all', 'claude']);
    expect(all.out).toMatch(/^anthropic\/claude\S* .*needs a key$/m);
    expect((await fixture.run(['models', 'no-such-model'])).out).toContain('No model matches.');
  });
});
