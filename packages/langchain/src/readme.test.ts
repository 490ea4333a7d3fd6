import { runReadmeExample } from '@coppice/core/testing/readme';
import * as stores from '@coppice/stores';
import * as tree from '@coppice/stores/tree';
import * as messages from '@langchain/core/messages';
import { expect, test } from 'vitest';
import * as langchain from './index.ts';

const packages: Readonly<Record<string, object>> = {
  '@coppice/langchain': langchain,
  '@coppice/stores': stores,
  '@coppice/stores/tree': tree,
  '@langchain/core/messages': messages,
};

test('[LC5] the example in the README prints what its comments say', async () => {
  const claims = await runReadmeExample(import.meta.dirname, packages, '\\(|loaded');
  expect(claims.length).toBeGreaterThan(1);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});
