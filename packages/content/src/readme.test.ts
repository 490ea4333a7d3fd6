import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as content from './index.ts';

it('[C56] the example in the README prints what its comments say', () => {
  const readme = readFileSync(`${import.meta.dirname}/../README.md`, 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const [, names = ''] = /import \{([^}]*)\} from '@coppice\/content';/.exec(example) ?? [];
  const body = example
    .replace(/import [^;]*;/, '')
    .replaceAll(/^(.*); \/\/ (.*)$/gm, (_line, expression, expected) => `claims.push([${expression}, ${expected}]);`);
  const claims: (readonly [unknown, unknown])[] = [];
  new Function('claims', 'content', `const {${names}} = content;\n${body}`)(claims, content);
  expect(claims.length).toBe(5);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});
