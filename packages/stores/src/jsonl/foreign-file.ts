/** Session files of other tools, and of version 1, read as they are: converted in memory, never written. */
import {
  type Dialect,
  detectDialect,
  entryFromPi,
  headerFromPi,
  isLeafType,
  migrateV1,
  parentsFirst,
  readClaudeCode,
  type SessionEntry,
  type SessionFile,
  type SessionHeader,
  type SessionWarning,
  withKept,
} from '@coppice/content/sessions';
import { AppError, refusalKinds } from '@coppice/core';
import type { Fields } from '../disk/decode.ts';
import { damaged, newer } from '../disk/whole-files.ts';
import { parsedLine } from './heads.ts';
import { isBlankLine, linesIn, type RawLine } from './raw-lines.ts';

/** Which tool wrote a file, by its first lines. Refuses a file that is none of a kind that is known, or a newer one. */
export function dialectOf(path: string): Dialect {
  const first: unknown[] = [];
  for (const { bytes } of linesIn(path)) {
    if (isBlankLine(bytes)) continue;
    first.push(parsedLine(bytes));
    if (first.length === 8) break;
  }
  if (first.length === 0) throw damaged(path, 'is empty');
  const found = detectDialect(first);
  if ('dialect' in found) return found.dialect;
  throw 'newer' in found ? newer(path, found.newer, 2) : damaged(path, `is no session file: ${found.unknown}`);
}

interface Read {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  readonly warnings: readonly SessionWarning[];
}

/** A line of a file; null where it cannot be parsed. */
export interface ParsedLine {
  readonly fields: Fields | null;
  readonly at: RawLine;
}

/** The lines of a file that say anything, and what is to be said of those that cannot be parsed. */
export function parsedLines(path: string): {
  readonly lines: readonly ParsedLine[];
  readonly warnings: SessionWarning[];
} {
  const lines: ParsedLine[] = [];
  const warnings: SessionWarning[] = [];
  for (const at of linesIn(path)) {
    if (isBlankLine(at.bytes)) continue;
    const fields = parsedLine(at.bytes) ?? null;
    lines.push({ fields, at });
    if (fields !== null) continue;
    const what = at.ended ? 'cannot be read' : 'is cut off';
    const message = `Line ${at.line} (byte ${at.offset}) ${what}; it stays where it is.`;
    warnings.push({ code: at.ended ? 'damaged' : 'torn', message, line: at.line, offset: at.offset });
  }
  return { lines, warnings };
}

function read(path: string, dialect: Dialect): Read {
  const { lines, warnings } = parsedLines(path);
  const fields = lines.flatMap((line) => (line.fields === null ? [] : [line.fields]));
  const [first] = fields;
  if (first === undefined) throw damaged(path, 'has no line that can be read');
  if (dialect === 'v1') {
    const { header, entries, warnings: more } = migrateV1(lines.map((line) => line.fields));
    const told = more.map((one) => {
      const { line = one.line, offset = 0 } = lines[one.line - 1]?.at ?? {};
      return { ...one, line, offset };
    });
    return { header, entries, warnings: [...warnings, ...told] };
  }
  if (dialect === 'claude-code') {
    const { header, entries, leafUuid } = readClaudeCode(fields);
    return { header, entries: leading(entries, leafUuid), warnings };
  }
  const header = headerFromPi(first);
  const entries = fields.slice(1).flatMap((line) => entryFromPi(line, header) ?? []);
  // There the last line is the leaf, whatever it is.
  return { header, entries: leading(parentsFirst(entries, header.uuid), entries.at(-1)?.uuid ?? null), warnings };
}

/** Entries with a line that names the leaf, where the last thing that was said is another one. */
function leading(entries: readonly SessionEntry[], leaf: string | null): readonly SessionEntry[] {
  if (leaf === null || entries.findLast((entry) => isLeafType(entry.type))?.uuid === leaf) return entries;
  return [...entries, { type: 'leaf', uuid: `${leaf}-leaf`, parentUuid: leaf }];
}

/** A session file that can only be read, all of it in memory. */
export class ForeignFile implements SessionFile {
  readonly path: string;
  readonly dialect: Dialect;
  readonly header: SessionHeader;
  readonly writable = false;
  readonly holder = null;
  readonly warnings: SessionWarning[];
  readonly #entries: SessionEntry[];
  readonly #index = new Map<string, number>();
  readonly #parents: number[] = [-1];

  private constructor(path: string, dialect: Dialect, { header, entries, warnings }: Read) {
    this.path = path;
    this.dialect = dialect;
    this.header = header;
    this.warnings = [...warnings];
    this.#entries = [header];
    this.#index.set(header.uuid, 0);
    for (const entry of entries) this.#add(entry);
  }

  /** Reads a file of a dialect that is not ours. */
  static open(path: string, dialect: Dialect): ForeignFile {
    return new ForeignFile(path, dialect, read(path, dialect));
  }

  #add(entry: SessionEntry): void {
    const warn = (code: SessionWarning['code'], message: string) =>
      this.warnings.push({ code, message, line: 0, offset: 0, uuid: entry.uuid });
    if (this.#index.has(entry.uuid)) {
      warn('twice', `The id ${JSON.stringify(entry.uuid)} is used a second time; the first one is shown.`);
      return;
    }
    const parent = this.#index.get(entry.parentUuid ?? this.header.uuid);
    if (parent === undefined)
      warn(
        'orphan',
        `The entry ${entry.uuid} hangs on ${JSON.stringify(entry.parentUuid)}, which is not there; it is shown at the beginning.`,
      );
    this.#index.set(entry.uuid, this.#entries.length);
    this.#entries.push(entry);
    this.#parents.push(parent ?? 0);
  }

  get size(): number {
    return this.#entries.length;
  }

  get version(): number {
    return this.#entries.length;
  }

  indexOf(uuid: string): number {
    return this.#index.get(uuid) ?? -1;
  }

  uuidAt(index: number): string {
    return this.#entries[index]?.uuid ?? '';
  }

  typeAt(index: number): string {
    return this.#entries[index]?.type ?? '';
  }

  parentAt(index: number): number {
    return this.#parents[index] ?? -1;
  }

  isOurs(): boolean {
    return false;
  }

  entryAt(index: number): SessionEntry {
    return withKept(this, index, this.#entries[index] ?? this.header);
  }

  refresh(): number {
    return 0;
  }

  async append(): Promise<void> {
    throw readAsItIs(this.path, this.dialect);
  }

  close(): void {
    // Nothing is held open.
  }
}

const tools: { readonly [D in Dialect]: string } = {
  v1: 'the first version of the format',
  v2: 'this format',
  pi: 'another tool',
  'claude-code': 'another tool',
};

/** The refusal of a write to a file that is read as it is. */
export function readAsItIs(path: string, dialect: Dialect): AppError {
  return new AppError({
    code: 'tree/read-only',
    kind: refusalKinds['tree/read-only'],
    message: `${path} was written in the lines of ${tools[dialect]} (${dialect}) and is never changed: convert it into a new file to go on.`,
    data: { path, dialect },
  });
}
