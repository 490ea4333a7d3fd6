/** The lines of a diff by kind, with the changed part within a line. */

/** A line of a diff. `from` and `to` delimit the part that differs from the replaced or replacing line. */
export interface DiffLine {
  readonly at: number;
  readonly text: string;
  readonly kind: 'same' | 'added' | 'removed' | 'place';
  readonly from: number;
  readonly to: number;
}

/** Whether code is a diff: by its language or, without a language, by its first lines. */
export function isDiffCode(language: string, code: string): boolean {
  if (/^(?:diff|patch)$/i.test(language)) return true;
  return language === '' && /^(?:diff --git |--- \S[^\n]*\n\+\+\+ \S)/.test(code);
}

function kindOfLine(line: string): DiffLine['kind'] {
  if (/^(?:@@|diff --git |index [0-9a-f]|--- |\+\+\+ )/.test(line)) return 'place';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
}

/** Where two lines differ after their `+` and `-` signs; null for lines with little in common. */
function changedPart(a: string, b: string): readonly [number, number] | null {
  const most = Math.min(a.length, b.length);
  let start = 1;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return (start - 1 + end) * 2 >= most - 1 ? [start, end] : null;
}

/** Splits a diff into lines; joined with line ends they are the diff. */
export function splitDiffLines(code: string): readonly DiffLine[] {
  let at = 0;
  const lines = code.split('\n').map((text) => {
    const line = { at, text, kind: kindOfLine(text), from: 0, to: 0 };
    at += text.length + 1;
    return line;
  });
  for (let start = 0; start < lines.length; ) {
    let removed = start;
    while (lines[removed]?.kind === 'removed') removed++;
    let added = removed;
    while (lines[added]?.kind === 'added') added++;
    const count = removed - start;
    if (count > 0 && added - removed === count)
      for (let index = 0; index < count; index++) {
        const [old, fresh] = [lines[start + index], lines[removed + index]];
        if (old === undefined || fresh === undefined) continue;
        const part = changedPart(old.text, fresh.text);
        if (part === null) continue;
        for (const line of [old, fresh]) Object.assign(line, { from: part[0], to: line.text.length - part[1] });
      }
    start = Math.max(added, start + 1);
  }
  return lines;
}
