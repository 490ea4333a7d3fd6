// Reads an input completely: opens it, detects the format, reads, repairs and counts.
import type { Format, FormatReader, ImportedBlob, ReadEvent, ReadOptions } from './contract.ts';
import { type PauseFunction, runWithPauses } from './cooperative.ts';
import { decodeUtf8 } from './decode.ts';
import { buildFindingDetail } from './finding-details.ts';
import { buildFinding, type ImportFinding, refuseImport } from './findings.ts';
import { formats } from './formats.ts';
import {
  type ImportInput,
  type InputFile,
  type InputSample,
  isMediaFile,
  openInput,
  readFirstBytes,
  readSample,
} from './input.ts';
import { type RepairedTree, repairTreeCooperatively } from './repair.ts';
import type { ZipLimits } from './zip.ts';

/** The events of an import. At a `progress` event the caller may run other work. */
export type ImportEvent =
  | { readonly type: 'format'; readonly format: Format }
  | { readonly type: 'tree'; readonly tree: RepairedTree }
  | { readonly type: 'finding'; readonly finding: ImportFinding }
  | { readonly type: 'blob'; readonly blob: ImportedBlob }
  | { readonly type: 'progress'; readonly bytes: number; readonly total: number | null };

/** Options of {@link readImport}: the format if it is known, and the limits of archives. */
export interface ImportOptions extends ReadOptions {
  /** The format or its name; by default it is detected from the content. */
  readonly format?: string | Format;
  readonly zip?: Partial<ZipLimits>;
}

/** A format that an input may have, with the reader's confidence from 0 to 1. */
export interface FormatGuess {
  readonly format: Format;
  readonly confidence: number;
}

/** Returns the possible formats of an input, the most likely first. */
export function guessFormats(sample: InputSample, among: readonly Format[] = formats): FormatGuess[] {
  const guesses: FormatGuess[] = [];
  for (const format of among) {
    const confidence = format.reader?.detect(sample) ?? 0;
    if (confidence > 0) guesses.push({ format, confidence });
  }
  return guesses.sort((a, b) => b.confidence - a.confidence);
}

/** Returns the format with this name and its reader; throws if it is unknown or cannot be read. */
function readerNamed(name: string): { readonly format: Format; readonly reader: FormatReader } {
  const format = formats.find((one) => one.name === name);
  if (format?.reader !== undefined) return { format, reader: format.reader };
  const known = formats.filter((one) => one.reader !== undefined).map((one) => one.name);
  return refuseImport(
    'import/unknown-format',
    `There is no format ${JSON.stringify(name)} to import; known formats are ${known.join(', ')}.`,
  );
}

function requireReader(format: string | Format): { readonly format: Format; readonly reader: FormatReader } {
  if (typeof format === 'string') return readerNamed(format);
  const { reader } = format;
  return reader === undefined ? readerNamed(format.name) : { format, reader };
}

/** Files that are read together as one format. */
interface FileRange {
  readonly format: Format;
  readonly reader: FormatReader;
  readonly files: readonly InputFile[];
}

// The minimum confidence for a conversation; a file with a lower confidence is an attachment.
const sure = 0.5;

/**
 * Detects the format of each file separately, for folders with several formats. Files of one format are read together.
 */
async function groupByFormat(files: readonly InputFile[], among: readonly Format[]): Promise<FileRange[]> {
  const found = new Map<string, InputFile[]>();
  for (const file of files) {
    if (isMediaFile(file.name)) continue;
    const [best] = guessFormats(await readSample({ files: [file] }), among);
    if (best === undefined || best.confidence < sure) continue;
    const fellows = found.get(best.format.name);
    if (fellows === undefined) found.set(best.format.name, [file]);
    else fellows.push(file);
  }
  return [...found].map(([name, fellows]) => ({ ...readerNamed(name), files: fellows }));
}

/**
 * Returns the files to read next: all remaining files in the most likely format, else each file in the format that it
 * most likely has.
 */
async function nextRange(files: readonly InputFile[], used: ReadonlySet<string>): Promise<FileRange[]> {
  const among = formats.filter((format) => !used.has(format.name));
  const [best] = guessFormats(await readSample({ files }), among);
  if (best !== undefined && (used.size === 0 || best.confidence >= sure))
    return [{ ...readerNamed(best.format.name), files }];
  return files.length > 1 ? groupByFormat(files, among) : [];
}

/** Whether a finding only reports that a whole file does not belong to the format. */
function isLeftOut({ code, rejected, place }: ImportFinding, names: ReadonlyMap<string, InputFile>): boolean {
  return (code === 'import/skipped' || code === 'import/attachment-unused') && rejected === 0 && names.has(place);
}

/** Whether an event shows that a reader found something, or why it found nothing. */
function isUnderstood(event: ReadEvent): boolean {
  if (event.type === 'tree') return event.tree.nodes.length > 0 || event.tree.findings.some(isTrouble);
  return event.type === 'blob' || (event.type === 'finding' && isTrouble(event.finding));
}

const isTrouble = ({ severity }: ImportFinding) => severity !== 'note';

/**
 * Returns a finding for a file in which the reader found nothing: a loss, unless the file is empty or a picture, sound
 * or similar.
 */
async function buildNothingFinding(file: InputFile, format: Format, empty: boolean): Promise<ImportFinding> {
  const { head } = await readFirstBytes(file);
  const blank = empty || isMediaFile(file.name) || /^[\s[\]{}]*$/.test(decodeUtf8(head).text);
  return buildFinding(
    'import/skipped',
    blank ? 'note' : 'loss',
    file.name,
    buildFindingDetail('nothing-of-format', format.label),
  );
}

/** Counts the bytes that are read of a file, and pauses in between. Bytes that are read again count only once. */
function withProgress(
  file: InputFile,
  far: Map<InputFile, number>,
  count: (bytes: number) => void,
  rest: PauseFunction | undefined,
) {
  return {
    ...file,
    rest,
    async *stream() {
      let at = 0;
      for await (const chunk of file.stream()) {
        at += chunk.length;
        const before = far.get(file) ?? 0;
        if (at > before) {
          far.set(file, at);
          count(at - before);
        }
        yield chunk;
        // Pauses here, because much may have been read, and reading bytes from memory never yields to other work.
        const resting = rest?.();
        if (resting !== undefined) await resting;
      }
    },
  };
}

/**
 * Reads an input: opens archives, detects the format by content, reads one conversation at a time and repairs it. If
 * the reader finds nothing in a file, the format of that file is detected separately. Throws an AppError with an
 * `import/…` code if the input cannot be read at all; all other problems are findings.
 */
export async function* readImport(input: ImportInput, options: ImportOptions = {}): AsyncGenerator<ImportEvent> {
  const opened = await openInput(input, options.zip);
  const sizes = opened.files.map((file) => file.size);
  const total = sizes.includes(null) ? null : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  let bytes = 0;
  let reported = 0;
  const far = new Map<InputFile, number>();
  const progress = (): ImportEvent => {
    reported = bytes;
    return { type: 'progress', bytes, total };
  };
  async function* reading({ format, reader, files }: FileRange): AsyncGenerator<ImportEvent> {
    yield { type: 'format', format };
    const open = files.map((file) =>
      withProgress(
        file,
        far,
        (more) => {
          bytes += more;
        },
        options.rest,
      ),
    );
    let understood = false;
    let trees = 0;
    for await (const event of reader.read({ files: open }, options)) {
      if (event.type === 'tree') trees++;
      if (isUnderstood(event)) understood = true;
      if (options.signal?.aborted === true) refuseImport('import/aborted', 'The import was stopped.');
      if (event.type === 'tree')
        yield { type: 'tree', tree: await runWithPauses(repairTreeCooperatively(event.tree), options.rest) };
      else if (event.type === 'finding' || event.type === 'blob') yield event;
      if (event.type !== 'finding' || bytes - reported > 1024 * 1024) yield progress();
    }
    if (!understood)
      for (const file of files) yield { type: 'finding', finding: await buildNothingFinding(file, format, trees > 0) };
  }
  if (options.format !== undefined) {
    yield* reading({ ...requireReader(options.format), files: opened.files });
    yield progress();
    return;
  }
  const used = new Set<string>();
  // The first finding about each file that no reader could use.
  const left = new Map<string, ImportFinding>();
  let files: readonly InputFile[] = opened.files;
  for (let next = await nextRange(files, used); next.length > 0; next = await nextRange(files, used)) {
    const names = new Map(files.map((file) => [file.name, file]));
    const rest = new Map(names);
    for (const range of next) for (const { name } of range.files) rest.delete(name);
    for (const range of next) {
      used.add(range.format.name);
      for await (const event of reading(range)) {
        if (event.type !== 'finding' || !isLeftOut(event.finding, names)) yield event;
        else {
          const { place } = event.finding;
          if (!left.has(place)) left.set(place, event.finding);
          const file = names.get(place);
          if (file !== undefined) rest.set(place, file);
        }
      }
    }
    files = [...rest.values()];
    if (files.length === 0) break;
  }
  if (used.size === 0) refuseUnknownFormat(opened);
  for (const { name } of files) {
    const said = left.get(name);
    if (said !== undefined) yield { type: 'finding', finding: said };
    else if (opened.files.length > 1) yield { type: 'finding', finding: buildFinding('import/skipped', 'note', name) };
  }
  yield progress();
}

function refuseUnknownFormat(input: ImportInput): never {
  const names = input.files.slice(0, 3).map((file) => file.name);
  const where = `${names.join(', ')}${input.files.length > 3 ? ' …' : ''}`;
  return refuseImport(
    'import/unknown-format',
    names.length === 0
      ? 'There is no file to import.'
      : `Nothing in ${where} looks like a conversation in a known format. If you know its format, name it.`,
    { files: names },
  );
}
