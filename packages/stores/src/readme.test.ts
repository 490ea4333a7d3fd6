import * as content from '@coppice/content';
import * as core from '@coppice/core';
import * as coreChatgpt from '@coppice/core/chatgpt';
import * as coreContext from '@coppice/core/context';
import * as coreDiff from '@coppice/core/diff';
import * as coreHistory from '@coppice/core/history';
import * as coreStore from '@coppice/core/store';
import { runReadmeExample } from '@coppice/core/testing/readme';
import * as coreTree from '@coppice/core/tree';
import { expect, it } from 'vitest';
import * as stores from './index.ts';

const packages: Readonly<Record<string, object>> = {
  '@coppice/content': content,
  '@coppice/core': core,
  '@coppice/core/tree': coreTree,
  '@coppice/core/context': coreContext,
  '@coppice/core/diff': coreDiff,
  '@coppice/core/history': coreHistory,
  '@coppice/core/chatgpt': coreChatgpt,
  '@coppice/core/store': coreStore,
  '@coppice/stores': stores,
};

it('[K130] the example in the README prints what its comments say', async () => {
  const claims = await runReadmeExample(import.meta.dirname, packages);
  expect(claims.length).toBe(3);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});

it('[K131] an unknown scheme is refused with the list of known ones', async () => {
  for (const url of ['', 'nowhere:x', 'sqlite', '__proto__:', '/home/me/x.db'])
    await expect(stores.openStore(url)).rejects.toMatchObject({ code: 'command/invalid' });
  for (const value of [undefined, null, 5])
    await expect(Reflect.apply(stores.openStore, stores, [value])).rejects.toMatchObject({ code: 'command/invalid' });
  await expect(stores.openStore('nowhere:x')).rejects.toThrow('memory:');
  await expect(stores.openStore('./x.db')).rejects.toThrow('The URL of a SQLite file is sqlite:./x.db.');
  expect(stores.storeSchemes).toContain('memory');
  const store = await stores.openStore('MEMORY:', { owner: 'ann' });
  expect(store.owner).toBe('ann');
  await store.close();
});
