/** The modules of worker threads. */

/** What a worker is started with. */
export interface WorkerFile {
  readonly file: URL;
  readonly execArgv: string[];
}

/**
 * The module of a worker, by its name without extension: next to the module `beside`, as built, or in a checkout with
 * a loader for TypeScript.
 */
export function findWorkerFile(name: string, beside: string): WorkerFile {
  const isBuilt = !beside.endsWith('.ts');
  const file = new URL(`./${name}.${isBuilt ? 'js' : 'ts'}`, beside);
  if (isBuilt) return { file, execArgv: [] };
  return { file, execArgv: ['--import', new URL('../test/from-sources.mjs', import.meta.url).href] };
}
