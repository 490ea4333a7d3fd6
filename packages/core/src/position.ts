/**
 * Order keys: texts that sort by code unit, and between any two keys another key is possible. A key has an integer part
 * whose first letter gives its length (`a`…`z` count up, `Z`…`A` count down), so that appending n children needs keys
 * of O(log n) characters. An optional fraction orders keys between two integers. A fraction never ends in the smallest
 * digit, so that a smaller key always exists.
 */
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const smallest = 'A00000000000000000000000000';
const firstKey = 'a0';

function integerLength(head: string): number {
  if (head >= 'a' && head <= 'z') return head.charCodeAt(0) - 97 + 2;
  if (head >= 'A' && head <= 'Z') return 90 - head.charCodeAt(0) + 2;
  return 0;
}

/** Whether a text is a valid order key. */
export function isPosition(text: unknown): text is string {
  if (typeof text !== 'string' || text.length < 2) return false;
  const length = integerLength(text.charAt(0));
  if (length === 0 || text.length < length || text === smallest) return false;
  for (let i = 1; i < text.length; i++) if (!digits.includes(text.charAt(i))) return false;
  return text.length === length || !text.endsWith('0');
}

function integerPart(key: string): string {
  return key.slice(0, integerLength(key.charAt(0)));
}

/**
 * Returns the next integer part (`by` 1) or the previous one (`by` -1); null at the largest or smallest integer part.
 */
function adjacentKey(integer: string, by: 1 | -1): string | null {
  const [first, wrapped, last, start] = by === 1 ? ['Z', '0', 'z', 'a'] : ['a', 'z', 'A', 'Z'];
  const head = integer.charAt(0);
  let tail = '';
  for (let i = integer.length - 1; i >= 1; i--) {
    const digit = digits.charAt(digits.indexOf(integer.charAt(i)) + by);
    if (digit !== '') return integer.slice(0, i) + digit + tail;
    tail += wrapped;
  }
  if (head === first) return start + wrapped;
  if (head === last) return null;
  // The further an integer is from zero, the longer is its integer part.
  const next = String.fromCharCode(head.charCodeAt(0) + by);
  return next + (integerLength(next) > integer.length ? tail + wrapped : tail.slice(1));
}

/** Returns a fraction strictly between two fractions without trailing zeros; a null `high` means one. */
function middleKey(low: string, high: string | null): string {
  let prefix = '';
  let below = low;
  let above = high;
  for (;;) {
    if (above !== null) {
      let shared = 0;
      while (shared < above.length && (below.charAt(shared) || '0') === above.charAt(shared)) shared++;
      prefix += above.slice(0, shared);
      below = below.slice(shared);
      above = above.slice(shared);
    }
    const lowDigit = below === '' ? 0 : digits.indexOf(below.charAt(0));
    const highDigit = above === null ? digits.length : digits.indexOf(above.charAt(0));
    if (highDigit - lowDigit > 1) return prefix + digits.charAt((lowDigit + highDigit) >> 1);
    // The digits are adjacent. If more digits follow the upper one, the upper digit alone is free; otherwise a key
    // above the lower one is free.
    if (above !== null && above.length > 1) return prefix + above.charAt(0);
    prefix += digits.charAt(lowDigit);
    below = below.slice(1);
    above = null;
  }
}

/** Returns a key between two keys; null means no neighbour on that side. `before` must sort below `after`. */
export function positionBetween(before: string | null, after: string | null): string {
  if (before === null) {
    if (after === null) return firstKey;
    const integer = integerPart(after);
    if (integer === smallest) return integer + middleKey('', after.slice(integer.length));
    if (integer < after) return integer;
    const lower = adjacentKey(integer, -1);
    if (lower === null) throw new RangeError('No place is left before the first sibling.');
    return lower === smallest ? lower + middleKey('', null) : lower;
  }
  if (after !== null && before >= after) throw new RangeError(`No place between ${before} and ${after}.`);
  const integer = integerPart(before);
  const fraction = before.slice(integer.length);
  if (after !== null && integer === integerPart(after))
    return integer + middleKey(fraction, after.slice(integer.length));
  const next = adjacentKey(integer, 1);
  return next !== null && (after === null || next < after) ? next : integer + middleKey(fraction, null);
}

/**
 * Returns `count` sorted keys between two keys. The gap is halved repeatedly, so that 50,000 keys in one gap are only a
 * few characters longer than their neighbours.
 */
export function positionsBetween(before: string | null, after: string | null, count: number): string[] {
  const keys: string[] = new Array<string>(count);
  if (after === null) {
    let last = before;
    for (let i = 0; i < count; i++) {
      last = positionBetween(last, null);
      keys[i] = last;
    }
    return keys;
  }
  const gaps: {
    readonly from: number;
    readonly to: number;
    readonly low: string | null;
    readonly high: string | null;
  }[] = [{ from: 0, to: count, low: before, high: after }];
  for (let gap = gaps.pop(); gap !== undefined; gap = gaps.pop()) {
    if (gap.from >= gap.to) continue;
    const at = (gap.from + gap.to) >> 1;
    const key = positionBetween(gap.low, gap.high);
    keys[at] = key;
    gaps.push(
      { from: gap.from, to: at, low: gap.low, high: key },
      { from: at + 1, to: gap.to, low: key, high: gap.high },
    );
  }
  return keys;
}
