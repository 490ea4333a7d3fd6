import { runReadmeExample } from '@coppice/core/testing/readme';
import { expect, it } from 'vitest';
import * as content from './index.ts';

it('[C56] the example in the README prints what its comments say', async () => {
  const claims = await runReadmeExample(import.meta.dirname, { '@coppice/content': content });
  expect(claims.length).toBe(5);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});
