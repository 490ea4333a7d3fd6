// Session files of Claude Code. They have no header, several lines per reply (with the same `message.id`), and results
// of parallel calls below different lines of one reply. The lines of a reply become one entry, and its results a chain
// below it.

import type { FieldMap } from '@coppice/core';
import { getNumber, getObject, getText, isFieldMap, ownField } from '@coppice/core/decode';
import { deriveId } from '../derive-id.ts';
import { type CooperativeTask, itemsPerPause, runWithoutPauses } from '../formats/cooperative.ts';
import { isLeafEntryType, type SessionEntry, type SessionHeader, sessionVersion } from './contract.ts';
import { pickJsonFields } from './fields.ts';
import { sortParentsFirst } from './parents-first.ts';

/** A file of Claude Code, converted to session entries. */
export interface ClaudeCodeEntries {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  /** The entry at which the session was left; null for an empty session. */
  readonly leafUuid: string | null;
}

interface CodeLine {
  readonly fields: FieldMap;
  readonly uuid: string;
  readonly parent: string | null;
}

/**
 * Converts the lines of a file. Every line with an id becomes part of an entry; the other lines give the session's name
 * and leaf.
 */
export function readClaudeCode(lines: readonly FieldMap[]): ClaudeCodeEntries {
  return runWithoutPauses(readClaudeCodeInPieces(lines));
}

/** Like {@link readClaudeCode}, but pauses so that other work can run. */
export function* readClaudeCodeInPieces(lines: readonly FieldMap[]): CooperativeTask<ClaudeCodeEntries> {
  const reader = new CodeReader(lines);
  yield;
  return yield* reader.session();
}

/** Returns the ids of the lines that a compaction keeps. The program has written the field in two spellings. */
export function getKeptLineIds(boundary: FieldMap): string[] {
  const about = getObject(boundary, 'compactMetadata') ?? {};
  return [about, boundary].flatMap((one) => {
    const kept = getObject(one, 'preservedMessages') ?? getObject(one, 'preserved_messages') ?? {};
    const uuids = ownField(kept, 'uuids');
    return Array.isArray(uuids) ? uuids.filter((uuid): uuid is string => typeof uuid === 'string') : [];
  });
}

class CodeReader {
  readonly #chain: CodeLine[] = [];
  readonly #byUuid = new Map<string, CodeLine>();
  // Maps the id of a line to the entry that contains it.
  readonly #entryOfLine = new Map<string, string>();
  readonly #entries = new Map<string, Mutable>();
  readonly #results = new Map<Mutable, string>();
  // Maps a line to the entry above its chain of results.
  readonly #chainParents = new Map<string, string | null>();
  #name: string | undefined;
  #recordedLeaf: string | undefined;
  readonly #first: FieldMap;

  constructor(lines: readonly FieldMap[]) {
    this.#first = lines.find((line) => getText(line, 'sessionId') !== undefined) ?? {};
    for (const fields of lines) {
      const uuid = getText(fields, 'uuid');
      const type = getText(fields, 'type');
      if (type === 'custom-title') this.#name = getText(fields, 'customTitle') ?? this.#name;
      else if (type === 'ai-title') this.#name ??= getText(fields, 'aiTitle');
      else if (type === 'last-prompt') this.#recordedLeaf = getText(fields, 'leafUuid') ?? this.#recordedLeaf;
      else if (type === 'summary') this.#name ??= getText(fields, 'summary');
      if (uuid === undefined || this.#byUuid.has(uuid)) continue;
      const line = { fields, uuid, parent: getText(fields, 'parentUuid') ?? null };
      this.#chain.push(line);
      this.#byUuid.set(uuid, line);
    }
  }

  *session(): CooperativeTask<ClaudeCodeEntries> {
    const id = getText(this.#first, 'sessionId') ?? '';
    const at = getText(this.#first, 'timestamp');
    const cwd = getText(this.#first, 'cwd');
    const header: SessionHeader = {
      type: 'session',
      version: sessionVersion,
      uuid: deriveId('claude-code', id),
      parentUuid: null,
      id,
      ...(at === undefined ? {} : { timestamp: at }),
      ...(cwd === undefined ? {} : { cwd }),
    };
    yield* this.#collectReplies();
    this.#relinkKept();
    const entries = yield* this.#ordered(header.uuid);
    yield;
    const leafUuid = this.#leaf(entries);
    if (this.#name !== undefined && this.#name !== '')
      entries.push({
        type: 'session_info',
        uuid: deriveId('claude-code-name', id),
        parentUuid: leafUuid ?? header.uuid,
        name: this.#name,
      });
    return { header, entries, leafUuid };
  }

  /** Collects the lines of each reply in one entry. Results and compactions become separate entries. */
  *#collectReplies(): CooperativeTask<void> {
    const replies = new Map<string, Mutable>();
    let count = 0;
    for (const line of this.#chain) {
      if (++count % itemsPerPause === 0) yield;
      const { fields, uuid } = line;
      const message = ownField(fields, 'message');
      const reply = isFieldMap(message) && getText(fields, 'type') === 'assistant' ? getText(message, 'id') : undefined;
      const begun = reply === undefined ? undefined : replies.get(reply);
      // The lines of one reply form a chain; a regenerated reply has another id.
      if (begun !== undefined && isFieldMap(message)) {
        for (const block of codeContent(message)) begun.content.push(block);
        this.#entryOfLine.set(uuid, begun.uuid);
        begun.lines.push(fields);
        continue;
      }
      const entry = this.#entry(line, message);
      this.#entries.set(uuid, entry);
      this.#entryOfLine.set(uuid, uuid);
      if (reply !== undefined) replies.set(reply, entry);
    }
  }

  /**
   * Corrects links around compactions that kept messages. A line after such a compaction names the last kept message,
   * above the compaction, as its parent; it is moved below the summary. In a forked session the kept messages are below
   * the summary, although the boundary still names the last one as its parent; that link is removed.
   */
  #relinkKept(): void {
    const positions = new Map(this.#chain.map(({ uuid }, index) => [uuid, index]));
    const kept = new Map<string, string>();
    for (const boundary of this.#entries.values()) {
      if (getText(boundary.fields, 'subtype') !== 'compact_boundary') continue;
      const uuids = getKeptLineIds(boundary.fields);
      const from = positions.get(boundary.uuid) ?? 0;
      const isRewritten = uuids.some((uuid) => uuid === boundary.parent && (positions.get(uuid) ?? 0) > from);
      if (isRewritten) boundary.parent = null;
      else for (const uuid of uuids) kept.set(uuid, boundary.uuid);
    }
    if (kept.size === 0) return;
    const summaries = new Map<string, string>();
    for (const { uuid, parent, fields } of this.#entries.values())
      if (parent !== null && ownField(fields, 'isCompactSummary') === true) summaries.set(parent, uuid);
    for (const entry of this.#entries.values()) {
      const summary = entry.parent === null ? undefined : summaries.get(kept.get(entry.parent) ?? '');
      const isLater = (positions.get(entry.uuid) ?? 0) > (positions.get(summary ?? '') ?? Number.POSITIVE_INFINITY);
      if (summary !== undefined && isLater) entry.parent = summary;
    }
  }

  #entry({ fields, uuid, parent }: CodeLine, message: unknown): Mutable {
    const above = parent ?? getText(fields, 'logicalParentUuid') ?? null;
    return {
      uuid,
      parent: above,
      fields,
      message: isFieldMap(message) ? message : null,
      // The list is copied, because later lines add blocks.
      content: isFieldMap(message) ? [...codeContent(message)] : [],
      lines: [fields],
    };
  }

  /** Returns the entries, parents before children. Results form a chain below the reply with their calls. */
  *#ordered(root: string): CooperativeTask<SessionEntry[]> {
    const calls = new Map<string, Mutable>();
    const ends = new Map<string, string>();
    const moved = new Map<string, string>();
    const answered = new Set<string>();
    for (const entry of this.#entries.values())
      for (const block of entry.content)
        if (isFieldMap(block) && getText(block, 'type') === 'tool_use') calls.set(getText(block, 'id') ?? '', entry);
    let count = 0;
    for (const entry of this.#entries.values()) {
      if (++count % itemsPerPause === 0) yield;
      const id = this.#resultOf(entry);
      const asking = id === undefined ? undefined : calls.get(id);
      if (id === undefined || asking === undefined || answered.has(id) || !this.#isBelow(entry, asking)) continue;
      answered.add(id);
      moved.set(entry.uuid, ends.get(asking.uuid) ?? asking.uuid);
      ends.set(asking.uuid, entry.uuid);
    }
    const results = new Map([...moved.keys()].map((uuid) => [uuid, this.#askedBy(uuid, calls)]));
    const found: SessionEntry[] = [];
    for (const entry of this.#entries.values()) {
      if (++count % itemsPerPause === 0) yield;
      const above = moved.get(entry.uuid) ?? this.#above(entry, results, ends);
      for (const one of toEntries(entry, above ?? root, this.#kept(entry))) found.push(one);
    }
    yield;
    return sortParentsFirst(found, root);
  }

  /**
   * Returns the first kept message of a compaction and the tokens before it, from the boundary line above the summary.
   */
  #kept(entry: Mutable): FieldMap {
    const above = entry.parent === null ? undefined : this.#entries.get(entry.parent);
    if (above === undefined || getText(above.fields, 'subtype') !== 'compact_boundary') return {};
    const about = getObject(above.fields, 'compactMetadata') ?? {};
    // Kept messages that are below the boundary follow the summary as they are.
    const keptEntries =
      above.parent === null ? [] : getKeptLineIds(above.fields).map((uuid) => this.#entryOfLine.get(uuid));
    return pickJsonFields({
      firstKeptEntryUuid: keptEntries.find((home) => home !== undefined),
      tokensBefore: getNumber(about, 'preTokens'),
    });
  }

  #askedBy(uuid: string, calls: ReadonlyMap<string, Mutable>): string | undefined {
    const entry = this.#entries.get(uuid);
    const id = entry === undefined ? undefined : this.#resultOf(entry);
    return id === undefined ? undefined : calls.get(id)?.uuid;
  }

  /**
   * Returns the parent of an entry. If the entry came after a result of a reply, this is the last result of that reply.
   */
  #above(
    entry: Mutable,
    results: ReadonlyMap<string, string | undefined>,
    ends: ReadonlyMap<string, string>,
  ): string | null {
    if (entry.parent === null) return null;
    const home = this.#entryOfLine.get(entry.parent) ?? entry.parent;
    const asking = results.get(home);
    return asking === undefined ? home : (ends.get(asking) ?? home);
  }

  /** Whether an entry is below a reply, directly or through a chain of its results. */
  #isBelow(entry: Mutable, asking: Mutable): boolean {
    const walked: string[] = [];
    let top: string | null = null;
    for (let at = entry.parent; at !== null; ) {
      const known = this.#chainParents.get(at);
      if (known !== undefined) {
        top = known;
        break;
      }
      // Stored before the walk continues, so that a cycle ends without a reply.
      this.#chainParents.set(at, null);
      walked.push(at);
      const home = this.#entryOfLine.get(at);
      const above = home === undefined ? undefined : this.#entries.get(home);
      if (above === undefined) break;
      if (this.#resultOf(above) === undefined) {
        top = above.uuid;
        break;
      }
      at = above.parent;
    }
    for (const one of walked) this.#chainParents.set(one, top);
    return top === asking.uuid;
  }

  /** Returns the call that an entry answers. The result is cached, because a reply may have many blocks. */
  #resultOf(entry: Mutable): string | undefined {
    const known = this.#results.get(entry);
    if (known !== undefined) return known === '' ? undefined : known;
    const id = resultId(entry);
    this.#results.set(entry, id ?? '');
    return id;
  }

  /**
   * Returns the leaf of the session: the recorded leaf, else the last message in the file without a message below it.
   * Lines about the session are skipped, because they are not part of a branch.
   */
  #leaf(entries: readonly SessionEntry[]): string | null {
    const left = this.#recordedLeaf === undefined ? undefined : this.#entryOfLine.get(this.#recordedLeaf);
    if (left !== undefined) return left;
    const types = new Map(entries.map(({ uuid, type }) => [uuid, type]));
    const isMain = (uuid: string) => ownField(this.#entries.get(uuid)?.fields ?? {}, 'isSidechain') !== true;
    const isSaid = (uuid: string) => isLeafEntryType(types.get(uuid) ?? '') && isMain(uuid);
    const followed = new Set<string>();
    for (let index = entries.length - 1; index >= 0; index--) {
      const { uuid, parentUuid } = entries[index] ?? {};
      if (uuid === undefined || typeof parentUuid !== 'string') continue;
      if (followed.has(uuid) || isSaid(uuid)) followed.add(parentUuid);
    }
    const lines = this.#chain.map(({ uuid }) => this.#entryOfLine.get(uuid) ?? uuid);
    return (
      lines.findLast((uuid) => isSaid(uuid) && !followed.has(uuid)) ??
      lines.findLast(isSaid) ??
      lines.findLast(isMain) ??
      null
    );
  }
}

interface Mutable {
  readonly uuid: string;
  parent: string | null;
  readonly fields: FieldMap;
  readonly message: FieldMap | null;
  readonly content: unknown[];
  readonly lines: FieldMap[];
}

function codeContent(message: FieldMap): unknown[] {
  const content = ownField(message, 'content');
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

function codeResult(entry: Mutable): FieldMap | undefined {
  return entry.content.find(
    (block): block is FieldMap => isFieldMap(block) && getText(block, 'type') === 'tool_result',
  );
}

function resultId(entry: Mutable): string | undefined {
  const result = codeResult(entry);
  return result === undefined ? undefined : getText(result, 'tool_use_id');
}

function textIn(content: readonly unknown[]): string {
  return content.map((block) => (isFieldMap(block) ? (getText(block, 'text') ?? '') : '')).join('');
}

/** Converts to one session entry, or to a chain of entries if the line contains several results. */
function toEntries(entry: Mutable, parentUuid: string, kept: FieldMap): SessionEntry[] {
  const { fields, uuid, message } = entry;
  const at = getText(fields, 'timestamp');
  const base = { uuid, parentUuid, ...(at === undefined ? {} : { timestamp: at }) };
  if (ownField(fields, 'isCompactSummary') === true)
    return [{ type: 'compaction', ...base, summary: textIn(entry.content), ...kept, record: entry.lines }];
  if (message === null) return [{ type: getText(fields, 'type') ?? 'system', ...base, record: entry.lines }];
  const results = entry.content.filter(
    (block): block is FieldMap => isFieldMap(block) && getText(block, 'type') === 'tool_result',
  );
  if (results.length === 0)
    return [{ type: 'message', ...base, message: codeMessageIn(entry, message), record: entry.lines }];
  return chainResults(entry, base, results);
}

function codeMessageIn(entry: Mutable, message: FieldMap): FieldMap {
  const { id: _, type: __, content: ___, role, ...rest } = message;
  const about = role === 'assistant' ? rest : {};
  return { role, ...about, content: entry.content };
}

/**
 * Converts the results of one line to a chain of messages. The last message keeps the line's id, because other entries
 * refer to it.
 */
function chainResults(
  entry: Mutable,
  base: { readonly uuid: string; readonly parentUuid: string },
  results: readonly FieldMap[],
): SessionEntry[] {
  const rest = entry.content.filter((block) => !results.some((result) => result === block));
  const messages: FieldMap[] = results.map((result) => ({
    role: 'toolResult',
    toolCallId: getText(result, 'tool_use_id') ?? '',
    content: ownField(result, 'content'),
    ...(ownField(result, 'is_error') === true ? { isError: true } : {}),
  }));
  if (rest.length > 0) messages.push({ role: 'user', content: rest });
  let { parentUuid } = base;
  return messages.map((message, index) => {
    const last = index === messages.length - 1;
    const uuid = last ? base.uuid : deriveId('claude-code-result', base.uuid, index);
    const made: SessionEntry = {
      type: 'message',
      ...base,
      uuid,
      parentUuid,
      message,
      ...(last ? { record: entry.lines } : {}),
    };
    parentUuid = uuid;
    return made;
  });
}
