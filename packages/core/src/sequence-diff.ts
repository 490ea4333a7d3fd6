/**
 * Compares two sequences with Myers' algorithm in linear space, with a bound on the search for the shortest difference.
 */

/**
 * The differences by index: `removed` has a 1 for each element of the left sequence that the right one lacks, `added` a
 * 1 for each element of the right sequence that the left one lacks.
 */
export interface SequenceDiff {
  readonly removed: Uint8Array;
  readonly added: Uint8Array;
}

interface DiffBox {
  readonly leftFrom: number;
  readonly leftTo: number;
  readonly rightFrom: number;
  readonly rightTo: number;
}

// Finding the shortest difference costs length × differences. Beyond a bound on the differences in one search, the
// furthest path is taken instead; the result is still correct but may be slightly longer. Longer sequences get a lower
// bound, which limits the total to about this many comparisons.
const steps = 1 << 26;

function maxDifferencesFor(length: number): number {
  return Math.max(32, Math.min(1024, Math.floor(steps / (length + 1))));
}

/**
 * Compares two sequences of integers. Unmarked elements are equal on both sides, in order. The result is the shortest
 * difference unless the sequences differ a lot. Time and memory are never quadratic.
 */
export function diffSequences(left: Int32Array, right: Int32Array): SequenceDiff {
  const removed = new Uint8Array(left.length);
  const added = new Uint8Array(right.length);
  const search = new MiddleSearch(left, right);
  const waiting: DiffBox[] = [{ leftFrom: 0, leftTo: left.length, rightFrom: 0, rightTo: right.length }];
  for (let box = waiting.pop(); box !== undefined; box = waiting.pop()) {
    let { leftFrom, leftTo, rightFrom, rightTo } = box;
    while (leftFrom < leftTo && rightFrom < rightTo && left[leftFrom] === right[rightFrom]) {
      leftFrom++;
      rightFrom++;
    }
    while (leftFrom < leftTo && rightFrom < rightTo && left[leftTo - 1] === right[rightTo - 1]) {
      leftTo--;
      rightTo--;
    }
    if (leftFrom === leftTo) added.fill(1, rightFrom, rightTo);
    else if (rightFrom === rightTo) removed.fill(1, leftFrom, leftTo);
    else {
      const at = search.middle({ leftFrom, leftTo, rightFrom, rightTo });
      waiting.push({ leftFrom, leftTo: at.left, rightFrom, rightTo: at.right });
      waiting.push({ leftFrom: at.left, leftTo, rightFrom: at.right, rightTo });
    }
  }
  return { removed, added };
}

interface Point {
  readonly left: number;
  readonly right: number;
}

const beforeAll = -1;
const afterAll = 0x7fffffff;

/**
 * Finds a point on a shortest path through a box by searching from both corners. A diagonal is `left − right`. For each
 * diagonal, `ahead` and `back` store how far the two searches have come. All boxes share the two arrays.
 */
class MiddleSearch {
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  readonly #ahead: Int32Array;
  readonly #back: Int32Array;
  readonly #zero: number;
  readonly #maxDifferences: number;

  constructor(left: Int32Array, right: Int32Array) {
    this.#left = left;
    this.#right = right;
    this.#zero = right.length + 1;
    this.#maxDifferences = maxDifferencesFor(left.length + right.length);
    this.#ahead = new Int32Array(left.length + right.length + 3);
    this.#back = new Int32Array(left.length + right.length + 3);
  }

  /** Requires that neither side of the box is empty and that the first and last elements differ. */
  middle(box: DiffBox): Point {
    const { leftFrom, leftTo, rightFrom, rightTo } = box;
    const zero = this.#zero;
    const ahead = this.#ahead;
    const back = this.#back;
    const lowest = leftFrom - rightTo;
    const highest = leftTo - rightFrom;
    const aheadStart = leftFrom - rightFrom;
    const backStart = leftTo - rightTo;
    const odd = ((aheadStart - backStart) & 1) !== 0;
    let aheadLow = aheadStart;
    let aheadHigh = aheadStart;
    let backLow = backStart;
    let backHigh = backStart;
    ahead[zero + aheadStart] = leftFrom;
    back[zero + backStart] = leftTo;
    for (let cost = 1; ; cost++) {
      // Extends the search by a diagonal on each side, with a border value that loses every comparison. At the edge of
      // the box, shrinks the search by one diagonal.
      if (aheadLow > lowest) ahead[zero + --aheadLow - 1] = beforeAll;
      else aheadLow++;
      if (aheadHigh < highest) ahead[zero + ++aheadHigh + 1] = beforeAll;
      else aheadHigh--;
      for (let diagonal = aheadHigh; diagonal >= aheadLow; diagonal -= 2) {
        const at = this.#stepAhead(diagonal, box);
        if (odd && backLow <= diagonal && diagonal <= backHigh && (back[zero + diagonal] ?? afterAll) <= at)
          return { left: at, right: at - diagonal };
      }
      if (backLow > lowest) back[zero + --backLow - 1] = afterAll;
      else backLow++;
      if (backHigh < highest) back[zero + ++backHigh + 1] = afterAll;
      else backHigh--;
      for (let diagonal = backHigh; diagonal >= backLow; diagonal -= 2) {
        const at = this.#stepBack(diagonal, box);
        if (!odd && aheadLow <= diagonal && diagonal <= aheadHigh && at <= (ahead[zero + diagonal] ?? beforeAll))
          return { left: at, right: at - diagonal };
      }
      if (cost >= this.#maxDifferences) return this.#furthest(box, aheadLow, aheadHigh, backLow, backHigh);
    }
  }

  #stepAhead(diagonal: number, { leftTo, rightTo }: DiffBox): number {
    const before = this.#ahead[this.#zero + diagonal - 1] ?? beforeAll;
    const after = this.#ahead[this.#zero + diagonal + 1] ?? beforeAll;
    let at = before >= after ? before + 1 : after;
    while (at < leftTo && at - diagonal < rightTo && this.#left[at] === this.#right[at - diagonal]) at++;
    this.#ahead[this.#zero + diagonal] = at;
    return at;
  }

  #stepBack(diagonal: number, { leftFrom, rightFrom }: DiffBox): number {
    const before = this.#back[this.#zero + diagonal - 1] ?? afterAll;
    const after = this.#back[this.#zero + diagonal + 1] ?? afterAll;
    let at = before < after ? before : after - 1;
    while (at > leftFrom && at - diagonal > rightFrom && this.#left[at - 1] === this.#right[at - diagonal - 1]) at--;
    this.#back[this.#zero + diagonal] = at;
    return at;
  }

  /** Returns the point furthest from its corner that either search has reached. */
  #furthest(box: DiffBox, aheadLow: number, aheadHigh: number, backLow: number, backHigh: number): Point {
    const { leftFrom, leftTo, rightFrom, rightTo } = box;
    let best: Point = { left: leftFrom, right: rightFrom };
    let distance = 0;
    for (let diagonal = aheadHigh; diagonal >= aheadLow; diagonal -= 2) {
      const left = Math.min(this.#ahead[this.#zero + diagonal] ?? leftFrom, leftTo, rightTo + diagonal);
      const far = left - leftFrom + (left - diagonal - rightFrom);
      if (far > distance) {
        distance = far;
        best = { left, right: left - diagonal };
      }
    }
    for (let diagonal = backHigh; diagonal >= backLow; diagonal -= 2) {
      const left = Math.max(this.#back[this.#zero + diagonal] ?? leftTo, leftFrom, rightFrom + diagonal);
      const far = leftTo - left + (rightTo - (left - diagonal));
      if (far > distance) {
        distance = far;
        best = { left, right: left - diagonal };
      }
    }
    return best;
  }
}
