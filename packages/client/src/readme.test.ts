import { runReadmeExample } from '@coppice/core/testing/readme';
import * as engine from '@coppice/engine';
import * as server from '@coppice/server';
import * as stores from '@coppice/stores';
import { expect, test } from 'vitest';
import * as client from './index.ts';

const packages: Readonly<Record<string, object>> = {
  '@coppice/client': client,
  '@coppice/engine': engine,
  '@coppice/server': server,
  '@coppice/stores': stores,
};

test('[CL13] the example in the README prints what its comments say', async () => {
  const claims = await runReadmeExample(import.meta.dirname, packages, 'tree');
  expect(claims.length).toBe(2);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});
