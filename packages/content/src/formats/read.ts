// Reading an input from end to end: opened, told what it is, read, put right, counted.
import type { Format, FormatReader, ImportedBlob, ReadOptions } from './contract.ts';
import { type Finding, refuseImport } from './findings.ts';
import { formats } from './formats.ts';
import { type Input, type InputFile, openInput, type Sample, sampleOf } from './input.ts';
import { type RepairedTree, repairTree } from './repair.ts';
import type { ZipLimits } from './zip.ts';

/** What reading an input gives. `progress` also marks where a caller may give others a turn. */
export type ImportEvent =
  | { readonly type: 'format'; readonly format: Format }
  | { readonly type: 'tree'; readonly tree: RepairedTree }
  | { readonly type: 'finding'; readonly finding: Finding }
  | { readonly type: 'blob'; readonly blob: ImportedBlob }
  | { readonly type: 'progress'; readonly bytes: number; readonly total: number | null };

/** How an input is read. */
export interface ImportOptions extends ReadOptions {
  /** The format's name; found out from the content if not given. */
  readonly format?: string;
  readonly zip?: Partial<ZipLimits>;
}

/** A format that might be the one, and how sure it is. */
export interface Guess {
  readonly format: Format;
  readonly confidence: number;
}

/** The formats that an input may be in, the likeliest first. */
export function guessFormats(sample: Sample, among: readonly Format[] = formats): Guess[] {
  const guesses: Guess[] = [];
  for (const format of among) {
    const confidence = format.reader?.detect(sample) ?? 0;
    if (confidence > 0) guesses.push({ format, confidence });
  }
  return guesses.sort((a, b) => b.confidence - a.confidence);
}

/** A member of the registry that reads, by its name. */
function readerNamed(name: string): { readonly format: Format; readonly reader: FormatReader } {
  const format = formats.find((one) => one.name === name);
  if (format?.reader !== undefined) return { format, reader: format.reader };
  const known = formats.filter((one) => one.reader !== undefined).map((one) => one.name);
  return refuseImport(
    'import/unknown-format',
    `There is no format ${JSON.stringify(name)} to read; there is ${known.join(', ')}.`,
  );
}

async function readerOf(input: Input, name: string | undefined) {
  if (name !== undefined) return readerNamed(name);
  const [best] = guessFormats(await sampleOf(input));
  if (best !== undefined) return readerNamed(best.format.name);
  const names = input.files.slice(0, 3).map((file) => file.name);
  return refuseImport(
    'import/unknown-format',
    `Nothing in ${names.join(', ')}${input.files.length > 3 ? ' …' : ''} looks like conversations that can be read here; name the format if you know it.`,
    { files: names },
  );
}

/** Counts what is read of a file. */
function counted(file: InputFile, count: (bytes: number) => void): InputFile {
  return {
    ...file,
    async *stream() {
      for await (const chunk of file.stream()) {
        count(chunk.length);
        yield chunk;
      }
    },
  };
}

/**
 * Reads an input: opens archives, finds the format by its content, reads one conversation at a time and puts it right.
 * Throws an AppError with an `import/…` code for an input that cannot be read at all; all else is a finding.
 */
export async function* readImport(input: Input, options: ImportOptions = {}): AsyncGenerator<ImportEvent> {
  const opened = await openInput(input, options.zip);
  const { format, reader } = await readerOf(opened, options.format);
  yield { type: 'format', format };
  const sizes = opened.files.map((file) => file.size);
  const total = sizes.includes(null) ? null : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  let bytes = 0;
  let told = 0;
  const files = opened.files.map((file) =>
    counted(file, (more) => {
      bytes += more;
    }),
  );
  for await (const event of reader.read({ files }, options)) {
    if (options.signal?.aborted === true) refuseImport('import/aborted', 'The import was stopped.');
    if (event.type === 'tree') yield { type: 'tree', tree: repairTree(event.tree) };
    else if (event.type === 'finding' || event.type === 'blob') yield event;
    if (event.type !== 'finding' || bytes - told > 1024 * 1024) {
      told = bytes;
      yield { type: 'progress', bytes, total };
    }
  }
  yield { type: 'progress', bytes, total };
}
