/**
 * Whether two JSON values are equal. The order of keys does not matter, because a store may change it. An undefined
 * field counts as missing.
 */
export function isSameJson(a: unknown, b: unknown): boolean {
  const open: (readonly [unknown, unknown])[] = [[a, b]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left = null, right = null] = pair;
    if (Object.is(left, right) || (left === 0 && right === 0)) continue;
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const others = new Map<string, unknown>(Object.entries(right));
    for (const [key, value] of Object.entries(left)) {
      open.push([value, others.get(key)]);
      others.delete(key);
    }
    for (const value of others.values()) open.push([undefined, value]);
  }
  return true;
}
