// Bundles the modules of a built package, because finding and compiling many files takes longer than running them.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

/** The folder in `dist` with the entries for Node, of packages that have them. */
export const nodeEntriesFolder = 'node';

const settings = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  write: false,
} as const satisfies BuildOptions;

/**
 * Bundles the modules in `dist` into one file per entry and files that entries share. Declarations stay unchanged. With
 * `forNode` it also writes entries for Node in which all entries share one file.
 */
export function bundleModules(dist: string, entries: readonly string[], forNode: boolean): void {
  const built = entries.map((file) => join(dist, file.replace(/\.tsx?$/, '.js'))).filter((file) => existsSync(file));
  const { outputFiles } = buildSync({
    ...settings,
    entryPoints: built,
    outdir: dist,
    outbase: dist,
    chunkNames: 'src/shared-[hash]',
  });
  const nodeFiles = forNode ? joinForNode(dist, built) : [];
  for (const path of listScripts(dist)) rmSync(path);
  for (const { path, contents } of [...outputFiles, ...nodeFiles]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
}

/** A file to write, as esbuild returns it. */
interface BuiltFile {
  readonly path: string;
  readonly contents: string | Uint8Array;
}

/**
 * Builds the entries for Node. A bundler can drop the unused parts of separate files better than those of one file, so
 * the other entries stay as they are.
 */
function joinForNode(dist: string, entries: readonly string[]): readonly BuiltFile[] {
  const folder = join(dist, nodeEntriesFolder);
  // Suites for tests load further packages, so they stay separate.
  const isSuite = (file: string) => /[\\/]testing[\\/]/.test(file);
  const names = readExportedNames(dist, entries);
  const joined = entries.filter((file) => !isSuite(file));
  const prefixed = (at: number, name: string) => `entry${at}_${name}`;
  const lists = joined.map((file) => names.get(file) ?? []);
  const all = join(dist, 'all-entries.js');
  writeFileSync(
    all,
    lists
      .map((list, at) => {
        const renamed = list.map((name) => `${name} as ${prefixed(at, name)}`).join(', ');
        return `export { ${renamed} } from ${JSON.stringify(joined[at])};\n`;
      })
      .join(''),
  );
  const placeOf = (file: string) => relative(join(dist, 'src'), file).replaceAll('\\', '/');
  const { outputFiles } = buildSync({
    ...settings,
    entryPoints: [
      { in: all, out: 'all' },
      ...entries.filter(isSuite).map((file) => ({ in: file, out: placeOf(file).replace(/\.js$/, '') })),
    ],
    outdir: folder,
    chunkNames: 'shared-[hash]',
  });
  const forwarding = joined.map((file, at): BuiltFile => {
    const path = join(folder, placeOf(file));
    const from = relative(dirname(path), join(folder, 'all.js')).replaceAll('\\', '/');
    const renamed = (lists[at] ?? []).map((name) => `${prefixed(at, name)} as ${name}`).join(', ');
    return { path, contents: `export { ${renamed} } from '${from.startsWith('.') ? from : `./${from}`}';\n` };
  });
  return [...outputFiles, ...forwarding];
}

/** Returns the names that each entry exports. */
function readExportedNames(dist: string, entries: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const { metafile } = buildSync({ ...settings, entryPoints: [...entries], outdir: dist, metafile: true });
  const names = new Map<string, readonly string[]>();
  for (const { entryPoint, exports } of Object.values(metafile.outputs))
    if (entryPoint !== undefined) names.set(resolve(entryPoint), exports);
  return names;
}

function listScripts(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .map((path) => join(folder, path));
}
