/** Extracts the text of a file on a worker thread, because a large or malicious file could block the process. */
import { Worker } from 'node:worker_threads';
import type { FileTextLimits } from '../../files/file-text-extractor.ts';
import { findWorkerFile } from '../../worker-file.ts';

/** Returns the text of a file; null if it has none, cannot be read, or exceeds a limit. Never rejects. */
export function extractTextWithinLimits(
  bytes: Uint8Array,
  { timeMs, memoryMb }: FileTextLimits,
): Promise<string | null> {
  return new Promise((resolve) => {
    try {
      const { file, execArgv } = findWorkerFile('text-worker', import.meta.url);
      const worker = new Worker(file, {
        name: 'coppice-file-text',
        workerData: bytes,
        execArgv,
        env: {},
        resourceLimits: { maxOldGenerationSizeMb: memoryMb },
        // Warnings that the parser prints are discarded, because they are not meant for users of Coppice.
        stdout: true,
        stderr: true,
      });
      const timer = setTimeout(() => end(null), timeMs);
      const end = (text: string | null) => {
        clearTimeout(timer);
        resolve(text);
        void worker.terminate();
      };
      worker.once('message', (message: { readonly text: string | null }) => end(message.text));
      worker.once('error', () => end(null));
      worker.once('exit', () => end(null));
    } catch {
      resolve(null);
    }
  });
}
