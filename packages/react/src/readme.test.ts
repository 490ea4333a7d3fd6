import { readFileSync } from 'node:fs';
import * as client from '@coppice/client';
import * as core from '@coppice/core';
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
  const readme = readFileSync(`${import.meta.dirname}/../README.md`, 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const given = [...example.matchAll(/import \{([^}]*)\} from '([^']*)';/g)];
  const names = given.map(([, list = '', from = '']) => `const {${list}} = packages[${JSON.stringify(from)}];`);
  const body = example
    .replaceAll(/import [^;]*;/g, '')
    .replaceAll(
      /^(app.*); \/\/ (.*)$/gm,
      (_line, expression, expected) => `claims.push([${expression}, ${expected}]);`,
    );
  const claims: (readonly [unknown, unknown])[] = [];
  await new Function('claims', 'packages', `return (async () => {${names.join('\n')}\n${body}})();`)(claims, packages);
  expect(claims).toEqual([[true, true]]);
});
