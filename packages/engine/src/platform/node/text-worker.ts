/**
 * A worker thread that extracts the text of one file, so that a large or malicious file cannot block or crash the
 * process.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { extractText } from '../../files/extract-text.ts';

if (parentPort !== null && workerData instanceof Uint8Array)
  parentPort.postMessage({ text: await extractText(workerData) });
