import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice doctor', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O21] says what is there and what to do, and is well on a fresh machine', async () => {
    const { code, out } = await bed.run(['doctor']);
    expect(code).toBe(0);
    for (const what of ['program', 'configuration', 'store', 'models', 'offline/guide']) expect(out).toContain(what);
    expect((await bed.run(['doctor', '--store', 'memory:'])).out).toContain('when the process ends; Search');
  });

  it('[O21] names a configuration that cannot be read', async () => {
    mkdirSync(`${bed.home}/.coppice`, { recursive: true });
    writeFileSync(`${bed.home}/.coppice/config.toml`, 'model = [');
    const { code, out } = await bed.run(['doctor']);
    expect(code).toBe(1);
    expect(out).toContain('config.toml');
  });
});
