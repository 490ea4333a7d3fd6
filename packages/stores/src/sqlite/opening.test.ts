import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../index.ts';

test('[K6] a folder in place of a file is refused by its name', async () => {
  const place = mkdtempSync(join(tmpdir(), 'coppice-opening-'));
  mkdirSync(join(place, 'trees.db'));
  await expect(openStore(`sqlite:${join(place, 'trees.db')}`)).rejects.toMatchObject({ code: 'store/damaged' });
  rmSync(place, { recursive: true });
});

test('[L45] a file that would be called :memory: is refused', async () => {
  await expect(openStore('sqlite::memory:')).rejects.toMatchObject({ code: 'command/invalid' });
  expect(existsSync(':memory:')).toBe(false);
});
