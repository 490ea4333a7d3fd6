// npm run sizes: lists the ten largest source files and every file of more than 400 lines. It is no check.
import { isTestFile, isTypeScript, openRepository, packageOf } from '../test/checks/workspace.ts';

const mark = 400;
const shown = 10;

const workspace = openRepository();
const sizes = workspace.paths
  .filter((path) => isTypeScript(path) && packageOf(path) !== null && !isTestFile(path))
  .map((path) => ({ path, lines: workspace.read(path).replace(/\n$/, '').split('\n').length }))
  .sort((a, b) => b.lines - a.lines || (a.path < b.path ? -1 : 1));

for (const { path, lines } of sizes.slice(0, shown)) console.log(`${String(lines).padStart(6)}  ${path}`);
const past = sizes.filter(({ lines }) => lines > mark);
if (past.length > 0) {
  console.log(`\nPast ${mark} lines; which verb wants a file of its own?`);
  for (const { path, lines } of past) console.log(`${String(lines).padStart(6)}  ${path}`);
}
