/** The lines of a session file in their order: what each is, where it hangs, which commit it belongs to. */
import { derivedId } from '@coppice/content';
import { isLeafType, type SessionWarning } from '@coppice/content/sessions';
import type { LinePrefix } from './line-prefix.ts';
import { type Detached, placeDetached } from './place-detached.ts';

/** Where a line stands in its file. */
export interface LinePlace {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

// So many commits may be missing from a file that somebody cut lines out of, besides one for each byte that is there.
const lostMost = 100_000;

interface Staged {
  readonly head: LinePrefix;
  readonly at: LinePlace;
}

/** A commit without its last line, and the line that came instead. */
interface Unfinished {
  readonly group: readonly Staged[];
  readonly version: number;
  readonly before: LinePlace;
}

/**
 * The table grows with the file. Lines of a commit come in together when its last line is there. Lines without a number
 * are a commit each; their numbers are those that the numbered lines after them leave free, so that a line which another
 * tool slipped in between takes no number away.
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
  // Commits of which no line is there, by number, and the line before which that showed.
  readonly #lost = new Map<number, LinePlace>();
  readonly #index = new Map<string, number>();
  // Where lines are shown whose parent is nowhere, by the parent that they name.
  readonly #misplaced = new Map<string, number>();
  // Lines that named a parent which was not known then: those of this scan, and those that still wait for theirs.
  #detached: Detached[] = [];
  readonly #awaited = new Map<string, Detached[]>();
  readonly #named = new Map<number, string>();
  readonly #placements = new Map<number, SessionWarning>();
  readonly warnings: SessionWarning[] = [];
  #version = 0;
  // The highest number that a complete commit has in the file.
  #claimed = 0;
  #unfinished: Unfinished | null = null;
  #damagedSince = 0;
  #waiting: number[] = [];
  #group: Staged[] = [];
  readonly #staged = new Map<string, LinePlace>();
  #groupVersion = 0;
  // How many warnings there were before the line that the open commit began in.
  #warned = 0;
  #lastSaid = 0;
  // The last message before a line that is lost: the first line with an unknown parent after it is shown below this.
  #gap: number | null = null;
  readonly #same: (before: LinePlace, at: LinePlace) => boolean;

  /** `same` compares a line with one that came before, byte for byte. */
  constructor(same: (before: LinePlace, at: LinePlace) => boolean) {
    this.#same = same;
  }

  get size(): number {
    return this.#uuids.length;
  }

  /** The number of the last commit. */
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

  /** The commit that a line belongs to; 0 while that is not known. */
  versionAt(index: number): number {
    return this.#versions[index] ?? 0;
  }

  /** Whether a line came with a number. */
  isOurs(index: number): boolean {
    return this.#ours[index] ?? false;
  }

  /** Whether a line stands before lines of an earlier commit: it was slipped in, and does not move the leaf. */
  isLate(index: number): boolean {
    return this.#late.has(index);
  }

  get hasDetached(): boolean {
    return this.#named.size > 0;
  }

  /** The parent that a line names, where it is shown below another line because that parent is nowhere. */
  namedAt(index: number): string | undefined {
    return this.#named.get(index);
  }

  /** Everything that a reader of the file should know, in the order of the lines. */
  findings(): SessionWarning[] {
    const all = [...this.warnings, ...this.#placements.values(), ...this.#lostRanges()];
    return all.sort((a, b) => a.line - b.line || a.offset - b.offset);
  }

  *#lostRanges(): Generator<SessionWarning, void, undefined> {
    let [first, last]: [number, number] = [0, 0];
    let place: LinePlace | null = null;
    const reported = (at: LinePlace): SessionWarning => {
      const which = first === last ? `The commit ${first} is` : `The commits ${first} to ${last} are`;
      return { code: 'lost', message: `${which} missing before line ${at.line}.`, ...spot(at) };
    };
    for (const [version, at] of this.#lost) {
      if (place !== null && (version !== last + 1 || at !== place)) yield reported(place);
      if (version !== last + 1 || at !== place) first = version;
      [last, place] = [version, at];
    }
    if (place !== null) yield reported(place);
  }

  /** Enters the header. It is the first commit, or its first part while the session is still a list. */
  begin(head: LinePrefix, at: LinePlace, commits: boolean): void {
    this.#push(head, at, commits ? 1 : 0);
    this.#version = commits ? 1 : 0;
    this.#claimed = this.#version;
  }

  /** Notes that a line begins, which may have more than one part. */
  line(): void {
    if (!this.open) this.#warned = this.warnings.length;
  }

  /** Enters a line. */
  add(head: LinePrefix, at: LinePlace): void {
    if (head.version === 0 || this.#isUnheardOf(head, at)) {
      if (this.#isCopy(head, at)) return;
      // A list that is not stored as a tree yet is no commit.
      if (head.type === 'linear') {
        this.#push(head, at, 0);
        return;
      }
      // While a commit is open its lines may have to be left out; what others wrote stays either way, in its order.
      const plain = head.version === 0 ? head : { ...head, version: 0 };
      if (this.open) this.#group.push({ head: plain, at });
      else this.#waiting.push(this.#push(plain, at, 0));
      return;
    }
    // Lines of ours that somebody copied to the end of the file have numbers that were given.
    if (head.version <= this.#version && this.#isCopy(head, at)) return;
    if (this.#unfinished !== null) this.#decide(head.version !== this.#unfinished.version);
    // A commit of one line that follows the last one, as nearly all do, needs no group.
    const isNext = head.version === this.#version + 1 && head.version > this.#claimed;
    if (head.commit && isNext && head.type !== 'state' && this.#isQuiet()) {
      this.#version = head.version;
      this.#claimed = head.version;
      this.#damagedSince = 0;
      this.#push(head, at, head.version);
      return;
    }
    if (this.open && head.version !== this.#groupVersion) {
      this.drop(at);
      if (this.#unfinished !== null) this.#decide(head.version !== this.#unfinished.version);
    }
    if (this.#isStagedCopy(head, at)) return;
    this.#groupVersion = head.version;
    this.#group.push({ head, at });
    this.#staged.set(head.uuid, at);
    if (head.commit) this.#close();
  }

  /** Whether a line repeats one of the open commit. */
  #isStagedCopy(head: LinePrefix, at: LinePlace): boolean {
    const before = this.#staged.get(head.uuid);
    return before !== undefined && this.#same(before, at) && this.#leaveOut(head, at, before.line);
  }

  /**
   * Whether a number is further on than commits can have been lost: nobody here gave it. Where a file was rewritten it goes
   * on at any number.
   */
  #isUnheardOf({ version, type }: LinePrefix, at: LinePlace): boolean {
    if (version - this.#version <= lostMost + at.offset || type === 'log' || type === 'state') return false;
    return !this.open || version !== this.#groupVersion;
  }

  /** Whether nothing waits for a number or for the end of its commit. */
  #isQuiet(): boolean {
    return this.#group.length === 0 && this.#waiting.length === 0;
  }

  /** Whether a line says again what one before it said, as when a tool wrote it twice. */
  #isCopy(head: LinePrefix, at: LinePlace): boolean {
    const before = this.#index.get(head.uuid);
    if (before === undefined) return false;
    const place = { line: this.lineAt(before), offset: this.offsetAt(before), length: this.lengthAt(before) };
    return this.#same(place, at) && this.#leaveOut(head, at, place.line);
  }

  #leaveOut(head: LinePrefix, at: LinePlace, before: number): true {
    const message = `Line ${at.line} says the same as line ${before}; it is left out.`;
    this.warnings.push({ code: 'twice', message, ...spot(at), uuid: head.uuid });
    return true;
  }

  /** Records a line that cannot be read. */
  damage(at: LinePlace, why: string): void {
    // Inside a commit the lines that can be read are still to be entered.
    if (!this.open) this.#gap = this.#lastSaid;
    this.#damagedSince++;
    this.warnings.push({ code: 'damaged', message: `Line ${at.line} (byte ${at.offset}) ${why}.`, ...spot(at) });
  }

  /**
   * Ends a commit whose last line is missing. The number of the next commit shows whether it was acknowledged: a crash
   * leaves its number to the next one.
   */
  drop(before: LinePlace): void {
    if (!this.open) return;
    const version = this.#groupVersion;
    const group: Staged[] = [];
    for (const one of this.#take())
      if (one.head.version === 0) this.#waiting.push(this.#push(one.head, one.at, 0));
      else group.push(one);
    if (group.length === 0) return;
    if (this.#unfinished !== null) this.#decide(version !== this.#unfinished.version);
    this.#unfinished = { group, version, before };
    if (version <= this.#claimed || hasState(group)) this.#decide(true);
  }

  /** Enters an unfinished commit if it was acknowledged; otherwise leaves it out. */
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
      ...spot(first.at),
    });
    if (isAcknowledged) this.#enter(group, version);
    if (!this.open) this.#warned = this.warnings.length;
  }

  /** At the end of the file: enters an open commit that is not one on its way. Returns whether there was one. */
  end(): boolean {
    const [first] = this.#group;
    // The number of a commit on its way is new, and rows are written with the whole file.
    if (first === undefined || (this.#groupVersion > this.#claimed && !hasState(this.#group))) return false;
    this.drop(first.at);
    return true;
  }

  /** Forgets the lines of a commit that may still be finished: they come again when they are read again. */
  forget(): void {
    this.#take();
    // What was to be said of them is said again then.
    this.warnings.length = this.#warned;
  }

  #take(): Staged[] {
    const group = this.#group;
    this.#group = [];
    this.#staged.clear();
    return group;
  }

  #close(): void {
    const claimed = this.#groupVersion;
    this.#enter(this.#take(), claimed);
  }

  #enter(group: readonly Staged[], claimed: number): void {
    const state = hasState(group);
    // A number that was given already says nothing about who came first.
    const isTaken = claimed <= this.#version && claimed > 1;
    if (!state) while ((isTaken || this.#version + 1 < claimed) && this.#waiting.length > 0) this.#number();
    const [first] = group;
    if (!state && first !== undefined) this.#noteOrder(first, claimed);
    // The header is part of the first commit. A number that is taken already is not given twice.
    const joins = claimed === 1 && this.#version === 1;
    this.#version = claimed > this.#version || state || joins ? claimed : this.#version + 1;
    for (const { head, at } of group) {
      const index = this.#push(head, at, head.version === 0 ? 0 : this.#version);
      if (head.version === 0) this.#waiting.push(index);
    }
    // Whoever still waits stands before this commit and comes after it.
    for (const index of this.#waiting) this.#late.add(index);
    this.#claimed = Math.max(this.#claimed, claimed);
    this.#damagedSince = 0;
  }

  /** Records which commits are missing before one, or that it comes after a later one. */
  #noteOrder({ head, at }: Staged, claimed: number): void {
    if (this.#lost.delete(claimed) || (claimed < this.#claimed && claimed > 1)) {
      const message = `Line ${at.line} belongs before lines that stand above it.`;
      this.warnings.push({ code: 'order', message, ...spot(at), uuid: head.uuid });
    }
    if (claimed <= this.#version + 1) return;
    // A line that cannot be read has been reported, and is what is missing.
    if (this.#damagedSince === 0)
      for (let version = this.#version + 1; version < claimed; version++) this.#lost.set(version, at);
    this.#gap = this.#lastSaid;
  }

  #number(): void {
    const index = this.#waiting.shift();
    if (index !== undefined) this.#versions[index] = ++this.#version;
  }

  /** Numbers the lines that have none and finds the parents that come later, now that the end of the file is reached. */
  settle(): void {
    if (this.#unfinished !== null) this.#decide(false);
    if (this.#detached.length > 0) this.#place();
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const index of waiting) this.#versions[index] = ++this.#version;
  }

  #push(head: LinePrefix, at: LinePlace, version: number): number {
    const index = this.#uuids.length;
    let { uuid } = head;
    const before = this.#index.get(uuid);
    if (before !== undefined) {
      uuid = derivedId('session-line', uuid, at.line);
      const message = `Line ${at.line} has the id of line ${this.lineAt(before)}; it is shown as ${uuid}.`;
      this.warnings.push({ code: 'twice', message, ...spot(at), uuid });
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
    if (isLeafType(head.type)) this.#lastSaid = index;
    return index;
  }

  #parentOf({ type, parentUuid }: LinePrefix, at: LinePlace): number {
    if (parentUuid === null) return 0;
    // Mostly the line before: comparing is cheaper than looking it up.
    const last = this.#parents.length - 1;
    if (last >= 0 && this.#uuids[last] === parentUuid) return last;
    const found = this.#index.get(parentUuid);
    if (found !== undefined) return found;
    const index = this.#uuids.length - 1;
    const below = type === 'leaf' ? this.#lastSaid : this.#placeBelow(parentUuid);
    this.#detached.push({ index, named: parentUuid, at, below });
    return below;
  }

  /** Gives the lines whose parent was not known when they were read their place. */
  #place(): void {
    const detached = this.#detached.sort((a, b) => a.index - b.index);
    this.#detached = [];
    const lines = { ...this.#view, detached };
    for (const { line, parent, real } of placeDetached(lines)) {
      const { index, named, at } = line;
      this.#parents[index] = parent;
      const uuid = this.uuidAt(index);
      if (real === parent) {
        this.#named.delete(index);
        const message = `Line ${at.line} stands before line ${this.lineAt(parent)}, on which it hangs.`;
        this.#placements.set(index, { code: 'order', message, ...spot(at), uuid });
        continue;
      }
      this.#named.set(index, named);
      const why = real === undefined ? 'which is not there' : 'which hangs on it in turn';
      const message = `Line ${at.line} hangs on ${JSON.stringify(named)}, ${why}; it is shown below ${this.uuidAt(parent)}.`;
      this.#placements.set(index, { code: 'orphan', message, ...spot(at), uuid });
      if (real !== undefined) continue;
      const fellows = this.#awaited.get(named);
      if (fellows === undefined) this.#awaited.set(named, [line]);
      else fellows.push(line);
    }
  }

  readonly #view = {
    parentAt: (index: number) => this.parentAt(index),
    isMessage: (index: number) => isLeafType(this.typeAt(index)),
    // A leaf line that comes before its target leaves the session at the last message; the target moves it itself.
    realParent: ({ index, named }: Detached) => (this.typeAt(index) === 'leaf' ? undefined : this.#index.get(named)),
  };

  /** The line below which lines are shown that name an unknown parent. */
  #placeBelow(parentUuid: string): number {
    const below = this.#misplaced.get(parentUuid) ?? this.#gap ?? this.#lastSaid;
    if (!this.#misplaced.has(parentUuid)) this.#gap = null;
    this.#misplaced.set(parentUuid, below);
    return below;
  }
}

function hasState(group: readonly Staged[]): boolean {
  return group.some(({ head }) => head.type === 'state');
}

function spot({ line, offset }: LinePlace): { readonly line: number; readonly offset: number } {
  return { line, offset };
}
