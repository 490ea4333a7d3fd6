import { describe, expect, test } from 'vitest';
import { buildRenamedImports, checkRenamedNames, readRenamedNames } from './checks/renamed.ts';
import { makeWorkspace, openRepository } from './checks/workspace.ts';

const row = { package: '@coppice/core', oldEntry: '.', oldName: 'seedling', newEntry: './tree', newName: 'emptyTree' };
const manifest = JSON.stringify({
  name: '@coppice/core',
  exports: { '.': './src/index.ts', './tree': './src/tree.ts' },
});

function workspaceWith(rows: unknown) {
  return makeWorkspace({ 'docs/renamed.json': JSON.stringify(rows), 'packages/core/package.json': manifest });
}

test('every row of docs/renamed.json names a package and an entry of this workspace, once', () => {
  expect(checkRenamedNames(openRepository())).toEqual([]);
});

describe('the check of renamed names', () => {
  test('accepts a complete row', () => {
    expect(checkRenamedNames(workspaceWith([row]))).toEqual([]);
  });

  test('reports an unknown package, an unknown entry and a name that is listed twice', () => {
    const rows = [
      row,
      row,
      { ...row, oldName: 'a', package: '@coppice/x' },
      { ...row, oldName: 'b', newEntry: './no' },
    ];
    expect(checkRenamedNames(workspaceWith(rows))).toEqual([
      'docs/renamed.json: @coppice/core seedling is listed twice.',
      'docs/renamed.json: @coppice/x is not a package of this workspace.',
      'docs/renamed.json: @coppice/core has no entry ./no.',
    ]);
  });

  test('throws on a row without one of its fields', () => {
    expect(() => readRenamedNames(workspaceWith([{ ...row, newName: undefined }]))).toThrow('row 1');
  });

  test('compiles the new names and expects the old ones to be missing', () => {
    expect(buildRenamedImports([row], new Set(['@coppice/core'])).split('\n')).toEqual([
      "export type { emptyTree as new0 } from '@coppice/core/tree';",
      '// @ts-expect-error seedling is now emptyTree.',
      "export type { seedling as old0 } from '@coppice/core';",
      'export {};',
    ]);
  });

  test('compiles a deprecated name beside the new one', () => {
    const deprecated = { ...row, deprecatedIn: '0.2.0' };
    expect(readRenamedNames(workspaceWith([deprecated]))).toEqual([deprecated]);
    expect(buildRenamedImports([deprecated], new Set(['@coppice/core'])).split('\n')).toEqual([
      "export type { emptyTree as new0 } from '@coppice/core/tree';",
      "export type { seedling as old0 } from '@coppice/core';",
      'export {};',
    ]);
  });
});
