// npm run pack: builds every package as others install it, into .tmp/pack, and packs it there. The workspace itself keeps
// pointing at its sources, so that nothing has to be built to work on it.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
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
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function run(tool: string, words: readonly string[], cwd: string): string {
  return execFileSync(process.execPath, [join(repository, 'node_modules', tool), ...words], { cwd, encoding: 'utf8' });
}

/** Builds one package into a folder, as it will lie in `node_modules`. */
export function buildPackage(folder: string, into: string): string {
  const source = join(repository, 'packages', folder);
  const target = join(into, folder);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const manifest = manifestIn(source);
  if (folder === 'web') {
    run(
      'vite/bin/vite.js',
      ['build', '--logLevel', 'error', '--outDir', join(target, 'dist'), '--emptyOutDir'],
      source,
    );
    // Fonts and libraries are part of what is built, and ask for their licences to go along.
    writeFileSync(join(target, 'dist', 'third-party-notices.txt'), noticesFor(source));
  } else compile(source, target, manifest);
  for (const name of ['README.md', 'bin'])
    if (existsSync(join(source, name))) cpSync(join(source, name), join(target, name), { recursive: true });
  cpSync(join(repository, 'LICENSE'), join(target, 'LICENSE'));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(outside(manifest, folder, target), null, 2)}\n`);
  return target;
}

function compile(source: string, target: string, manifest: Manifest): void {
  const dist = join(target, 'dist');
  const entries = Object.values(manifest.exports ?? {}).filter((file) => /^\.\/src\/.*\.tsx?$/.test(file));
  const project = `${target}.tsconfig.json`;
  const settings = {
    extends: join(source, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      resolveJsonModule: true,
      // With symbolic links followed, the sources of neighbours would be built into every package.
      preserveSymlinks: true,
      types: ['node'],
      typeRoots: [join(repository, 'node_modules', '@types')],
      rootDir: source,
      outDir: dist,
    },
    // The package's own settings leave its suites and test beds out; those that it offers are built by name.
    files: entries.map((file) => join(source, file)),
    include: [join(source, 'src')],
  };
  writeFileSync(project, JSON.stringify(settings));
  run('typescript/bin/tsc', ['-p', project], repository);
  rmSync(project);
  // A program that asks its manifest for the version finds a copy; with entries in it, some bundlers would resolve by it.
  const copy = join(dist, 'package.json');
  if (existsSync(copy)) writeFileSync(copy, JSON.stringify({ version: manifest.version, type: 'module' }));
  for (const path of filesBelow(dist))
    if (path.endsWith('.d.ts')) writeFileSync(path, withEndings(readFileSync(path, 'utf8')));
  for (const path of filesBelow(join(source, 'src'))) {
    const place = relative(source, path);
    // What nobody in its neighbourhood was built for is read by our own tests alone.
    if (isAsset(place) && existsSync(nearestModules(join(dist, place)))) cpSync(path, join(dist, place));
  }
}

function nearestModules(path: string): string {
  return dirname(path.replace(/[\\/]fixtures[\\/].*$/, '/fixtures'));
}

/** Declarations keep the endings of the sources, which are not there when they are installed. */
function withEndings(text: string): string {
  return text.replace(/((?:from|import\()\s*['"]\.{1,2}\/[^'"]+)\.tsx?(['"])/g, '$1.js$2');
}

function isAsset(place: string): boolean {
  return !/\.(?:tsx?|md)$/.test(place) && (!/[\\/]fixtures[\\/]/.test(place) || /[\\/]conformance[\\/]/.test(place));
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

const importing = /\b(?:(?:im|ex)port\s+(?:[\w*{}\s,$]+\sfrom\s*)?|import\()['"]([^'".][^'"]*)['"]/g;

/**
 * What suites and test beds import besides the package's dependencies. Whoever uses them brings it along; whoever does not
 * is spared it. Refuses a package of which anything else needs more than the manifest says.
 */
function peersOf(manifest: Manifest, target: string): Map<string, string> {
  const known = new Set([manifest.name, ...Object.keys(manifest.dependencies ?? {})]);
  const offered = { ...manifestIn(repository).devDependencies, ...manifest.devDependencies };
  const peers = new Map<string, string>();
  for (const path of filesBelow(join(target, 'dist'))) {
    if (!/\.(?:d\.ts|m?js)$/.test(path)) continue;
    for (const [, from = ''] of readFileSync(path, 'utf8').matchAll(importing)) {
      const name = from.split('/', from.startsWith('@') ? 2 : 1).join('/');
      if (isBuiltin(from) || known.has(name)) continue;
      const version = offered[name];
      const place = relative(target, path);
      if (version === undefined || !/[\\/](?:testing|conformance)\b/.test(place))
        throw new Error(`${manifest.name}: ${place} imports ${name}, which is no dependency of the package.`);
      peers.set(name, name.startsWith('@coppice/') ? version : `^${version}`);
    }
  }
  return peers;
}

import { noticesFor } from './notices.ts';

/** What a package needs when it is installed. */
function needs(manifest: Manifest, folder: string): Readonly<Record<string, string>> | undefined {
  // The page is built whole: what it was made from is not installed with it.
  if (folder === 'web') return undefined;
  // In a checkout the command finds the page beside itself.
  if (folder === 'cli') return { ...manifest.dependencies, '@coppice/web': manifest.version };
  return manifest.dependencies;
}

/** The manifest that others see: built files, no workspace, no tools of ours. */
function outside(manifest: Manifest, folder: string, target: string): object {
  const { name, version, description, license, engines, sideEffects, bin, exports: entries = {} } = manifest;
  const dependencies = needs(manifest, folder);
  const peers = folder === 'web' ? new Map<string, string>() : peersOf(manifest, target);
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
    ...(dependencies === undefined ? {} : { dependencies }),
    ...(peers.size === 0
      ? {}
      : {
          peerDependencies: Object.fromEntries(peers),
          peerDependenciesMeta: Object.fromEntries([...peers.keys()].map((peer) => [peer, { optional: true }])),
        }),
    publishConfig: { access: 'public', provenance: true },
  };
}

/** Builds and packs packages; gives the tarballs by the names that they are installed under. */
export function packAll(into: string, folders: readonly string[] = published): Map<string, string> {
  const tarballs = new Map<string, string>();
  for (const folder of folders) {
    const target = buildPackage(folder, into);
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
    process.stdout.write(`${name}  ${size} kB  ${relative(repository, path)}\n`);
  }
}
