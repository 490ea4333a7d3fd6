// @module-tag full
// Daily work runs this file as a part of `npm run check`.
import { describe, expect, test } from 'vitest';
import {
  checkArchitecture,
  enginePartFactories,
  findUnusedImportAllowances,
  importTable,
} from './checks/architecture.ts';
import { makeWorkspace, openRepository } from './checks/workspace.ts';

test('the repository keeps to the import table', () => {
  expect(checkArchitecture(openRepository())).toEqual([]);
});

test('the import table allows nothing that no package needs', () => {
  expect(findUnusedImportAllowances(openRepository())).toEqual([]);
  const files = {
    'package.json': '{}',
    'packages/core/package.json': '{"name":"@coppice/core","devDependencies":{"ws":"1"}}',
    'packages/core/src/a.ts': '',
  };
  const core = {
    imports: ['content'],
    outside: [{ name: 'ws' }, { name: 'zod' }],
    node: false,
    purity: 'open',
  } as const;
  expect(findUnusedImportAllowances(makeWorkspace(files), { core })).toEqual([
    'core may import content, which it does not need.',
    'core may import zod, which it does not need.',
  ]);
});

test('the import table only points down: no package can come to import itself through others', () => {
  const ranks = Object.keys(importTable);
  for (const [name, rules] of Object.entries(importTable)) {
    expect(rules.imports.filter((other) => ranks.indexOf(other) >= ranks.indexOf(name))).toEqual([]);
  }
});

function manifest(name: string, dependencies: readonly string[] = [], more: object = {}): string {
  const named = Object.fromEntries(dependencies.map((each) => [each, '1.0.0']));
  return JSON.stringify({ name: `@coppice/${name}`, dependencies: named, ...more });
}

const sampleFiles = {
  'package.json': JSON.stringify({ devDependencies: { vitest: '1.0.0', 'fast-check': '1.0.0' } }),
  'packages/core/package.json': manifest('core', [], {
    exports: { '.': './src/index.ts', './testing': './src/testing/index.ts' },
  }),
  'packages/core/src/index.ts': "export * from './tree.ts';",
  'packages/core/src/tree.ts': 'export const tree = 1;',
  'packages/core/src/testing/index.ts': "import { test } from 'vitest'; import 'node:fs'; test('x', () => {});",
  'packages/content/package.json': manifest('content', ['@coppice/core', 'tokenx'], { devDependencies: { yaml: '1' } }),
  'packages/content/src/blocks/members.ts':
    "export { text } from './text/index.ts';\nexport { image } from './image/index.ts';",
  'packages/content/src/blocks/define.ts':
    "import { tree } from '@coppice/core'; import 'tokenx'; export const d = tree;",
  'packages/content/src/blocks/text/index.ts': "import { d } from '../define.ts'; export const text = d;",
  'packages/content/src/blocks/image/index.ts': "import { d } from '../define.ts'; export const image = d;",
  'packages/stores/package.json': manifest('stores', ['@coppice/core', 'pg']),
  'packages/stores/src/postgres/index.ts': "import 'pg'; import { tree } from '@coppice/core'; import 'node:fs';",
  'packages/stores/src/conformance/index.ts': "import { test } from 'vitest'; test('x', () => {});",
  'packages/engine/package.json': manifest('engine', ['@coppice/core']),
  'packages/engine/src/engine.test.ts':
    "import '@coppice/stores'; import '@coppice/core/testing'; import 'node:os'; import 'fast-check';",
  'packages/server/package.json': manifest('server', ['@coppice/engine']),
  'packages/server/src/app.ts': "import '@coppice/engine'; import 'node:http'; export type App = 1;",
  'packages/web/package.json': manifest('web'),
  'packages/client/package.json': manifest('client', ['@coppice/core']),
  'packages/client/src/environment.ts': 'export const now = () => Date.now() + Number(document.title);',
  'packages/client/src/wait.ts': 'export const timer = setTimeout(() => undefined);',
  'packages/cli/package.json': manifest('cli'),
  'test/e2e.test.ts': "import '@coppice/core'; import 'vitest';",
};

test('a correct workspace gives no findings', () => {
  expect(checkArchitecture(makeWorkspace(sampleFiles))).toEqual([]);
});

function sample(path: string, text: string): string[] {
  return checkArchitecture(makeWorkspace({ ...sampleFiles, [path]: text }));
}

describe('an import that the table does not allow is named with its file', () => {
  test.each([
    [
      'packages/core/src/a.ts',
      "import '@coppice/content';",
      "packages/core/src/a.ts:1 imports '@coppice/content', but core may import no other package.",
    ],
    [
      'packages/core/src/a.ts',
      "\nimport fs from 'node:fs';",
      "packages/core/src/a.ts:2 imports 'node:fs', but core has no I/O of its own.",
    ],
    [
      'packages/core/src/a.ts',
      "export * from 'lodash';",
      "packages/core/src/a.ts:1 imports 'lodash', but the import table allows core no such package.",
    ],
    [
      'packages/core/src/a.ts',
      "let a: import('zod').A;",
      "packages/core/src/a.ts:1 imports 'zod', but the import table allows core no such package.",
    ],
    [
      'packages/core/src/a.ts',
      'export const a = import(name);',
      'packages/core/src/a.ts:1 imports a computed name, which no check can follow; core imports by fixed names.',
    ],
    [
      'packages/core/src/a.ts',
      "import '@coppice/core';",
      "packages/core/src/a.ts:1 imports '@coppice/core', its own package; inside a package paths are relative.",
    ],
    [
      'packages/content/src/a.ts',
      "import '@coppice/engine';",
      "packages/content/src/a.ts:1 imports '@coppice/engine', but content may import only core.",
    ],
    [
      'packages/content/src/formats/a.ts',
      "import 'fflate';",
      "packages/content/src/formats/a.ts:1 imports 'fflate', which its package.json does not name under dependencies.",
    ],
    [
      'packages/stores/src/memory/index.ts',
      "import 'pg';",
      "packages/stores/src/memory/index.ts:1 imports 'pg', which stores may use only in files matching /^src\\/postgres\\//.",
    ],
    [
      'packages/engine/src/a.ts',
      "import '@coppice/stores';",
      "packages/engine/src/a.ts:1 imports '@coppice/stores', but engine may import only core, content.",
    ],
    [
      'packages/engine/src/a.ts',
      "await import('@coppice/server');",
      "packages/engine/src/a.ts:1 imports '@coppice/server', but engine may import only core, content.",
    ],
    [
      'packages/server/src/a.ts',
      "import '@coppice/web';",
      "packages/server/src/a.ts:1 imports '@coppice/web', but server may import only core, content, stores, engine.",
    ],
    [
      'packages/web/src/a.ts',
      "import { app } from '@coppice/server';",
      "packages/web/src/a.ts:1 imports '@coppice/server', but web may import only core, content, client, react.",
    ],
    [
      'packages/web/src/a.ts',
      "import { type App } from '@coppice/server';",
      "packages/web/src/a.ts:1 imports '@coppice/server', but web may import only core, content, client, react.",
    ],
    [
      'packages/web/src/a.ts',
      "import 'node:path';",
      "packages/web/src/a.ts:1 imports 'node:path', but web has no I/O of its own.",
    ],
    [
      'packages/cli/src/a.ts',
      "import '@coppice/web';",
      "packages/cli/src/a.ts:1 imports '@coppice/web', but cli may import only core, content, stores, engine, server, client.",
    ],
    [
      'packages/cli/src/a.ts',
      "import '@coppice/nothing';",
      "packages/cli/src/a.ts:1 imports '@coppice/nothing', which is no package of this workspace.",
    ],
    [
      'test/a.test.ts',
      "import 'lodash';",
      "test/a.test.ts:1 imports 'lodash', which the root package.json does not name.",
    ],
  ])('%s with %j', (path, text, sentence) => {
    expect(sample(path, text)).toEqual([sentence]);
  });
});

describe('a neighbour package is imported by name, never by a path, in tests as well', () => {
  test.each([
    [
      'packages/content/src/a.test.ts',
      "import '../../core/src/tree.ts';",
      "packages/content/src/a.test.ts:1 imports '../../core/src/tree.ts', a path into core; import it by name, as @coppice/core.",
    ],
    [
      'packages/content/src/a.test.ts',
      "vi.mock('../../core/src/tree.ts');",
      "packages/content/src/a.test.ts:1 mocks '../../core/src/tree.ts', a path into core; import it by name, as @coppice/core.",
    ],
    [
      'packages/content/src/a.test.ts',
      "new URL('../../core/src/tree.ts', import.meta.url);",
      "packages/content/src/a.test.ts:1 reaches for '../../core/src/tree.ts', a path into core; import it by name, as @coppice/core.",
    ],
    [
      'packages/content/src/a.ts',
      "import type { A } from '@coppice/core/src/tree.ts';",
      "packages/content/src/a.ts:1 imports '@coppice/core/src/tree.ts', which core does not export; a path into a neighbour by its name is still a path.",
    ],
    [
      'packages/content/src/a.ts',
      "import '../../../scripts/x.ts';",
      "packages/content/src/a.ts:1 imports '../../../scripts/x.ts', a path out of content; a package stands on its own files and on packages by name.",
    ],
    [
      'packages/content/src/a.ts',
      "import '/tmp/x.ts';",
      "packages/content/src/a.ts:1 imports '/tmp/x.ts', by a path on this machine; import by package name.",
    ],
    [
      'test/a.test.ts',
      "import '../packages/core/src/tree.ts';",
      "test/a.test.ts:1 imports '../packages/core/src/tree.ts', a path into core; import it by name, as @coppice/core.",
    ],
  ])('%s with %j', (path, text, sentence) => {
    expect(sample(path, text)).toEqual([sentence]);
  });

  test('a relative import must name an existing file', () => {
    expect(sample('packages/core/src/a.ts', "import './tree';")).toEqual([
      "packages/core/src/a.ts:1 imports './tree', which names no file; say the file with its ending.",
    ]);
  });
});

describe('code for tests is not shipped', () => {
  test.each([
    ['packages/core/src/a.ts', "export * from './testing/index.ts';"],
    ['packages/stores/src/index.ts', "export * from './conformance/index.ts';"],
    ['packages/content/src/a.ts', "import '@coppice/core/testing';"],
  ])('%s with %j', (path, text) => {
    expect(sample(path, text)).toEqual([
      expect.stringContaining('which serves tests only and would ship with the product'),
    ]);
  });

  test('a test may use what its package or the root names for tests, and nothing else', () => {
    expect(sample('packages/content/src/a.test.ts', "import 'yaml'; import 'vitest'; import 'tokenx';")).toEqual([]);
    expect(sample('packages/content/src/a.test.ts', "import 'lodash';")).toEqual([
      "packages/content/src/a.test.ts:1 imports 'lodash', which neither the root package.json nor its own names.",
    ]);
  });

  test('a test may not import a package above its own', () => {
    expect(sample('packages/core/src/a.test.ts', "import '@coppice/stores';")).toEqual([
      "packages/core/src/a.test.ts:1 imports '@coppice/stores', but core may import no other package.",
    ]);
  });
});

describe('members of a registry do not import each other', () => {
  test.each([
    ['packages/content/src/blocks/text/a.ts', "import '../image/index.ts';", 'another member of blocks'],
    ['packages/content/src/blocks/text/text.test.ts', "import '../image/index.ts';", 'another member of blocks'],
    ['packages/content/src/blocks/text/deep/a.ts', "import '../../image/index.ts';", 'another member of blocks'],
    ['packages/content/src/blocks/text/a.ts', "import '../members.ts';", 'the list that holds text itself'],
  ])('%s with %j', (path, text, reason) => {
    expect(sample(path, text)).toEqual([expect.stringContaining(reason)]);
  });
});

describe('core gets time, ids and everything else as arguments', () => {
  test.each([
    ['Date.now()', 'Date.now, which brings a clock'],
    ['new Date()', 'Date(…), which brings a clock'],
    ["new Date('2026-01-01')", 'Date(…), which brings a clock'],
    ['[Date]', 'Date, which brings a clock'],
    ['Math.random()', 'Math.random, which brings randomness'],
    ["Math['random']()", 'Math.random, which brings randomness'],
    ['[Math]', 'Math, which brings randomness'],
    ['process.env', 'process.env, which brings the process'],
    ['performance.now()', 'performance.now, which brings a clock'],
    ['crypto.randomUUID()', 'crypto.randomUUID, which brings randomness'],
    ['fetch(a)', 'fetch(…), which brings I/O'],
    ['console.log(1)', 'console.log, which brings I/O'],
    ['setTimeout(a)', 'setTimeout(…), which brings time'],
    ['globalThis.process', 'globalThis.process, which brings the machine around it'],
    ["eval('1')", 'eval(…), which brings code that no check can read'],
  ])('%s is refused', (expression, reason) => {
    expect(sample('packages/core/src/a.ts', `export const a = ${expression};`)).toEqual([
      `packages/core/src/a.ts:1 uses ${reason} into core; pass it in.`,
    ]);
  });

  test('import.meta is refused in core', () => {
    expect(sample('packages/core/src/a.ts', 'export const a = import.meta.url;')).toEqual([
      'packages/core/src/a.ts uses import.meta, which brings the machine around it into core; pass it in.',
    ]);
  });

  test('arithmetic, parsing of dates and fields of the same name are allowed in core', () => {
    const text = 'export const a = Math.max(1, Date.parse(b), c.process, c.console.log()); // Date.now()';
    expect(sample('packages/core/src/a.ts', text)).toEqual([]);
  });

  test('tests of core may read the environment', () => {
    expect(sample('packages/core/src/a.test.ts', 'export const a = process.env;')).toEqual([]);
  });
});

describe('content does no I/O', () => {
  test.each(['Date.now()', 'new Date()', 'Date()', 'Math.random()', 'process.env', 'fetch(a)', 'console.log(1)'])(
    '%s is refused',
    (expression) => {
      expect(sample('packages/content/src/a.ts', `export const a = ${expression};`)).toEqual([
        expect.stringMatching(/^packages\/content\/src\/a\.ts:1 uses .* into content; pass it in\.$/),
      ]);
    },
  );

  test('content may convert a given date', () => {
    expect(sample('packages/content/src/a.ts', 'export const a = new Date(1).toISOString();')).toEqual([]);
  });
});

describe('a package.json must follow the table', () => {
  test('a dependency that the row does not allow is named', () => {
    expect(sample('packages/core/package.json', manifest('core', ['immer']))).toContain(
      "packages/core/package.json depends on 'immer', which core may not import.",
    );
    expect(
      sample('packages/stores/package.json', manifest('stores', ['@coppice/core', 'pg', '@coppice/engine'])),
    ).toEqual(["packages/stores/package.json depends on '@coppice/engine', which stores may not import."]);
  });

  test('a package without a row, or under another name, is named', () => {
    expect(sample('packages/extra/package.json', manifest('extra'))).toEqual([
      'packages/extra has no row in the import table; say there what it may import.',
    ]);
    expect(sample('packages/cli/package.json', manifest('shell'))).toEqual([
      "packages/cli/package.json is named '@coppice/shell'; its folder says '@coppice/cli'.",
    ]);
  });
});

test('parts of the engine are created by openEngine alone', () => {
  const text = "import { createCompactor } from '@coppice/engine';\nexport const a = createCompactor({ store });";
  expect(sample('packages/server/src/a.ts', text)).toEqual([
    'packages/server/src/a.ts:2 calls createCompactor, which assembles a second engine; take the part from openEngine.',
  ]);
  expect(sample('packages/server/src/a.test.ts', text)).toEqual([]);
  // A function that was renamed would no longer be checked.
  const { paths, read } = openRepository();
  const sources = paths.filter((path) => /^packages\/engine\/src\/.*(?<!\.test)\.ts$/.test(path)).map(read);
  for (const [name, callers] of enginePartFactories) {
    expect(sources.filter((source) => source.includes(`export function ${name}(`))).toHaveLength(1);
    for (const caller of callers) expect(read(caller)).toMatch(new RegExp(`\\b${name}\\(`));
  }
});

test('JSON from outside is read with the decode module', () => {
  const own = (text: string) => sample('packages/server/src/a.ts', text);
  expect(own('export const a: Head = JSON.parse(text);')).toEqual([
    'packages/server/src/a.ts:1 takes parsed JSON as Head; read its fields with @coppice/core/decode.',
  ]);
  expect(own('export const a = JSON.parse(text) as Head;')).toHaveLength(1);
  expect(own('const { a } = JSON.parse(text);\nexport { a };')).toHaveLength(1);
  expect(own('export const a: unknown = JSON.parse(text);')).toEqual([]);
  expect(own('export const a: Head = JSON.parse(JSON.stringify(head));')).toEqual([]);
  const isObject = "typeof a === 'object' && a !== null && !Array.isArray(a)";
  expect(own(`export const b = (a: unknown) => ${isObject};`)).toEqual([
    'packages/server/src/a.ts:1 tests for an object itself; use isFieldMap of @coppice/core/decode.',
  ]);
  expect(sample('packages/core/src/decode.ts', `export const b = (a: unknown) => ${isObject};`)).toEqual([]);
});

test('the main entry of engine loads nothing that has a separate entry', () => {
  const text = "export type { A } from './forest/a.ts';\nexport { b } from './forest/b.ts';";
  const path = 'packages/engine/src/index.ts';
  expect(sample(path, text)).toContain(
    `${path}:2 makes ${path} load packages/engine/src/forest/b.ts, which has an entry of its own.`,
  );
});

test('the client uses platform functions in its one file of defaults only; timers are allowed everywhere', () => {
  expect(sample('packages/client/src/a.ts', 'fetch(String(setTimeout(() => undefined)));')).toEqual([
    'packages/client/src/a.ts:1 uses fetch(…), which brings I/O into client; pass it in.',
  ]);
});

test('a module that does not parse is named', () => {
  expect(sample('packages/core/src/a.ts', 'const = 1;')).toEqual([
    expect.stringMatching(/^packages\/core\/src\/a\.ts does not parse: /),
  ]);
});
