// Files of Claude Code: no header, several lines per reply (they share `message.id`), results of parallel calls that fan
// out under the lines of one reply. Lines of one reply become one entry, and its results a chain below it.
import { derivedId } from '../derived-id.ts';
import { type Cooperative, itemsPerPause, runAtOnce } from '../formats/cooperative.ts';
import { isLeafType, type SessionEntry, type SessionHeader, sessionVersion } from './contract.ts';
import {
  isSessionFields,
  numberField,
  objectField,
  omitUndefinedFields,
  ownSessionField,
  type SessionFields,
  textField,
} from './fields.ts';
import { entriesParentsFirst } from './parents-first.ts';

/** A file of Claude Code as entries of ours. */
export interface CodeSession {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  /** Where the session was left. */
  readonly leafUuid: string | null;
}

interface CodeLine {
  readonly fields: SessionFields;
  readonly uuid: string;
  readonly parent: string | null;
}

/** Converts the lines of a file. Every chain line is in an entry; the others give the session's name and its leaf. */
export function readClaudeCode(lines: readonly SessionFields[]): CodeSession {
  return runAtOnce(readingClaudeCode(lines));
}

/** As {@link readClaudeCode}, with places where others may have a turn. */
export function* readingClaudeCode(lines: readonly SessionFields[]): Cooperative<CodeSession> {
  const reader = new CodeReader(lines);
  yield;
  return yield* reader.session();
}

class CodeReader {
  readonly #chain: CodeLine[] = [];
  readonly #byUuid = new Map<string, CodeLine>();
  // The entry that a line went into.
  readonly #home = new Map<string, string>();
  readonly #entries = new Map<string, Mutable>();
  readonly #results = new Map<Mutable, string>();
  // What the results above a line hang on.
  readonly #tops = new Map<string, string | null>();
  #name: string | undefined;
  #left: string | undefined;
  readonly #first: SessionFields;

  constructor(lines: readonly SessionFields[]) {
    this.#first = lines.find((line) => textField(line, 'sessionId') !== undefined) ?? {};
    for (const fields of lines) {
      const uuid = textField(fields, 'uuid');
      const type = textField(fields, 'type');
      if (type === 'custom-title') this.#name = textField(fields, 'customTitle') ?? this.#name;
      else if (type === 'ai-title') this.#name ??= textField(fields, 'aiTitle');
      else if (type === 'last-prompt') this.#left = textField(fields, 'leafUuid') ?? this.#left;
      else if (type === 'summary') this.#name ??= textField(fields, 'summary');
      if (uuid === undefined || this.#byUuid.has(uuid)) continue;
      const line = { fields, uuid, parent: textField(fields, 'parentUuid') ?? null };
      this.#chain.push(line);
      this.#byUuid.set(uuid, line);
    }
  }

  *session(): Cooperative<CodeSession> {
    const id = textField(this.#first, 'sessionId') ?? '';
    const at = textField(this.#first, 'timestamp');
    const cwd = textField(this.#first, 'cwd');
    const header: SessionHeader = {
      type: 'session',
      version: sessionVersion,
      uuid: derivedId('claude-code', id),
      parentUuid: null,
      id,
      ...(at === undefined ? {} : { timestamp: at }),
      ...(cwd === undefined ? {} : { cwd }),
    };
    yield* this.#gather();
    const entries = yield* this.#ordered(header.uuid);
    yield;
    const leafUuid = this.#leaf(entries);
    if (this.#name !== undefined && this.#name !== '')
      entries.push({
        type: 'session_info',
        uuid: derivedId('claude-code-name', id),
        parentUuid: leafUuid ?? header.uuid,
        name: this.#name,
      });
    return { header, entries, leafUuid };
  }

  /** Puts the lines of each reply into one entry, and results and compactions into entries of their own. */
  *#gather(): Cooperative<void> {
    const replies = new Map<string, Mutable>();
    let count = 0;
    for (const line of this.#chain) {
      if (++count % itemsPerPause === 0) yield;
      const { fields, uuid } = line;
      const message = ownSessionField(fields, 'message');
      const reply =
        isSessionFields(message) && textField(fields, 'type') === 'assistant' ? textField(message, 'id') : undefined;
      const begun = reply === undefined ? undefined : replies.get(reply);
      // Lines of one reply hang on each other; a reply that was asked for again has another id.
      if (begun !== undefined && isSessionFields(message)) {
        for (const block of codeContent(message)) begun.content.push(block);
        this.#home.set(uuid, begun.uuid);
        begun.lines.push(fields);
        continue;
      }
      const entry = this.#entry(line, message);
      this.#entries.set(uuid, entry);
      this.#home.set(uuid, uuid);
      if (reply !== undefined) replies.set(reply, entry);
    }
  }

  #entry({ fields, uuid, parent }: CodeLine, message: unknown): Mutable {
    const above = parent ?? textField(fields, 'logicalParentUuid') ?? null;
    return {
      uuid,
      parent: above,
      fields,
      message: isSessionFields(message) ? message : null,
      // A copy: lines that follow add to it.
      content: isSessionFields(message) ? [...codeContent(message)] : [],
      lines: [fields],
    };
  }

  /** The entries, parents before children, results in a chain below the reply that asked for them. */
  *#ordered(root: string): Cooperative<SessionEntry[]> {
    const calls = new Map<string, Mutable>();
    const ends = new Map<string, string>();
    const moved = new Map<string, string>();
    const answered = new Set<string>();
    for (const entry of this.#entries.values())
      for (const block of entry.content)
        if (isSessionFields(block) && textField(block, 'type') === 'tool_use')
          calls.set(textField(block, 'id') ?? '', entry);
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
    return entriesParentsFirst(found, root);
  }

  /** What a compaction left in force, and how much there was before: told by the boundary above the summary. */
  #kept(entry: Mutable): SessionFields {
    const above = entry.parent === null ? undefined : this.#entries.get(entry.parent);
    if (above === undefined || textField(above.fields, 'subtype') !== 'compact_boundary') return {};
    const about = objectField(above.fields, 'compactMetadata') ?? {};
    const kept = [about, above.fields].flatMap((one): readonly unknown[] => {
      const uuids = ownSessionField(objectField(one, 'preserved_messages') ?? {}, 'uuids');
      return Array.isArray(uuids) ? uuids : [];
    });
    const homes = kept.map((uuid) => (typeof uuid === 'string' ? this.#home.get(uuid) : undefined));
    return omitUndefinedFields({
      firstKeptEntryUuid: homes.find((home) => home !== undefined),
      tokensBefore: numberField(about, 'preTokens'),
    });
  }

  #askedBy(uuid: string, calls: ReadonlyMap<string, Mutable>): string | undefined {
    const entry = this.#entries.get(uuid);
    const id = entry === undefined ? undefined : this.#resultOf(entry);
    return id === undefined ? undefined : calls.get(id)?.uuid;
  }

  /** Where an entry hangs: on the last result of a reply if it followed one of them. */
  #above(
    entry: Mutable,
    results: ReadonlyMap<string, string | undefined>,
    ends: ReadonlyMap<string, string>,
  ): string | null {
    if (entry.parent === null) return null;
    const home = this.#home.get(entry.parent) ?? entry.parent;
    const asking = results.get(home);
    return asking === undefined ? home : (ends.get(asking) ?? home);
  }

  /** Whether an entry hangs on a reply, or on results of it that hang on each other. */
  #isBelow(entry: Mutable, asking: Mutable): boolean {
    const walked: string[] = [];
    let top: string | null = null;
    for (let at = entry.parent; at !== null; ) {
      const known = this.#tops.get(at);
      if (known !== undefined) {
        top = known;
        break;
      }
      // Where the way leads back here, it leads to no reply.
      this.#tops.set(at, null);
      walked.push(at);
      const home = this.#home.get(at);
      const above = home === undefined ? undefined : this.#entries.get(home);
      if (above === undefined) break;
      if (this.#resultOf(above) === undefined) {
        top = above.uuid;
        break;
      }
      at = above.parent;
    }
    for (const one of walked) this.#tops.set(one, top);
    return top === asking.uuid;
  }

  /** The call that an entry is the result of, looked for once: a reply may have many blocks. */
  #resultOf(entry: Mutable): string | undefined {
    const known = this.#results.get(entry);
    if (known !== undefined) return known === '' ? undefined : known;
    const id = resultId(entry);
    this.#results.set(entry, id ?? '');
    return id;
  }

  /**
   * Where the session goes on: where it says, else at the newest message on which none hangs, by its place in the file.
   * Lines about the session hang where a reply does and would lead away from it; orphans do not come last in a file.
   */
  #leaf(entries: readonly SessionEntry[]): string | null {
    const left = this.#left === undefined ? undefined : this.#home.get(this.#left);
    if (left !== undefined) return left;
    const types = new Map(entries.map(({ uuid, type }) => [uuid, type]));
    const isMain = (uuid: string) => ownSessionField(this.#entries.get(uuid)?.fields ?? {}, 'isSidechain') !== true;
    const isSaid = (uuid: string) => isLeafType(types.get(uuid) ?? '') && isMain(uuid);
    const followed = new Set<string>();
    for (let index = entries.length - 1; index >= 0; index--) {
      const { uuid, parentUuid } = entries[index] ?? {};
      if (uuid === undefined || typeof parentUuid !== 'string') continue;
      if (followed.has(uuid) || isSaid(uuid)) followed.add(parentUuid);
    }
    const lines = this.#chain.map(({ uuid }) => this.#home.get(uuid) ?? uuid);
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
  readonly parent: string | null;
  readonly fields: SessionFields;
  readonly message: SessionFields | null;
  readonly content: unknown[];
  readonly lines: SessionFields[];
}

function codeContent(message: SessionFields): unknown[] {
  const content = ownSessionField(message, 'content');
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

function codeResult(entry: Mutable): SessionFields | undefined {
  return entry.content.find(
    (block): block is SessionFields => isSessionFields(block) && textField(block, 'type') === 'tool_result',
  );
}

function resultId(entry: Mutable): string | undefined {
  const result = codeResult(entry);
  return result === undefined ? undefined : textField(result, 'tool_use_id');
}

function textIn(content: readonly unknown[]): string {
  return content.map((block) => (isSessionFields(block) ? (textField(block, 'text') ?? '') : '')).join('');
}

/** The entry, and if it holds several results, one more for each of them. */
function toEntries(entry: Mutable, parentUuid: string, kept: SessionFields): SessionEntry[] {
  const { fields, uuid, message } = entry;
  const at = textField(fields, 'timestamp');
  const base = { uuid, parentUuid, ...(at === undefined ? {} : { timestamp: at }) };
  if (ownSessionField(fields, 'isCompactSummary') === true)
    return [{ type: 'compaction', ...base, summary: textIn(entry.content), ...kept, record: entry.lines }];
  if (message === null) return [{ type: textField(fields, 'type') ?? 'system', ...base, record: entry.lines }];
  const results = entry.content.filter(
    (block): block is SessionFields => isSessionFields(block) && textField(block, 'type') === 'tool_result',
  );
  if (results.length === 0)
    return [{ type: 'message', ...base, message: codeMessageIn(entry, message), record: entry.lines }];
  return chained(entry, base, results);
}

function codeMessageIn(entry: Mutable, message: SessionFields): SessionFields {
  const { id: _, type: __, content: ___, role, ...rest } = message;
  const about = role === 'assistant' ? rest : {};
  return { role, ...about, content: entry.content };
}

/** Results of one line as messages one below the other; the last has the line's own id, for others hang on it. */
function chained(
  entry: Mutable,
  base: { readonly uuid: string; readonly parentUuid: string },
  results: readonly SessionFields[],
): SessionEntry[] {
  const rest = entry.content.filter((block) => !results.some((result) => result === block));
  const messages: SessionFields[] = results.map((result) => ({
    role: 'toolResult',
    toolCallId: textField(result, 'tool_use_id') ?? '',
    content: ownSessionField(result, 'content'),
    ...(ownSessionField(result, 'is_error') === true ? { isError: true } : {}),
  }));
  if (rest.length > 0) messages.push({ role: 'user', content: rest });
  let { parentUuid } = base;
  return messages.map((message, index) => {
    const last = index === messages.length - 1;
    const uuid = last ? base.uuid : derivedId('claude-code-result', base.uuid, index);
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
