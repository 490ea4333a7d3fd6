/** Extracts the text of attachments for models that do not accept the files themselves. */
import { extractTextWithinLimits } from '#platform/text-thread';

/** Extracts texts in a worker, one file at a time, and caches the most recent ones. */
export interface FileTextExtractor {
  /**
   * Returns the text of a file. `hash` is its key in the cache. Null if it has no text or cannot be read. Never
   * rejects.
   */
  textOf(hash: string, bytes: Uint8Array): Promise<string | null>;
}

/** The limits of one extraction, beyond which the file counts as unreadable, and of the cache. */
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
    const next = last.then(() => extractTextWithinLimits(bytes, bounds));
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
