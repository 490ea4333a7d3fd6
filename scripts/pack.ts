// npm run pack: builds every package as it is published into .tmp/pack, and packs it there. The workspace itself uses
// the sources, so that development needs no build.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { projectAddresses } from './project-addresses.ts';
import { repository } from './tools.ts';

/** The packages in dependency order, by folder. */
export const published = [
  'core',
  'content',
  'stores',
  'engine',
  'server',
  'client',
  'react',
  'ai-sdk',
  'web',
  'cli',
] as const;

/** Published names that differ from the workspace names. */
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
  readonly keywords?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function run(tool: string, words: readonly string[], cwd: string): string {
  return execFileSync(process.execPath, [join(repository, 'node_modules', tool), ...words], { cwd, encoding: 'utf8' });
}

/** Builds one package into a folder, as it will be in `node_modules`. */
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
    // Bundled fonts and libraries require their licences to be included.
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
      // With symbolic links resolved, the sources of other packages would be built into every package.
      preserveSymlinks: true,
      types: ['node'],
      typeRoots: [join(repository, 'node_modules', '@types')],
      rootDir: source,
      outDir: dist,
    },
    // The package's own settings exclude suites and fixtures; the published ones are listed by name.
    files: entries.map((file) => join(source, file)),
    include: [join(source, 'src')],
  };
  writeFileSync(project, JSON.stringify(settings));
  run('typescript/bin/tsc', ['-p', project], repository);
  rmSync(project);
  // A program that reads its version finds a copy of the manifest; without entries, because some bundlers would resolve
  // by them.
  const copy = join(dist, 'package.json');
  if (existsSync(copy)) writeFileSync(copy, JSON.stringify({ version: manifest.version, type: 'module' }));
  for (const path of filesBelow(dist))
    if (path.endsWith('.d.ts')) writeFileSync(path, withEndings(readFileSync(path, 'utf8')));
  if (joined.has(manifest.name)) joinModules(dist, entries);
  for (const path of filesBelow(join(source, 'src'))) {
    const place = relative(source, path);
    // Assets without a built module next to them are only used by our tests.
    if (isAsset(place) && existsSync(nearestModules(join(dist, place)))) cpSync(path, join(dist, place));
  }
}

/** The packages that are bundled: every program loads them, and finding 200 files takes longer than running them. */
const joined: ReadonlySet<string> = new Set(['@coppice/core', '@coppice/content', '@coppice/stores']);

/** Bundles the modules into one file per entry and those that entries share; declarations stay unchanged. */
function joinModules(dist: string, entries: readonly string[]): void {
  const built = entries.map((file) => join(dist, file.replace(/\.tsx?$/, '.js'))).filter((file) => existsSync(file));
  const { outputFiles } = buildSync({
    entryPoints: built,
    outdir: dist,
    outbase: dist,
    chunkNames: 'src/shared-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    write: false,
  });
  for (const path of [...filesBelow(dist)]) if (path.endsWith('.js')) rmSync(path);
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
}

function nearestModules(path: string): string {
  return dirname(path.replace(/[\\/]fixtures[\\/].*$/, '/fixtures'));
}

/** Declarations refer to `.ts` files, which are not published. */
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
 * What suites and fixtures import besides the package's dependencies becomes optional peer dependencies. Throws if
 * any other file needs more than the manifest declares.
 */
function peersOf(manifest: Manifest, target: string): Map<string, string> {
  const { dependencies = {}, peerDependencies = {} } = manifest;
  const known = new Set([manifest.name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
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

/** The dependencies of a published package. */
function needs(manifest: Manifest, folder: string): Readonly<Record<string, string>> | undefined {
  // The page is bundled: its dependencies are not installed with it.
  if (folder === 'web') return undefined;
  // In a checkout the command finds the page in the workspace.
  if (folder === 'cli') return { ...manifest.dependencies, '@coppice/web': manifest.version };
  return manifest.dependencies;
}

/** The published manifest: built files, no workspace, no development tools. */
function outside(manifest: Manifest, folder: string, target: string): object {
  const { name, version, description, keywords, license, engines, sideEffects, bin, exports: entries = {} } = manifest;
  const { peerDependencies, peerDependenciesMeta } = manifest;
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
    // Entries that only our tests use are not built and not published.
    if (existsSync(join(target, `${plain}.js`))) built[entry] = { types: `${plain}.d.ts`, default: `${plain}.js` };
  }
  return {
    name: names[name] ?? name,
    version,
    description,
    keywords,
    license,
    type: 'module',
    ...(engines === undefined ? {} : { engines }),
    ...(sideEffects === undefined ? {} : { sideEffects }),
    repository: { type: 'git', url: `git+${projectAddresses.repository}.git`, directory: `packages/${folder}` },
    homepage: projectAddresses.packageHome(folder),
    bugs: { url: projectAddresses.bugs },
    files: ['dist', ...(bin === undefined ? [] : ['bin'])],
    ...(bin === undefined ? {} : { bin }),
    exports: built,
    ...(dependencies === undefined ? {} : { dependencies }),
    ...(peers.size === 0 && peerDependencies === undefined
      ? {}
      : {
          peerDependencies: { ...Object.fromEntries(peers), ...peerDependencies },
          peerDependenciesMeta: {
            ...Object.fromEntries([...peers.keys()].map((peer) => [peer, { optional: true }])),
            ...peerDependenciesMeta,
          },
        }),
    publishConfig: { access: 'public', provenance: true },
  };
}

/** Builds and packs packages; returns the tarballs by published name. */
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
