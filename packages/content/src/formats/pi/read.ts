import type { Json, JsonObject, NodeMeta } from '@coppice/core';
import {
  decodeEntry,
  detectDialect,
  entryFromPi,
  headerFromPi,
  migrateV1Session,
  type SessionEntry,
  type SessionHeader,
} from '../../sessions/index.ts';
import type { ImportedNode, ImportedTree, ReadEvent, ReadOptions } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { type CooperativeTask, itemsPerPause, runWithPauses } from '../cooperative.ts';
import { checkTime, getFilledText, isJsonObject, numberAt, objectAt, omitKeys, parseIsoTime } from '../fields.ts';
import { readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding, refuseImport } from '../findings.ts';
import type { ImportInput, InputFile, InputSample } from '../input.ts';
import { areSameRecords, type PreservedLine, toLinePairs, toPreservedRecord } from '../preserved-lines.ts';
import {
  buildNonObjectFinding,
  checkKnownValue,
  checkParentId,
  checkRole,
  checkRootCount,
  countRoots,
} from '../structure-findings.ts';

function isPiHeader(value: Json | undefined): value is JsonObject {
  return (
    isJsonObject(value) &&
    value.type === 'session' &&
    typeof value.id === 'string' &&
    !('uuid' in value) &&
    !('parentId' in value) &&
    // llama.cpp writes a similar header, with this field.
    !('harness' in value)
  );
}

/** Whether a line has a form that only pi writes. Used to detect a file without its header. */
function isPiMessageLine(value: Json | undefined): boolean {
  return (
    isJsonObject(value) &&
    value.type === 'message' &&
    typeof value.id === 'string' &&
    'parentId' in value &&
    typeof value.timestamp === 'string' &&
    typeof objectAt(value, 'message').role === 'string'
  );
}

function isPiSession(lines: readonly Json[]): boolean {
  const [first] = lines;
  if (isPiMessageLine(first)) return true;
  if (!isPiHeader(first)) return false;
  const reported = detectDialect(lines);
  return !('unknown' in reported);
}

/** Returns 0.92 if a file looks like a session of pi, else 0. */
export function detect(sample: InputSample): number {
  return sample.files.some((file) => isPiSession(file.lines)) ? 0.92 : 0;
}

/** A line of a session, with the lines after it that are not entries. */
interface PiLine {
  readonly kept: PreservedLine;
  readonly after: PreservedLine[];
  records: number;
}

/** A line decoded to an entry of Coppice's session format. */
interface PiEntry {
  readonly entry: SessionEntry;
  readonly line: PiLine;
  /** The line in version 3 form. */
  readonly written: JsonObject;
}

const entryTypes: ReadonlySet<string> = new Set([
  'message',
  'thinking_level_change',
  'model_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
  'usage',
  'context_edit',
  // Types of version 1, and of sessions that Coppice continued.
  'stack_pop',
  'stack_summary',
]);
const roles: ReadonlySet<string> = new Set([
  'user',
  'assistant',
  'toolResult',
  'bashExecution',
  'custom',
  'hookMessage',
  'branchSummary',
  'compactionSummary',
]);

// Types of lines about a session, which cannot be the active node.
const about: ReadonlySet<string> = new Set(['label', 'session_info']);

/** The type of the line by which Coppice records the active node of a session. */
export const leafLineType = 'coppice-leaf';
/** The id prefix of lines that Coppice adds for content that pi's format cannot store elsewhere. */
export const companionIdPrefix = 'coppice-';

/** Whether Coppice added a line. */
function isCompanion({ type, id, customType }: JsonObject): boolean {
  if (type === 'custom' && customType === leafLineType) return true;
  return typeof type === 'string' && about.has(type) && typeof id === 'string' && id.startsWith(companionIdPrefix);
}
// The type of the line in which Coppice stores a message that is hidden from the model, because pi has no such
// messages.
const hiddenType = 'coppice-excluded';

class PiSession {
  readonly #file: string;
  readonly #options: ReadOptions;
  readonly #header: PreservedLine | undefined;
  readonly #lines: PiLine[] = [];
  readonly #leading: PreservedLine[] = [];
  readonly #byId = new Map<string, PiLine>();
  readonly #findings: ImportFinding[] = [];

  constructor(file: string, header: PreservedLine | undefined, options: ReadOptions) {
    this.#file = file;
    this.#header = header;
    this.#options = options;
    const version = numberAt(header?.line ?? {}, 'version') ?? 1;
    if (version > 3)
      refuseImport('import/newer', `${file} is of version ${version}; this build reads sessions up to version 3.`);
  }

  get isEmpty(): boolean {
    return this.#header === undefined && this.#lines.length === 0;
  }

  get #isV1(): boolean {
    return this.#header !== undefined && (numberAt(this.#header.line, 'version') ?? 1) < 2;
  }

  add(line: JsonObject, at: number, findings: readonly ImportFinding[]): void {
    for (const one of findings) this.#findings.push(one);
    const id = getFilledText(line, 'id');
    if (!this.#isV1 && (id === undefined || getFilledText(line, 'type') === undefined)) {
      this.#findings.push(
        buildFinding('import/unknown-type', 'note', this.#place(at), buildFindingDetail('no-id-or-type')),
      );
      const before = this.#lines.at(-1);
      if (before === undefined) this.#leading.push({ at, line });
      else {
        before.after.push({ at, line });
        before.records++;
      }
      return;
    }
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known !== undefined && areSameRecords(known.kept.line, line)) {
      this.#findings.push(
        buildFinding('import/duplicate', 'repair', this.#place(at), buildFindingDetail('id', id?.slice(0, 80) ?? '')),
      );
      known.records++;
      return;
    }
    const made = { kept: { at, line }, after: [], records: 1 };
    this.#lines.push(made);
    if (id !== undefined && known === undefined && !this.#isV1) this.#byId.set(id, made);
  }

  #place(at: number): string {
    return `${this.#file}:${at}`;
  }

  #entries(): { readonly header: SessionHeader; readonly entries: readonly PiEntry[] } {
    const first = this.#header?.line ?? { type: 'session', id: '' };
    const entries: PiEntry[] = [];
    if (this.#isV1) {
      const migrated = migrateV1Session([first, ...this.#lines.map(({ kept }) => kept.line)]);
      for (const { message, line } of migrated.warnings)
        this.#findings.push(buildFinding('import/inferred', 'repair', this.#place(line), message.replace(/\.$/, '')));
      for (const [index, line] of this.#lines.entries()) {
        const entry = migrated.entries[index];
        if (entry !== undefined)
          entries.push({ entry, line, written: upgradeEntry(entry, migrated.header.uuid, line.kept.line) });
      }
      return { header: migrated.header, entries };
    }
    const header = headerFromPi(first);
    for (const line of this.#lines) {
      const entry = entryFromPi(line.kept.line, header);
      if (entry !== undefined) entries.push({ entry, line, written: line.kept.line });
    }
    return { header, entries };
  }

  *tree(): CooperativeTask<ImportedTree> {
    const { header, entries } = this.#entries();
    const ids = new Map(entries.map(({ entry, line }) => [entry.uuid, line.kept.at]));
    const labels = new Map<string, string>();
    let title: string | undefined;
    for (const { entry, line } of entries) {
      if (entry.type === 'session_info') title = typeof entry.name === 'string' ? entry.name.trim() : '';
      if (entry.type !== 'label') continue;
      const target = typeof entry.targetUuid === 'string' ? entry.targetUuid : '';
      const label = typeof entry.label === 'string' ? entry.label : '';
      if (label === '') labels.delete(target);
      else if (ids.has(target)) labels.set(target, label);
      else
        this.#findings.push(
          buildFinding('import/pointer-missing', 'repair', this.#place(line.kept.at), target.slice(0, 80)),
        );
    }
    yield;
    const nodes: ImportedNode[] = [];
    for (const one of entries) {
      nodes.push(this.#node(one, header.uuid, ids, labels));
      if (nodes.length % itemsPerPause === 0) yield;
    }
    for (const one of checkRootCount(countRoots(nodes), this.#file)) this.#findings.push(one);
    const active = activeOf(entries);
    const line = this.#header?.line ?? {};
    const createdAt = parseIsoTime(line.timestamp);
    const cwd = getFilledText(line, 'cwd');
    const parent = getFilledText(line, 'parentSession');
    const metadata = {
      ...(cwd === undefined ? {} : { cwd }),
      ...(parent === undefined ? {} : { parentSession: parent }),
    };
    if (this.#header === undefined)
      this.#findings.push(buildFinding('import/inferred', 'repair', this.#file, buildFindingDetail('header')));
    const record: JsonObject = {
      ...(this.#header === undefined ? {} : { $header: line }),
      ...(this.#leading.length === 0 ? {} : { $lines: toLinePairs(this.#leading) }),
    };
    const id = getFilledText(line, 'id');
    return {
      externalId: id ?? this.#file,
      scope: id === undefined ? (this.#options.scope ?? this.#file) : '',
      ...(title === undefined || title === '' ? {} : { title }),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(Object.keys(metadata).length === 0 ? {} : { attributes: { metadata } }),
      nodes,
      activeExternalId: active,
      record,
      ownRecords: (this.#header === undefined ? 0 : 1) + this.#leading.length,
      place: this.#file,
      findings: this.#findings,
    };
  }

  #node(
    { entry, line, written }: PiEntry,
    root: string,
    ids: ReadonlyMap<string, number>,
    labels: ReadonlyMap<string, string>,
  ): ImportedNode {
    const place = this.#place(line.kept.at);
    const parent = entry.parentUuid === root ? null : entry.parentUuid;
    const { line: own } = line.kept;
    for (const one of checkParentId(own.parentId, place)) this.#findings.push(one);
    for (const one of checkKnownValue('entry', own.type, (type) => entryTypes.has(type), place))
      this.#findings.push(one);
    if (own.type === 'message') {
      const { role } = objectAt(own, 'message');
      for (const one of checkRole('role', role, (word) => roles.has(word), place)) this.#findings.push(one);
    }
    const meant = decodeEntry(entry);
    const { createdAt } = meant;
    const { kind, message, status, meta, marker } = hiddenIn(own) ?? meant;
    const above = parent === null ? undefined : ids.get(parent);
    if (above !== undefined && above > line.kept.at)
      this.#findings.push(buildFinding('import/forward-parent', 'note', place));
    for (const one of checkTime(line.kept.line.timestamp, createdAt, place)) this.#findings.push(one);
    // If the first kept entry is missing, nothing is kept, as in pi itself.
    const { firstKept, from: _, ...rest } = marker ?? {};
    const missing = firstKept !== undefined && !ids.has(firstKept);
    if (missing) this.#findings.push(buildFinding('import/pointer-missing', 'repair', place, firstKept.slice(0, 80)));
    const bookmark = labels.get(entry.uuid);
    return {
      externalId: entry.uuid,
      parentExternalId: parent,
      message,
      kind,
      status,
      meta: piMeta(meta),
      ...(marker === null ? {} : { marker: firstKept === undefined || missing ? rest : { ...rest, firstKept } }),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(bookmark === undefined ? {} : { bookmark }),
      record: toPreservedRecord({
        lines: [{ at: line.kept.at, line: written }],
        after: line.after,
        parent: parent !== null && ids.has(parent) ? parent : null,
        parts: [],
      }),
      records: line.records,
      ...(isCompanion(own) ? { companion: true } : {}),
      place,
    };
  }
}

/** Returns the excluded message that Coppice stored in a line; undefined for any other line. */
function hiddenIn(line: JsonObject) {
  const { message } = objectAt(line, 'data');
  if (line.type !== 'custom' || line.customType !== hiddenType || !isJsonObject(message)) return undefined;
  const meta: NodeMeta = { excluded: true };
  return { kind: 'message' as const, message, status: 'success' as const, meta, marker: null };
}

/**
 * Returns the last entry, or its nearest ancestor that is not a title, a label or a leaf line; null without entries.
 */
function activeOf(entries: readonly PiEntry[]): string | null {
  const byId = new Map(entries.map((one) => [one.entry.uuid, one.entry]));
  const isAbout = ({ type, customType }: SessionEntry) =>
    about.has(type) || (type === 'custom' && customType === leafLineType);
  const last = entries.at(-1)?.entry;
  const seen = new Set<string>();
  for (let at = last; at !== undefined && !seen.has(at.uuid); at = byId.get(at.parentUuid ?? '')) {
    if (!isAbout(at)) return at.uuid;
    seen.add(at.uuid);
  }
  return last?.uuid ?? null;
}

/** Returns the metadata of an entry without the original line, which is stored separately. */
function piMeta(meta: NodeMeta): NodeMeta {
  const { sessionRecord: _, sessionFields: __, source, ...rest } = meta;
  if (source === undefined) return rest;
  if (source.type !== 'tool') return { ...rest, source };
  const failed = source.is_error === true ? { isError: true } : {};
  return { ...rest, ...failed, source: { ...omitKeys(source, 'is_error'), type: 'tool_result' } };
}

/** Converts a line of version 1 to version 3, as pi's own migration does. */
function upgradeEntry(entry: SessionEntry, root: string, line: JsonObject): JsonObject {
  const { firstKeptEntryUuid } = entry;
  return {
    ...omitKeys(line, 'firstKeptEntryIndex', 'id', 'parentId'),
    id: entry.uuid,
    parentId: entry.parentUuid === root ? null : entry.parentUuid,
    ...(typeof firstKeptEntryUuid === 'string' ? { firstKeptEntryId: firstKeptEntryUuid } : {}),
  };
}

async function* readPiFile(file: InputFile, options: ReadOptions): AsyncGenerator<ReadEvent> {
  let session = new PiSession(file.name, undefined, options);
  let count = 0;
  for await (const record of readLineRecords(file)) {
    if (++count % 1000 === 0) yield { type: 'pause' };
    if (record.type === 'finding') yield record;
    if (record.type !== 'record') continue;
    const { value, place, path, findings } = record;
    const at = Number(path[0] ?? 0);
    if (isPiHeader(value)) {
      // The file may be a concatenation of several files.
      if (!session.isEmpty) yield { type: 'tree', tree: await runWithPauses(session.tree(), options.rest) };
      session = new PiSession(file.name, { at, line: value }, options);
      for (const one of findings) yield { type: 'finding', finding: one };
    } else if (isJsonObject(value)) session.add(value, at, findings);
    else yield { type: 'finding', finding: buildNonObjectFinding(place) };
  }
  if (!session.isEmpty) yield { type: 'tree', tree: await runWithPauses(session.tree(), options.rest) };
}

/** Yields one tree for each session, whatever its version. */
export function read(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  return readProgramFiles(
    input,
    ({ lines }) => isPiSession(lines),
    (file) => readPiFile(file, options),
  );
}
