/** Extracts the text of attachments for models that do not accept the files themselves. */
import { Worker } from 'node:worker_threads';
import { findWorkerFile } from '../worker-file.ts';

/** Extracts texts in a worker, one file at a time, and caches the most recent ones. */
export interface FileTextExtractor {
  /**
   * Returns the text of a file. `hash` is its key in the cache. Null if it has no text or cannot be read. Never
   * rejects.
   */
  textOf(hash: string, bytes: Uint8Array): Promise<string | null>;
}

/** What one extraction may use; beyond a limit the file counts as unreadable. */
export interface FileTextLimits {
  readonly timeMs: number;
  readonly memoryMb: number;
  /** How many texts are cached. */
  readonly remembered: number;
}

const usualLimits: FileTextLimits = { timeMs: 30_000, memoryMb: 512, remembered: 16 };

/** Creates an extractor. It starts no worker until a text is requested. */
export function createFileTextExtractor(limits: Partial<FileTextLimits> = {}): FileTextExtractor {
  const bounds = { ...usualLimits, ...limits };
  const known = new Map<string, Promise<string | null>>();
  let last: Promise<unknown> = Promise.resolve();
  const extract = (bytes: Uint8Array): Promise<string | null> => {
    const next = last.then(() => extractInThread(bytes, bounds));
    last = next;
    return next;
  };
  return {
    textOf(hash, bytes) {
      const text = known.get(hash) ?? extract(bytes);
      known.delete(hash);
      known.set(hash, text);
      const [oldest] = known.keys();
      if (known.size > bounds.remembered && oldest !== undefined) known.delete(oldest);
      return text;
    },
  };
}

function extractInThread(bytes: Uint8Array, { timeMs, memoryMb }: FileTextLimits): Promise<string | null> {
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
