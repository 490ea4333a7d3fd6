/** Reads session files of other tools and of version 1. They are converted in memory and not written here. */
import { deriveId } from '@coppice/content';
import {
  detectDialect,
  entryFromPi,
  headerFromPi,
  isLeafEntryType,
  migrateV1Session,
  readClaudeCode,
  resolveFirstKept,
  type SessionDialect,
  type SessionEntry,
  type SessionFile,
  type SessionHeader,
  type SessionWarning,
  sortParentsFirst,
} from '@coppice/content/sessions';
import type { FieldMap } from '@coppice/core';
import { AppError, refusalKinds } from '@coppice/core';
import { ownField } from '@coppice/core/decode';
import { makeDamagedFileError, makeNewerFormatError } from '../disk/atomic-files.ts';
import { mayNeedParsing, parseJsonLine, splitLineParts } from './line-prefix.ts';
import { isBlankLine, type RawLine, readRawLines } from './raw-lines.ts';

/** Detects by its first lines which tool wrote a file. Throws on an unknown kind of file or a newer version. */
export function detectFileDialect(path: string): SessionDialect {
  const first: unknown[] = [];
  for (const { bytes } of readRawLines(path)) {
    if (isBlankLine(bytes)) continue;
    first.push(parseJsonLine(bytes));
    if (first.length === 8) break;
  }
  if (first.length === 0) throw makeDamagedFileError(path, 'is empty');
  const found = detectDialect(first);
  if ('dialect' in found) return found.dialect;
  throw 'newer' in found
    ? makeNewerFormatError(path, found.newer, 2)
    : makeDamagedFileError(path, `is not a session file: ${found.unknown}`);
}

interface ForeignRead {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  readonly warnings: readonly SessionWarning[];
  /** The line of each entry, by the entry's id. */
  readonly lineOfEntry: ReadonlyMap<string, Pick<RawLine, 'line' | 'offset'>>;
}

/** A line of a file of another tool. `fields` is null if the line cannot be parsed. */
export interface ParsedForeignLine {
  readonly fields: FieldMap | null;
  readonly at: RawLine;
}

/**
 * Returns the non-blank lines of a file, and warnings about lines that cannot be parsed. Several entries on one line
 * become separate lines, except in version 1, whose entries refer to line numbers.
 */
export function parseForeignLines(
  path: string,
  dialect: SessionDialect,
): {
  readonly lines: readonly ParsedForeignLine[];
  readonly warnings: SessionWarning[];
} {
  const lines: ParsedForeignLine[] = [];
  const warnings: SessionWarning[] = [];
  for (const at of dialect === 'v1' ? readRawLines(path) : entriesInLine(path)) {
    if (isBlankLine(at.bytes)) continue;
    const fields = parseJsonLine(at.bytes) ?? null;
    lines.push({ fields, at });
    if (fields !== null) continue;
    const what = at.ended ? 'cannot be read' : 'is cut off';
    const message = `Line ${at.line} (byte ${at.offset}) ${what}; it stays where it is.`;
    warnings.push({ code: at.ended ? 'damaged' : 'torn', message, line: at.line, offset: at.offset });
  }
  return { lines, warnings };
}

function* entriesInLine(path: string): Generator<RawLine, void, undefined> {
  for (const at of readRawLines(path)) {
    if (!mayNeedParsing(at.bytes)) yield at;
    else
      for (const { from, to } of splitLineParts(at.bytes))
        yield { ...at, offset: at.offset + from, bytes: at.bytes.subarray(from, to) };
  }
}

function readForeignLines(path: string, dialect: SessionDialect): ForeignRead {
  const { lines, warnings } = parseForeignLines(path, dialect);
  const found = lines.flatMap(({ fields, at }) => (fields === null ? [] : [{ fields, at }]));
  const [first] = found;
  if (first === undefined) throw makeDamagedFileError(path, 'has no line that can be read');
  if (dialect === 'v1') {
    const { header, entries, warnings: more } = migrateV1Session(lines.map((line) => line.fields));
    const reported = more.map((one) => {
      const { line = one.line, offset = 0 } = lines[one.line - 1]?.at ?? {};
      return { ...one, line, offset };
    });
    return { header, entries, warnings: [...warnings, ...reported], lineOfEntry: new Map() };
  }
  if (dialect === 'claude-code') {
    const { reported, lineOfEntry } = makeIdsDistinct(found, 'uuid', warnings);
    const { header, entries, leafUuid } = readClaudeCode(reported);
    return { header, entries: leadingLines(entries, leafUuid), warnings, lineOfEntry };
  }
  const titled = found.find(({ fields }) => ownField(fields, 'type') === 'session');
  if (titled !== first) warnings.push(withoutHeader(titled?.at));
  const header = headerFromPi(titled?.fields ?? { id: deriveId('session-without-header', path) });
  const { reported, lineOfEntry } = makeIdsDistinct(
    found.filter((line) => line !== titled),
    'id',
    warnings,
    header.uuid,
  );
  const entries = reported.flatMap((line) => entryFromPi(line, header) ?? []);
  // In pi's format the last line is the active leaf, even if it is not a message.
  const ordered = leadingLines(sortParentsFirst(entries, header.uuid), entries.at(-1)?.uuid ?? null);
  return { header, entries: ordered, warnings, lineOfEntry };
}

function withoutHeader(at: RawLine | undefined): SessionWarning {
  if (at === undefined) return { code: 'lost', message: 'The header is missing.', line: 1, offset: 0 };
  const { line, offset } = at;
  return { code: 'order', message: `The header is in line ${line}, after entries.`, line, offset };
}

/**
 * Makes ids unique: a repeated line is dropped, and another line with
 * a used id gets a new id. Lines without a required id are reported.
 */
function makeIdsDistinct(
  lines: readonly { readonly fields: FieldMap; readonly at: RawLine }[],
  key: 'id' | 'uuid',
  warnings: SessionWarning[],
  root?: string,
): { readonly reported: FieldMap[]; readonly lineOfEntry: Map<string, RawLine> } {
  const reported: FieldMap[] = [];
  const lineOfEntry = new Map<string, RawLine>();
  const warn = (code: SessionWarning['code'], { line, offset }: RawLine, message: string, uuid?: string) =>
    warnings.push({ code, message, line, offset, ...(uuid === undefined ? {} : { uuid }) });
  for (const { fields, at } of lines) {
    const id = ownField(fields, key);
    if (typeof id !== 'string') {
      if (key === 'id') warn('damaged', at, `Line ${at.line} (byte ${at.offset}) has no id; it stays where it is.`);
      reported.push(fields);
      continue;
    }
    const before = lineOfEntry.get(id);
    if (before === undefined && id !== root) {
      lineOfEntry.set(id, at);
      reported.push(fields);
    } else if (before?.bytes.equals(at.bytes) === true)
      warn('twice', at, `Line ${at.line} is a copy of line ${before.line}; it is left out.`, id);
    else {
      const own = deriveId('session-line', id, at.line);
      warn('twice', at, `Line ${at.line} has the id of line ${before?.line ?? 1}; it is shown as ${own}.`, own);
      lineOfEntry.set(own, at);
      reported.push({ ...fields, [key]: own });
    }
  }
  return { reported, lineOfEntry };
}

/** Adds a `leaf` line at the end if the active leaf is not the last message. */
function leadingLines(entries: readonly SessionEntry[], leaf: string | null): readonly SessionEntry[] {
  if (leaf === null || entries.findLast((entry) => isLeafEntryType(entry.type))?.uuid === leaf) return entries;
  return [...entries, { type: 'leaf', uuid: `${leaf}-leaf`, parentUuid: leaf }];
}

/** A read-only session file. All its lines are in memory. */
export class ForeignFile implements SessionFile {
  readonly path: string;
  readonly dialect: SessionDialect;
  readonly header: SessionHeader;
  readonly writable = false;
  readonly holder = null;
  readonly warnings: SessionWarning[];
  readonly #entries: SessionEntry[];
  readonly #index = new Map<string, number>();
  readonly #parents: number[] = [-1];
  readonly #named = new Map<number, string>();
  // The index of each message, by line, for lines without a parent.
  #lines: { readonly line: number; readonly index: number }[] = [];
  #read = 1;

  private constructor(path: string, dialect: SessionDialect, { header, entries, warnings, lineOfEntry }: ForeignRead) {
    this.path = path;
    this.dialect = dialect;
    this.header = header;
    this.warnings = [...warnings];
    this.#entries = [header];
    this.#index.set(header.uuid, 0);
    for (const entry of entries) this.#add(entry, lineOfEntry);
  }

  static open(path: string, dialect: SessionDialect): ForeignFile {
    return new ForeignFile(path, dialect, readForeignLines(path, dialect));
  }

  #add(entry: SessionEntry, lineOfEntry: ForeignRead['lineOfEntry']): void {
    // A derived id may be equal to an id in the file. Then only the first entry is used.
    if (this.#index.has(entry.uuid)) return;
    const { parentUuid, uuid } = entry;
    let parent = this.#index.get(parentUuid ?? this.header.uuid);
    if (parent === undefined) {
      const { line = 0, offset = 0 } = lineOfEntry.get(uuid) ?? {};
      parent = this.#before(line, lineOfEntry);
      this.#named.set(this.#entries.length, parentUuid ?? '');
      const why = lineOfEntry.has(parentUuid ?? '') ? 'which is below the entry itself' : 'which is missing';
      const below = this.uuidAt(parent);
      const message = `The entry ${uuid} has the parent ${JSON.stringify(parentUuid)}, ${why}; it is shown below ${below}.`;
      this.warnings.push({ code: 'orphan', message, line, offset, uuid });
    }
    this.#index.set(uuid, this.#entries.length);
    this.#entries.push(entry);
    this.#parents.push(parent);
  }

  /**
   * Returns the nearest message above a line, among the lines that already have a parent. So the result is never a
   * descendant of the line.
   */
  #before(line: number, lineOfEntry: ForeignRead['lineOfEntry']): number {
    for (; this.#read < this.#entries.length; this.#read++) {
      const entry = this.#entries[this.#read];
      const at = entry === undefined || !isLeafEntryType(entry.type) ? undefined : lineOfEntry.get(entry.uuid);
      if (at !== undefined) this.#lines.push({ line: at.line, index: this.#read });
    }
    this.#lines.sort((a, b) => a.line - b.line);
    let [low, high] = [0, this.#lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle]?.line ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    return this.#lines[low - 1]?.index ?? 0;
  }

  get hasDetached(): boolean {
    return this.#named.size > 0;
  }

  namedParentAt(index: number): string | undefined {
    return this.#named.get(index);
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
    return resolveFirstKept(this, index, this.#entries[index] ?? this.header);
  }

  refresh(): number {
    return 0;
  }

  append(): void {
    throw makeForeignFileReadOnlyError(this.path, this.dialect);
  }

  appendLine(): void {
    throw makeForeignFileReadOnlyError(this.path, this.dialect);
  }

  close(): void {
    // All lines are in memory and the file is not open, so nothing has to be closed.
  }
}

const tools: { readonly [D in SessionDialect]: string } = {
  v1: 'the first version of the format',
  v2: 'this format',
  pi: 'another tool',
  'claude-code': 'another tool',
};

/** Makes the error for a write to a file of another tool. */
export function makeForeignFileReadOnlyError(path: string, dialect: SessionDialect): AppError {
  return new AppError({
    code: 'tree/read-only',
    kind: refusalKinds['tree/read-only'],
    message: `${path} is a session file of ${tools[dialect]} (${dialect}) and is never changed. Convert it to a new file to continue it.`,
    data: { path, dialect },
  });
}
