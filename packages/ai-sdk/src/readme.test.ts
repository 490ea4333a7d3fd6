import { runReadmeExample } from '@coppice/core/testing/readme';
import * as stores from '@coppice/stores';
import * as mocks from 'ai/test';
import { expect, test } from 'vitest';
import * as aiSdk from './index.ts';

const packages: Readonly<Record<string, object>> = {
  '@coppice/ai-sdk': aiSdk,
  '@coppice/stores': stores,
  'ai/test': mocks,
};

test('[AS11] the example in the README prints what its comments say', async () => {
  const claims = await runReadmeExample(import.meta.dirname, packages, 'messages');
  expect(claims.length).toBe(2);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});
