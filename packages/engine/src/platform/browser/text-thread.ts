/** Extracts the text of a file in a browser: on the same thread, because a package cannot know where its worker is. */
import { endsWithin } from '../../event-loop.ts';
import { extractText } from '../../files/extract-text.ts';
import type { FileTextLimits } from '../../files/file-text-extractor.ts';

/** Returns the text of a file; null if it has none, cannot be read, or takes too long. Never rejects. */
export async function extractTextWithinLimits(bytes: Uint8Array, { timeMs }: FileTextLimits): Promise<string | null> {
  const text = extractText(bytes).catch(() => null);
  return (await endsWithin(text, timeMs)) ? text : null;
}
