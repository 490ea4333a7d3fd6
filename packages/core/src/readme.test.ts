import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as tree from './entries/tree.ts';
import * as core from './index.ts';
import * as testing from './testing/index.ts';
import * as reference from './testing/reference.ts';

const modules: Readonly<Record<string, unknown>> = {
  '@coppice/core': core,
  '@coppice/core/tree': tree,
  '@coppice/core/testing': testing,
  '@coppice/core/testing/reference': reference,
};

test('[N18] the example in the README runs and prints the given output', async () => {
  const readme = readFileSync(`${import.meta.dirname}/../README.md`, 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const [, expected = ''] = /console\.log\(.*\); \/\/ (.*)$/m.exec(example) ?? [];
  const body = example.replace(
    /import (\{[^}]*\}) from '([^']*)';/g,
    (_line, names, from) => `const ${names} = modules['${from}'];`,
  );
  const printed: unknown[] = [];
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  await new AsyncFunction('modules', 'console', body)(modules, { log: (value: unknown) => printed.push(value) });
  expect(printed).toEqual([JSON.parse(expected.replaceAll("'", '"'))]);
});
