/** The lines of a session file in their order: what each is, where it hangs, which commit it belongs to. */
import { derivedId } from '@coppice/content';
import { isLeafType, type SessionWarning } from '@coppice/content/sessions';
import type { Head } from './heads.ts';

/** Where a line stands in its file. */
export interface LinePlace {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

// So many commits may be missing from a file that somebody cut lines out of, besides one for each byte that is there.
const lostMost = 100_000;

interface Staged {
  readonly head: Head;
  readonly at: LinePlace;
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
  readonly #lost = new Set<number>();
  readonly #index = new Map<string, number>();
  readonly #misplaced = new Map<string, number>();
  readonly warnings: SessionWarning[] = [];
  #version = 0;
  #waiting: number[] = [];
  #group: Staged[] = [];
  #groupVersion = 0;
  // How many warnings there were before the line that the open commit began in.
  #warned = 0;
  #lastSaid = 0;
  // The last thing that was said before a line that cannot be read: what hung on that line is shown below this.
  #gap: number | null = null;
  readonly #same: (index: number, at: LinePlace) => boolean;

  /** `same` compares a line with one that came before, byte for byte. */
  constructor(same: (index: number, at: LinePlace) => boolean) {
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

  /** Whether the lines of a commit are lost. */
  isLost(version: number): boolean {
    return this.#lost.has(version);
  }

  /** Enters the header. It is the first commit, or its first part while the session is still a list. */
  begin(head: Head, at: LinePlace, commits: boolean): void {
    this.#push(head, at, commits ? 1 : 0);
    this.#version = commits ? 1 : 0;
  }

  /** Notes that a line begins, which may have more than one part. */
  line(): void {
    if (!this.open) this.#warned = this.warnings.length;
  }

  /** Enters a line. */
  add(head: Head, at: LinePlace): void {
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
    // A commit of one line that follows the last one, as nearly all do, needs no group.
    if (head.commit && head.version === this.#version + 1 && head.type !== 'state' && this.#isQuiet()) {
      this.#version = head.version;
      this.#push(head, at, head.version);
      return;
    }
    if (this.open && head.version !== this.#groupVersion) this.drop(at);
    this.#groupVersion = head.version;
    this.#group.push({ head, at });
    if (head.commit) this.#close();
  }

  /**
   * Whether a number is further on than commits can have been lost: nobody here gave it. Where a file was rewritten it goes
   * on at any number.
   */
  #isUnheardOf({ version, type }: Head, at: LinePlace): boolean {
    if (version - this.#version <= lostMost + at.offset || type === 'log' || type === 'state') return false;
    return !this.open || version !== this.#groupVersion;
  }

  /** Whether nothing waits for a number or for the end of its commit. */
  #isQuiet(): boolean {
    return this.#group.length === 0 && this.#waiting.length === 0;
  }

  /** Whether a line says again what one before it said, as when a tool wrote it twice. */
  #isCopy(head: Head, at: LinePlace): boolean {
    const before = this.#index.get(head.uuid);
    if (before === undefined || !this.#same(before, at)) return false;
    const message = `Line ${at.line} says the same as line ${this.lineAt(before)}; it is left out.`;
    this.warnings.push({ code: 'twice', message, ...spot(at), uuid: head.uuid });
    return true;
  }

  /** Notes a line that cannot be read. What was begun before it does not go on after it. */
  damage(at: LinePlace, why: string): void {
    this.drop(at);
    this.#gap = this.#lastSaid;
    this.warnings.push({ code: 'damaged', message: `Line ${at.line} (byte ${at.offset}) ${why}.`, ...spot(at) });
  }

  /** Leaves a commit out whose last line is missing: it was never acknowledged. */
  drop(before: LinePlace): void {
    if (!this.open) return;
    const group = this.#take();
    for (const { head, at } of group) if (head.version === 0) this.#waiting.push(this.#push(head, at, 0));
    const [first] = group.filter(({ head }) => head.version > 0);
    if (first !== undefined)
      this.warnings.push({
        code: 'torn',
        message: `The commit that begins at line ${first.at.line} (byte ${first.at.offset}) was not finished before line ${before.line}.`,
        ...spot(first.at),
      });
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
    return group;
  }

  #close(): void {
    const claimed = this.#groupVersion;
    const group = this.#take();
    const state = group.some(({ head }) => head.type === 'state');
    // A number that was given already says nothing about who came first.
    const isTaken = claimed <= this.#version && claimed > 1;
    if (!state) while ((isTaken || this.#version + 1 < claimed) && this.#waiting.length > 0) this.#number();
    if (!state) for (let version = this.#version + 1; version < claimed; version++) this.#lost.add(version);
    // The header is part of the first commit. A number that is taken already is not given twice.
    const joins = claimed === 1 && this.#version === 1;
    this.#version = claimed > this.#version || state || joins ? claimed : this.#version + 1;
    for (const { head, at } of group) {
      const index = this.#push(head, at, head.version === 0 ? 0 : this.#version);
      if (head.version === 0) this.#waiting.push(index);
    }
    // Whoever still waits stands before this commit and comes after it.
    for (const index of this.#waiting) this.#late.add(index);
  }

  #number(): void {
    const index = this.#waiting.shift();
    if (index !== undefined) this.#versions[index] = ++this.#version;
  }

  /** Numbers the lines that have none, now that nothing follows them. */
  settle(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const index of waiting) this.#versions[index] = ++this.#version;
  }

  #push(head: Head, at: LinePlace, version: number): number {
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
    this.#parents.push(index === 0 ? -1 : this.#parentOf(head, at, uuid));
    this.#index.set(uuid, index);
    if (isLeafType(head.type)) this.#lastSaid = index;
    return index;
  }

  #parentOf({ parentUuid }: Head, at: LinePlace, uuid: string): number {
    if (parentUuid === null) return 0;
    // Mostly the line before: comparing is cheaper than looking it up.
    const last = this.#parents.length - 1;
    if (last >= 0 && this.#uuids[last] === parentUuid) return last;
    const found = this.#index.get(parentUuid);
    if (found !== undefined) return found;
    const known = this.#misplaced.get(parentUuid);
    const below = known ?? this.#gap ?? 0;
    this.#misplaced.set(parentUuid, below);
    this.warnings.push({
      code: 'orphan',
      message: `Line ${at.line} hangs on ${JSON.stringify(parentUuid)}, which is not there; it is shown below ${this.uuidAt(below)}.`,
      ...spot(at),
      uuid,
    });
    return below;
  }
}

function spot({ line, offset }: LinePlace): { readonly line: number; readonly offset: number } {
  return { line, offset };
}
