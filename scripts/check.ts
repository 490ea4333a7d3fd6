// npm run check: runs all static checks, and prints the time and result of each. `-- types spec` runs only these.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, posix, relative, sep } from 'node:path';
import { isTypeScript, openRepository } from '../test/checks/workspace.ts';
import { repositoryRoot, startWorkspaceTool, waitForExit } from './tools.ts';

interface Outcome {
  readonly ok: boolean;
  /** The output of a check; printed if it fails. */
  readonly said: string;
}

interface Part {
  readonly name: string;
  run(): Promise<Outcome>;
}

async function runTool(name: string, args: readonly string[], command?: string): Promise<Outcome> {
  const child = startWorkspaceTool(name, args, { stdio: ['ignore', 'pipe', 'pipe'] }, command);
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await waitForExit(child);
  return { ok: code === 0, said: Buffer.concat(chunks).toString('utf8').trim() };
}

interface Program {
  readonly extends?: string;
  readonly compilerOptions?: object;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/**
 * Groups the tsconfigs of the workspace by equal options into one program each. Separate programs would check shared
 * files repeatedly, which took four times as long. A file that only some of them exclude is included.
 */
function programsOf(paths: readonly string[]): ReadonlyMap<string, Program> {
  const programs = new Map<string, Program>();
  for (const path of paths) {
    const read: Program = JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8'));
    const folder = posix.dirname(path);
    const at = (pattern: string) => `${posix.join('../..', folder, pattern)}`;
    const options = JSON.stringify(read.compilerOptions ?? {});
    const same = programs.get(options);
    programs.set(options, {
      extends: '../../tsconfig.base.json',
      compilerOptions: read.compilerOptions ?? {},
      include: [...(same?.include ?? []), ...(read.include ?? []).map(at)],
      exclude: [...(same?.exclude ?? []), ...(read.exclude ?? []).map(at)],
    });
  }
  return programs;
}

/**
 * Compiles all tsconfigs of the workspace, then checks that each TypeScript file was part of one. A file that no
 * program includes would never be checked.
 */
async function checkTypes(): Promise<Outcome> {
  const workspace = openRepository();
  const configs = workspace.paths.filter((path) =>
    /^(?:(?:packages|examples)\/[^/]+\/)?tsconfig(?:\.[\w-]+)?\.json$/.test(path),
  );
  const programs = programsOf(configs.filter((path) => posix.basename(path) !== 'tsconfig.base.json'));
  const unchecked = new Set(workspace.paths.filter(isTypeScript));
  const said: string[] = [];
  let failed = false;
  const folder = join(repositoryRoot, 'node_modules/.types');
  mkdirSync(folder, { recursive: true });
  for (const [index, [options, { include = [], exclude = [], ...rest }]] of [...programs].entries()) {
    const project = join(folder, `${index}.json`);
    const left = exclude.filter((pattern) => !include.includes(pattern));
    // The build information lets the next check compile only what changed since: seconds instead of a minute.
    const compilerOptions = { ...rest.compilerOptions, incremental: true, tsBuildInfoFile: `./${index}.tsbuildinfo` };
    writeFileSync(project, JSON.stringify({ ...rest, compilerOptions, include, exclude: left }));
    const outcome = await runTool('typescript', ['-p', project, '--noEmit', '--listFiles', '--pretty', 'false'], 'tsc');
    const errors: string[] = [];
    for (const line of outcome.said.split(/\r?\n/)) {
      // Listed files are absolute paths; errors have paths relative to the repository.
      const path = relative(repositoryRoot, line).split(sep).join('/');
      if (!unchecked.delete(path) && !/^(?:\/|[A-Za-z]:[\\/])/.test(line)) errors.push(line);
    }
    // A program without files (TS18003) is valid; a file that belongs to no program is reported below.
    if (outcome.ok || errors.some((line) => line.includes('error TS18003'))) continue;
    failed = true;
    said.push(`With ${options}:`, ...errors);
  }
  for (const path of unchecked) said.push(`${path} is in no tsconfig, so its types are not checked.`);
  return { ok: !failed && unchecked.size === 0, said: said.join('\n') };
}

const parts: readonly Part[] = [
  { name: 'types', run: checkTypes },
  {
    name: 'lint',
    run: () => runTool('@biomejs/biome', ['check', '--error-on-warnings', '--max-diagnostics=50', '.'], 'biome'),
  },
  ...['architecture', 'banned-words', 'registries', 'spec', 'renamed', 'figures', 'prose'].map((name) => ({
    name,
    run: () => runTool('vitest', ['run', '--reporter=default', `test/${name}.test.ts`]),
  })),
];

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

const begun = performance.now();
const named = process.argv.slice(2);
const unknown = named.filter((name) => !parts.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(`There is no check ${unknown.join(', ')}. Name any of: ${parts.map((part) => part.name).join(', ')}.`);
  process.exit(2);
}
const chosen = parts.filter((part) => named.length === 0 || named.includes(part.name));
const waiting = [...chosen];
const failures: string[] = [];
async function work(): Promise<void> {
  for (let part = waiting.shift(); part; part = waiting.shift()) {
    const since = performance.now();
    const outcome = await part.run();
    console.log(`${outcome.ok ? 'ok    ' : 'FAILED'}  ${part.name.padEnd(18)}${seconds(since).padStart(7)}`);
    if (!outcome.ok) failures.push(`\n${part.name}\n\n${outcome.said}`);
  }
}
await Promise.all(Array.from({ length: Math.min(chosen.length, availableParallelism()) }, work));

for (const failure of failures) console.log(failure);
const verdict = failures.length === 0 ? 'All in order' : `${failures.length} of ${chosen.length} parts failed`;
console.log(`\n${verdict}, ${seconds(begun)}.`);
process.exitCode = failures.length === 0 ? 0 : 1;
