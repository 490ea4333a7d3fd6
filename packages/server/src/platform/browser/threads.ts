/** The server starts no threads in a browser. Callers then do the work on their own thread. */
import type { Worker } from 'node:worker_threads';
import { refuseInBrowser } from './refuse.ts';

/** Throws, because a server in a browser starts no threads. */
export function startWorker(): Worker {
  return refuseInBrowser('A worker thread');
}
