// The tree that the lines of a session file make, as far as it is asked for: where the leaf is, what hangs where, what was
// removed, replaced, labelled and named. Costs one small record per line; what a line says is read when it is needed.
import {
  isUuid,
  type Message,
  type NodeMeta,
  type NodeStatus,
  type Patch,
  type Step,
  type TreeAttributes,
} from '@coppice/core';
import { applyPatch, parseSteps } from '@coppice/core/tree';
import { isLeafType, isSideEntry, type SessionEntry, type SessionFile } from './contract.ts';
import { type DecodedEntry, decodeEntry } from './entry-codec.ts';
import { ownSessionField, parseTime, textField } from './fields.ts';
import { sessionNodeId } from './session-ids.ts';

/** What later lines changed about an entry. */
export interface Amendment {
  readonly message?: Message;
  readonly status?: NodeStatus;
  /** Values by key; null takes away what the entry says. */
  readonly meta?: Patch<NodeMeta>;
}

/** A label on an entry. */
export interface Label {
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A session's tree over its file. Lines are named by their index; 0 is the header. */
export class SessionIndex {
  readonly file: SessionFile;
  // Nodes by the ids that steps name them by, of entries that have other ids; made when one is looked for.
  readonly #byNode = new Map<string, number>();
  #named = 1;
  readonly #moved = new Map<number, number>();
  readonly #removed = new Map<number, number>();
  readonly #amended = new Map<number, Amendment>();
  readonly #labels = new Map<number, Label>();
  readonly #tokens = new Map<number, number>();
  // Entries that are shown below another entry than the one that they name, which is nowhere.
  readonly #adrift: number[] = [];
  #attributes: TreeAttributes = {};
  #leaf = 0;
  #seen = 1;
  #children: number[][] | null = null;
  // Whether lines were live or gone when that was asked last, as this number or its negative; another one after a change.
  readonly #reported: number[] = [];
  #asking = 1;

  constructor(file: SessionFile) {
    this.file = file;
    this.#read();
  }

  /** Takes in what was added to the file since. */
  refresh(): number {
    const count = this.file.refresh();
    this.#read();
    return count;
  }

  /** Takes in the lines that were added through this process. */
  take(): void {
    this.#read();
  }

  #read(): void {
    const { file } = this;
    if (this.#seen < file.size) this.#children = null;
    for (; this.#seen < file.size; this.#seen++) {
      const index = this.#seen;
      const type = file.typeAt(index);
      if (this.#removed.size > 0 && !isSideEntry(type)) this.#hang(index);
      if (file.namedParentAt?.(index) !== undefined && !isSideEntry(type)) this.#adrift.push(index);
      if (isLeafType(type)) this.#leaf = index;
      else if (type === 'leaf') this.#leaf = this.leafBy(index) ?? this.#leaf;
      else if (type === 'change') this.#change(file.entryAt(index));
      else if (type === 'label') this.#label(file.entryAt(index));
      else if (type === 'session_info') {
        const name = textField(file.entryAt(index), 'name')?.trim() ?? '';
        this.#attributes = applyPatch<TreeAttributes>(this.#attributes, { title: name === '' ? null : name });
      }
    }
  }

  /** What was removed takes nothing new: whoever did not know of it goes on at what is left above it. */
  #hang(index: number): void {
    const below = this.standing(this.file.parentAt(index));
    if (this.#isLeft(below)) return;
    let up = below;
    for (let left = this.file.size; !this.#isLeft(up) && left > 0; left--) up = this.parent(up);
    this.#moved.set(index, up);
  }

  /** Where a line that moves the leaf leads; undefined where that is gone. */
  leafBy(index: number): number | undefined {
    const at = this.standing(this.file.parentAt(index));
    return this.#isLeft(at) ? at : undefined;
  }

  #change(entry: SessionEntry): void {
    const steps = parseSteps(ownSessionField(entry, 'steps'));
    if (steps.ok) for (const step of steps.value) this.#step(step);
  }

  #step(step: Step): void {
    const at = 'nodeId' in step ? this.lineOf(step.nodeId) : -1;
    if (step.type === 'move' || step.type === 'remove' || step.type === 'restore') this.#asking++;
    switch (step.type) {
      case 'attributes':
        this.#attributes = applyPatch(this.#attributes, step.after);
        return;
      case 'move':
        this.#moved.set(at, this.lineOf(step.to.parentId));
        return;
      case 'remove':
        this.#rescue(at);
        this.#removed.set(at, (this.#removed.get(at) ?? 0) + 1);
        return;
      case 'restore':
        this.#removed.delete(at);
        return;
      case 'replace':
        this.#amend(at, { message: step.after.message, status: step.after.status });
        return;
      case 'annotate': {
        const meta: Patch<NodeMeta> = { ...this.#amended.get(at)?.meta, ...step.after };
        // Nulls stay: what they take away may stand in the entry itself.
        this.#amend(at, { meta });
        return;
      }
      case 'bookmark':
        if (step.after === null) this.#labels.delete(at);
        else this.#labels.set(at, step.after);
        return;
      case 'insert':
      case 'select':
      case 'regroup':
        return;
    }
  }

  /** Moves entries out of a subtree that is removed, if they are only shown in it because a line is lost. */
  #rescue(top: number): void {
    for (const index of this.#adrift) {
      if (index === top) continue;
      let at = index;
      for (let left = this.file.size; at > 0 && at !== top && left > 0; left--) at = this.parent(at);
      if (at === top && top > 0) this.#moved.set(index, this.parent(top));
    }
  }

  /** The line of a node, by its id in the tree; −1 where there is none. */
  lineOf(node: string): number {
    const { file } = this;
    const at = file.indexOf(node);
    if (at >= 0) return at;
    if (node === sessionNodeId(file.header.id, file.header.uuid)) return 0;
    for (; this.#named < file.size; this.#named++) {
      const uuid = file.uuidAt(this.#named);
      if (!isUuid(uuid)) this.#byNode.set(sessionNodeId(file.header.id, uuid), this.#named);
    }
    return this.#byNode.get(node) ?? -1;
  }

  /** The tokens of an entry for which none are noted; counted once. */
  tokensAt(index: number, count: () => number): number {
    const tokens = this.#tokens.get(index) ?? count();
    this.#tokens.set(index, tokens);
    return tokens;
  }

  #amend(at: number, by: Amendment): void {
    this.#tokens.delete(at);
    this.#amended.set(at, { ...this.#amended.get(at), ...by });
  }

  #label(entry: SessionEntry): void {
    const at = this.file.indexOf(textField(entry, 'targetUuid') ?? '');
    if (at < 0) return;
    const title = textField(entry, 'label') ?? '';
    if (title === '') {
      this.#labels.delete(at);
      return;
    }
    const time = parseTime(entry.timestamp) ?? 0;
    const createdAt = this.#labels.get(at)?.createdAt ?? time;
    this.#labels.set(at, { title, createdAt, updatedAt: time });
  }

  /** The line of the current leaf; the header's while nothing was said. */
  get leaf(): number {
    return this.#leaf;
  }

  get attributes(): TreeAttributes {
    return this.#attributes;
  }

  /** The session's name. */
  get name(): string | undefined {
    return this.#attributes.title;
  }

  /** Labels by line. */
  get labels(): ReadonlyMap<number, Label> {
    return this.#labels;
  }

  /** What later lines changed about an entry. */
  amendment(index: number): Amendment | undefined {
    return this.#amended.get(index);
  }

  /** What an entry means, with what later lines changed about it. */
  meaningAt(index: number): DecodedEntry {
    const meaning = decodeEntry(this.file.entryAt(index));
    const amended = this.#amended.get(index);
    if (amended === undefined) return meaning;
    const { message = meaning.message, status = meaning.status, meta } = amended;
    // Key, text and tokens were noted for what it said before.
    const noted = amended.message === undefined ? meaning.noted : {};
    return {
      ...meaning,
      message,
      status,
      noted,
      meta: meta === undefined ? meaning.meta : applyPatch(meaning.meta, meta),
    };
  }

  /** The nearest entry at or above a line that is a point of the session: labels, names and changes are not. */
  standing(index: number): number {
    let at = index;
    while (at > 0 && isSideEntry(this.file.typeAt(at))) at = this.file.parentAt(at);
    return Math.max(0, at);
  }

  /** The entry that one hangs on; −1 for the header. */
  parent(index: number): number {
    if (index <= 0) return -1;
    const moved = this.#moved.get(index);
    return this.standing(moved ?? this.file.parentAt(index));
  }

  /** The lines from the header down to a line, both included. */
  path(to: number): number[] {
    const path: number[] = [];
    // A move may have put a parent later in the file, never in a circle; a file that says so is not followed for ever.
    for (let at = to, left = this.file.size; at >= 0 && left >= 0; left--) {
      path.push(at);
      at = this.parent(at);
    }
    return path.reverse();
  }

  /** Whether an entry is a live point of the session. */
  isLive(index: number): boolean {
    if (index <= 0 || index >= this.#seen || isSideEntry(this.file.typeAt(index))) return index === 0;
    return this.#isLeft(index);
  }

  /** Whether neither a line nor any above it was removed. Each is climbed over once between changes. */
  #isLeft(index: number): boolean {
    if (this.#removed.size === 0) return true;
    const way: number[] = [];
    let isLeft = true;
    for (let [at, left] = [index, this.file.size]; at > 0 && isLeft && left > 0; left--) {
      const reported = this.#reported[at] ?? 0;
      if (reported === this.#asking) break;
      isLeft = reported !== -this.#asking && !this.#removed.has(at);
      way.push(at);
      at = this.parent(at);
    }
    for (const at of way) this.#reported[at] = isLeft ? this.#asking : -this.#asking;
    return isLeft;
  }

  /** The live entries that hang on a line, in the order of the file. */
  children(index: number): readonly number[] {
    this.#children ??= this.#allChildren();
    return this.#children[index] ?? [];
  }

  #allChildren(): number[][] {
    const all: number[][] = [];
    for (let index = 1; index < this.file.size; index++) {
      if (isSideEntry(this.file.typeAt(index)) || this.#removed.has(index)) continue;
      const parent = this.parent(index);
      const list = all[parent];
      if (list === undefined) all[parent] = [index];
      else list.push(index);
    }
    return all;
  }
}
