/** Finds the module files of worker threads, in an installed package or in a checkout. */

/** The module file of a worker thread, and the Node options to start it with. */
export interface WorkerFile {
  readonly file: URL;
  readonly execArgv: string[];
}

/**
 * Finds the module of a worker in the folder of the module `beside`. `name` has no extension. In a checkout the worker
 * starts with a loader for TypeScript.
 */
export function findWorkerFile(name: string, beside: string): WorkerFile {
  const isBuilt = !beside.endsWith('.ts');
  const file = new URL(`./${name}.${isBuilt ? 'js' : 'ts'}`, beside);
  if (isBuilt) return { file, execArgv: [] };
  return { file, execArgv: ['--import', new URL('../test/from-sources.mjs', import.meta.url).href] };
}
