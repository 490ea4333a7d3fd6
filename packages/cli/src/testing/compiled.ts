/** The command as it is installed, compiled from the sources as they are now. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const packageFolder = fileURLToPath(new URL('../..', import.meta.url));
const scratch = join(packageFolder, '..', '..', '.tmp');

/** Modules still find what lies beside them, and the packages of others are those that their sources see. */
const inPlace: Plugin = {
  name: 'in-place',
  setup(made) {
    made.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, kind, resolveDir, importer }) => {
      if (pluginData === inPlace || kind === 'entry-point' || path.startsWith('@coppice/')) return undefined;
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

// Whoever runs tests ends their processes without a word, so each clears away after those that are gone.
function clearAway(): void {
  for (const name of readdirSync(scratch)) {
    const [, maker] = /^command-(\d+)-/.exec(name) ?? [];
    if (maker !== undefined && !isAlive(Number(maker))) rmSync(join(scratch, name), { recursive: true, force: true });
  }
}

async function compiled(): Promise<string> {
  mkdirSync(scratch, { recursive: true });
  clearAway();
  const folder = mkdtempSync(join(scratch, `command-${process.pid}-`));
  // Some tests run it as somebody else.
  chmodSync(folder, 0o755);
  cpSync(join(packageFolder, 'bin'), join(folder, 'bin'), { recursive: true });
  await build({
    entryPoints: [join(packageFolder, 'src', 'main.ts')],
    outdir: join(folder, 'dist', 'src'),
    bundle: true,
    // What only some subcommands need is loaded by those alone, as it is from the sources.
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
 * The path of the compiled command, made once per process. A start from the sources reads and translates hundreds of
 * modules and takes eight times as long; `mcp.test.ts` sees to it that it works.
 */
export function compiledCommand(): Promise<string> {
  program ??= compiled();
  return program;
}
