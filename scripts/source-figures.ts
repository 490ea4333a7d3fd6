// npx tsx scripts/source-figures.ts [folder]: lines of source per package, without tests and generated files, and
// functions of more than 60 lines. Blank lines and comment lines do not count.
import { parseSync } from 'vite';
import { isPublishedSource, readFunctions } from '../test/checks/names.ts';
import { isTypeScript, openRepository, packageOf } from '../test/checks/workspace.ts';

const workspace = openRepository(process.argv[2]);
const longest = 60;

function isGenerated(path: string): boolean {
  return /^packages\/client\/src\/paths\.ts$/.test(path);
}

/** Counts the lines of a module that contain code. */
function codeLines(path: string, text: string): number {
  const { comments } = parseSync(path, text);
  let code = text;
  for (const { start, end } of [...comments].reverse())
    code = code.slice(0, start) + code.slice(start, end).replaceAll(/[^\n]/g, ' ') + code.slice(end);
  return code.split('\n').filter((line) => line.trim() !== '').length;
}

const rows = new Map<string, { files: number; source: number; tests: number; long: number }>();
const long: string[] = [];
for (const path of workspace.paths.filter(isTypeScript)) {
  const name = packageOf(path);
  if (name === null || isGenerated(path)) continue;
  const row = rows.get(name) ?? { files: 0, source: 0, tests: 0, long: 0 };
  rows.set(name, row);
  const text = workspace.read(path);
  const lines = codeLines(path, text);
  if (!isPublishedSource(path)) {
    row.tests += lines;
    continue;
  }
  row.files += 1;
  row.source += lines;
  for (const { name: of, line, lines: length } of readFunctions(path, text))
    if (length > longest) {
      row.long += 1;
      long.push(`${path}:${line} ${of}, ${length} lines`);
    }
}
for (const sentence of long.sort()) console.log(sentence);
console.log(`\n| Package | Source files | Source lines | Test lines | Functions over ${longest} lines |`);
console.log('|---|---|---|---|---|');
const sum = { files: 0, source: 0, tests: 0, long: 0 };
for (const [name, row] of [...rows].sort()) {
  for (const key of ['files', 'source', 'tests', 'long'] as const) sum[key] += row[key];
  console.log(`| ${name} | ${row.files} | ${row.source} | ${row.tests} | ${row.long} |`);
}
console.log(`| all | ${sum.files} | ${sum.source} | ${sum.tests} | ${sum.long} |`);
