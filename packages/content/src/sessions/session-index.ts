// The tree of a session file, built from its lines as needed: the leaf, parents, and which entries were removed,
// replaced, labelled and named. Needs one small record per line; contents are parsed on demand.
import {
  isUuid,
  type Message,
  type NodeMeta,
  type NodeStatus,
  type Patch,
  type RowChange,
  type TreeAttributes,
} from '@coppice/core';
import { getText, ownField } from '@coppice/core/decode';
import { applyPatch, parseSteps, rowChanges } from '@coppice/core/tree';
import { isLeafEntryType, isSideEntryType, type SessionEntry, type SessionFile } from './contract.ts';
import { type DecodedEntry, decodeEntry } from './entry-codec.ts';
import { parseSessionTime } from './fields.ts';
import { deriveSessionNodeId } from './session-ids.ts';

// Versions and times of the rows are not used here.
const noNumbers = { version: 1, seq: 0, at: 0 };

/** How later lines changed an entry. */
export interface LaterChanges {
  readonly message?: Message;
  readonly status?: NodeStatus;
  /** The changed metadata; null removes a field of the entry. */
  readonly meta?: Patch<NodeMeta>;
}

/** A label that a line set on an entry. */
export interface EntryLabel {
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The tree of a session file. Entries are identified by the index of their line; 0 is the header. */
export class SessionIndex {
  readonly file: SessionFile;
  // Lines by node id, for entries whose id is not the node id; filled at the first lookup.
  readonly #byNode = new Map<string, number>();
  #named = 1;
  readonly #moved = new Map<number, number>();
  readonly #removed = new Map<number, number>();
  readonly #amended = new Map<number, LaterChanges>();
  readonly #labels = new Map<number, EntryLabel>();
  readonly #tokens = new Map<number, number>();
  // Entries whose parent is missing and that are shown below another entry.
  readonly #orphans: number[] = [];
  #attributes: TreeAttributes = {};
  #leaf = 0;
  #seen = 1;
  #children: number[][] | null = null;
  // Caches by line whether an entry is live: the current cache number if live, its negative if removed. Each change of
  // the tree increases the number, which makes older values invalid.
  readonly #liveCache: number[] = [];
  #cacheNumber = 1;

  constructor(file: SessionFile) {
    this.file = file;
    this.#read();
  }

  /** Reads lines that other processes added to the file, and returns their number. */
  refresh(): number {
    const count = this.file.refresh();
    this.#read();
    return count;
  }

  /** Reads lines that this process appended. */
  readAppended(): void {
    this.#read();
  }

  #read(): void {
    const { file } = this;
    if (this.#seen < file.size) this.#children = null;
    for (; this.#seen < file.size; this.#seen++) {
      const index = this.#seen;
      const type = file.typeAt(index);
      if (this.#removed.size > 0 && !isSideEntryType(type)) this.#attachToAncestor(index);
      if (file.namedParentAt?.(index) !== undefined && !isSideEntryType(type)) this.#orphans.push(index);
      if (isLeafEntryType(type)) this.#leaf = index;
      else if (type === 'leaf') this.#leaf = this.leafTarget(index) ?? this.#leaf;
      else if (type === 'change') this.#change(file.entryAt(index));
      else if (type === 'label') this.#label(file.entryAt(index));
      else if (type === 'session_info') {
        const name = getText(file.entryAt(index), 'name')?.trim() ?? '';
        this.#attributes = applyPatch<TreeAttributes>(this.#attributes, { title: name === '' ? null : name });
      }
    }
  }

  /**
   * Attaches a line whose parent was removed to the nearest remaining ancestor. Its writer did not know about the
   * removal.
   */
  #attachToAncestor(index: number): void {
    const below = this.nearestNode(this.file.parentAt(index));
    if (this.#isRemaining(below)) return;
    let up = below;
    for (let left = this.file.size; !this.#isRemaining(up) && left > 0; left--) up = this.parent(up);
    this.#moved.set(index, up);
  }

  /** Returns the entry that a leaf line makes active; undefined if it was removed. */
  leafTarget(index: number): number | undefined {
    const at = this.nearestNode(this.file.parentAt(index));
    return this.#isRemaining(at) ? at : undefined;
  }

  #change(entry: SessionEntry): void {
    const steps = parseSteps(ownField(entry, 'steps'));
    if (steps.ok) for (const change of rowChanges(steps.value, noNumbers)) this.#take(change);
  }

  #take(change: RowChange): void {
    switch (change.op) {
      case 'updated':
        for (const id of change.nodeIds) this.#update(this.lineOf(id), change);
        return;
      case 'marked': {
        this.#cacheNumber++;
        const at = this.lineOf(change.nodeId);
        if (change.to === null) this.#removed.delete(at);
        else {
          this.#moveOrphansOut(at);
          this.#removed.set(at, (this.#removed.get(at) ?? 0) + 1);
        }
        return;
      }
      case 'bookmarked': {
        const at = this.lineOf(change.nodeId);
        if (change.bookmark === null) this.#labels.delete(at);
        else this.#labels.set(at, change.bookmark);
        return;
      }
      case 'tree':
        this.#attributes = applyPatch(this.#attributes, change.attributes ?? {});
        return;
      case 'added':
        return;
    }
  }

  #update(at: number, { set, meta }: Extract<RowChange, { op: 'updated' }>): void {
    const { parentId, message, status } = set;
    if (parentId != null) this.#move(at, this.lineOf(parentId));
    if (message != null && status !== undefined) this.#amend(at, { message, status });
    // Nulls are kept, because they may remove fields of the entry itself.
    if (meta !== undefined) this.#amend(at, { meta: { ...this.#amended.get(at)?.meta, ...meta } });
  }

  /**
   * Moves an entry below another one. In a damaged file the other one may be below it, because of an entry between them
   * whose parent is missing. The move then has no effect, as in a store; otherwise paths would become cycles.
   */
  #move(at: number, to: number): void {
    if (this.#orphans.length > 0 && this.#isBelow(to, at)) return;
    this.#cacheNumber++;
    this.#moved.set(at, to);
  }

  #isBelow(index: number, top: number): boolean {
    let at = index;
    for (let left = this.file.size; at > 0 && at !== top && left > 0; left--) at = this.parent(at);
    return at === top && top > 0;
  }

  /** Moves entries out of a removed subtree if they are shown there only because their parent is missing. */
  #moveOrphansOut(top: number): void {
    for (const index of this.#orphans) {
      if (index !== top && this.#isBelow(index, top)) this.#moved.set(index, this.parent(top));
    }
  }

  /** Returns the line of a node by its id in the tree; −1 if no line has it. */
  lineOf(node: string): number {
    const { file } = this;
    const at = file.indexOf(node);
    if (at >= 0) return at;
    if (node === deriveSessionNodeId(file.header.id, file.header.uuid)) return 0;
    for (; this.#named < file.size; this.#named++) {
      const uuid = file.uuidAt(this.#named);
      if (!isUuid(uuid)) this.#byNode.set(deriveSessionNodeId(file.header.id, uuid), this.#named);
    }
    return this.#byNode.get(node) ?? -1;
  }

  /** Returns the tokens of an entry without a stored count. The count is computed once. */
  tokensAt(index: number, count: () => number): number {
    const tokens = this.#tokens.get(index) ?? count();
    this.#tokens.set(index, tokens);
    return tokens;
  }

  #amend(at: number, by: LaterChanges): void {
    this.#tokens.delete(at);
    this.#amended.set(at, { ...this.#amended.get(at), ...by });
  }

  #label(entry: SessionEntry): void {
    const at = this.file.indexOf(getText(entry, 'targetUuid') ?? '');
    if (at < 0) return;
    const title = getText(entry, 'label') ?? '';
    if (title === '') {
      this.#labels.delete(at);
      return;
    }
    const time = parseSessionTime(entry.timestamp) ?? 0;
    const createdAt = this.#labels.get(at)?.createdAt ?? time;
    this.#labels.set(at, { title, createdAt, updatedAt: time });
  }

  /** The line of the current leaf; the header while there are no messages. */
  get leaf(): number {
    return this.#leaf;
  }

  get attributes(): TreeAttributes {
    return this.#attributes;
  }

  /** The name of the session; undefined if it has none. */
  get name(): string | undefined {
    return this.#attributes.title;
  }

  /** The labels of entries, by line. */
  get labels(): ReadonlyMap<number, EntryLabel> {
    return this.#labels;
  }

  /** Returns the changes of an entry by later lines. */
  laterChanges(index: number): LaterChanges | undefined {
    return this.#amended.get(index);
  }

  /** Decodes an entry and applies the changes of later lines. */
  decodedAt(index: number): DecodedEntry {
    const meaning = decodeEntry(this.file.entryAt(index));
    const amended = this.#amended.get(index);
    if (amended === undefined) return meaning;
    const { message = meaning.message, status = meaning.status, meta } = amended;
    // The stored key, text and tokens belong to the old message.
    const noted = amended.message === undefined ? meaning.noted : {};
    return {
      ...meaning,
      message,
      status,
      noted,
      meta: meta === undefined ? meaning.meta : applyPatch(meaning.meta, meta),
    };
  }

  /**
   * Returns the nearest entry at or above a line that is a node of the tree. Labels, names and changes are not nodes.
   */
  nearestNode(index: number): number {
    let at = index;
    while (at > 0 && isSideEntryType(this.file.typeAt(at))) at = this.file.parentAt(at);
    return Math.max(0, at);
  }

  /** Returns the parent of an entry; −1 for the header. */
  parent(index: number): number {
    if (index <= 0) return -1;
    const moved = this.#moved.get(index);
    return this.nearestNode(moved ?? this.file.parentAt(index));
  }

  /** Returns the lines from the header down to a line, both included. */
  path(to: number): number[] {
    const path: number[] = [];
    // A valid move never creates a cycle, although a parent may come later in the file. The limit ends the walk in an
    // invalid file.
    for (let at = to, left = this.file.size; at >= 0 && left >= 0; left--) {
      path.push(at);
      at = this.parent(at);
    }
    return path.reverse();
  }

  /** Whether a line is a live node of the tree. */
  isLive(index: number): boolean {
    if (index <= 0 || index >= this.#seen || isSideEntryType(this.file.typeAt(index))) return index === 0;
    return this.#isRemaining(index);
  }

  /**
   * Whether neither the line nor an ancestor was removed. The result is cached until the next change, so that each line
   * is visited once.
   */
  #isRemaining(index: number): boolean {
    if (this.#removed.size === 0) return true;
    const visited: number[] = [];
    let isLeft = true;
    for (let [at, left] = [index, this.file.size]; at > 0 && isLeft && left > 0; left--) {
      const reported = this.#liveCache[at] ?? 0;
      if (reported === this.#cacheNumber) break;
      isLeft = reported !== -this.#cacheNumber && !this.#removed.has(at);
      visited.push(at);
      at = this.parent(at);
    }
    for (const at of visited) this.#liveCache[at] = isLeft ? this.#cacheNumber : -this.#cacheNumber;
    return isLeft;
  }

  /** Returns the live children of a line, in file order. */
  children(index: number): readonly number[] {
    this.#children ??= this.#allChildren();
    return this.#children[index] ?? [];
  }

  #allChildren(): number[][] {
    const all: number[][] = [];
    for (let index = 1; index < this.file.size; index++) {
      if (isSideEntryType(this.file.typeAt(index)) || this.#removed.has(index)) continue;
      const parent = this.parent(index);
      const list = all[parent];
      if (list === undefined) all[parent] = [index];
      else list.push(index);
    }
    return all;
  }
}
