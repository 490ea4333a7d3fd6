// What a reader or a writer has to say beside its data. Nothing is dropped in silence: whatever is not carried over as it
// was becomes a finding with its place and its reason.
import { AppError, type ErrorKind, type JsonObject } from '@coppice/core';

/** Every code that formats refuse with, and its kind. */
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

/** A code that formats refuse with. */
export type ImportErrorCode = keyof typeof importErrorKinds;

/** Refuses a whole input or output; findings are for what concerns a part of it. */
export function refuseImport(
  code: ImportErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): never {
  throw new AppError({ code, kind: importErrorKinds[code], message, data });
}

/**
 * How much a finding matters. A `note` changes nothing that a user would miss; a `repair` put something right, and kept
 * all of it; a `loss` did not carry something over. Strict imports refuse repairs and losses.
 */
export type Severity = 'note' | 'repair' | 'loss';

/** What happened to the shape of what was read; the codes are promised across releases. */
export const importFindingCodes = {
  'import/orphan': 'its parent is not there: hung under the root',
  'import/cycle': 'its parents run in a circle: cut and hung under the root',
  'import/self-parent': 'it names itself as its parent: hung under the root',
  'import/duplicate': 'the same record twice: kept once',
  'import/duplicate-id': 'another record has its id: kept under an id of its own',
  'import/several-roots': 'more than one first message where the format has one',
  'import/forward-parent': 'its parent comes later in the file',
  'import/children-mismatch': 'a list of children does not agree with the parents: the parents were believed',
  'import/active-missing': 'the current message is not there: the newest one is current',
  'import/active-inferred': 'the file does not say which message is current: the newest one is',
  'import/pointer-missing': 'it points at a message that is not there: the pointer was left out',
  'import/blank-message': 'a message that says nothing: kept as a marker',
  'import/message-unreadable': 'a message that cannot be one here: kept as a marker with its record',
  'import/record-unreadable': 'a record that cannot be read: left out',
  'import/record-too-large': 'a record that is larger or deeper than may be kept: its verbatim copy was left out',
  'import/unknown-type': 'a type that this build does not know: kept as it is',
  'import/skipped': 'not a conversation: left out',
  'import/other-format': 'it has the shape of another format: left out',
  'import/bad-line': 'a line that is not JSON: left out',
  'import/bad-text': 'bytes that are not UTF-8: shown as U+FFFD',
  'import/duplicate-key': 'an object has one key twice: the last value was kept',
  'import/number-rounded': 'a number that would be written back with other digits',
  'import/time-unreadable': 'a time that cannot be read: left out',
  'import/attachment-missing': 'an attachment whose bytes are not in the file: kept by its name',
  'import/attachment-unused': 'a file that no message refers to: left out',
  'import/tool-pairing': 'a tool call or result without its counterpart',
  'import/inferred': 'something that the file does not say, filled in',
  'import/merged': 'several records became one message',
  'import/checksum': 'the sum does not match: something was changed or lost on the way',
  'import/in-trash': 'the conversation lies in the trash: nothing was added',
  'import/parent-removed': 'what it hangs on was deleted here: left out',
  'import/differs': 'the record differs from the one imported before: ours was kept',
  'import/refused': 'the store refused the conversation',
  'import/unsafe-name': 'a name in the archive that leads out of it: left out',
} as const;

/** A code of a finding of an import. */
export type ImportFindingCode = keyof typeof importFindingCodes;

/**
 * What a finding names. An intersection, because an interface with an index signature refuses optional fields in projects
 * without `exactOptionalPropertyTypes`.
 */
export type FindingData = JsonObject & {
  /** What stands in brackets in the sentence. */
  readonly detail?: string;
  /** What a store refused with. */
  readonly refusal?: { readonly code: string; readonly message: string; readonly data: JsonObject };
};

/** One thing that a reader has to say. */
export interface ImportFinding {
  readonly code: ImportFindingCode;
  readonly severity: Severity;
  /** Where: file, line or path, such as `conversations.json[3].mapping.a1`. */
  readonly place: string;
  /** A sentence that names the thing. */
  readonly message: string;
  /** What the sentence says beside the meaning of its code, so that nobody has to read it out of the sentence. */
  readonly data: FindingData;
  /** How many records it keeps out of the store; zero for what was kept. */
  readonly rejected: number;
}

/** Puts findings behind others. Mostly there are none, and then nothing is walked. */
export function addAll(findings: ImportFinding[], more: readonly ImportFinding[]): void {
  if (more.length > 0) for (const one of more) findings.push(one);
}

/** Makes a finding whose sentence begins with what the code means. */
export function finding(
  code: ImportFindingCode,
  severity: Severity,
  place: string,
  detail = '',
  rejected = 0,
): ImportFinding {
  const meaning = importFindingCodes[code];
  const message = `${place}: ${meaning}${detail === '' ? '' : ` (${detail})`}.`;
  return { code, severity, place, message, data: detail === '' ? {} : { detail }, rejected };
}

/** Findings past this number are counted by code, no longer listed: a report must not outgrow what it reports on. */
export const listedFindings = 1000;

/** Counts of one kind of thing: `read` is always `stored + merged + rejected`. */
export interface Tally {
  readonly read: number;
  /** New in the store. */
  readonly stored: number;
  /** There already, or part of another one. */
  readonly merged: number;
  readonly rejected: number;
}

/** What an import did. The sums hold for conversations and for records alike. */
export interface ImportReport {
  /** The format's name; several in a row where a folder held conversations of several. */
  readonly format: string;
  readonly conversations: Tally;
  /** Records of the source: messages, lines, entries. */
  readonly records: Tally;
  readonly attachments: number;
  readonly bytes: number;
  readonly strict: boolean;
  readonly dryRun: boolean;
  /** The first thousand findings, in the order in which they came up. */
  readonly findings: readonly ImportFinding[];
  /** How often each code came up, listed or not. */
  readonly counts: { readonly [code: string]: number };
}

/** Something that the target of an export cannot hold. */
export interface Loss {
  /** What is lost, such as `bookmark`; one of the format's declared losses, or `other`. */
  readonly what: string;
  /** The conversation and node. */
  readonly place: string;
  readonly message: string;
}

/** What an export wrote, and what its target cannot hold: nodes read = written + merged + left out. */
export interface ExportReport {
  readonly format: string;
  readonly trees: number;
  readonly nodes: { readonly read: number; readonly written: number; readonly merged: number; readonly left: number };
  readonly bytes: number;
  readonly losses: readonly Loss[];
  readonly counts: { readonly [what: string]: number };
}

/** Gathers things to report: all are counted, the first thousand are listed. */
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
    if (this.listed.length < listedFindings) this.listed.push(item);
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
