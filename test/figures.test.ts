/** Compares sizes and counts in the documents with the code. */
import { expect, test } from 'vitest';
import { openRepository } from './checks/workspace.ts';

const workspace = openRepository();

/** Returns the number that a source file assigns to a name: a constant, a field or a default; products are computed. */
function numberIn(path: string, name: string): number {
  const source = workspace.read(path);
  const found = new RegExp(
    `\\b${name}\\b(?:: \\w+)?\\s*[=:]\\s*([\\d_]+(?:\\s*\\*{1,2}\\s*(?:[\\d_]+|megabyte))*)`,
  ).exec(source)?.[1];
  if (found === undefined) throw new Error(`${path} gives no number to ${name}.`);
  return productOf(found);
}

/** Returns the numbers of a list that is destructured into several names. */
function numbersIn(path: string, names: string): readonly number[] {
  const list = workspace.read(path).split(`const [${names}] = [`)[1]?.split(']')[0];
  if (list === undefined) throw new Error(`${path} has no [${names}].`);
  return list.split(',').map(productOf);
}

function productOf(text: string): number {
  const powers = text.replaceAll('megabyte', '1024 ** 2').replaceAll('_', '').replaceAll('**', '^').split('*');
  return powers
    .map((part) => part.split('^').map(Number))
    .reduce((product, [base = 0, power = 1]) => product * base ** power, 1);
}

/** Formats bytes like the documents. */
function sizeText(bytes: number, thousand = 'kB'): string {
  const units = ['bytes', thousand, 'MB', 'GB'];
  const power = Math.floor(Math.log2(bytes) / 10);
  return `${(bytes / 1024 ** power).toLocaleString('en')} ${units[power]}`;
}

const count = (value: number): string => value.toLocaleString('en');

const server = (name: string) => numberIn('packages/server/src/contract.ts', name);
const mcp = (name: string) => numberIn('packages/engine/src/mcp/contract.ts', name);
const tool = (name: string) => numberIn('packages/engine/src/tools/call.ts', name);
const message = (name: string) => numberIn('packages/content/src/limits.ts', name);
const archive = (name: string) => numberIn('packages/content/src/formats/zip.ts', name);
const served = (name: string) => numberIn('packages/server/src/mcp/server.ts', name);
const tools = (name: string) => numberIn('packages/server/src/mcp/tool-values.ts', name);
const [memoryBytes = 0, spillBytes = 0] = numbersIn(
  'packages/server/src/proxy/call-buffer.ts',
  'memoryBytes, spillBytes',
);
const [, failedBytes = 0] = numbersIn('packages/server/src/proxy/failed-calls.ts', 'maxCalls, maxBytes');
const answerBytes = numberIn('packages/server/src/proxy/waiting-call.ts', 'maxAnswerBytes');
const kept = (name: string) => numberIn('packages/server/src/proxy/response-buffer.ts', name);
const metadataBytes = numberIn('packages/core/src/plan/create.ts', 'maxMetadataBytes');
const mediaBytes = numberIn('packages/engine/src/generate/limits.ts', 'mediaBytes');
const outputBytes =
  /'output_bytes',[^)]*\},\s*([\d_* ]+),/.exec(workspace.read('packages/engine/src/config/sections.ts'))?.[1] ?? '';

/** Sentences that the pages must contain, with numbers from the code. */
const sentences: readonly (readonly [page: string, sentence: string])[] = [
  ['docs/models.md', `those of its project included, may have ${sizeText(mediaBytes)} together`],
  ['docs/http-api.md', `A JSON body has at most ${sizeText(server('bodyBytes'))}, ${server('jsonDepth')} levels`],
  ['docs/http-api.md', `a call that is recorded ${sizeText(server('proxyBytes'))}`],
  ['docs/http-api.md', `a message ${sizeText(message('messageBytes'))} and ${count(message('blocks'))} blocks`],
  ['docs/http-api.md', `an attachment ${sizeText(server('attachmentBytes'))}`],
  ['docs/http-api.md', `upload to import ${sizeText(server('importBytes'))}`],
  [
    'docs/http-api.md',
    `at most ${server('streams')} streams, ${server('generations')} turns, ${server('imports')} imports and ${server('temporaryTrees')} temporary trees`,
  ],
  ['docs/http-api.md', `The \`metadata\` of a tree has at most ${sizeText(metadataBytes)} of JSON`],
  ['docs/http-api.md', `A JSON body has to arrive within ${server('bodyMs') / 1000} seconds`],
  ['docs/http-api.md', `${sizeText(server('uploadWindowBytes'))} arrive in ${server('uploadWindowMs') / 1000} seconds`],
  ['docs/http-api.md', `A reader that is more than ${sizeText(server('backlogBytes'))} behind is disconnected`],
  ['docs/guides/deploy.md', `the server sends a ping every ${server('pingMs') / 1000} seconds`],
  ['docs/mcp.md', `| one message of a server | ${sizeText(mcp('messageBytes'))} |`],
  [
    'docs/mcp.md',
    `| tools of one server | ${mcp('tools')}, on ${mcp('pages')} pages, in ${sizeText(mcp('listBytes'))} |`,
  ],
  ['docs/mcp.md', `| a description | ${count(mcp('description'))} characters |`],
  [
    'docs/mcp.md',
    `| the text of a result | ${sizeText(productOf(outputBytes), 'KB')}, or \`output_bytes\` in \`[tools]\`; ${sizeText(tool('resultBytes'))} for`,
  ],
  ['docs/mcp.md', `| pictures and attachments of a result | ${sizeText(tool('mediaBytes'))} |`],
  ['docs/mcp.md', `A text is cut after ${count(tools('longestText'))} characters`],
  ['docs/mcp.md', `after ${tools('maxResultNodes')} nodes and a thread after ${served('maxMessages')} messages`],
  ['docs/mcp.md', `resources are returned ${served('maxResources')} at a time`],
  [
    'docs/formats.md',
    `more than ${count(archive('members'))} members or a member that would unpack to more than ${archive('ratio')} times its size`,
  ],
  [
    'docs/formats.md',
    `record holds at most ${sizeText(numberIn('packages/content/src/formats/split-json.ts', 'pieceBytes'))}, a message ${sizeText(message('messageBytes'))} and ${message('jsonDepth')} levels`,
  ],
  [
    'docs/formats.md',
    `\`coppice import\` from ${sizeText(numberIn('packages/cli/src/subcommands/import/index.ts', 'minBytesForThread'))} on`,
  ],
  ['docs/proxy.md', `A recorded call may have ${sizeText(server('proxyBytes'))}`],
  ['docs/proxy.md', `A call that is only forwarded, such as a file, may have ${sizeText(server('forwardedBytes'))}`],
  [
    'docs/proxy.md',
    `the answer has more than ${sizeText(answerBytes)} (a stream more than ${sizeText(kept('streamBytes'))}`,
  ],
  ['docs/proxy.md', `The pieces of a stream longer than ${sizeText(kept('condenseFrom'))} are joined`],
  ['docs/proxy.md', `A message of more than ${sizeText(message('messageBytes'))} keeps its position`],
  [
    'docs/proxy.md',
    `Waiting calls take at most ${sizeText(memoryBytes)} of memory. Further calls are moved to files (\`proxy-spill\` beside the configuration), up to ${sizeText(spillBytes)}`,
  ],
  ['docs/proxy.md', `are kept without its keys, up to ${sizeText(failedBytes)} for all calls`],
  ['packages/server/README.md', `space for \`limits.importBytes\` each (${sizeText(server('importBytes'))}`],
];

/** Pages that are generated, or that report dated measurements. */
const notRead = /^docs\/(?:settings|benchmarks|torture|decisions\/|dependencies|guides\/large-scale)/;
/** Sizes that other tests check, by page. */
const checkedElsewhere: readonly (readonly [page: string, size: RegExp, test: string])[] = [
  ['docs/which-api.md', /[\d.]+ kB/, 'test/client-size.test.ts'],
  ['docs/comparison.md', /280 kB/, 'packages/web/test'],
  ['CHANGELOG.md', /51 MB/, 'test/packages.test.ts'],
];

/** Returns a page without line breaks, comments and examples. */
function proseOf(page: string): string {
  return workspace
    .read(page)
    .replace(/```[\s\S]*?```|<!--[\s\S]*?-->/g, '')
    .replace(/\s+/g, ' ');
}

test.each(sentences)('%s says: %s', (page, sentence) => {
  expect(proseOf(page)).toContain(sentence);
});

test('every size in the documents is held by a test', () => {
  const pages = workspace.paths.filter(
    (path) => /^(?:[A-Z]+\.md|docs\/.*\.md|packages\/[\w-]+\/README\.md)$/.test(path) && !notRead.test(path),
  );
  expect(pages.length).toBeGreaterThan(20);
  const left = pages.flatMap((page) => {
    let prose = proseOf(page);
    for (const [at, sentence] of sentences) if (at === page) prose = prose.replaceAll(sentence, '');
    return [...prose.matchAll(/\b\d[\d.,]*\s?(?:kB|KB|MB|GB)\b/g)]
      .filter(([size]) => !checkedElsewhere.some(([at, known]) => at === page && known.test(size)))
      .map(
        ([size], index, all) =>
          `${page}: ${size} (${prose.slice(Math.max(0, (all[index]?.index ?? 0) - 60), (all[index]?.index ?? 0) + 20)})`,
      );
  });
  expect(left).toEqual([]);
  for (const [page, size, path] of checkedElsewhere) {
    expect(proseOf(page)).toMatch(size);
    expect(workspace.paths.some((each) => each.startsWith(path))).toBe(true);
  }
});

test('the changelog counts the languages of the page and the examples', () => {
  const words = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');
  const countFolders = (pattern: RegExp) =>
    words[new Set(workspace.paths.flatMap((path) => pattern.exec(path)?.[1] ?? [])).size];
  const prose = proseOf('CHANGELOG.md').toLowerCase();
  expect(prose).toContain(`in ${countFolders(/^packages\/web\/src\/i18n\/([^/]+)\//)} languages`);
  expect(prose).toContain(`${countFolders(/^examples\/([^/]+)\//)} examples show them`);
});
