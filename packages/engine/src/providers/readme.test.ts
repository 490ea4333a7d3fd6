import { readFileSync } from 'node:fs';
import * as core from '@coppice/core';
import { expect, it } from 'vitest';
import * as engine from '../index.ts';

const packages: Readonly<Record<string, object>> = { '@coppice/core': core, '@coppice/engine': engine };

it('[G97] the example in the README prints what its comments say', async () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const given = [...example.matchAll(/import \{([^}]*)\} from '([^']*)';/g)];
  const names = given.map(([, list = '', from = '']) => `const {${list}} = packages[${JSON.stringify(from)}];`);
  const body = example
    .replaceAll(/import [^;]*;/g, '')
    .replaceAll(/^(.*); \/\/ (.*)$/gm, (_line, expression, expected) => `claims.push([${expression}, ${expected}]);`);
  const claims: (readonly [unknown, unknown])[] = [];
  await new Function('claims', 'packages', `return (async () => {${names.join('\n')}\n${body}})();`)(claims, packages);
  expect(claims.length).toBe(4);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});
