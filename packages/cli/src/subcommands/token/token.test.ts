import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice token', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O122] creates a token once, readable by its owner only, and replaces it with --new', async () => {
    const first = await fixture.json(['token']);
    expect(first['token']).toMatch(/^[\w-]{43}$/);
    const path = join(fixture.home, '.coppice', 'token');
    expect(first['from']).toBe(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await fixture.json(['token']))['token']).toBe(first['token']);
    const next = await fixture.json(['token', '--new']);
    expect(next['token']).not.toBe(first['token']);
    expect((await fixture.json(['token']))['token']).toBe(next['token']);
    expect((await fixture.run(['token'])).out.trim()).toBe(next['token']);
  });

  it('[O122] COPPICE_TOKEN is shown unchanged, and not replaced', async () => {
    const chosen = makeCliFixture({ home: fixture.home, env: { COPPICE_TOKEN: 'chosen-by-the-operator' } });
    expect(await chosen.json(['token'])).toEqual({ token: 'chosen-by-the-operator', from: 'COPPICE_TOKEN' });
    expect((await chosen.run(['token', '--new'])).code).toBe(2);
  });
});
