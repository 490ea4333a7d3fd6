import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestTree } from '@coppice/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { armFault } from '../failpoints.ts';
import { open } from './index.ts';

let place = '';

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'coppice-search-'));
});

afterEach(() => {
  armFault(null);
  rmSync(place, { recursive: true, force: true });
});

test.each(['enospc', 'eio'] as const)(
  '[L44] while its index cannot be written (%s) a search still finds everything',
  async (fault) => {
    const store = await open(join(place, 'trees.db'), {});
    const fixture = await TestTree.make({ store });
    await fixture.addMessages(['indexed hello']);
    const found = async () => (await store.search({ text: 'hello' })).items.map((hit) => hit.snippet);
    expect(await found()).toEqual(['indexed hello']);
    await fixture.addMessages(['later hello']);
    armFault({ point: 'index', nth: 1, fault, sticky: true });
    expect(await found()).toEqual(['later hello', 'indexed hello']);
    armFault(null);
    expect(await found()).toEqual(['later hello', 'indexed hello']);
    await store.close();
  },
);
