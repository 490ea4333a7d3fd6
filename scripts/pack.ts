// npm run pack: builds every package in its published form into .tmp/pack, and packs it there. The workspace itself
// uses the sources, so that development needs no build.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';
import { bundleModules, nodeEntriesFolder } from './bundle-modules.ts';
import { projectAddresses } from './project-addresses.ts';
import { repositoryRoot } from './tools.ts';

/** The packages in dependency order, by folder. */
export const publishedPackages = [
  'core',
  'content',
  'stores',
  'engine',
  'server',
  'client',
  'react',
  'ai-sdk',
  'assistant-ui',
  'langchain',
  'web',
  'cli',
] as const;

/** Published names that differ from the workspace names. */
const names: Readonly<Record<string, string>> = { '@coppice/cli': 'coppice' };

/** An entry with a separate file for browsers. */
interface ByRuntime {
  readonly browser: string;
  readonly default: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly engines?: object;
  readonly sideEffects?: unknown;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | ByRuntime>>;
  /** Modules with a separate file for browsers, by the name under which the package imports them. */
  readonly imports?: Readonly<Record<string, ByRuntime>>;
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
  const all = [join(repositoryRoot, 'node_modules', tool), ...words];
  const ran = spawnSync(process.execPath, all, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  // The compiler reports errors on its standard output.
  if (ran.status !== 0) throw new Error(`${tool} ${words.join(' ')} failed.\n${ran.stdout}`, { cause: ran.error });
  return ran.stdout;
}

/** Builds one package into a folder, in the form in which it is installed in `node_modules`. */
export function buildPackage(folder: string, into: string): string {
  const source = join(repositoryRoot, 'packages', folder);
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
    run('tsx/dist/cli.mjs', ['site/write-documents.ts', join(target, 'dist')], repositoryRoot);
    // Bundled fonts and libraries require their licences to be included.
    writeFileSync(join(target, 'dist', 'third-party-notices.txt'), buildLicenceNotices(source));
  } else compile(source, target, manifest);
  inlineDependencies(folder, source, target);
  for (const name of ['README.md', 'bin'])
    if (existsSync(join(source, name))) cpSync(join(source, name), join(target, name), { recursive: true });
  if (folder === 'cli') copyDocuments(join(target, 'documents'));
  cpSync(join(repositoryRoot, 'LICENSE'), join(target, 'LICENSE'));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(outside(manifest, folder, target), null, 2)}\n`);
  return target;
}

/** Copies the documents for `coppice docs`, without pictures and results of measurements. */
function copyDocuments(target: string): void {
  cpSync(join(repositoryRoot, 'README.md'), join(target, 'README.md'));
  for (const path of filesBelow(join(repositoryRoot, 'docs')))
    if (path.endsWith('.md')) cpSync(path, join(target, relative(repositoryRoot, path)));
}

function compile(source: string, target: string, manifest: Manifest): void {
  const dist = join(target, 'dist');
  const entries = Object.values(manifest.exports ?? {})
    .flatMap((file) => (typeof file === 'string' ? [file] : [file.default, file.browser]))
    .filter((file) => /^\.\/src\/.*\.tsx?$/.test(file));
  const project = `${target}.tsconfig.json`;
  const settings = {
    extends: join(source, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      resolveJsonModule: true,
      // If symbolic links were resolved, every package would contain the sources of the others.
      preserveSymlinks: true,
      types: ['node'],
      typeRoots: [join(repositoryRoot, 'node_modules', '@types')],
      rootDir: source,
      outDir: dist,
    },
    // The package's settings exclude suites and fixtures, so the published ones are listed by name.
    files: entries.map((file) => join(source, file)),
    include: [join(source, 'src')],
  };
  writeFileSync(project, JSON.stringify(settings));
  run('typescript/bin/tsc', ['-p', project], repositoryRoot);
  rmSync(project);
  // A program that reads its version finds a copy of the manifest. The copy has no entries, because some bundlers would
  // resolve modules by them.
  const copy = join(dist, 'package.json');
  if (existsSync(copy) && manifest.imports === undefined)
    writeFileSync(copy, JSON.stringify({ version: manifest.version, type: 'module' }));
  if (existsSync(copy) && manifest.imports !== undefined) readOwnManifest(dist, copy);
  for (const path of filesBelow(dist))
    if (path.endsWith('.d.ts')) writeFileSync(path, withEndings(readFileSync(path, 'utf8')));
  if (joined.has(manifest.name)) bundleModules(dist, entries, joinedForNode.has(manifest.name));
  for (const path of filesBelow(join(source, 'src'))) {
    const place = relative(source, path);
    // Assets without a built module next to them are used only by our tests.
    if (isAsset(place) && existsSync(nearestModules(join(dist, place)))) cpSync(path, join(dist, place));
  }
}

/**
 * Lets the modules read the manifest of the package instead of its copy in `dist`, which is removed: modules by platform
 * are looked up in the nearest manifest.
 */
function readOwnManifest(dist: string, copy: string): void {
  rmSync(copy);
  for (const path of filesBelow(dist)) {
    if (!path.endsWith('.js')) continue;
    const text = readFileSync(path, 'utf8');
    const changed = text.replaceAll(/(\bfrom ['"])((?:\.\.\/)+package\.json['"])/g, '$1../$2');
    if (changed !== text) writeFileSync(path, changed);
  }
}

/**
 * The packages whose modules are bundled. Every program loads them, and finding 200 files takes longer than running
 * them.
 */
const joined: ReadonlySet<string> = new Set(['@coppice/core', '@coppice/content', '@coppice/stores']);
/** The packages with entries for Node that share one file, because a program usually loads several of their entries. */
const joinedForNode: ReadonlySet<string> = new Set(['@coppice/core']);

/**
 * Dependencies that are bundled into a package, because most of their files are never loaded: source maps, a second
 * module format, unused parts. Only dependencies whose types do not appear in ours. They are not listed as dependencies
 * again.
 */
const inlined: Readonly<Record<string, readonly string[]>> = {
  engine: ['@modelcontextprotocol/client', 'ajv', 'smol-toml'],
  server: ['@modelcontextprotocol/server'],
  cli: ['commander', 'ink', 'marked', 'picocolors', 'react', 'string-width'],
};

function isInlined(folder: string, specifier: string): boolean {
  return (inlined[folder] ?? []).some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

/** Returns the name of the bundled file for an import such as `ajv/dist/2020.js`. */
function vendorName(specifier: string): string {
  return specifier
    .replace(/\.js$/, '')
    .replaceAll(/[^a-z0-9]+/gi, '-')
    .replace(/^-/, '');
}

/** Bundles these dependencies into `dist/vendor`, and changes the imports of the package's modules accordingly. */
function inlineDependencies(folder: string, source: string, target: string): void {
  if (inlined[folder] === undefined) return;
  const dist = join(target, 'dist');
  const vendor = join(dist, 'vendor');
  const manifest = manifestIn(source);
  const wanted = new Map<string, Set<string>>();
  /** The dependencies that a bundle for a browser contains too. */
  const alsoInBrowsers = new Set<string>();
  for (const path of filesBelow(dist)) {
    if (!path.endsWith('.js')) continue;
    const text = readFileSync(path, 'utf8');
    const up = relative(dirname(path), vendor).replaceAll('\\', '/');
    const rewritten = text.replaceAll(importedNames, (whole, names: string, from: string) => {
      if (!isInlined(folder, from)) return whole;
      if (!/[\\/]platform[\\/]node[\\/]/.test(path)) alsoInBrowsers.add(from);
      const known = wanted.get(from) ?? new Set();
      wanted.set(from, known);
      for (const name of namesIn(names)) known.add(name);
      if (manifest.imports !== undefined) return `import ${names} from '#vendor/${vendorName(from)}'`;
      return `import ${names} from '${up.startsWith('.') ? up : `./${up}`}/${vendorName(from)}.js'`;
    });
    if (rewritten !== text) writeFileSync(path, rewritten);
  }
  const staged = join(target, 'vendor-entries');
  mkdirSync(staged, { recursive: true });
  const entryOf = (from: string) => join(staged, `${vendorName(from)}.js`);
  for (const [from, names] of wanted)
    writeFileSync(entryOf(from), `export { ${[...names].join(', ')} } from '${from}';\n`);
  const empty = join(staged, 'empty.js');
  writeFileSync(empty, 'export default {};\n');
  const options: BuildOptions = {
    // Packages are resolved from the package that imports them.
    nodePaths: [join(source, 'node_modules'), join(repositoryRoot, 'node_modules')],
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    legalComments: 'none',
    format: 'esm',
    external: Object.keys(manifest.dependencies ?? {}).filter((name) => !isInlined(folder, name)),
    // A peer dependency of ink for its own developers, which is not installed.
    alias: { 'react-devtools-core': empty },
    // Selects the fast production form of React; a command does not need the development form.
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  };
  buildSync({
    ...options,
    entryPoints: [...wanted.keys()].map(entryOf),
    outdir: vendor,
    platform: 'node',
    target: 'node20',
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
  });
  if (manifest.imports !== undefined)
    buildSync({
      ...options,
      entryPoints: [...alsoInBrowsers].map(entryOf),
      outdir: join(vendor, 'browser'),
      platform: 'browser',
      target: 'es2023',
    });
  rmSync(staged, { recursive: true });
  writeFileSync(join(vendor, 'third-party-notices.txt'), buildLicenceNotices(source, inlined[folder]));
}

const importedNames = /^import (\{[^}]*\}|\w+(?:, \{[^}]*\})?) from ['"]([^'".][^'"]*)['"]/gm;

/** Returns the names that an import clause needs from its module: `default`, and names before an `as`. */
function namesIn(clause: string): readonly string[] {
  const [, first] = /^(\w+)/.exec(clause) ?? [];
  const listed = /\{([^}]*)\}/.exec(clause)?.[1] ?? '';
  const names = listed
    .split(',')
    .map((part) => part.trim().split(/\s+as\s+/)[0] ?? '')
    .filter((name) => name !== '');
  return first === undefined ? names : ['default', ...names];
}

function nearestModules(path: string): string {
  return dirname(path.replace(/[\\/]fixtures[\\/].*$/, '/fixtures'));
}

/** Replaces `.ts` endings in declarations, because `.ts` files are not published. */
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
 * Returns the packages that suites and fixtures import besides the package's dependencies; they become optional peer
 * dependencies. Throws if any other file imports a package that the manifest does not declare.
 */
function peersOf(manifest: Manifest, target: string): Map<string, string> {
  const { dependencies = {}, peerDependencies = {} } = manifest;
  const known = new Set([manifest.name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
  const offered = { ...manifestIn(repositoryRoot).devDependencies, ...manifest.devDependencies };
  const peers = new Map<string, string>();
  for (const path of filesBelow(join(target, 'dist'))) {
    if (!/\.(?:d\.ts|m?js)$/.test(path)) continue;
    for (const [, from = ''] of readFileSync(path, 'utf8').matchAll(importing)) {
      const name = from.split('/', from.startsWith('@') ? 2 : 1).join('/');
      if (isBuiltin(from) || from.startsWith('#') || known.has(name)) continue;
      const version = offered[name];
      const place = relative(target, path);
      if (version === undefined || !/[\\/](?:testing|conformance)\b/.test(place))
        throw new Error(`${manifest.name}: ${place} imports ${name}, which is no dependency of the package.`);
      peers.set(name, name.startsWith('@coppice/') ? version : `^${version}`);
    }
  }
  return peers;
}

import {
  buildDriverPackages,
  listDriverDependencies,
  listOwnDriverSystem,
  removeDriverDependency,
} from './driver-packages.ts';
import { buildLicenceNotices } from './notices.ts';

/** Returns the dependencies of a published package; undefined if it has none. */
function needs(manifest: Manifest, folder: string): Readonly<Record<string, string>> | undefined {
  // The page is bundled, so its dependencies are not installed with it.
  if (folder === 'web') return undefined;
  // In a checkout the command finds the page in the workspace; published, it depends on the page.
  const kept = removeDriverDependency(Object.entries(manifest.dependencies ?? {})).filter(
    ([name]) => !isInlined(folder, name),
  );
  if (kept.length === 0 && folder !== 'cli') return undefined;
  return { ...Object.fromEntries(kept), ...(folder === 'cli' ? { '@coppice/web': manifest.version } : {}) };
}

/** Builds the published manifest: with built files, without workspace settings and development tools. */
function outside(manifest: Manifest, folder: string, target: string): object {
  const { name, version, description, keywords, license, engines, sideEffects, bin, exports: entries = {} } = manifest;
  const { peerDependencies, peerDependenciesMeta } = manifest;
  const dependencies = needs(manifest, folder);
  const peers = folder === 'web' ? new Map<string, string>() : peersOf(manifest, target);
  const built: Record<string, unknown> = { './package.json': './package.json' };
  for (const [entry, given] of Object.entries(entries)) {
    const file = typeof given === 'string' ? given : given.default;
    const path = file.replace(/^\.\//, './dist/');
    if (!/\.tsx?$/.test(file)) {
      if (existsSync(join(target, path))) built[entry] = path;
      continue;
    }
    const plain = path.replace(/\.tsx?$/, '');
    // Entries that only our tests use are not built and not published.
    if (!existsSync(join(target, `${plain}.js`))) continue;
    const browser = typeof given === 'string' ? undefined : given.browser.replace(/^\.\/(.*)\.tsx?$/, './dist/$1.js');
    const forNode = `${plain.replace('/src/', `/${nodeEntriesFolder}/`)}.js`;
    built[entry] = {
      types: `${plain}.d.ts`,
      ...(browser === undefined ? {} : { browser }),
      ...(existsSync(join(target, forNode)) ? { node: forNode } : {}),
      default: `${plain}.js`,
    };
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
    files: ['dist', ...(bin === undefined ? [] : ['bin']), ...(folder === 'cli' ? ['documents'] : [])],
    ...(bin === undefined ? {} : { bin }),
    imports: builtImports(manifest),
    exports: built,
    ...(dependencies === undefined ? {} : { dependencies }),
    ...(folder === 'cli' ? { optionalDependencies: listDriverDependencies(version) } : {}),
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

/**
 * Returns the modules that exist twice, for Node and for browsers: the package's own ones, and the dependencies that are
 * bundled into it. Undefined if there are none.
 */
function builtImports({ name, imports }: Manifest): object | undefined {
  if (imports === undefined) return undefined;
  const plain = (file: string) => file.replace(/^\.\/(.*)\.tsx?$/, './dist/$1');
  const own = Object.entries(imports).map(([each, { browser, default: node }]) => [
    each,
    { types: `${plain(node)}.d.ts`, browser: `${plain(browser)}.js`, default: `${plain(node)}.js` },
  ]);
  const vendor = { browser: './dist/vendor/browser/*.js', default: './dist/vendor/*.js' };
  const hasVendor = inlined[name.replace('@coppice/', '')] !== undefined;
  return Object.fromEntries(hasVendor ? [...own, ['#vendor/*', vendor]] : own);
}

/**
 * Returns whether a package has a peer that npm installs with it: the framework that it adapts to. `npm run pack` puts
 * these packages into another folder, so that installing all tarballs of the first folder installs no framework.
 */
export function isFrameworkAdapter(folder: string): boolean {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = manifestIn(join(repositoryRoot, 'packages', folder));
  return (
    folder !== 'web' && Object.keys(peerDependencies).some((peer) => peerDependenciesMeta[peer]?.optional !== true)
  );
}

/** Packs a folder; returns the package's name and its tarball. */
export function packFolder(target: string, into: string): readonly [name: string, tarball: string] {
  const said = execFileSync('npm', ['pack', '--json', '--pack-destination', into], {
    cwd: target,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(said);
  return [String(packed.name), join(into, String(packed.filename))];
}

/** Builds and packs packages; returns the tarballs by published name. */
export function packAll(into: string, folders: readonly string[] = publishedPackages): Map<string, string> {
  return new Map(folders.map((folder) => packFolder(buildPackage(folder, into), into)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const into = join(repositoryRoot, '.tmp', 'pack');
  const adapters = join(into, 'adapters');
  // Removes tarballs of an earlier run, which would be installed together with these.
  rmSync(into, { recursive: true, force: true });
  mkdirSync(adapters, { recursive: true });
  // Packs only the driver of this system, so that all tarballs of the folder can be installed together. A release packs
  // all drivers.
  const drivers = buildDriverPackages(into, listOwnDriverSystem()).map((target) => packFolder(target, into));
  const packed = publishedPackages.map((folder) =>
    packFolder(buildPackage(folder, into), isFrameworkAdapter(folder) ? adapters : into),
  );
  for (const [name, path] of [...drivers, ...packed]) {
    const size = Math.round(statSync(path).size / 1024);
    process.stdout.write(`${name}  ${size} kB  ${relative(repositoryRoot, path)}\n`);
  }
}
