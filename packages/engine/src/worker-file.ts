/** Finds the modules of worker threads, built or in a checkout. */

/** The module of a worker thread and the options to start it with. */
export interface WorkerFile {
  readonly file: URL;
  readonly execArgv: string[];
}

/**
 * Finds the module of a worker by its name without extension, next to the module `beside`. In a checkout it is started
 * with a loader for TypeScript.
 */
export function findWorkerFile(name: string, beside: string): WorkerFile {
  const isBuilt = !beside.endsWith('.ts');
  const file = new URL(`./${name}.${isBuilt ? 'js' : 'ts'}`, beside);
  if (isBuilt) return { file, execArgv: [] };
  return { file, execArgv: ['--import', new URL('../test/from-sources.mjs', import.meta.url).href] };
}
