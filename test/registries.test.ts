import { describe, expect, test } from 'vitest';
import { checkRegistries } from './checks/registries.ts';
import { makeWorkspace, openRepository } from './checks/workspace.ts';

test('in the repository, the folders of every registry are the lines of its list', () => {
  expect(checkRegistries(openRepository())).toEqual([]);
});

const blocks = 'packages/content/src/blocks';
const stores = 'packages/stores/src';
const sampleFiles = {
  [`${blocks}/members.ts`]: "export { text } from './text/index.ts';\nexport { toolUse } from './tool-use/index.ts';\n",
  [`${blocks}/define.ts`]: '',
  [`${blocks}/text/index.ts`]: 'export const text = 1;',
  [`${blocks}/text/text.test.ts`]: '',
  [`${blocks}/tool-use/index.ts`]: 'export const toolUse = 1;',
  [`${blocks}/tool-use/tool-use.test.ts`]: '',
  [`${stores}/members.ts`]:
    "import type { Opener } from './contract.ts';\nexport const members = {\n  memory: () => import('./memory/index.ts'),\n} satisfies Opener;\n",
  [`${stores}/conformance/index.ts`]: '',
  [`${stores}/memory/index.ts`]: '',
  [`${stores}/memory/memory.test.ts`]:
    "import { runStoreConformance } from '../conformance/index.ts';\nrunStoreConformance({});",
};

test('correct registries give no findings', () => {
  expect(checkRegistries(makeWorkspace(sampleFiles))).toEqual([]);
});

test('shared files beside the members are not members', () => {
  expect(checkRegistries(makeWorkspace({ ...sampleFiles, [`${stores}/sql/rows.ts`]: '' }))).toEqual([]);
});

test('a workspace without registries gives no findings', () => {
  expect(checkRegistries(makeWorkspace({ 'packages/web/README.md': '' }))).toEqual([]);
});

function sample(files: Readonly<Record<string, string>>, without: readonly string[] = []): string[] {
  const kept = Object.entries({ ...sampleFiles, ...files }).filter(([path]) => !without.includes(path));
  return checkRegistries(makeWorkspace(Object.fromEntries(kept)));
}

describe('errors in a registry are named', () => {
  test('a folder without a line', () => {
    expect(sample({ [`${blocks}/image/index.ts`]: '', [`${blocks}/image/image.test.ts`]: '' })).toEqual([
      `${blocks}/image is a folder of blocks, but members.ts has no line for it.`,
    ]);
  });

  test('a line that is only a comment', () => {
    expect(
      sample({ [`${blocks}/members.ts`]: "export { text } from './text/index.ts';\n// './tool-use/index.ts'" }),
    ).toEqual([`${blocks}/tool-use is a folder of blocks, but members.ts has no line for it.`]);
  });

  test('a line without a folder, and a line written twice', () => {
    const list = `${sampleFiles[`${blocks}/members.ts`]}export { a } from './audio/index.ts';\nexport { t } from './text/index.ts';`;
    expect(sample({ [`${blocks}/members.ts`]: list })).toEqual([
      `${blocks}/members.ts:3 lists 'audio', but there is no folder ${blocks}/audio.`,
      `${blocks}/members.ts:4 lists 'text' twice.`,
    ]);
  });

  test('a list that contains more than its members', () => {
    const list = `import { x } from './define.ts';\n${sampleFiles[`${blocks}/members.ts`]}`;
    expect(sample({ [`${blocks}/members.ts`]: list })).toEqual([
      `${blocks}/members.ts:1 names './define.ts'; it holds nothing but one line per member.`,
    ]);
  });

  test('a key that differs from its folder', () => {
    const list = "export const members = { ram: () => import('./memory/index.ts') };";
    expect(sample({ [`${stores}/members.ts`]: list })).toEqual([
      `${stores}/members.ts:1 calls the member 'memory' by the name 'ram'; folder and key agree.`,
    ]);
  });

  test('a member without its definition or its test', () => {
    expect(sample({}, [`${blocks}/text/text.test.ts`])).toEqual([`${blocks}/text has no text.test.ts.`]);
    expect(sample({}, [`${blocks}/text/index.ts`])).toEqual([
      `${blocks}/text has no index.ts; that is where a member is defined.`,
    ]);
  });

  test.each([
    ['a test that never mentions the suite', "import { test } from 'vitest';"],
    [
      'a test that imports the suite and does not call it',
      "import { runStoreConformance } from '../conformance/index.ts';",
    ],
    ['a call inside a comment', '// runStoreConformance({});'],
    ['a call inside a text', "const a = 'runStoreConformance({})';"],
  ])('%s', (_, text) => {
    expect(sample({ [`${stores}/memory/memory.test.ts`]: text })).toEqual([
      `${stores}/memory/memory.test.ts does not call runStoreConformance, which every member of its registry answers to.`,
    ]);
  });

  test.each([
    ['packages/engine/src/providers', 'openai', 'runProviderConformance'],
    ['packages/content/src/formats', 'chatgpt', 'runFormatConformance'],
  ])('members of %s call their suite too', (folder, name, suite) => {
    const files = {
      [`${folder}/members.ts`]: `export { x } from './${name}/index.ts';`,
      [`${folder}/${name}/index.ts`]: '',
      [`${folder}/${name}/${name}.test.ts`]: '',
    };
    expect(sample(files)).toEqual([
      `${folder}/${name}/${name}.test.ts does not call ${suite}, which every member of its registry answers to.`,
    ]);
    const called = { [`${folder}/${name}/${name}.test.ts`]: `describe('x', () => { ${suite}({}); });` };
    expect(sample({ ...files, ...called })).toEqual([]);
  });

  test('a registry that the table does not know, and a known one without a list', () => {
    expect(sample({ 'packages/web/src/themes/members.ts': '' })).toEqual([
      "packages/web/src/themes/members.ts lists a registry 'themes' that the table does not know.",
    ]);
    expect(sample({ 'packages/engine/src/tools/introspect/index.ts': '' })).toEqual([
      'packages/engine/src/tools has members but no members.ts that lists them.',
    ]);
  });
});
