import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as engine from '../index.ts';

it('[G97] the example in the README gives what its comments say', async () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const [, names = ''] = /import \{([^}]*)\} from '@coppice\/engine';/.exec(example) ?? [];
  const body = example
    .replace(/import [^;]*;/, '')
    .replaceAll(/^(.*); \/\/ (.*)$/gm, (_line, expression, expected) => `claims.push([${expression}, ${expected}]);`);
  const claims: (readonly [unknown, unknown])[] = [];
  await new Function('claims', 'engine', `return (async () => { const {${names}} = engine;\n${body} })()`)(
    claims,
    engine,
  );
  expect(claims.length).toBe(4);
  for (const [actual, expected] of claims) expect(actual).toBe(expected);
});
