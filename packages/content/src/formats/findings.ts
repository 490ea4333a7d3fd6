// Findings of readers and writers. Nothing is dropped silently: every change or loss becomes a finding with its
// position in the source and its reason.
import { AppError, type ErrorKind, type JsonObject } from '@coppice/core';
import { type FindingDetail, type FindingDetailCode, formatFindingDetail } from './finding-details.ts';

/** Every error code of formats with its kind. These errors refuse a whole input or output. */
export const importErrorKinds = {
  'import/unknown-format': 'invalid',
  'import/unreadable': 'invalid',
  'import/too-large': 'refused',
  'import/unsafe-archive': 'refused',
  'import/strict': 'refused',
  'import/newer': 'refused',
  'import/damaged': 'invalid',
  'import/no-writer': 'refused',
  'import/aborted': 'aborted',
  'import/thread-ended': 'internal',
} as const satisfies Record<string, ErrorKind>;

/** A key of {@link importErrorKinds}. */
export type ImportErrorCode = keyof typeof importErrorKinds;

/** Refuses a whole input or output. Problems with a part of it are findings instead. */
export function refuseImport(
  code: ImportErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): never {
  throw new AppError({ code, kind: importErrorKinds[code], message, data });
}

/**
 * The severity of a finding. A `note` is harmless, a `repair` fixed something without loss, and a `loss` means that
 * something was not imported. Strict imports refuse repairs and losses.
 */
export type FindingSeverity = 'note' | 'repair' | 'loss';

/** The sentence for each finding code, written after the position. Codes stay the same across releases. */
export const importFindingCodes = {
  'import/orphan': 'its parent is missing: made a child of the root',
  'import/cycle': 'its parents form a cycle: cut and made a child of the root',
  'import/self-parent': 'it is its own parent: made a child of the root',
  'import/duplicate': 'the same record twice: kept once',
  'import/duplicate-id': 'another record has its id: kept with a new id',
  'import/several-roots': 'more than one first message where the format has one',
  'import/forward-parent': 'its parent comes later in the file',
  'import/children-mismatch': 'a list of children does not match the parents: the parents were used',
  'import/active-missing': 'the current message is missing: the newest one is current',
  'import/active-inferred': 'the file does not name the current message: the newest one was chosen',
  'import/pointer-missing': 'it refers to a missing message: the reference was left out',
  'import/blank-message': 'an empty message: kept as a marker',
  'import/message-unreadable': 'a message that cannot be read: kept as a marker with its record',
  'import/record-unreadable': 'a record that cannot be read: left out',
  'import/record-too-large': 'a record that is too large or too deep: its original copy was left out',
  'import/unknown-type': 'an unknown type: kept unchanged',
  'import/skipped': 'not a conversation: left out',
  'import/other-format': 'it belongs to another format: left out',
  'import/bad-line': 'a line that is not JSON: left out',
  'import/bad-text': 'bytes that are not UTF-8: shown as U+FFFD',
  'import/duplicate-key': 'an object has one key twice: the last value was kept',
  'import/number-rounded': 'a number with too many digits: it would be written back rounded',
  'import/time-unreadable': 'a time that cannot be read: left out',
  'import/attachment-missing': 'an attachment whose bytes are not in the file: kept by its name',
  'import/attachment-unused': 'a file that no message refers to: left out',
  'import/tool-pairing': 'a tool call or result without its counterpart',
  'import/inferred': 'the file does not contain it: derived from the rest',
  'import/merged': 'several records became one message',
  'import/checksum': 'the checksum does not match: something was changed or lost',
  'import/in-trash': 'the conversation is in the trash: nothing was added',
  'import/parent-removed': 'its parent was deleted here: left out',
  'import/differs': 'the record differs from the one imported before: the stored one was kept',
  'import/refused': 'the store refused the conversation',
  'import/unsafe-name': 'a name in the archive that points outside it: left out',
} as const;

/** A key of {@link importFindingCodes}. */
export type ImportFindingCode = keyof typeof importFindingCodes;

/**
 * The data of a finding. An intersection, because an interface with an index signature rejects optional fields in
 * projects without `exactOptionalPropertyTypes`.
 */
type FindingData = JsonObject & {
  /** The text in parentheses at the end of the message. */
  readonly detail?: string;
  /** The code of the detail and its values; missing if the detail is a name or a text of the file. */
  readonly detailCode?: FindingDetailCode;
  readonly detailValues?: readonly string[];
  /** The refusal of the store, for `import/refused`. */
  readonly refusal?: { readonly code: string; readonly message: string; readonly data: JsonObject };
};

/** One problem that a reader found, and what was done about it. */
export interface ImportFinding {
  readonly code: ImportFindingCode;
  readonly severity: FindingSeverity;
  /** Where the problem is in the source: file, line or path, such as `conversations.json[3].mapping.a1`. */
  readonly place: string;
  /** A sentence that names the object. */
  readonly message: string;
  /** The variable parts of the message, so that programs need not parse it. */
  readonly data: FindingData;
  /** The number of records that are not stored because of the problem; zero if all are stored. */
  readonly rejected: number;
}

export function appendFindings(findings: ImportFinding[], more: readonly ImportFinding[]): void {
  if (more.length > 0) for (const one of more) findings.push(one);
}

/** Builds a finding. Its message is the sentence of its code with the detail. */
export function buildFinding(
  code: ImportFindingCode,
  severity: FindingSeverity,
  place: string,
  detail: FindingDetail | string = '',
  rejected = 0,
): ImportFinding {
  const meaning = importFindingCodes[code];
  const text = typeof detail === 'string' ? detail : formatFindingDetail(detail);
  const message = `${place}: ${meaning}${text === '' ? '' : ` (${text})`}.`;
  const coded = typeof detail === 'string' ? {} : detail;
  return { code, severity, place, message, data: text === '' ? {} : { detail: text, ...coded }, rejected };
}

/** Findings beyond this number are only counted by code, so that a report does not outgrow its input. */
export const maxListedFindings = 1000;

/** Counts of an import. `read` always equals `stored + merged + rejected`. */
export interface ImportCounts {
  readonly read: number;
  /** The number of new items in the store. */
  readonly stored: number;
  /** The number of items that were already in the store or are part of another record. */
  readonly merged: number;
  readonly rejected: number;
}

/** The result of an import. In both counts, read = stored + merged + rejected. */
export interface ImportReport {
  /** The format's name; several if a folder contained conversations of several formats. */
  readonly format: string;
  readonly conversations: ImportCounts;
  /** The counts of source records: messages, lines, entries. */
  readonly records: ImportCounts;
  readonly attachments: number;
  readonly bytes: number;
  readonly strict: boolean;
  readonly dryRun: boolean;
  /** The first thousand findings, in order. */
  readonly findings: readonly ImportFinding[];
  /** The number of findings by code, listed or not. */
  readonly counts: { readonly [code: string]: number };
}

/** A feature that the target format of an export cannot store. */
export interface FormatLoss {
  /** What is lost, such as `bookmarks`; one of the format's declared losses. */
  readonly what: string;
  /** The tree id, and the node id if the loss concerns one node. */
  readonly place: string;
  readonly message: string;
}

/** The result of an export: nodes read = written + merged + left out. */
export interface ExportReport {
  readonly format: string;
  readonly trees: number;
  readonly nodes: { readonly read: number; readonly written: number; readonly merged: number; readonly left: number };
  readonly bytes: number;
  readonly losses: readonly FormatLoss[];
  readonly counts: { readonly [what: string]: number };
}

/** Collects items to report: all are counted, the first thousand are listed. */
export class ReportBuilder<T> {
  readonly listed: T[] = [];
  readonly #counts = new Map<string, number>();
  readonly #name: (item: T) => string;

  constructor(name: (item: T) => string) {
    this.#name = name;
  }

  add(item: T): void {
    const name = this.#name(item);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (this.listed.length < maxListedFindings) this.listed.push(item);
  }

  get counts(): { readonly [name: string]: number } {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  get size(): number {
    let size = 0;
    for (const count of this.#counts.values()) size += count;
    return size;
  }
}
