/** Returns the known name with the smallest edit distance to a mistyped one; undefined if none is similar. */
export function findNearestName(typed: string, names: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase().slice(0, 64);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 2)) + 1;
  for (const name of names) {
    const distance = name.startsWith(wanted) && wanted.length > 1 ? 0.5 : editDistance(wanted, name);
    if (distance >= least) continue;
    best = name;
    least = distance;
  }
  return best;
}

/** The edit distance: insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + same,
          swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
