/** The lines of a session file in order, with the type, the parent and the commit of each. */
import { deriveId } from '@coppice/content';
import { isLeafEntryType, type SessionWarning } from '@coppice/content/sessions';
import { attachDetachedLines, type DetachedLine } from './attach-detached-lines.ts';
import type { LinePrefix } from './line-prefix.ts';

/** The location of a line in its file: its number from 1, and its offset and length in bytes. */
export interface LineLocation {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

// A commit number may be higher than the last one by at most this, plus one for each byte of the file. A higher one is
// not from Coppice.
const lostMost = 100_000;

interface Staged {
  readonly head: LinePrefix;
  readonly at: LineLocation;
}

/** A commit whose last line is missing; `before` is the line that follows it. */
interface Unfinished {
  readonly group: readonly Staged[];
  readonly version: number;
  readonly before: LineLocation;
}

/**
 * The lines of a file, in the order in which they are read. The lines of a commit are added when its last line has been
 * read. Each line without a commit number becomes a separate commit. Its number is one that the numbered lines after it
 * do not use, so that an inserted line does not change the numbers of other lines.
 */
export class LineTable {
  readonly #uuids: string[] = [];
  readonly #types: string[] = [];
  readonly #parents: number[] = [];
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];
  readonly #lines: number[] = [];
  readonly #versions: number[] = [];
  readonly #ours: boolean[] = [];
  readonly #late = new Set<number>();
  // The missing commits by number, with the line before which they are missing.
  readonly #missingCommits = new Map<number, LineLocation>();
  readonly #index = new Map<string, number>();
  // Maps each missing parent to the line below which its children are shown.
  readonly #parentOfMissing = new Map<string, number>();
  // The lines whose parent was unknown when they were read, and those that still have no parent after an earlier scan.
  #detached: DetachedLine[] = [];
  readonly #awaited = new Map<string, DetachedLine[]>();
  readonly #named = new Map<number, string>();
  readonly #placements = new Map<number, SessionWarning>();
  readonly warnings: SessionWarning[] = [];
  #version = 0;
  // The highest commit number in the file, without an unfinished commit at the end.
  #claimed = 0;
  #unfinished: Unfinished | null = null;
  #damagedSince = 0;
  #waiting: number[] = [];
  #group: Staged[] = [];
  readonly #staged = new Map<string, LineLocation>();
  #groupVersion = 0;
  // The number of warnings when the open commit began. Later warnings are dropped if the commit is read again.
  #warned = 0;
  #lastMessage = 0;
  // The last message before a lost line. The next line with an unknown parent becomes its child.
  #gap: number | null = null;
  readonly #isSameLine: (before: LineLocation, at: LineLocation) => boolean;

  /** Creates an empty table. `same` compares two lines byte for byte. */
  constructor(same: (before: LineLocation, at: LineLocation) => boolean) {
    this.#isSameLine = same;
  }

  get size(): number {
    return this.#uuids.length;
  }

  get version(): number {
    return this.#version;
  }

  /** Whether the lines so far end in the middle of a commit. */
  get open(): boolean {
    return this.#group.length > 0;
  }

  indexOf(uuid: string): number {
    return this.#index.get(uuid) ?? -1;
  }

  uuidAt(index: number): string {
    return this.#uuids[index] ?? '';
  }

  typeAt(index: number): string {
    return this.#types[index] ?? '';
  }

  parentAt(index: number): number {
    return this.#parents[index] ?? -1;
  }

  offsetAt(index: number): number {
    return this.#offsets[index] ?? 0;
  }

  lengthAt(index: number): number {
    return this.#lengths[index] ?? 0;
  }

  lineAt(index: number): number {
    return this.#lines[index] ?? 0;
  }

  /** Returns the commit number of a line; 0 if no number was assigned yet. */
  versionAt(index: number): number {
    return this.#versions[index] ?? 0;
  }

  /** Whether a line has a commit number, so that Coppice wrote it. */
  isOurs(index: number): boolean {
    return this.#ours[index] ?? false;
  }

  /**
   * Whether a line without a commit number comes before lines of a commit that was written earlier. Another program
   * inserted it there, so it does not become the leaf.
   */
  isLate(index: number): boolean {
    return this.#late.has(index);
  }

  get hasDetached(): boolean {
    return this.#named.size > 0;
  }

  /**
   * Returns the parent id in a line, if that parent is missing or a descendant, so that the line is shown below another
   * one.
   */
  namedAt(index: number): string | undefined {
    return this.#named.get(index);
  }

  /** Returns all warnings about the file, in line order. */
  findings(): SessionWarning[] {
    const all = [...this.warnings, ...this.#placements.values(), ...this.#missingRanges()];
    return all.sort((a, b) => a.line - b.line || a.offset - b.offset);
  }

  *#missingRanges(): Generator<SessionWarning, void, undefined> {
    let [first, last]: [number, number] = [0, 0];
    let location: LineLocation | null = null;
    const reported = (at: LineLocation): SessionWarning => {
      const which = first === last ? `The commit ${first} is` : `The commits ${first} to ${last} are`;
      return { code: 'lost', message: `${which} missing before line ${at.line}.`, ...lineAndOffset(at) };
    };
    for (const [version, at] of this.#missingCommits) {
      if (location !== null && (version !== last + 1 || at !== location)) yield reported(location);
      if (version !== last + 1 || at !== location) first = version;
      [last, location] = [version, at];
    }
    if (location !== null) yield reported(location);
  }

  /**
   * Adds the header. With `commits`, it belongs to commit 1, which later lines may join. Without, it gets no commit
   * number: an earlier release of Coppice stored the conversation as a list without commits.
   */
  begin(head: LinePrefix, at: LineLocation, commits: boolean): void {
    this.#push(head, at, commits ? 1 : 0);
    this.#version = commits ? 1 : 0;
    this.#claimed = this.#version;
  }

  /** Called before the entries of a line are added, because a line may contain several. */
  line(): void {
    if (!this.open) this.#warned = this.warnings.length;
  }

  /** Adds an entry. Copies of earlier lines are left out with a warning. */
  add(head: LinePrefix, at: LineLocation): void {
    if (head.version === 0 || this.#isImpossibleVersion(head, at)) {
      if (this.#isCopy(head, at)) return;
      // The record of a list has no commit until the list is stored as a tree.
      if (head.type === 'linear') {
        this.#push(head, at, 0);
        return;
      }
      // Lines of other tools between the lines of an open commit wait with them, so that the order stays the same.
      const plain = head.version === 0 ? head : { ...head, version: 0 };
      if (this.open) this.#group.push({ head: plain, at });
      else this.#waiting.push(this.#push(plain, at, 0));
      return;
    }
    // A tool may have copied lines to the end of the file; their commit numbers are used already.
    if (head.version <= this.#version && this.#isCopy(head, at)) return;
    if (this.#unfinished !== null && head.version !== this.#unfinished.version) this.#decide(true);
    // The usual case, a commit of one line after the last commit, needs no group.
    const isNext = head.version === this.#version + 1 && head.version > this.#claimed;
    const isWhole = head.commit && head.lines === 1;
    if (isWhole && isNext && head.type !== 'state' && this.#hasNothingPending()) {
      this.#version = head.version;
      this.#claimed = head.version;
      this.#damagedSince = 0;
      this.#push(head, at, head.version);
      return;
    }
    if (this.open && head.version !== this.#groupVersion) {
      this.drop(at);
      if (this.#unfinished !== null && head.version !== this.#unfinished.version) this.#decide(true);
    }
    if (this.#isStagedCopy(head, at)) return;
    this.#groupVersion = head.version;
    this.#group.push({ head, at });
    this.#staged.set(head.uuid, at);
    if (head.commit) this.#close({ head, at });
  }

  /** Whether a line is a copy of a line of the open commit. */
  #isStagedCopy(head: LinePrefix, at: LineLocation): boolean {
    const before = this.#staged.get(head.uuid);
    return before !== undefined && this.#isSameLine(before, at) && this.#leaveOut(head, at, before.line);
  }

  /**
   * Whether a commit number is too high to be explained by lost commits, so that another tool wrote it. The lines of a
   * rewritten file may have any number.
   */
  #isImpossibleVersion({ version, type }: LinePrefix, at: LineLocation): boolean {
    if (version - this.#version <= lostMost + at.offset || type === 'log' || type === 'state') return false;
    return !this.open || version !== this.#groupVersion;
  }

  /** Whether no line waits for a commit number or for the end of its commit. */
  #hasNothingPending(): boolean {
    return this.#group.length === 0 && this.#waiting.length === 0 && this.#unfinished === null;
  }

  /** Whether a line is an exact copy of an earlier one. If so, a warning is added. */
  #isCopy(head: LinePrefix, at: LineLocation): boolean {
    const before = this.#index.get(head.uuid);
    if (before === undefined) return false;
    const location = { line: this.lineAt(before), offset: this.offsetAt(before), length: this.lengthAt(before) };
    return this.#isSameLine(location, at) && this.#leaveOut(head, at, location.line);
  }

  #leaveOut(head: LinePrefix, at: LineLocation, before: number): true {
    const message = `Line ${at.line} is a copy of line ${before}; it is left out.`;
    this.warnings.push({ code: 'twice', message, ...lineAndOffset(at), uuid: head.uuid });
    return true;
  }

  /** Records an unreadable line as a warning, so that lines below it can be shown after the last message before it. */
  damage(at: LineLocation, why: string): void {
    // While a commit is open, its readable lines are added later and are the last ones before the gap.
    if (!this.open) this.#gap = this.#lastMessage;
    this.#damagedSince++;
    this.warnings.push({
      code: 'damaged',
      message: `Line ${at.line} (byte ${at.offset}) ${why}.`,
      ...lineAndOffset(at),
    });
  }

  /**
   * Ends the open commit without its last line. If the next commit has the same number, the open one was never
   * acknowledged and a crash interrupted it.
   */
  drop(before: LineLocation): void {
    if (!this.open) return;
    const version = this.#groupVersion;
    const group: Staged[] = [];
    for (const one of this.#take())
      if (one.head.version === 0) this.#waiting.push(this.#push(one.head, one.at, 0));
      else group.push(one);
    if (group.length === 0) return;
    if (this.#unfinished !== null && version !== this.#unfinished.version) this.#decide(true);
    this.#unfinished = { group: [...(this.#unfinished?.group ?? []), ...group], version, before };
    if (version <= this.#claimed || hasState(group)) this.#decide(true);
  }

  /** Adds an unfinished commit if it was acknowledged, else leaves it out. Both give a warning. */
  #decide(isAcknowledged: boolean): void {
    const unfinished = this.#unfinished;
    if (unfinished === null) return;
    this.#unfinished = null;
    const { group, version, before } = unfinished;
    const [first] = group;
    if (first === undefined) return;
    const { line, offset } = first.at;
    const begins = `The commit that begins at line ${line} (byte ${offset})`;
    this.warnings.push({
      code: isAcknowledged ? 'lost' : 'torn',
      message: isAcknowledged
        ? `${begins} has lost its last line; the others are shown.`
        : `${begins} was not finished before line ${before.line}.`,
      ...lineAndOffset(first.at),
    });
    if (isAcknowledged) this.#enter(group, version);
    if (!this.open) this.#warned = this.warnings.length;
  }

  /**
   * Ends an open commit at the end of the file, unless another process may still be writing it. Returns whether it
   * ended one.
   */
  end(): boolean {
    const [first] = this.#group;
    // A commit that is being written has a new number. Rows are written with the whole file, so they are complete.
    if (first === undefined || (this.#groupVersion > this.#claimed && !hasState(this.#group))) return false;
    this.drop(first.at);
    return true;
  }

  /** Drops the lines of an open commit that another process may still complete. They are read again later. */
  forget(): void {
    this.#take();
    // The lines are read again later, and then give the same warnings again.
    this.warnings.length = this.#warned;
  }

  #take(): Staged[] {
    const group = this.#group;
    this.#group = [];
    this.#staged.clear();
    return group;
  }

  #close({ head: { lines }, at }: Staged): void {
    const claimed = this.#groupVersion;
    const group = [...this.#takeUnfinished(lines), ...this.#take()];
    const lost = lines - countOwn(group);
    // An unreadable line was reported already and explains the gap.
    if (lost > this.#damagedSince) {
      const message = `The commit that ends at line ${at.line} has ${lines} lines, of which ${lost} are missing.`;
      this.warnings.push({ code: 'lost', message, ...lineAndOffset(at) });
    }
    this.#enter(group, claimed);
  }

  /**
   * Returns the lines of an unfinished commit that a blank line separates from the rest of the same commit. If the open
   * commit has all of its lines, the unfinished one was a failed attempt to write it and is left out.
   */
  #takeUnfinished(lines: number): readonly Staged[] {
    const unfinished = this.#unfinished;
    if (unfinished === null) return [];
    if (countOwn(this.#group) >= lines) {
      this.#decide(false);
      return [];
    }
    this.#unfinished = null;
    return unfinished.group;
  }

  #enter(group: readonly Staged[], claimed: number): void {
    const state = hasState(group);
    // A number that was used before does not tell the order, so waiting lines come first.
    const isTaken = claimed <= this.#version && claimed > 1;
    if (!state) while ((isTaken || this.#version + 1 < claimed) && this.#waiting.length > 0) this.#numberNext();
    const [first] = group;
    if (!state && first !== undefined) this.#recordOrder(first, claimed);
    // The header is part of the first commit. Otherwise a used number is replaced by the next free one.
    const joins = claimed === 1 && this.#version === 1;
    const version = claimed > this.#version || state || joins ? claimed : this.#version + 1;
    // Rows keep their number, even if the file has commits with higher numbers before them.
    this.#version = Math.max(this.#version, version);
    for (const { head, at } of group) {
      const index = this.#push(head, at, head.version === 0 ? 0 : version);
      if (head.version === 0) this.#waiting.push(index);
    }
    // The remaining lines without a number come before this commit in the file, but get higher numbers.
    for (const index of this.#waiting) this.#late.add(index);
    this.#claimed = Math.max(this.#claimed, claimed);
    this.#damagedSince = 0;
  }

  /** Records missing commits before this one, and warns if the commit comes after later commits. */
  #recordOrder({ head, at }: Staged, claimed: number): void {
    if (this.#missingCommits.delete(claimed) || (claimed < this.#claimed && claimed > 1)) {
      const message = `Line ${at.line} belongs to an earlier commit than lines before it.`;
      this.warnings.push({ code: 'order', message, ...lineAndOffset(at), uuid: head.uuid });
    }
    if (claimed <= this.#version + 1) return;
    // An unreadable line was reported already and explains the gap.
    if (this.#damagedSince === 0)
      for (let version = this.#version + 1; version < claimed; version++) this.#missingCommits.set(version, at);
    this.#gap = this.#lastMessage;
  }

  #numberNext(): void {
    const index = this.#waiting.shift();
    if (index !== undefined) this.#versions[index] = ++this.#version;
  }

  /**
   * Assigns numbers to lines without one, and parents to lines whose parent came later. Called when the end of the file
   * was reached.
   */
  assignPending(): void {
    if (this.#unfinished !== null) this.#decide(false);
    if (this.#detached.length > 0) this.#attachDetached();
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const index of waiting) this.#versions[index] = ++this.#version;
  }

  #push(head: LinePrefix, at: LineLocation, version: number): number {
    const index = this.#uuids.length;
    let { uuid } = head;
    const before = this.#index.get(uuid);
    if (before !== undefined) {
      uuid = deriveId('session-line', uuid, at.line);
      const message = `Line ${at.line} has the id of line ${this.lineAt(before)}; it is shown as ${uuid}.`;
      this.warnings.push({ code: 'twice', message, ...lineAndOffset(at), uuid });
    }
    this.#uuids.push(uuid);
    this.#types.push(head.type);
    this.#offsets.push(at.offset);
    this.#lengths.push(at.length);
    this.#lines.push(at.line);
    this.#versions.push(version);
    this.#ours.push(head.version > 0);
    this.#parents.push(index === 0 ? -1 : this.#parentOf(head, at));
    this.#index.set(uuid, index);
    const awaiting = this.#awaited.get(uuid);
    if (awaiting !== undefined) {
      this.#awaited.delete(uuid);
      for (const one of awaiting) this.#detached.push(one);
    }
    if (isLeafEntryType(head.type)) this.#lastMessage = index;
    return index;
  }

  #parentOf({ type, parentUuid }: LinePrefix, at: LineLocation): number {
    if (parentUuid === null) return 0;
    // The parent is usually the line before, and comparing it is faster than a lookup.
    const last = this.#parents.length - 1;
    if (last >= 0 && this.#uuids[last] === parentUuid) return last;
    const found = this.#index.get(parentUuid);
    if (found !== undefined) return found;
    const index = this.#uuids.length - 1;
    const below = type === 'leaf' ? this.#lastMessage : this.#parentForMissing(parentUuid);
    this.#detached.push({ index, named: parentUuid, at, below });
    return below;
  }

  /** Assigns parents to the lines whose parent was unknown when they were read. */
  #attachDetached(): void {
    const detached = this.#detached.sort((a, b) => a.index - b.index);
    this.#detached = [];
    const lines = { ...this.#tableLookups, detached };
    for (const { line, parent, real } of attachDetachedLines(lines)) {
      const { index, named, at } = line;
      this.#parents[index] = parent;
      const uuid = this.uuidAt(index);
      if (real === parent) {
        this.#named.delete(index);
        const message = `Line ${at.line} comes before line ${this.lineAt(parent)}, its parent.`;
        this.#placements.set(index, { code: 'order', message, ...lineAndOffset(at), uuid });
        continue;
      }
      this.#named.set(index, named);
      const why = real === undefined ? 'which is missing' : 'which is below the line itself';
      const message = `Line ${at.line} has the parent ${JSON.stringify(named)}, ${why}; it is shown below ${this.uuidAt(parent)}.`;
      this.#placements.set(index, { code: 'orphan', message, ...lineAndOffset(at), uuid });
      if (real !== undefined) continue;
      const siblings = this.#awaited.get(named);
      if (siblings === undefined) this.#awaited.set(named, [line]);
      else siblings.push(line);
    }
  }

  readonly #tableLookups = {
    parentAt: (index: number) => this.parentAt(index),
    isMessage: (index: number) => isLeafEntryType(this.typeAt(index)),
    // A leaf line before its target has no effect: the target becomes the leaf when it is read.
    realParent: ({ index, named }: DetachedLine) =>
      this.typeAt(index) === 'leaf' ? undefined : this.#index.get(named),
  };

  /** Returns the line that lines with this missing parent are shown below. */
  #parentForMissing(parentUuid: string): number {
    const below = this.#parentOfMissing.get(parentUuid) ?? this.#gap ?? this.#lastMessage;
    if (!this.#parentOfMissing.has(parentUuid)) this.#gap = null;
    this.#parentOfMissing.set(parentUuid, below);
    return below;
  }
}

/** Counts the lines of a commit, without lines of other tools between them. */
function countOwn(group: readonly Staged[]): number {
  return group.reduce((count, { head }) => count + (head.version === 0 ? 0 : 1), 0);
}

function hasState(group: readonly Staged[]): boolean {
  return group.some(({ head }) => head.type === 'state');
}

function lineAndOffset({ line, offset }: LineLocation): { readonly line: number; readonly offset: number } {
  return { line, offset };
}
