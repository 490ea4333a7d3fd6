// @module-tag full
// Daily work runs this file as a part of `npm run check`.
import { describe, expect, test } from 'vitest';
import { checkSpec, readRuleCitations, readSpecRules } from './checks/spec.ts';
import { makeWorkspace, openRepository } from './checks/workspace.ts';

test('in the repository, every rule is cited by a test and every citation names a rule', () => {
  expect(checkSpec(openRepository())).toEqual([]);
});

const sampleFiles = {
  'packages/core/SPEC.md':
    '# Core\n\n- **T1** A tree has one root.\n- **T2** Ids are unique.\n- **S1** Steps invert.\n',
  'packages/core/src/tree.test.ts':
    "test('[T1] one root', () => {}); describe('[T2]', () => { it.each([1])(`[S1] ${1}`, () => {}); });",
};

function sample(files: Readonly<Record<string, string>>): string[] {
  return checkSpec(makeWorkspace({ ...sampleFiles, ...files }));
}

test('correct rules and tests give no findings', () => {
  expect(sample({})).toEqual([]);
});

test('a workspace without rules gives no findings', () => {
  expect(checkSpec(makeWorkspace({ 'packages/web/README.md': '' }))).toEqual([]);
});

describe('rules', () => {
  test('are lines of one form, outside of code fences', () => {
    const text = '- **T1** One.\n```\n- **T2** Shown, not stated.\n```\ntext **T3** text\n- **SS14** Two letters.';
    const { rules, slips } = readSpecRules(makeWorkspace({ 'packages/core/SPEC.md': text }));
    expect(rules.map(({ id, line }) => [id, line])).toEqual([
      ['T1', 1],
      ['SS14', 6],
    ]);
    expect(slips).toEqual([]);
  });

  test.each([
    '* **T3** x',
    '- **T3:** x',
    '- **t3** x',
    '  - **T3** x',
    '-  **T3** x',
    '- **T3**',
    '- **T03** x',
    '- **[T3]** x',
    '- **T-3** x',
    '**T3** x',
  ])('a typing error such as %j is named, not ignored', (line) => {
    expect(sample({ 'packages/stores/SPEC.md': line })).toEqual([
      "packages/stores/SPEC.md:1 looks like a rule but is none; a rule is a line '- **T7** One sentence.'",
    ]);
  });

  test('a rule that no test cites is named', () => {
    expect(sample({ 'packages/content/SPEC.md': '\n- **C1** Blocks have types.' })).toEqual([
      'packages/content/SPEC.md:2 states C1, which no test cites.',
    ]);
  });

  test('a number used twice is named, in one file and across packages', () => {
    const twice = `${sampleFiles['packages/core/SPEC.md']}- **T1** Again.\n`;
    expect(sample({ 'packages/core/SPEC.md': twice })).toEqual([
      'packages/core/SPEC.md:6 uses T1 again; packages/core/SPEC.md:3 has it already.',
    ]);
    expect(sample({ 'packages/stores/SPEC.md': '- **T1** Again.' })).toEqual([
      'packages/stores/SPEC.md:1 uses T1 again; packages/core/SPEC.md:3 has it already.',
    ]);
  });

  test('a letter belongs to one package', () => {
    const files = {
      'packages/stores/SPEC.md': '- **T9** Other.',
      'packages/stores/src/a.test.ts': "test('[T9] x', f);",
    };
    expect(sample(files)).toEqual([
      'packages/stores/SPEC.md:1 begins with T, which belongs to packages/core/SPEC.md; take another letter.',
    ]);
  });
});

describe('citations', () => {
  test('of a missing rule are named', () => {
    expect(sample({ 'packages/core/src/a.test.ts': "\ntest('[T99] x', () => {});" })).toEqual([
      'packages/core/src/a.test.ts:2 cites T99, which no SPEC.md states.',
    ]);
  });

  function cited(path: string, text: string): string[] {
    return readRuleCitations(makeWorkspace({ [path]: text }))
      .map((each) => each.id)
      .sort();
  }

  test.each([
    ["test('[T1] x', f)", ['T1']],
    ["it('x [T1][T2] y', f)", ['T1', 'T2']],
    ["test('[T1, T2] x', f)", ['T1', 'T2']],
    ["describe('[T1] x', () => { test('y', f); })", ['T1']],
    ["test.each([1])('[T1] %s', f)", ['T1']],
    ['test.for([1])(`[T1] ${x}`, f)', ['T1']],
    ["test.skipIf(x)('[T1] y', f)", ['T1']],
    ["test('[T1] x' + y, f)", ['T1']],
    ["// test('[T1] x', f)", []],
    ["test.skip('[T1] x', f)", []],
    ["test.todo('[T1] x')", []],
    ["expect('[T1] x')", []],
    ["const a = '[T1] x'", []],
    ["test('x', f, '[T1]')", []],
    ["test('[t1] [T] [1] [TREE1] [T0]', f)", []],
  ])('of a test file: %j', (text, ids) => {
    expect(cited('packages/core/src/a.test.ts', text)).toEqual(ids);
  });

  test.each([
    'packages/stores/src/conformance/read.ts',
    'packages/content/src/formats/conformance.ts',
    'packages/core/src/testing/expect-steps.ts',
  ])('of the exported suite %s count through its own functions', (path) => {
    expect(cited(path, "rule('[K1] reads', f); when(supports.search, '[K2] finds', f); note('see [K3]');")).toEqual([
      'K1',
      'K2',
    ]);
  });

  test('outside of tests and suites do not count', () => {
    expect(cited('packages/core/src/tree.ts', "test('[T1] x', f)")).toEqual([]);
  });
});
