/** Compiles the command from the current sources into the form in which it is installed. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));
const scratch = join(packageFolder, '..', '..', '.tmp');

/** Lets modules find the files next to them and resolve dependencies as from the sources. */
const inPlace: Plugin = {
  name: 'in-place',
  setup(made) {
    made.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, kind, resolveDir, importer }) => {
      // Own packages and the imports within them (#platform/…) are sources, which have to be compiled.
      if (pluginData === inPlace || kind === 'entry-point' || /^(?:@coppice\/|#)/.test(path)) return undefined;
      const found = await made.resolve(path, { kind, resolveDir, importer, pluginData: inPlace });
      if (found.external || found.errors.length > 0) return found;
      return { path: pathToFileURL(found.path).href, external: true };
    });
    made.onLoad({ filter: /packages[\\/]\w+[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }));
  },
};

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

// A test runner may kill its processes, so each process removes the folders of those that have ended.
function removeOldFolders(): void {
  for (const name of readdirSync(scratch)) {
    const [, maker] = /^command-(\d+)-/.exec(name) ?? [];
    if (maker !== undefined && !isAlive(Number(maker))) rmSync(join(scratch, name), { recursive: true, force: true });
  }
}

async function compiled(): Promise<string> {
  mkdirSync(scratch, { recursive: true });
  removeOldFolders();
  const folder = mkdtempSync(join(scratch, `command-${process.pid}-`));
  // Some tests run the command as another user.
  chmodSync(folder, 0o755);
  cpSync(join(packageFolder, 'bin'), join(folder, 'bin'), { recursive: true });
  await build({
    entryPoints: [join(packageFolder, 'src', 'main.ts')],
    outdir: join(folder, 'dist', 'src'),
    bundle: true,
    // Modules that only some subcommands need are loaded separately, as in the sources.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    logLevel: 'error',
    plugins: [inPlace],
  });
  return join(folder, 'bin', 'coppice.mjs');
}

let program: Promise<string> | undefined;

/**
 * Returns the path of the compiled command, which is built once per process. Starting from the sources takes eight
 * times as long; `mcp.test.ts` tests that too.
 */
export function compileCliOnce(): Promise<string> {
  program ??= compiled();
  return program;
}
