/** Every example of the documentation runs as it is written, and gives what its comments say. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import * as content from '@coppice/content';
import * as formats from '@coppice/content/formats';
import * as core from '@coppice/core';
import * as engine from '@coppice/engine';
import * as server from '@coppice/server';
import * as stores from '@coppice/stores';
import { transform } from 'esbuild';
import createClient from 'openapi-fetch';
import { expect, test } from 'vitest';

const docs = join(import.meta.dirname, '..', 'docs');
const packages: Readonly<Record<string, object>> = {
  '@coppice/content': content,
  '@coppice/content/formats': formats,
  '@coppice/core': core,
  '@coppice/engine': engine,
  '@coppice/server': server,
  '@coppice/stores': stores,
  'openapi-fetch': { default: createClient },
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

/** A statement with a comment behind it is explained; an expression with a value behind it is a claim. */
function withClaims(examples: string): string {
  return examples.replaceAll(
    /^(?!const |await |let |import |\s)(.*); \/\/ (.*)$/gm,
    (_line, expression, expected) => `claims.push([${JSON.stringify(expression)}, ${expression}, ${expected}]);`,
  );
}

/** The examples as the body of a function: types are gone, imports come from the packages as they are here. */
async function bodyOf(examples: string): Promise<string> {
  const { code } = await transform(withClaims(examples), { loader: 'ts', format: 'esm', target: 'es2023' });
  return code
    .replaceAll(
      /^import (\w+) from "([^"]*)";$/gm,
      (_line, name, from) => `const { default: ${name} } = packages["${from}"];`,
    )
    .replaceAll(
      /^import \{([^}]*)\} from "([^"]*)";$/gm,
      (_line, names, from) => `const {${names.replaceAll(' as ', ': ')}} = packages["${from}"];`,
    );
}

const pages = [...pagesBelow(docs)].filter((path) => examplesOf(readFileSync(path, 'utf8')) !== '');

test('there are pages with examples', () => {
  expect(pages.length).toBeGreaterThan(8);
});

test.each(pages.map((path) => relative(docs, path)))(
  'the examples of %s give what their comments say',
  async (page) => {
    const claims: (readonly [string, unknown, unknown])[] = [];
    const body = await bodyOf(examplesOf(readFileSync(join(docs, page), 'utf8')));
    process.chdir(mkdtempSync(join(tmpdir(), 'coppice-docs-')));
    await new Function('claims', 'packages', `return (async () => {${body}})();`)(claims, packages);
    expect(claims.length).toBeGreaterThan(0);
    for (const [expression, actual, expected] of claims) expect(actual, expression).toEqual(expected);
  },
);
