/** Parents for lines of a session file that name one which comes later, is missing, or is below the line itself. */
import type { LinePlace } from './line-table.ts';

/** A line whose parent was not known when it was read. */
export interface Detached {
  readonly index: number;
  /** The parent that it names. */
  readonly named: string;
  readonly at: LinePlace;
  /** The line that it is shown below if the parent is nowhere. */
  readonly below: number;
}

/** The lines that get a place, in the order of the file, and what is known of all lines. */
export interface LinesToPlace {
  readonly detached: readonly Detached[];
  /** The parent of a line that has one. */
  parentAt(index: number): number;
  isMessage(index: number): boolean;
  /** The line that a line names as its parent; undefined where there is none. */
  realParent(line: Detached): number | undefined;
}

/** A line with its parent. `real` is the line that it names, which is another one where that is below the line. */
export interface Placed {
  readonly line: Detached;
  readonly parent: number;
  readonly real: number | undefined;
}

// So many messages before a line are tried as its parent. Those that will not do are below the line itself.
const mostTries = 64;

/**
 * Gives each line the parent that it names, if there is one, and otherwise the nearest message before it. No line ends up
 * below itself: of a cycle, the line that would close it is moved. The work is about linear in the number of lines.
 */
export function* placeDetached(lines: LinesToPlace): Generator<Placed, void, undefined> {
  const open = new Set(lines.detached.map(({ index }) => index));
  const placed = new Map<number, number>();
  const tops = new Map<number, number>();
  // The topmost line above one, as far as lines are placed. What was climbed is remembered.
  const topOf = (from: number): number => {
    const way: number[] = [];
    let at = from;
    while (at > 0 && !open.has(at)) {
      way.push(at);
      at = tops.get(at) ?? placed.get(at) ?? lines.parentAt(at);
    }
    for (const one of way) tops.set(one, at);
    return at;
  };
  for (const line of lines.detached) {
    const real = lines.realParent(line);
    const mayHold = (index: number) => topOf(index) !== line.index;
    const parent = real !== undefined && mayHold(real) ? real : nearest(lines, line.below, mayHold);
    placed.set(line.index, parent);
    open.delete(line.index);
    yield { line, parent, real };
  }
}

/** The nearest message at or before a line that may be the parent; the header after so many tries. */
function nearest(lines: LinesToPlace, from: number, mayHold: (index: number) => boolean): number {
  let tries = mostTries;
  for (let at = from; at > 0 && tries > 0; at--) {
    if (!lines.isMessage(at)) continue;
    if (mayHold(at)) return at;
    tries--;
  }
  return 0;
}
