/** Every example of the documentation runs as it is written, and gives what its comments say. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as content from '@coppice/content';
import * as core from '@coppice/core';
import * as engine from '@coppice/engine';
import * as stores from '@coppice/stores';
import { expect, test } from 'vitest';

const docs = join(import.meta.dirname, '..', 'docs');
const packages: Readonly<Record<string, object>> = {
  '@coppice/content': content,
  '@coppice/core': core,
  '@coppice/engine': engine,
  '@coppice/stores': stores,
};

function* pagesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* pagesBelow(path);
    else if (entry.name.endsWith('.md')) yield path;
  }
}

/** The examples of a page, one after the other: later ones go on with what earlier ones made. */
function examplesOf(text: string): string {
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, example = '']) => example).join('\n');
}

const pages = [...pagesBelow(docs)].filter((path) => examplesOf(readFileSync(path, 'utf8')) !== '');

test('there are pages with examples', () => {
  expect(pages.length).toBeGreaterThan(4);
});

test.each(pages.map((path) => relative(docs, path)))(
  'the examples of %s give what their comments say',
  async (page) => {
    const examples = examplesOf(readFileSync(join(docs, page), 'utf8'));
    const given = [...examples.matchAll(/^import \{([^}]*)\} from '([^']*)';$/gm)];
    const names = given.map(
      ([, list = '', from = '']) => `const {${list.replaceAll(' as ', ': ')}} = packages[${JSON.stringify(from)}];`,
    );
    const body = examples
      .replaceAll(/^import [^;]*;$/gm, '')
      // A statement with a comment behind it is explained; an expression with a value behind it is a claim.
      .replaceAll(
        /^(?!const |await |let |\s)(.*); \/\/ (.*)$/gm,
        (_line, expression, expected) => `claims.push([${JSON.stringify(expression)}, ${expression}, ${expected}]);`,
      );
    const claims: (readonly [string, unknown, unknown])[] = [];
    await new Function('claims', 'packages', `return (async () => {${names.join('\n')}\n${body}})();`)(
      claims,
      packages,
    );
    expect(claims.length).toBeGreaterThan(0);
    for (const [expression, actual, expected] of claims) expect(actual, expression).toEqual(expected);
  },
);
