/** Assigns parents to lines of a session file whose parent comes later, is missing, or is a descendant of the line. */
import type { LineLocation } from './line-table.ts';

/** A line whose parent was unknown when it was read. */
export interface DetachedLine {
  readonly index: number;
  /** The parent id in the line. */
  readonly named: string;
  readonly at: LineLocation;
  /** The line that becomes the parent if the named parent is missing. */
  readonly below: number;
}

/** The lines without a parent, in file order, and lookups in the table of all lines. */
export interface DetachedLinesInput {
  readonly detached: readonly DetachedLine[];
  /** Returns the parent of a line that already has one. */
  parentAt(index: number): number;
  isMessage(index: number): boolean;
  /** Returns the line whose id is named as the parent; undefined if no line has that id. */
  realParent(line: DetachedLine): number | undefined;
}

/**
 * A line with its new parent. `real` is the line that is named as the parent; `parent` differs from it if `real` is
 * missing or a descendant.
 */
export interface AttachedLine {
  readonly line: DetachedLine;
  readonly parent: number;
  readonly real: number | undefined;
}

// How many earlier messages are tried as a parent. A descendant of the line cannot be its parent.
const mostTries = 64;

/**
 * Assigns to each line the parent that it names if possible, else the nearest message before it. A parent that would
 * close a cycle is replaced. The time is nearly linear in the number of lines.
 */
export function* attachDetachedLines(lines: DetachedLinesInput): Generator<AttachedLine, void, undefined> {
  const open = new Set(lines.detached.map(({ index }) => index));
  const placed = new Map<number, number>();
  const topByLine = new Map<number, number>();
  // Returns the topmost ancestor reached through assigned parents. The result is cached for all lines in between.
  const topOf = (from: number): number => {
    const walked: number[] = [];
    let at = from;
    while (at > 0 && !open.has(at)) {
      walked.push(at);
      at = topByLine.get(at) ?? placed.get(at) ?? lines.parentAt(at);
    }
    for (const one of walked) topByLine.set(one, at);
    return at;
  };
  for (const line of lines.detached) {
    const real = lines.realParent(line);
    const mayHold = (index: number) => topOf(index) !== line.index;
    const parent = real !== undefined && mayHold(real) ? real : nearestParent(lines, line.below, mayHold);
    placed.set(line.index, parent);
    open.delete(line.index);
    yield { line, parent, real };
  }
}

/** Returns the nearest message at or before a line that may be its parent; the header if the search gives up. */
function nearestParent(lines: DetachedLinesInput, from: number, mayHold: (index: number) => boolean): number {
  let tries = mostTries;
  for (let at = from; at > 0 && tries > 0; at--) {
    if (!lines.isMessage(at)) continue;
    if (mayHold(at)) return at;
    tries--;
  }
  return 0;
}
