import { join } from 'node:path';
import * as core from '@coppice/core';
import { runReadmeExample } from '@coppice/core/testing/readme';
import { expect, it } from 'vitest';
import * as engine from '../index.ts';

const packages: Readonly<Record<string, object>> = { '@coppice/core': core, '@coppice/engine': engine };

it('[G97] the example in the README prints what its comments say', async () => {
  const claims = await runReadmeExample(join(import.meta.dirname, '..'), packages);
  expect(claims.length).toBe(4);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});
