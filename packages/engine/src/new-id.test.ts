import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { isUuid } from '@coppice/core';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { newId } from './new-id.ts';

it('makes UUIDs of version 7 that sort by time and never repeat', () => {
  const made = [0, 1, 2 ** 32 - 1, 2 ** 32, Date.now(), 2 ** 48 - 1].map((now) => newId(now));
  expect(made.every((id) => isUuid(id) && /^.{14}7.{4}[89ab]/.test(id))).toBe(true);
  expect([...made].sort()).toEqual(made);
  expect(Number.parseInt(newId(1_700_000_000_123).replaceAll('-', '').slice(0, 12), 16)).toBe(1_700_000_000_123);
  expect(new Set(Array.from({ length: 10_000 }, () => newId(5))).size).toBe(10_000);
});

it('sorts the ids of one millisecond in order of creation, and handles a clock that is set back', () => {
  const now = 1_800_000_000_000;
  const made = Array.from({ length: 10_000 }, () => newId(now));
  expect([...made].sort()).toEqual(made);
  // One millisecond has fewer than ten thousand ids, so the time in the ids runs ahead of the clock; later ids still
  // sort later.
  const later = [now + 1, now + 1, now + 2, now + 3, now + 4].map((time) => newId(time));
  expect([...made, ...later].sort()).toEqual([...made, ...later]);
  const back = newId(now - 3_600_000);
  expect(back < String(made[0])).toBe(true);
  expect(newId(now - 3_600_000) > back).toBe(true);
});

it('makes ids in a browser, without Node and without randomUUID', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'new-id.ts')],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'ids',
    write: false,
  });
  const page = createContext({
    crypto: { getRandomValues: (bytes: Uint8Array) => crypto.getRandomValues(bytes) },
  });
  runInContext(outputFiles[0]?.text ?? '', page);
  const made: unknown[] = runInContext('Array.from({ length: 300 }, () => ids.newId())', page);
  expect(new Set(made.filter(isUuid)).size).toBe(300);
});
