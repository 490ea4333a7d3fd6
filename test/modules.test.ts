import { describe, expect, test } from 'vitest';
import { readModule } from './checks/modules.ts';

function importsOf(text: string, path = 'a.ts'): string[] {
  return readModule(path, text).imports.map(
    (each) => `${each.form}${each.typeOnly ? ' (types)' : ''} ${each.specifier ?? '?'}`,
  );
}

function globalsOf(text: string): string[] {
  return readModule('a.ts', text).globals.map(
    (use) => `${use.name}${use.member === null ? '' : `.${use.member}`}${use.callArguments === null ? '' : '()'}`,
  );
}

describe('imports', () => {
  test.each([
    ["import { a } from 'x';", ['import x']],
    ["import a, * as b from 'x';", ['import x']],
    ["import 'x';", ['import x']],
    ["import type { A } from 'x';", ['import (types) x']],
    // If only the imported names are types, the compiler keeps the import, so the module still runs.
    ["import { type A } from 'x';", ['import x']],
    ["export { a } from 'x';", ['export x']],
    ["export * from 'x';", ['export x']],
    ["export * as a from 'x';", ['export x']],
    ["export type { A } from 'x';", ['export (types) x']],
    ["export type * from 'x';", ['export (types) x']],
    ["await import('x');", ['dynamic x']],
    ['await import(`x`);', ['dynamic x']],
    ['await import(name);', ['dynamic ?']],
    ['await import(/* why */\n  "x"\n);', ['dynamic x']],
    ["let a: import('x').A;", ['type (types) x']],
    ["type A = typeof import('x');", ['type (types) x']],
    ["import a = require('x');", ['require x']],
    ["const a = require('x');", ['require x']],
    ["const a = require.resolve('x');", ['require x']],
    ["import.meta.resolve('x');", ['dynamic x']],
    ["vi.mock('x', () => ({}));", ['mock x']],
    ["vi.importActual('x');", ['mock x']],
    ["new URL('./x', import.meta.url);", ['address ./x']],
    ["import a from 'x' with { type: 'json' };", ['import x']],
    ["import\n{\na\n}\nfrom\n'x'", ['import x']],
    ['const t = `${await import("x")}`;', ['dynamic x']],
  ])('finds the module named in %j', (text, found) => {
    expect(importsOf(text)).toEqual(found);
  });

  test.each([
    "// import 'x';",
    "/* export * from 'x'; */",
    'const a = "import \'x\'";',
    "const a = `import 'x'; ${1} import('y')`;",
    "const a = /import 'x'/;",
    "const a = { import: 'x', from: 'y' }; a.import;",
    "export const from = 'x';",
    "new URL('./x', 'https://example.org');",
    'const a = 1 / 2; // /\nconst b = "import(\'x\')";',
  ])('finds no import in %j', (text) => {
    expect(importsOf(text)).toEqual([]);
  });

  test('treats the text between JSX tags as text', () => {
    expect(importsOf("const a = <p>import 'x'; {import('y')}</p>;", 'a.tsx')).toEqual(['dynamic y']);
  });

  test('gives the line of each import, in order', () => {
    const { imports } = readModule('a.ts', "import 'a';\n\n/*\n*/ import 'b';\nawait import('c');");
    expect(imports.map(({ specifier, line }) => [specifier, line])).toEqual([
      ['a', 1],
      ['b', 4],
      ['c', 5],
    ]);
  });

  test('finds the members that an object loads on first use', () => {
    const text =
      "export const members = {\n  a: () => import('./a/index.ts'),\n  'b-c': async () => (await import('./b/index.ts')).b,\n};";
    expect(readModule('a.ts', text).lazyEntries).toEqual([
      { key: 'a', specifier: './a/index.ts', line: 2 },
      { key: 'b-c', specifier: './b/index.ts', line: 3 },
    ]);
  });

  test('reports a module that does not parse', () => {
    expect(readModule('a.ts', 'const = ;').errors).not.toEqual([]);
  });
});

describe('names that a module does not declare', () => {
  test.each([
    ['Date.now();', ['Date.now']],
    ['Date["now"]();', ['Date.now']],
    ['(Date).now();', ['Date.now']],
    ['Date?.now();', ['Date.now']],
    ['new Date();', ['Date()']],
    ['new Date;', ['Date()']],
    ['const { now } = Date;', ['Date']],
    ['const D = Date;', ['Date']],
    ['Math[key];', ['Math', 'key']],
    ['f({ process });', ['f()', 'process']],
    ['const a = { [process]: 1 };', ['process']],
    ['a[process];', ['a', 'process']],
    ['declare const process: { exit(): void }; process.exit();', ['process', 'process.exit']],
    ['declare function fetch(): void; fetch();', ['fetch', 'fetch()']],
    ['const f = (a = process) => a;', ['process']],
    ['class A extends Worker {}', ['Worker']],
    ['`${process.pid}`;', ['process.pid']],
  ])('finds the names in %j', (text, found) => {
    expect(globalsOf(text).sort()).toEqual([...found].sort());
  });

  test.each([
    '// Date.now()',
    'const a = "process";',
    'const a = { process: 1, fetch() {} }; a.process; a.fetch();',
    'function f(process: string) { return process; }',
    'type F = (process: string) => void;',
    'interface A { process: string; fetch(console: string): void; [crypto: string]: unknown }',
    'import { performance } from "./a.ts"; performance;',
    'class A { process = 1; static fetch() {} #crypto = 2 }',
    'const [process, { fetch: console, ...crypto }] = [1, {}] as const; [process, console, crypto];',
    'try {} catch (process) { process; }',
    'let at: Date; type D = typeof Date;',
    'process: for (;;) break process;',
    'export { process } from "./a.ts"; export { a as fetch } from "./a.ts";',
    'for (const process of []) { process; }',
  ])('finds no name of Node or the clock in %j', (text) => {
    const watched = /^(?:process|fetch|console|crypto|performance|Date)\b/;
    expect(globalsOf(text).filter((name) => watched.test(name))).toEqual([]);
  });
});

describe('calls', () => {
  test('are resolved to the root of the callee, with their literal texts', () => {
    const calls = readModule(
      'a.ts',
      "test.each([1])('[T1] a', () => {}); it(`b ${x} c`, f); describe('d' + e, f);",
    ).calls;
    expect(calls.map(({ callee, texts }) => [callee.join('.'), texts[0]])).toEqual(
      expect.arrayContaining([
        ['test.each', '[T1] a'],
        ['it', 'b … c'],
        ['describe', 'd…'],
      ]),
    );
  });
});
