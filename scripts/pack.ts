// npm run pack: builds every package as others install it, into .tmp/pack, and packs it there. The workspace itself keeps
// pointing at its sources, so that nothing has to be built to work on it.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from './tools.ts';

/** The packages in the order in which they build on each other, by their folder. */
export const published = ['core', 'content', 'stores', 'engine', 'server', 'web', 'cli'] as const;

/** What a package goes by outside, where that is not its name in here. */
const names: Readonly<Record<string, string>> = { '@coppice/cli': 'coppice' };

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly engines?: object;
  readonly sideEffects?: unknown;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(repository, 'packages', folder, 'package.json'), 'utf8'));
}

function run(tool: string, words: readonly string[], cwd: string): string {
  return execFileSync(process.execPath, [join(repository, 'node_modules', tool), ...words], { cwd, encoding: 'utf8' });
}

/** Builds one package into a folder, as it will lie in `node_modules`. */
export function stage(folder: string, into: string): string {
  const source = join(repository, 'packages', folder);
  const target = join(into, folder);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  if (folder === 'web') run('vite/bin/vite.js', ['build', '--outDir', join(target, 'dist'), '--emptyOutDir'], source);
  else compile(source, target);
  for (const name of ['README.md', 'bin'])
    if (existsSync(join(source, name))) cpSync(join(source, name), join(target, name), { recursive: true });
  cpSync(join(repository, 'LICENSE'), join(target, 'LICENSE'));
  writeFileSync(
    join(target, 'package.json'),
    `${JSON.stringify(outside(manifestOf(folder), folder, target), null, 2)}\n`,
  );
  return target;
}

function compile(source: string, target: string): void {
  const dist = join(target, 'dist');
  const words = ['--noEmit', 'false', '--declaration', '--rewriteRelativeImportExtensions', '--resolveJsonModule'];
  // With symbolic links followed, the sources of neighbours would be built into every package.
  run(
    'typescript/bin/tsc',
    ['-p', source, ...words, '--preserveSymlinks', '--outDir', dist, '--rootDir', source],
    repository,
  );
  for (const path of filesBelow(dist))
    if (path.endsWith('.d.ts')) writeFileSync(path, withEndings(readFileSync(path, 'utf8')));
  for (const path of filesBelow(join(source, 'src'))) {
    const place = relative(source, path);
    if (isAsset(place)) cpSync(path, join(dist, place));
  }
}

/** Declarations keep the endings of the sources, which are not there when they are installed. */
function withEndings(text: string): string {
  return text.replace(/((?:from|import\()\s*['"]\.{1,2}\/[^'"]+)\.tsx?(['"])/g, '$1.js$2');
}

function isAsset(place: string): boolean {
  return !/\.(?:tsx?|md)$/.test(place) && !/(?:^|[\\/])(?:testing|fixtures|conformance|torture)[\\/]/.test(place);
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

/** The manifest that others see: built files, no workspace, no tools of ours. */
function outside(manifest: Manifest, folder: string, target: string): object {
  const {
    name,
    version,
    description,
    license,
    engines,
    sideEffects,
    bin,
    exports: entries = {},
    dependencies,
  } = manifest;
  const built: Record<string, unknown> = { './package.json': './package.json' };
  for (const [entry, file] of Object.entries(entries)) {
    const path = file.replace(/^\.\//, './dist/');
    if (!/\.tsx?$/.test(file)) {
      if (existsSync(join(target, path))) built[entry] = path;
      continue;
    }
    const plain = path.replace(/\.tsx?$/, '');
    // What only our own tests use is not built, and not offered.
    if (existsSync(join(target, `${plain}.js`))) built[entry] = { types: `${plain}.d.ts`, default: `${plain}.js` };
  }
  return {
    name: names[name] ?? name,
    version,
    description,
    license,
    type: 'module',
    ...(engines === undefined ? {} : { engines }),
    ...(sideEffects === undefined ? {} : { sideEffects }),
    repository: { type: 'git', url: 'git+https://github.com/coppice/coppice.git', directory: `packages/${folder}` },
    files: ['dist', ...(bin === undefined ? [] : ['bin'])],
    ...(bin === undefined ? {} : { bin }),
    exports: built,
    // The page is built whole: what it was made from is not installed with it.
    ...(folder === 'web' || dependencies === undefined ? {} : { dependencies }),
    publishConfig: { access: 'public', provenance: true },
  };
}

/** Builds and packs packages; gives the tarballs by the names that they are installed under. */
export function packAll(into: string, folders: readonly string[] = published): Map<string, string> {
  const tarballs = new Map<string, string>();
  for (const folder of folders) {
    const target = stage(folder, into);
    const said = execFileSync('npm', ['pack', '--json', '--pack-destination', into], {
      cwd: target,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [packed] = JSON.parse(said);
    tarballs.set(String(packed.name), join(into, String(packed.filename)));
  }
  return tarballs;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const into = join(repository, '.tmp', 'pack');
  mkdirSync(into, { recursive: true });
  for (const [name, path] of packAll(into)) {
    const size = Math.round(statSync(path).size / 1024);
    process.stdout.write(`${name}  ${size} kB  ${relative(dirname(repository), path)}\n`);
  }
}
