/** Extracts the text of a file; its bytes decide which reader is used. */
import { isUtf8 } from '#platform/system';

/** The longest text of a file that is sent to a model, in UTF-16 code units. */
export const maxFileTextLength = 600_000;

function isPdf(bytes: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(bytes.subarray(0, 1024)).includes('%PDF-');
}

function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

/** Whether a text is only the beginning of its file. The note about the rest makes it longer than the limit. */
export function isCutText(text: string): boolean {
  return text.length > maxFileTextLength;
}

/** Decodes bytes in UTF-8 or UTF-16; null if they are not text. */
export function decodeText(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  // Binary formats contain zero bytes; texts do not. A PDF may be all ASCII.
  return isUtf8(bytes) && !bytes.includes(0) && !isPdf(bytes) ? new TextDecoder('utf-8').decode(bytes) : null;
}

/** Returns the text of a PDF, Word, Excel, PowerPoint, OpenDocument or text file; null if the file contains no text. */
export async function extractText(bytes: Uint8Array): Promise<string | null> {
  const text = await rawText(bytes);
  if (text === null || text.trim() === '') return null;
  if (text.length <= maxFileTextLength) return text;
  const shown = text.slice(0, maxFileTextLength).replace(/[\ud800-\udbff]$/, '');
  return `${shown}\n\n[The rest of this file was left out: ${text.length - shown.length} of ${text.length} characters.]`;
}

async function rawText(bytes: Uint8Array): Promise<string | null> {
  if (isPdf(bytes)) return pdfText(bytes);
  if (isZip(bytes)) {
    const { extractOfficeText: officeText } = await import('./office-text.ts');
    return officeText(bytes);
  }
  return decodeText(bytes);
}

async function pdfText(bytes: Uint8Array): Promise<string> {
  const { extractText: extractPages, getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text: pages } = await extractPages(document, { mergePages: false });
  if (pages.every((page) => page.trim() === '')) return '';
  return pages.map((page, index) => `[Page ${index + 1}]\n${page.trim()}`).join('\n\n');
}
