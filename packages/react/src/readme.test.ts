import * as client from '@coppice/client';
import * as core from '@coppice/core';
import { runReadmeExample } from '@coppice/core/testing/readme';
import * as react from 'react';
import { expect, test } from 'vitest';
import * as hooks from './index.ts';

const packages: Readonly<Record<string, object>> = {
  '@coppice/client': client,
  '@coppice/core': core,
  '@coppice/react': hooks,
  react,
};

test('[HK8] the example in the README prints what its comments say', async () => {
  const claims = await runReadmeExample(import.meta.dirname, packages, 'app');
  expect(claims).toEqual([[true, true]]);
});
