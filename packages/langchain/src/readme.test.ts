import { readFileSync } from 'node:fs';
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
  const readme = readFileSync(`${import.meta.dirname}/../README.md`, 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const given = [...example.matchAll(/import \{([^}]*)\} from '([^']*)';/g)];
  const names = given.map(([, list = '', from = '']) => `const {${list}} = packages[${JSON.stringify(from)}];`);
  const body = example
    .replaceAll(/import [^;]*;/g, '')
    .replaceAll(
      /^((?:\(|loaded).*); \/\/ (.*)$/gm,
      (_line, expression, expected) => `claims.push([${expression}, ${expected}]);`,
    );
  const claims: (readonly [unknown, unknown])[] = [];
  await new Function('claims', 'packages', `return (async () => {${names.join('\n')}\n${body}})();`)(claims, packages);
  expect(claims.length).toBeGreaterThan(1);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});
