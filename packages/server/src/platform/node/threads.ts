/** Starts worker threads. */
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { findWorkerFile } from '@coppice/engine';

/** The module of a worker: its name beside the module `beside`, or its URL. */
export interface WorkerModule {
  readonly module: string | URL;
  readonly beside: string;
}

/** Starts a worker thread. In a checkout the thread loads the TypeScript sources. */
export function startWorker({ module, beside }: WorkerModule, options: WorkerOptions): Worker {
  const { file, execArgv } = findWorkerFile(typeof module === 'string' ? module : 'worker', beside);
  return new Worker(typeof module === 'string' ? file : module, { ...options, execArgv });
}
