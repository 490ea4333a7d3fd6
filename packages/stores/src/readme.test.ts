import { readFileSync } from 'node:fs';
import * as content from '@coppice/content';
import * as core from '@coppice/core';
import * as coreChatgpt from '@coppice/core/chatgpt';
import * as coreContext from '@coppice/core/context';
import * as coreDiff from '@coppice/core/diff';
import * as coreHistory from '@coppice/core/history';
import * as coreStore from '@coppice/core/store';
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
  const readme = readFileSync(`${import.meta.dirname}/../README.md`, 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const given = [...example.matchAll(/import \{([^}]*)\} from '([^']*)';/g)];
  const names = given.map(([, list = '', from = '']) => `const {${list}} = packages[${JSON.stringify(from)}];`);
  const body = example
    .replaceAll(/import [^;]*;/g, '')
    .replaceAll(/^(.*); \/\/ (.*)$/gm, (_line, expression, expected) => `claims.push([${expression}, ${expected}]);`);
  const claims: (readonly [unknown, unknown])[] = [];
  await new Function('claims', 'packages', `return (async () => {${names.join('\n')}\n${body}})();`)(claims, packages);
  expect(claims.length).toBe(3);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});

it('[K131] an unknown scheme is refused with the list of known ones', async () => {
  for (const url of ['', 'nowhere:x', 'sqlite', '__proto__:', '/home/me/x.db'])
    await expect(stores.openStore(url)).rejects.toMatchObject({ code: 'command/invalid' });
  await expect(stores.openStore('nowhere:x')).rejects.toThrow('memory:');
  expect(stores.storeSchemes).toContain('memory');
  const store = await stores.openStore('MEMORY:', { owner: 'ann' });
  expect(store.owner).toBe('ann');
  await store.close();
});
