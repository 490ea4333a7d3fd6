// What formats read from: named files that give their bytes in pieces. Whoever calls opens them; nothing here does.
import type { Json } from '@coppice/core';
import { copyBytes, joinBytes } from './bytes.ts';
import type { Pause } from './cooperative.ts';
import { decodeUtf8 } from './decode.ts';
import { refuseImport } from './findings.ts';
import { isGzip, unpackedName, unpackGzip } from './gzip.ts';
import { partialJson } from './partial-json.ts';
import { fromUtf16, utf16Head, utf16In } from './utf16.ts';
import { isZip, type ZipLimits, zipMembers } from './zip.ts';

/** A file to read. `stream` may be called again and then begins anew, unless the file says otherwise. */
export interface InputFile {
  /** Its path inside the folder or archive, with `/` between names; for people and for hints, never opened by it. */
  readonly name: string;
  /** Null where it is not known, as for a pipe. */
  readonly size: number | null;
  stream(): AsyncIterable<Uint8Array>;
  /** How much of it may be looked at before it is read, where it can be read once only. */
  readonly kept?: number;
  /** Asked where others may have a turn while much of it is read at once. */
  readonly rest?: Pause | undefined;
  /** Any range of its bytes, where that is possible; archives need it. */
  readonly read?: (start: number, end: number) => Promise<Uint8Array>;
}

/** One thing to import: a file, the files of a folder, or the members of an archive. */
export interface Input {
  readonly files: readonly InputFile[];
}

/** The beginning of a file, for telling formats apart. */
export interface SampleFile {
  readonly name: string;
  readonly size: number | null;
  readonly head: Uint8Array;
  /** Whether `head` is the whole file. */
  readonly whole: boolean;
  /** The beginning as text, without a byte order mark. */
  readonly text: string;
  /** The first JSON value as far as the beginning shows it; undefined where there is none. */
  readonly json: Json | undefined;
  /** The first complete lines as JSON values, where the file has one value a line. */
  readonly lines: readonly Json[];
}

/** The beginnings of an input's files. */
export interface Sample {
  readonly files: readonly SampleFile[];
}

/** How much of each file telling formats apart may look at. */
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

/** A file that is in memory already. */
export function fileOfBytes(name: string, bytes: Uint8Array, piece = 64 * 1024): InputFile {
  return {
    name,
    size: bytes.length,
    stream: () => inPieces(bytes, piece),
    read: async (start, end) => bytes.subarray(start, end),
  };
}

/** A file whose bytes come once, such as a pipe. Its beginning is kept, so that it can be told what it is first. */
export async function fileOfStream(name: string, source: AsyncIterable<Uint8Array>): Promise<InputFile> {
  const pieces: Uint8Array[] = [];
  const iterator = source[Symbol.asyncIterator]();
  let kept = 0;
  let ended = false;
  // As far as what comes after the first line: whether there are lines can be told no sooner.
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
      if (gone)
        refuseImport('import/unreadable', `${name} comes from a pipe and was read already; save it to a file first.`);
      yield* pieces;
      if (ended) return;
      gone = true;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
    },
  };
}

/** All bytes of a file, refused past a limit. */
export async function readAllBytes(file: InputFile, limit = 512 * 1024 * 1024): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of file.stream()) {
    size += piece.length;
    if (size > limit)
      refuseImport('import/too-large', `${file.name} has more than the ${limit} bytes that may be held at once.`);
    // Streams may use their buffer again.
    pieces.push(copyBytes(piece));
  }
  return joinBytes(pieces);
}

/** The first bytes of a file. */
export async function readHead(file: InputFile, most = sampleBytes): Promise<{ head: Uint8Array; whole: boolean }> {
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

/** What a file holds that is packed by itself, or in UTF-16; the file where it is neither. */
async function plainFile(file: InputFile, limits: Partial<ZipLimits> | undefined): Promise<InputFile> {
  const head = file.read === undefined ? (await readHead(file, utf16Head)).head : await file.read(0, utf16Head);
  const packed = isGzip(head);
  const order = utf16In(head);
  if (!packed && order === undefined) return file;
  const name = packed ? unpackedName(file.name) : file.name;
  const stream = () =>
    order === undefined ? unpackGzip(file.name, file.stream(), limits) : fromUtf16(file.stream(), order);
  if (file.kept !== undefined) return fileOfStream(name, stream());
  // How much is in it is known at its end only; until then it may be looked at as often as need be.
  return { name, size: null, kept: scannedBytes, stream };
}

/**
 * Opens archives: each zip among the files is replaced by its members, and what is packed by gzip by what is in it. Archives
 * inside archives stay closed.
 */
export async function openInput(input: Input, limits?: Partial<ZipLimits>): Promise<Input> {
  const files: InputFile[] = [];
  for (const file of input.files) {
    if (file.read === undefined || file.size === null || file.size < 22 || !isZip(await file.read(0, 4))) {
      files.push(await plainFile(file, limits));
      continue;
    }
    const prefix = input.files.length === 1 ? '' : `${file.name}/`;
    for (const member of await zipMembers({ name: file.name, size: file.size, read: file.read }, limits))
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
      // A line that is no JSON says nothing about the format; readers report it.
    }
  }
  return found;
}

/** Whether the first line ends with an object and the next begins with one. */
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
    // One more step into a pipe, and it could not be read from its beginning any more.
    if (scanned >= (file.kept ?? scannedBytes)) return false;
  }
  return false;
}

/** Whether a file holds one JSON value a line, by its beginning; otherwise it is taken for one document. */
export async function isLineFile(file: InputFile): Promise<boolean> {
  const { head, whole } = await readHead(file);
  const { text } = decodeUtf8(head);
  // A bracket alone begins a document that is set in lines, some of which may be values by themselves.
  if (/^\s*[[{]\s*\n/.test(text)) return false;
  const found = sampleLines(text, whole);
  if (found.length >= 2) return true;
  // Records are often longer than what is looked at here.
  const begun = text.trimStart();
  const more = file.size !== null || file.kept !== undefined;
  if (!whole && more && begun.startsWith('{') && !begun.includes('\n')) return beginsAgain(file);
  // One long line, and another one begins after it.
  const [first = '', ...rest] = text.trimStart().split('\n');
  return (
    found.length === 1 && first.trimStart().startsWith('{') && rest.some((line) => line.trimStart().startsWith('{'))
  );
}

// What no format begins with: of these there may be thousands beside an export, and none is worth a look.
const media =
  /\.(?:png|jpe?g|gif|webp|heic|svg|ico|bmp|tiff?|pdf|mp[34]|m4a|wav|ogg|opus|webm|mov|zip|gz|docx?|xlsx?|pptx?|html?|css)$/i;

/** Whether a file's name says that it is a picture, a sound, a page or the like. What it is called else says nothing. */
export function isMedia(name: string): boolean {
  return media.test(name);
}

/** The beginnings of the files of an input: those that may hold conversations first, and a few dozen at most. */
export async function sampleOf(input: Input): Promise<Sample> {
  const likely = (file: InputFile) => /\.(?:jsonl?|ndjson|bak|db|sqlite|toml|md|html?)$/i.test(file.name);
  const chosen = [...input.files.filter(likely), ...input.files.filter((file) => !likely(file))].slice(0, sampledFiles);
  const files: SampleFile[] = [];
  for (const file of chosen) {
    const { head, whole } = await readHead(file);
    const { text } = decodeUtf8(head);
    files.push({
      name: file.name,
      size: file.size,
      head,
      whole,
      text,
      json: partialJson(text),
      lines: sampleLines(text, whole),
    });
  }
  return { files };
}
