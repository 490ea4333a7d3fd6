// The input of formats: named files that stream their bytes. The caller opens the files.
import type { Json } from '@coppice/core';
import { copyBytes, joinBytes } from './bytes.ts';
import type { PauseFunction } from './cooperative.ts';
import { decodeUtf8 } from './decode.ts';
import { refuseImport } from './findings.ts';
import { isGzip, removeGzExtension, unpackGzip } from './gzip.ts';
import { parsePartialJson } from './partial-json.ts';
import { detectUtf16, utf16HeadBytes, utf16ToUtf8 } from './utf16.ts';
import { isZip, openZipMembers, type ZipLimits } from './zip.ts';

/**
 * A file to read. Each call of `stream` starts at the beginning. A pipe can be read beyond its first `kept` bytes only
 * once.
 */
export interface InputFile {
  /**
   * The path inside the folder or archive, with `/` as separator. It is used for messages and detection, never to open
   * a file.
   */
  readonly name: string;
  /** The size in bytes; null if it is unknown, as for a pipe. */
  readonly size: number | null;
  stream(): AsyncIterable<Uint8Array>;
  /** For a pipe or a packed file: the number of bytes that may be examined before the file is read. */
  readonly kept?: number;
  /** Called often while a large part of the file is read, so that other work can run. */
  readonly rest?: PauseFunction | undefined;
  /** Reads any range of bytes, if possible; archives need it. */
  readonly read?: (start: number, end: number) => Promise<Uint8Array>;
}

/** One input: a file, the files of a folder, or the members of an archive. */
export interface ImportInput {
  readonly files: readonly InputFile[];
}

/** The beginning of a file, for detecting its format. */
export interface SampleFile {
  readonly name: string;
  readonly size: number | null;
  readonly head: Uint8Array;
  /** Whether `head` is the whole file. */
  readonly whole: boolean;
  /** The beginning as text, without a byte order mark. */
  readonly text: string;
  /** The first JSON value, as far as the sample contains it; undefined if the file does not begin with JSON. */
  readonly json: Json | undefined;
  /** The first complete lines as JSON values, if the file has one value per line. */
  readonly lines: readonly Json[];
}

/** The beginnings of the files of an input, by which its format is detected. */
export interface InputSample {
  readonly files: readonly SampleFile[];
}

/** The number of bytes of each file that the detection may read. */
const sampleBytes = 64 * 1024;
const sampledFiles = 64;
const sampledLines = 40;
const scannedBytes = 64 * 1024 * 1024;
const [lineFeed, opening, closing] = [0x0a, 0x7b, 0x7d];
const isWhitespaceByte = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === lineFeed;
const keptBytes = 8 * 1024 * 1024;

async function* inPieces(bytes: Uint8Array, piece: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += piece) yield bytes.subarray(start, start + piece);
}

/** Wraps bytes in memory as a file. */
export function wrapBytesAsFile(name: string, bytes: Uint8Array, piece = 64 * 1024): InputFile {
  return {
    name,
    size: bytes.length,
    stream: () => inPieces(bytes, piece),
    read: async (start, end) => bytes.subarray(start, end),
  };
}

/** Wraps a stream that can be read once, such as a pipe. Its beginning is buffered for the detection. */
export async function wrapStreamAsFile(name: string, source: AsyncIterable<Uint8Array>): Promise<InputFile> {
  const pieces: Uint8Array[] = [];
  const iterator = source[Symbol.asyncIterator]();
  let kept = 0;
  let ended = false;
  // Reads up to the start of the second line, because only then it is known whether the file consists of lines.
  let lines: 'first' | 'between' | 'second' = 'first';
  while (!ended && (kept <= sampleBytes || (lines !== 'second' && kept < keptBytes))) {
    const next = await iterator.next();
    if (next.done === true) {
      ended = true;
      continue;
    }
    const piece = copyBytes(next.value);
    pieces.push(piece);
    kept += piece.length;
    const end: number = lines === 'first' ? piece.indexOf(lineFeed) : 0;
    if (end === -1) continue;
    lines = piece.subarray(end).every(isWhitespaceByte) ? 'between' : 'second';
  }
  let gone = false;
  return {
    name,
    size: ended ? kept : null,
    kept,
    async *stream() {
      if (gone) refuseImport('import/unreadable', `${name} is a pipe that was already read; save it to a file first.`);
      yield* pieces;
      if (ended) return;
      gone = true;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
    },
  };
}

/** Reads all bytes of a file; throws beyond a limit. */
export async function readAllBytes(file: InputFile, limit = 512 * 1024 * 1024): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of file.stream()) {
    size += piece.length;
    if (size > limit)
      refuseImport('import/too-large', `${file.name} has more than the ${limit} bytes that fit into memory at once.`);
    // Copied, because a stream may reuse its buffer.
    pieces.push(copyBytes(piece));
  }
  return joinBytes(pieces);
}

/** Reads the first bytes of a file; `whole` tells whether these are all bytes. */
export async function readFirstBytes(
  file: InputFile,
  most = sampleBytes,
): Promise<{ head: Uint8Array; whole: boolean }> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of file.stream()) {
    pieces.push(copyBytes(piece));
    size += piece.length;
    if (size > most) break;
  }
  const head = joinBytes(pieces);
  return { head: head.subarray(0, most), whole: head.length <= most };
}

/** Returns the content of a gzip file or a UTF-16 file as UTF-8; other files unchanged. */
async function plainFile(file: InputFile, limits: Partial<ZipLimits> | undefined): Promise<InputFile> {
  const head =
    file.read === undefined ? (await readFirstBytes(file, utf16HeadBytes)).head : await file.read(0, utf16HeadBytes);
  const packed = isGzip(head);
  const order = detectUtf16(head);
  if (!packed && order === undefined) return file;
  const name = packed ? removeGzExtension(file.name) : file.name;
  const stream = () =>
    order === undefined ? unpackGzip(file.name, file.stream(), limits) : utf16ToUtf8(file.stream(), order);
  if (file.kept !== undefined) return wrapStreamAsFile(name, stream());
  // The size is unknown until the end. Until then the beginning can be examined repeatedly.
  return { name, size: null, kept: scannedBytes, stream };
}

/**
 * Opens archives: each zip file is replaced by its members, each gzip file by its content, and each UTF-16 file by its
 * text as UTF-8. Archives inside archives are not opened.
 */
export async function openInput(input: ImportInput, limits?: Partial<ZipLimits>): Promise<ImportInput> {
  const files: InputFile[] = [];
  for (const file of input.files) {
    if (file.read === undefined || file.size === null || file.size < 22 || !isZip(await file.read(0, 4))) {
      files.push(await plainFile(file, limits));
      continue;
    }
    const prefix = input.files.length === 1 ? '' : `${file.name}/`;
    for (const member of await openZipMembers({ name: file.name, size: file.size, read: file.read }, limits))
      files.push({ ...member, name: prefix + member.name });
  }
  return { files };
}

function sampleLines(text: string, whole: boolean): Json[] {
  const found: Json[] = [];
  let start = 0;
  while (found.length < sampledLines && start < text.length) {
    const end = text.indexOf('\n', start);
    if (end === -1 && !whole) break;
    const line = text.slice(start, end === -1 ? text.length : end).trim();
    start = end === -1 ? text.length : end + 1;
    if (line === '') continue;
    try {
      const value: Json = JSON.parse(line);
      if (typeof value === 'object' && value !== null) found.push(value);
    } catch {
      // A line that is not JSON does not help the detection; readers report it.
    }
  }
  return found;
}

/** Whether the first line ends with an object and the next line begins with another, as in a file of JSON lines. */
async function beginsAgain(file: InputFile): Promise<boolean> {
  let before = 0;
  let ended = false;
  let scanned = 0;
  for await (const piece of file.stream()) {
    let at = 0;
    if (!ended) {
      const end = piece.indexOf(lineFeed);
      const line = end === -1 ? piece : piece.subarray(0, end);
      before = line.findLast((byte) => !isWhitespaceByte(byte)) ?? before;
      ended = end !== -1;
      at = ended ? end : piece.length;
    }
    if (ended && before !== closing) return false;
    for (; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (!isWhitespaceByte(byte)) return byte === opening;
    }
    scanned += piece.length;
    // A pipe must not be read further here, because then it could not be read from its beginning.
    if (scanned >= (file.kept ?? scannedBytes)) return false;
  }
  return false;
}

/** Whether a file has one JSON value per line, judged by its beginning. Otherwise the file is one document. */
export async function isJsonLinesFile(file: InputFile): Promise<boolean> {
  const { head, whole } = await readFirstBytes(file);
  const { text } = decodeUtf8(head);
  // A bracket alone on the first line starts a formatted document. Some of its lines may be valid JSON values too.
  if (/^\s*[[{]\s*\n/.test(text)) return false;
  const found = sampleLines(text, whole);
  if (found.length >= 2) return true;
  // Records are often longer than the sample.
  const begun = text.trimStart();
  const more = file.size !== null || file.kept !== undefined;
  if (!whole && more && begun.startsWith('{') && !begun.includes('\n')) return beginsAgain(file);
  // The file has one long line, followed by the start of another.
  const [first = '', ...rest] = text.trimStart().split('\n');
  return (
    found.length === 1 && first.trimStart().startsWith('{') && rest.some((line) => line.trimStart().startsWith('{'))
  );
}

// File extensions that no format uses. An export may contain thousands of such files, which are not examined.
const media =
  /\.(?:png|jpe?g|gif|webp|heic|svg|ico|bmp|tiff?|pdf|mp[34]|m4a|wav|ogg|opus|webm|mov|zip|gz|docx?|xlsx?|pptx?|html?|css)$/i;

/** Whether a file's extension marks it as an image, audio, page or similar. The rest of the name does not matter. */
export function isMediaFile(name: string): boolean {
  return media.test(name);
}

/** Reads the beginnings of an input's files: likely conversations first, and at most a few dozen. */
export async function readSample(input: ImportInput): Promise<InputSample> {
  const likely = (file: InputFile) => /\.(?:jsonl?|ndjson|bak|db|sqlite|toml|md|html?)$/i.test(file.name);
  const chosen = [...input.files.filter(likely), ...input.files.filter((file) => !likely(file))].slice(0, sampledFiles);
  const files: SampleFile[] = [];
  for (const file of chosen) {
    const { head, whole } = await readFirstBytes(file);
    const { text } = decodeUtf8(head);
    files.push({
      name: file.name,
      size: file.size,
      head,
      whole,
      text,
      json: parsePartialJson(text),
      lines: sampleLines(text, whole),
    });
  }
  return { files };
}
