import type { Json, JsonObject } from '@coppice/core';
import { parseSteps, rowChanges } from '@coppice/core/tree';
import { deriveId } from '../../derive-id.ts';
import { claudeCodeChainLineTypes } from '../../sessions/claude-code-types.ts';
import {
  deriveSessionNodeId,
  isReadableVersion,
  isSideEntryType,
  renamePiFields,
  type SessionEntry,
  type SessionHeader,
  SessionIndex,
  sessionVersion,
  sortParentsFirst,
} from '../../sessions/index.ts';
import type { ImportedNode, ImportedTree, ReadEvent, ReadOptions } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { type CooperativeTask, itemsPerPause, runWithPauses } from '../cooperative.ts';
import {
  checkTime,
  getFilledText,
  isJsonObject,
  listAt,
  numberAt,
  objectAt,
  omitKeys,
  parseIsoTime,
  textAt,
} from '../fields.ts';
import { readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding, refuseImport } from '../findings.ts';
import { FreeIdGenerator } from '../free-id-generator.ts';
import type { ImportInput, InputFile, InputSample } from '../input.ts';
import { areSameRecords } from '../preserved-lines.ts';
import { buildSessionInMemory } from '../session-in-memory.ts';
import { buildNonObjectFinding } from '../structure-findings.ts';
import { readTreeAttributes } from '../tree-attributes.ts';

function isSessionHeader(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && value.type === 'session' && typeof value.uuid === 'string';
}

/** Returns 0.9 if the first line of a file is a header of version 2, else 0. */
export function detect(sample: InputSample): number {
  return sample.files.some((file) => isSessionHeader(file.lines[0])) ? 0.9 : 0;
}

interface SessionLine {
  readonly entry: SessionEntry;
  readonly line: JsonObject;
  readonly at: number;
  records: number;
}

/** Positions, groups and removals from change lines and rows, which the entries do not contain. */
interface Places {
  readonly position: Map<string, string>;
  readonly group: Map<string, number>;
  readonly removed: Set<string>;
}

/** A child of an entry, with its place in the order of the list. */
interface Sibling {
  readonly id: string;
  readonly position: string | undefined;
}

/** Returns the order of the children of each parent that has several. */
function childOrderOf(families: ReadonlyMap<string, Sibling[]>): Map<string, string[]> {
  const order = new Map<string, string[]>();
  for (const [parent, family] of families)
    if (family.length > 1)
      order.set(
        parent,
        family.sort((a, b) => compareLines(a.position, b.position)).map((child) => child.id),
      );
  return order;
}

/** Returns the entries that were not deleted: those that are reached from the header. */
function liveEntries(index: SessionIndex): ReadonlySet<number> {
  const live = new Set<number>();
  const open = [0];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const child of index.children(at)) {
      live.add(child);
      open.push(child);
    }
  return live;
}

class SessionV2 {
  readonly #file: string;
  readonly #options: ReadOptions;
  readonly #header: JsonObject | undefined;
  readonly #lines: SessionLine[] = [];
  readonly #byId = new Map<string, SessionLine>();
  readonly #free = new FreeIdGenerator();
  readonly #findings: ImportFinding[] = [];
  #open = 0;
  #asides = 0;

  constructor(file: string, header: JsonObject | undefined, options: ReadOptions) {
    this.#file = file;
    this.#header = header;
    this.#options = options;
    const version = numberAt(header ?? {}, 'version') ?? sessionVersion;
    if (!isReadableVersion(version))
      refuseImport(
        'import/newer',
        `${file} is of version ${version}; this build reads sessions up to version ${sessionVersion}.`,
      );
  }

  get hasHeader(): boolean {
    return this.#header !== undefined;
  }

  get isEmpty(): boolean {
    return this.#header === undefined && this.#lines.length === 0;
  }

  #place(at: number): string {
    return `${this.#file}:${at}`;
  }

  add(line: JsonObject, at: number, findings: readonly ImportFinding[]): void {
    for (const one of findings) this.#findings.push(one);
    const place = this.#place(at);
    const translated = line.uuid === undefined ? renamePiFields(line) : line;
    const uuid = getFilledText(translated, 'uuid');
    const type = getFilledText(translated, 'type');
    if (uuid === undefined || type === undefined) {
      this.#findings.push(
        buildFinding('import/record-unreadable', 'loss', place, buildFindingDetail('no-id-or-type'), 1),
      );
      return;
    }
    this.#open = line.commit === true || numberAt(line, 'version') === undefined ? 0 : this.#open + 1;
    const known = this.#byId.get(uuid);
    if (known !== undefined && areSameRecords(known.line, line)) {
      this.#findings.push(
        buildFinding('import/duplicate', 'repair', place, buildFindingDetail('id', uuid.slice(0, 80))),
      );
      known.records++;
      return;
    }
    const own = known === undefined ? uuid : this.#free.next(uuid, (id) => this.#byId.has(id));
    if (own !== uuid)
      this.#findings.push(
        buildFinding(
          'import/duplicate-id',
          'repair',
          place,
          buildFindingDetail('renamed', uuid.slice(0, 80), own.slice(0, 90)),
        ),
      );
    const entry = { ...translated, type, uuid: own, parentUuid: getFilledText(translated, 'parentUuid') ?? null };
    const made = { entry: timed(entry), line, at, records: 1 };
    this.#lines.push(made);
    this.#byId.set(own, made);
  }

  /** Builds the tree, and pauses so that other work can run. */
  *tree(): CooperativeTask<ImportedTree> {
    const line = this.#header ?? {};
    const id = getFilledText(line, 'id') ?? getFilledText(line, 'uuid') ?? this.#file;
    const uuid = getFilledText(line, 'uuid') ?? deriveId('session', this.#file);
    const header: SessionHeader = {
      ...timed(line),
      type: 'session',
      version: sessionVersion,
      uuid,
      parentUuid: null,
      id,
    };
    const byNode = new Map<string, string>([[deriveSessionNodeId(id, uuid), uuid]]);
    for (const { entry } of this.#lines) byNode.set(deriveSessionNodeId(id, entry.uuid), entry.uuid);
    const toFile = (node: string) => byNode.get(node) ?? node;
    yield;
    const entries = sortParentsFirst(
      this.#lines.map(({ entry }) => entry),
      uuid,
    );
    yield;
    const file = buildSessionInMemory(header, entries);
    const index = new SessionIndex(file);
    yield;
    const places = yield* this.#places(toFile);
    const live = liveEntries(index);
    yield;
    const nodes: ImportedNode[] = [];
    const families = new Map<string, Sibling[]>();
    for (let at = 1; at < file.size; at++) {
      if (at % itemsPerPause === 0) yield;
      const made = this.#byId.get(file.uuidAt(at));
      if (made === undefined) continue;
      if (file.typeAt(at) === 'linear') {
        const said = buildFindingDetail('messages-in-list');
        this.#findings.push(buildFinding('import/skipped', 'loss', this.#place(made.at), said, made.records));
        continue;
      }
      if (isSideEntryType(file.typeAt(at))) {
        this.#asides += made.records;
        continue;
      }
      const named = made.entry.parentUuid;
      const above = file.indexOf(named ?? '');
      // A missing parent, or a parent below the entry itself, is kept here. The repair reports and fixes it.
      const parent =
        named === null || (above >= 0 && above < at) || index.parent(at) !== index.nearestNode(file.parentAt(at))
          ? fileParent(file.uuidAt(index.parent(at)), uuid)
          : named;
      nodes.push(this.#node(made, at, parent, index, places, live.has(at)));
      const position = places.position.get(made.entry.uuid);
      const family = families.get(parent ?? '');
      const child = { id: made.entry.uuid, position };
      if (family === undefined) families.set(parent ?? '', [child]);
      else family.push(child);
    }
    return this.#reported(line, id, index, nodes, childOrderOf(families), toFile);
  }

  #reported(
    line: JsonObject,
    id: string,
    index: SessionIndex,
    nodes: readonly ImportedNode[],
    childOrder: ReadonlyMap<string, readonly string[]>,
    toFile: (node: string) => string,
  ): ImportedTree {
    const { file } = index;
    const rows = this.#lines.findLast(({ entry }) => entry.type === 'state')?.line ?? {};
    const { kept: stated, findings } = readTreeAttributes(objectAt(objectAt(rows, 'row'), 'attributes'), this.#file);
    this.#findings.push(...findings);
    // Attributes that only planners write are not imported.
    const {
      trashedAt: _,
      forestKey: __,
      copiedFrom: ___,
      systemPrompt,
      title,
      ...kept
    } = { ...stated, ...index.attributes };
    const active = index.leaf === 0 ? textAt(objectAt(rows, 'row'), 'activeNodeId') : file.uuidAt(index.leaf);
    const createdAt = parseIsoTime(line.timestamp);
    if (this.#open > 0)
      this.#findings.push(
        buildFinding('import/inferred', 'note', this.#file, buildFindingDetail('last-commit-incomplete')),
      );
    return {
      externalId: id,
      scope: getFilledText(line, 'id') === undefined ? (this.#options.scope ?? '') : '',
      ...(title === undefined ? {} : { title }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(createdAt === undefined ? {} : { createdAt }),
      attributes: kept,
      nodes,
      childOrder,
      ...(active === undefined ? { activeExternalId: null } : { activeExternalId: toFile(active) }),
      record: omitKeys(line, 'node'),
      ownRecords: (this.#header === undefined ? 0 : 1) + this.#asides,
      place: this.#file,
      findings: this.#findings,
    };
  }

  *#places(toFile: (node: string) => string): CooperativeTask<Places> {
    const position = new Map<string, string>();
    const group = new Map<string, number>();
    const removed = new Set<string>();
    let count = 0;
    for (const { entry, line, at } of this.#lines) {
      if (++count % itemsPerPause === 0) yield;
      const noted = { ...objectAt(line, 'row'), ...objectAt(line, 'node') };
      const place = textAt(noted, 'position');
      if (place !== undefined) position.set(entry.uuid, place);
      const number = numberAt(noted, 'groupId');
      if (number !== undefined) group.set(entry.uuid, number);
      if (typeof noted.removedIn === 'number') removed.add(entry.uuid);
      if (entry.type !== 'change') continue;
      const steps = parseSteps(listAt(line, 'steps'));
      if (!steps.ok) {
        this.#findings.push(
          buildFinding('import/message-unreadable', 'repair', this.#place(at), buildFindingDetail('not-a-change')),
        );
        continue;
      }
      for (const change of rowChanges(steps.value, { version: 1, seq: 0, at: 0 })) {
        if (change.op !== 'updated') continue;
        const { parentId, position: moved, groupId } = change.set;
        for (const id of change.nodeIds)
          if (parentId !== undefined && moved !== undefined) position.set(toFile(id), moved);
          else if (groupId !== undefined) group.set(toFile(id), groupId);
      }
    }
    return { position, group, removed };
  }

  #node(
    { entry, line, at, records }: SessionLine,
    number: number,
    parent: string | null,
    index: SessionIndex,
    places: Places,
    live: boolean,
  ): ImportedNode {
    const place = this.#place(at);
    const { kind, message, status, meta, marker, createdAt } = index.decodedAt(number);
    for (const one of checkTime(line.timestamp, createdAt, place)) this.#findings.push(one);
    const { firstKept, from, tokensBefore, details } = marker ?? {};
    const pointers: { firstKept?: string; from?: string } = {};
    for (const [key, id] of [
      ['firstKept', firstKept],
      ['from', from],
    ] as const) {
      if (id === undefined) continue;
      if (this.#byId.has(id)) pointers[key] = id;
      else this.#findings.push(buildFinding('import/pointer-missing', 'repair', place, id.slice(0, 80)));
    }
    const bookmark = index.labels.get(number);
    const group = places.group.get(entry.uuid) ?? 0;
    return {
      externalId: entry.uuid,
      parentExternalId: parent,
      message,
      kind,
      status,
      meta,
      ...(marker === null
        ? {}
        : {
            marker: {
              ...pointers,
              ...(tokensBefore === undefined ? {} : { tokensBefore }),
              ...(details === undefined ? {} : { details }),
            },
          }),
      ...(group > 0 ? { group: `${group}` } : {}),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(bookmark === undefined ? {} : { bookmark }),
      ...(live && !places.removed.has(entry.uuid) ? {} : { removed: true }),
      records,
      place,
    };
  }
}

/** Returns a line without a timestamp that is not a string, because entries need a string. */
function timed<T extends JsonObject>(line: T): Omit<T, 'timestamp'> & { readonly timestamp?: string } {
  const { timestamp, ...rest } = line;
  return typeof timestamp === 'string' ? { ...rest, timestamp } : rest;
}

function compareLines(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return a < b ? -1 : a > b ? 1 : 0;
}

function fileParent(uuid: string, root: string): string | null {
  return uuid === root ? null : uuid;
}

async function* readSessionFile(file: InputFile, options: ReadOptions): AsyncGenerator<ReadEvent> {
  let session = new SessionV2(file.name, undefined, options);
  let count = 0;
  for await (const record of readLineRecords(file)) {
    if (++count % 1000 === 0) yield { type: 'pause' };
    if (record.type === 'finding') yield record;
    if (record.type !== 'record') continue;
    const { value, place, path, findings } = record;
    if (isSessionHeader(value)) {
      // The file may be a concatenation of several files.
      if (!session.isEmpty) yield { type: 'tree', tree: await runWithPauses(session.tree(), options.rest) };
      session = new SessionV2(file.name, value, options);
      for (const one of findings) yield { type: 'finding', finding: one };
    } else if (isJsonObject(value) && !session.hasHeader && claudeCodeChainLineTypes.has(textAt(value, 'type') ?? ''))
      yield {
        type: 'finding',
        finding: buildFinding('import/other-format', 'loss', place, buildFindingDetail('claude-code-line'), 1),
      };
    else if (isJsonObject(value)) session.add(value, Number(path[0] ?? 0), findings);
    else yield { type: 'finding', finding: buildNonObjectFinding(place) };
  }
  if (!session.isEmpty) yield { type: 'tree', tree: await runWithPauses(session.tree(), options.rest) };
}

/** Yields one tree for each session of version 2. */
export function read(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  return readProgramFiles(
    input,
    ({ lines }) => isSessionHeader(lines[0]),
    (file) => readSessionFile(file, options),
  );
}
