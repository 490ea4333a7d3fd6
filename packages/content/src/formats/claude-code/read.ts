import type { Json, JsonObject } from '@coppice/core';
import { getKeptLineIds } from '../../sessions/claude-code.ts';
import { claudeCodeChainLineTypes, claudeCodeUnchainedLineTypes } from '../../sessions/claude-code-types.ts';
import { readClaudeCodeInPieces, type SessionEntry, type SessionHeader } from '../../sessions/index.ts';
import type { ImportedMarker, ImportedNode, ImportedTree, ReadEvent, ReadOptions, SpawnedBy } from '../contract.ts';
import { type CooperativeTask, itemsPerPause, runWithPauses } from '../cooperative.ts';
import { checkTime, getFilledText, isJsonObject, listAt, numberAt, objectAt, parseIsoTime, textAt } from '../fields.ts';
import { readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { parseForeignJson } from '../foreign-json.ts';
import { FreeIdGenerator } from '../free-id-generator.ts';
import {
  type ImportInput,
  type InputFile,
  type InputSample,
  readAllBytes,
  readSample,
  type SampleFile,
} from '../input.ts';
import { isStorableRecord } from '../original-record.ts';
import { areSameRecords, type PreservedLine, toLinePairs, toPreservedRecord } from '../preserved-lines.ts';
import { buildNonObjectFinding, checkParentId, checkRootCount, countRoots } from '../structure-findings.ts';
import { omitUndefinedAttributes } from '../turn-nodes.ts';
import { deriveBoundaryId, toLineMessage } from './message-lines.ts';

/**
 * Whether a value is a chain line, which is a line of the conversation with a parent. With `whole` false, the id may be
 * missing, because the app writes it after the message.
 */
function isChainLine(value: Json, whole = true): boolean {
  return (
    isJsonObject(value) &&
    (typeof value.uuid === 'string' || !whole) &&
    'parentUuid' in value &&
    claudeCodeChainLineTypes.has(textAt(value, 'type') ?? '') &&
    ('sessionId' in value || 'isSidechain' in value || 'userType' in value)
  );
}

/**
 * Whether a value is a line outside the chain in a form that only Claude Code writes. A resumed session may begin with
 * hundreds of such lines.
 */
function isSideLine(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  const { type } = value;
  if (type === 'summary') return typeof value.summary === 'string' && 'leafUuid' in value;
  if (type === 'file-history-snapshot') return isJsonObject(value.snapshot);
  return claudeCodeUnchainedLineTypes.has(textAt(value, 'type') ?? '') && typeof value.sessionId === 'string';
}

/** Whether a value is a header of a session file of pi or Coppice; Claude Code writes no headers. */
function isSessionHeader(value: Json): boolean {
  return isJsonObject(value) && value.type === 'session' && 'version' in value;
}

function isClaudeCodeSession({ lines, json }: Pick<SampleFile, 'lines' | 'json'>): boolean {
  // If the first line is longer than the sample, only its beginning can be examined.
  if (lines.length === 0) return json !== undefined && isChainLine(json, false);
  if (lines.some(isSessionHeader)) return false;
  return lines.some((line) => isChainLine(line)) || lines.every(isSideLine);
}

/** Returns 0.9 if a file looks like a session of Claude Code, else 0. */
export function detect(sample: InputSample): number {
  return sample.files.some(isClaudeCodeSession) ? 0.9 : 0;
}

/** A chain line that is being read. It gets a new id if another line has the same id. */
interface ChainLine {
  readonly kept: PreservedLine;
  /** The line itself, or a copy with the new id. */
  readonly fields: JsonObject;
  readonly after: PreservedLine[];
  /** The number of records of the file that the line represents. */
  records: number;
}

class ClaudeCodeSession {
  readonly #file: string;
  readonly #options: ReadOptions;
  readonly #chain: ChainLine[] = [];
  readonly #byUuid = new Map<string, ChainLine>();
  readonly #byFields = new Map<unknown, ChainLine>();
  readonly #leading: PreservedLine[] = [];
  readonly #free = new FreeIdGenerator();
  readonly #findings: ImportFinding[] = [];
  /** The data about a subagent, which the program stores in a separate file. */
  readonly #meta: JsonObject | undefined;
  #prompts: JsonObject[] = [];

  constructor(file: string, options: ReadOptions, meta: JsonObject | undefined) {
    this.#file = file;
    this.#options = options;
    this.#meta = meta;
  }

  get findings(): readonly ImportFinding[] {
    return this.#findings;
  }

  get isEmpty(): boolean {
    return this.#chain.length === 0 && this.#leading.length === 0;
  }

  add(line: JsonObject, at: number, findings: readonly ImportFinding[]): void {
    for (const one of findings) this.#findings.push(one);
    const place = this.#place(at);
    const uuid = getFilledText(line, 'uuid');
    const type = textAt(line, 'type') ?? '';
    if (uuid === undefined) {
      // A line without a type was not written by Claude Code; an unknown type may come from a newer version.
      if (!claudeCodeUnchainedLineTypes.has(type))
        this.#findings.push(
          buildFinding(
            'import/unknown-type',
            type === '' ? 'repair' : 'note',
            place,
            type === '' ? buildFindingDetail('no-type') : type,
          ),
        );
      if (type === 'last-prompt') this.#prompts.push(line);
      const before = this.#chain.at(-1);
      if (before === undefined) this.#leading.push({ at, line });
      else {
        before.after.push({ at, line });
        before.records++;
      }
      return;
    }
    if (!claudeCodeChainLineTypes.has(type) && !('parentUuid' in line)) {
      this.#findings.push(
        buildFinding('import/other-format', 'loss', place, buildFindingDetail('record-outside-chain'), 1),
      );
      return;
    }
    if (!claudeCodeChainLineTypes.has(type))
      this.#findings.push(buildFinding('import/unknown-type', 'note', place, type));
    const known = this.#byUuid.get(uuid);
    if (known !== undefined && areSameRecords(known.kept.line, line)) {
      this.#findings.push(
        buildFinding('import/duplicate', 'repair', place, buildFindingDetail('id', JSON.stringify(uuid.slice(0, 80)))),
      );
      known.records++;
      return;
    }
    for (const one of checkParentId(line.parentUuid, place)) this.#findings.push(one);
    const own = known === undefined ? uuid : this.#free.next(uuid, (id) => this.#byUuid.has(id));
    if (own !== uuid)
      this.#findings.push(
        buildFinding(
          'import/duplicate-id',
          'repair',
          place,
          buildFindingDetail('renamed', uuid.slice(0, 80), own.slice(0, 90)),
        ),
      );
    const fields = own === uuid ? line : { ...line, uuid: own };
    const chained = { kept: { at, line }, fields, after: [], records: 1 };
    this.#chain.push(chained);
    this.#byUuid.set(own, chained);
    this.#byFields.set(fields, chained);
  }

  #place(at: number): string {
    return `${this.#file}:${at}`;
  }

  /** Returns the title: the user's title, a generated title, or a summary line that names one of its messages. */
  #title(): string | undefined {
    const names = new Map<string, string>();
    const asides = [...this.#leading, ...this.#chain.flatMap((line) => line.after)];
    for (const { line } of asides) {
      const type = textAt(line, 'type') ?? '';
      const said =
        type === 'custom-title'
          ? getFilledText(line, 'customTitle')
          : type === 'ai-title'
            ? getFilledText(line, 'aiTitle')
            : type === 'summary' && this.#byUuid.has(textAt(line, 'leafUuid') ?? '')
              ? getFilledText(line, 'summary')
              : undefined;
      if (said !== undefined) names.set(type, said);
    }
    return names.get('custom-title') ?? names.get('ai-title') ?? names.get('summary');
  }

  /** Returns the session id of the last lines, because a resumed file begins with lines of an earlier session. */
  #identity(): {
    readonly id: string;
    readonly scope: string;
    readonly agent: string | undefined;
    readonly session: string;
  } {
    const last = this.#chain.findLast(({ fields }) => getFilledText(fields, 'sessionId') !== undefined)?.fields;
    const leading = this.#leading.find(({ line }) => getFilledText(line, 'sessionId') !== undefined)?.line;
    const session = getFilledText(last ?? leading ?? {}, 'sessionId');
    const whole = this.#chain.length > 0 && this.#chain.every(({ fields }) => fields.isSidechain === true);
    const agent = whole ? getFilledText(last ?? {}, 'agentId') : undefined;
    const scope = session === undefined ? (this.#options.scope ?? this.#file) : '';
    const id = session ?? this.#file;
    return { id: agent === undefined ? id : `${id}/agent-${agent}`, scope, agent, session: id };
  }

  /** Converts the entries to nodes, and pauses every few hundred nodes so that other work can run. */
  *#nodes(entries: readonly SessionEntry[], header: SessionHeader): CooperativeTask<ImportedNode[]> {
    const ids = new Set(entries.map((entry) => entry.uuid));
    const tools = this.#tools();
    const boundaries = this.#boundaries();
    const nodes: ImportedNode[] = [];
    // If a line becomes several nodes, only the last node stores the line.
    const partial = new Map<string, string[]>();
    for (const entry of entries) {
      const lines = this.#linesOf(entry);
      const parent = entry.parentUuid === header.uuid ? null : entry.parentUuid;
      const known = parent !== null && ids.has(parent) ? parent : null;
      const parts = partial.get(parent ?? '') ?? [];
      if (lines.length === 0) {
        // The nodes of a line form a chain, so they can share one list.
        parts.push(entry.uuid);
        partial.set(entry.uuid, parts);
      }
      nodes.push(this.#node(entry, lines, parent, known, lines.length === 0 ? [] : parts, tools, boundaries));
      if (nodes.length % itemsPerPause === 0) yield;
    }
    this.#pairing(nodes, tools);
    const companions = this.#companions();
    for (const [at, node] of nodes.entries())
      if (companions.has(node.externalId)) nodes[at] = { ...node, companion: true };
    return nodes;
  }

  *tree(): CooperativeTask<ImportedTree> {
    const { id, scope, agent, session } = this.#identity();
    const { entries, leafUuid, header } = yield* readClaudeCodeInPieces([
      ...this.#chain.map(({ fields }) => fields),
      ...this.#prompts,
    ]);
    const nodes = yield* this.#nodes(entries, header);
    const main = nodes.filter(({ externalId }) => this.#byUuid.get(externalId)?.fields.isSidechain !== true);
    for (const one of checkRootCount(countRoots(main), this.#file)) this.#findings.push(one);
    const active = this.#active(leafUuid, entries.at(-1)?.uuid);
    // The title of a subagent is the description of its task.
    const title = this.#title() ?? (this.#meta === undefined ? undefined : getFilledText(this.#meta, 'description'));
    const first = this.#chain[0]?.fields ?? {};
    const cwd = getFilledText(first, 'cwd');
    const record: JsonObject = {
      ...(this.#leading.length === 0 ? {} : { $lines: toLinePairs(this.#leading) }),
      ...(active === undefined ? {} : { $active: active }),
      ...(title === undefined ? {} : { $title: title }),
      ...(this.#meta === undefined ? {} : { $meta: this.#meta }),
    };
    if (!isStorableRecord(record)) this.#findings.push(buildFinding('import/record-too-large', 'loss', this.#file));
    const about = { ...(cwd === undefined ? {} : { cwd }), ...(agent === undefined ? {} : { agentId: agent }) };
    const spawnedBy = agent === undefined ? undefined : spawnOf(session, this.#meta);
    return {
      externalId: id,
      scope,
      ...omitUndefinedAttributes({
        title,
        createdAt: parseIsoTime(first.timestamp),
        updatedAt: parseIsoTime(this.#chain.at(-1)?.fields.timestamp),
      }),
      ...(Object.keys(about).length === 0 ? {} : { attributes: { metadata: about } }),
      nodes,
      ...(active === undefined ? {} : { activeExternalId: active }),
      record,
      ownRecords: this.#leading.length + (this.#meta === undefined ? 0 : 1),
      ...(spawnedBy === undefined ? {} : { spawnedBy }),
      place: this.#file,
      findings: this.#findings,
    };
  }

  #active(leaf: string | null, last: string | undefined): string | undefined {
    const named = this.#prompts.map((line) => getFilledText(line, 'leafUuid')).findLast((uuid) => uuid !== undefined);
    if (named !== undefined && !this.#byUuid.has(named))
      this.#findings.push(
        buildFinding('import/active-missing', 'repair', this.#file, JSON.stringify(named.slice(0, 80))),
      );
    if (named === undefined) this.#findings.push(buildFinding('import/active-inferred', 'note', this.#file));
    // All lines of a subagent's session are marked as a side chain, which has no leaf, so its last entry is active.
    return leaf ?? last;
  }

  #linesOf(entry: SessionEntry): ChainLine[] {
    const found: ChainLine[] = [];
    for (const line of Array.isArray(entry.record) ? entry.record : []) {
      const chained = this.#byFields.get(line);
      if (chained !== undefined) found.push(chained);
    }
    return found;
  }

  /** Maps call ids to tool names. */
  #tools(): Map<string, string> {
    const tools = new Map<string, string>();
    for (const { fields } of this.#chain)
      for (const block of listAt(objectAt(fields, 'message'), 'content'))
        if (isJsonObject(block) && block.type === 'tool_use')
          tools.set(textAt(block, 'id') ?? '', getFilledText(block, 'name') ?? 'unknown');
    return tools;
  }

  /**
   * Returns the boundaries of compactions by id. A boundary names the kept messages, and the line below it contains the
   * summary.
   */
  #boundaries(): Map<string, JsonObject> {
    const found = new Map<string, JsonObject>();
    for (const [uuid, { fields }] of this.#byUuid)
      if (fields.type === 'system' && fields.subtype === 'compact_boundary') found.set(uuid, fields);
    return found;
  }

  /** Returns the ids of boundaries that Coppice wrote; the tree already contains their compactions. */
  #companions(): ReadonlySet<string> {
    const found = new Set<string>();
    for (const [uuid, { fields }] of this.#byUuid) {
      const above = textAt(fields, 'parentUuid');
      if (fields.isCompactSummary === true && above !== undefined && above === deriveBoundaryId(uuid)) found.add(above);
    }
    return found;
  }

  /** Returns the first message that a compaction keeps, as its boundary names it. */
  #marker(parent: string | null, boundaries: ReadonlyMap<string, JsonObject>, place: string): ImportedMarker {
    const boundary = parent === null ? undefined : boundaries.get(parent);
    if (boundary === undefined) return {};
    const about = objectAt(boundary, 'compactMetadata');
    const tokensBefore = numberAt(about, 'preTokens');
    const kept = getKeptLineIds(boundary);
    // In a forked session the kept messages are below the summary, and need no mark.
    const at = this.#byUuid.get(parent ?? '')?.kept.at ?? 0;
    const isBelow = kept.some((uuid) => (this.#byUuid.get(uuid)?.kept.at ?? 0) > at);
    const firstKept = isBelow ? undefined : kept.find((uuid) => this.#byUuid.has(uuid));
    if (kept.length > 0 && firstKept === undefined && !isBelow)
      this.#findings.push(
        buildFinding('import/inferred', 'repair', place, buildFindingDetail('kept-messages-missing')),
      );
    return {
      ...(tokensBefore === undefined ? {} : { tokensBefore }),
      ...(firstKept === undefined ? {} : { firstKept }),
    };
  }

  #node(
    entry: SessionEntry,
    lines: readonly ChainLine[],
    parent: string | null,
    known: string | null,
    parts: readonly string[],
    tools: ReadonlyMap<string, string>,
    boundaries: ReadonlyMap<string, JsonObject>,
  ): ImportedNode {
    const [first] = lines;
    const place = this.#place(first?.kept.at ?? 0);
    const fields = lines.at(-1)?.fields ?? {};
    const said = toLineMessage(entry, fields, tools);
    const createdAt = parseIsoTime(entry.timestamp);
    if (first !== undefined) {
      for (const one of checkTime(first.fields.timestamp, createdAt, place)) this.#findings.push(one);
      const above = parent === null ? undefined : this.#byUuid.get(parent);
      if (above !== undefined && above.kept.at > first.kept.at)
        this.#findings.push(buildFinding('import/forward-parent', 'note', place));
    }
    let records = 0;
    for (const line of lines) records += line.records;
    const record = toPreservedRecord({
      lines: lines.map(({ kept }) => kept),
      after: lines.flatMap(({ after }) => after),
      parent: known,
      parts,
    });
    const marker = entry.type === 'compaction' ? this.#marker(parent, boundaries, place) : undefined;
    return {
      externalId: entry.uuid,
      parentExternalId: parent,
      ...said,
      ...(marker === undefined ? {} : { marker }),
      ...(createdAt === undefined ? {} : { createdAt }),
      record,
      records,
      place,
    };
  }

  /** Reports results without a call, because providers would reject them. */
  #pairing(nodes: readonly ImportedNode[], tools: ReadonlyMap<string, string>): void {
    for (const { message, place } of nodes) {
      const call = isToolLine(message) ? message.tool_call_id : undefined;
      if (call !== undefined && !tools.has(call))
        this.#findings.push(
          buildFinding('import/tool-pairing', 'note', place, buildFindingDetail('no-such-call', call.slice(0, 80))),
        );
    }
  }
}

function isToolLine(message: unknown): message is { readonly tool_call_id: string } {
  return typeof message === 'object' && message !== null && 'tool_call_id' in message;
}

/** Returns the session that spawned a subagent, with the call and the kind of agent if the program recorded them. */
function spawnOf(session: string, meta: JsonObject = {}): SpawnedBy {
  const call = getFilledText(meta, 'toolUseId') ?? getFilledText(meta, 'tool_use_id');
  const agentType = getFilledText(meta, 'agentType');
  return { session, ...(call === undefined ? {} : { call }), ...(agentType === undefined ? {} : { agentType }) };
}

const metaEnding = /\.meta\.json$/;

/** Returns the files with data about subagents, by the names of their sessions without the extension. */
function metaFilesIn(files: readonly InputFile[]): Map<string, InputFile> {
  const notes = files.filter(({ name }) => metaEnding.test(name));
  return new Map(notes.map((file) => [file.name.replace(metaEnding, ''), file]));
}

async function readMeta(file: InputFile | undefined): Promise<JsonObject | undefined> {
  if (file === undefined) return undefined;
  const { value } = parseForeignJson(await readAllBytes(file), file.name);
  return isJsonObject(value) ? value : undefined;
}

async function* readClaudeCodeFile(
  file: InputFile,
  options: ReadOptions,
  note: InputFile | undefined,
): AsyncGenerator<ReadEvent> {
  const session = new ClaudeCodeSession(file.name, options, await readMeta(note));
  let count = 0;
  for await (const record of readLineRecords(file)) {
    if (++count % 1000 === 0) yield { type: 'pause' };
    if (record.type === 'finding') yield record;
    else if (record.type === 'record') {
      const { value, place, path, findings } = record;
      if (isSessionHeader(value)) {
        const reported = buildFindingDetail('foreign-session-header');
        yield { type: 'finding', finding: buildFinding('import/other-format', 'loss', place, reported, 1) };
        return;
      }
      if (isJsonObject(value)) session.add(value, Number(path[0] ?? 0), findings);
      else yield { type: 'finding', finding: buildNonObjectFinding(place) };
    }
  }
  if (!session.isEmpty) yield { type: 'tree', tree: await runWithPauses(session.tree(), options.rest) };
  else for (const one of session.findings) yield { type: 'finding', finding: one };
}

/** Reads sessions, one per file, including those of subagents. */
export async function* read(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  const notes = metaFilesIn(input.files);
  const sessions = new Set(input.files.map(({ name }) => name.replace(/\.jsonl$/, '')));
  for (const file of input.files) {
    // This file is read together with its session.
    if (metaEnding.test(file.name) && sessions.has(file.name.replace(metaEnding, ''))) continue;
    const [sample] = (await readSample({ files: [file] })).files;
    // If the input is a single file, it is read even if its beginning is damaged.
    if (input.files.length === 1 || (sample !== undefined && isClaudeCodeSession(sample)))
      yield* readClaudeCodeFile(file, options, notes.get(file.name.replace(/\.jsonl$/, '')));
    else yield { type: 'finding', finding: buildFinding('import/skipped', 'note', file.name) };
  }
}
