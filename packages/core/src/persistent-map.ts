/**
 * A persistent hash trie. Put and delete copy O(log n) small arrays and share all others with the old value, which
 * stays valid. Keys are any strings (`__proto__` included), compared by hash and then by text.
 */
import { insertAt } from './insert-at.ts';

/** An entry of a map. It stores its key and the key's hash, so that they are not computed again. */
export interface MapEntry {
  readonly key: string;
  readonly hash: number;
  /** Always absent, like `same`: only a branch has `slots` and only a collision has `same`, so entries have neither. */
  readonly slots?: undefined;
  readonly same?: undefined;
}

/** A token for the changes of one commit. Map branches that were created with the token may be changed in place. */
export type MutationToken = { readonly owner: true };

interface TrieBranch<E extends MapEntry> {
  readonly owner: MutationToken | null;
  bitmap: number;
  slots: Slot<E>[];
  readonly same?: undefined;
}
interface Collision<E extends MapEntry> {
  readonly hash: number;
  readonly same: readonly E[];
  readonly slots?: undefined;
}
type Slot<E extends MapEntry> = TrieBranch<E> | Collision<E> | E;

/** An immutable map from strings to entries. */
export interface PersistentMap<E extends MapEntry> {
  readonly size: number;
  readonly root: TrieBranch<E>;
}

/** Computes a 32-bit hash of a text; the final mix spreads ids that differ in a few characters. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

function isBranch<E extends MapEntry>(slot: Slot<E>): slot is TrieBranch<E> {
  return slot.slots !== undefined;
}
function isCollision<E extends MapEntry>(slot: Slot<E>): slot is Collision<E> {
  return slot.same !== undefined;
}

function popcount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function emptyMap<E extends MapEntry>(): PersistentMap<E> {
  return { size: 0, root: { owner: null, bitmap: 0, slots: [] } };
}

/** Returns the entry of a key, or undefined. Pass the hash if it is known already. */
export function mapGet<E extends MapEntry>(
  map: PersistentMap<E>,
  key: string,
  hash: number = hashText(key),
): E | undefined {
  let branch = map.root;
  for (let shift = 0; ; shift += 5) {
    const index = (hash >>> shift) & 31;
    const bit = 1 << index;
    const { bitmap, slots } = branch;
    if ((bitmap & bit) === 0) return undefined;
    const slot = slots[bitmap === -1 ? index : popcount(bitmap & (bit - 1))];
    if (slot === undefined) return undefined;
    if (slot.slots !== undefined) branch = slot;
    else if (slot.same !== undefined)
      return slot.hash === hash ? slot.same.find((entry) => entry.key === key) : undefined;
    // Hashes are compared first, because different keys almost always have different hashes.
    else return slot.hash === hash && slot.key === key ? slot : undefined;
  }
}

/**
 * Returns the map with an entry added or replaced. With a token, branches that were created with the same token are
 * changed in place.
 */
export function mapPut<E extends MapEntry>(
  map: PersistentMap<E>,
  entry: E,
  owner: MutationToken | null = null,
): PersistentMap<E> {
  const grown = { by: 1 };
  const root = putInto(map.root, 0, entry, owner, grown);
  return { size: map.size + grown.by, root };
}

function editableBranch<E extends MapEntry>(branch: TrieBranch<E>, owner: MutationToken | null): TrieBranch<E> {
  if (owner !== null && branch.owner === owner) return branch;
  return { owner, bitmap: branch.bitmap, slots: branch.slots.slice() };
}

// The recursion is bounded by the seven levels of a 32-bit hash.
function putInto<E extends MapEntry>(
  branch: TrieBranch<E>,
  shift: number,
  entry: E,
  owner: MutationToken | null,
  grown: { by: number },
): TrieBranch<E> {
  const bit = 1 << ((entry.hash >>> shift) & 31);
  const at = branch.bitmap === -1 ? (entry.hash >>> shift) & 31 : popcount(branch.bitmap & (bit - 1));
  if ((branch.bitmap & bit) === 0) return insertSlot(branch, at, bit, entry, owner);
  const slot = branch.slots[at];
  const next = editableBranch(branch, owner);
  next.slots[at] = slot === undefined ? entry : putSlot(slot, shift, entry, owner, grown);
  return next;
}

function insertSlot<E extends MapEntry>(
  branch: TrieBranch<E>,
  at: number,
  bit: number,
  entry: E,
  owner: MutationToken | null,
): TrieBranch<E> {
  const wider = insertAt<Slot<E>>(branch.slots, at, entry);
  if (owner === null || branch.owner !== owner) return { owner, bitmap: branch.bitmap | bit, slots: wider };
  branch.slots = wider;
  branch.bitmap |= bit;
  return branch;
}

function putSlot<E extends MapEntry>(
  slot: Slot<E>,
  shift: number,
  entry: E,
  owner: MutationToken | null,
  grown: { by: number },
): Slot<E> {
  if (isBranch(slot)) return putInto(slot, shift + 5, entry, owner, grown);
  if (isCollision(slot) && slot.hash === entry.hash) {
    const others = slot.same.filter((other) => other.key !== entry.key);
    if (others.length < slot.same.length) grown.by = 0;
    return { hash: slot.hash, same: [...others, entry] };
  }
  if (!isCollision(slot)) {
    if (slot.key === entry.key) {
      grown.by = 0;
      return entry;
    }
    if (slot.hash === entry.hash) return { hash: entry.hash, same: [slot, entry] };
  }
  return splitSlot(slot, entry, shift + 5, owner);
}

/** Builds a branch for two slots whose hashes are equal up to this level and differ below. */
function splitSlot<E extends MapEntry>(
  slot: E | Collision<E>,
  entry: E,
  shift: number,
  owner: MutationToken | null,
): TrieBranch<E> {
  const one = (slot.hash >>> shift) & 31;
  const two = (entry.hash >>> shift) & 31;
  if (one === two) return { owner, bitmap: 1 << one, slots: [splitSlot(slot, entry, shift + 5, owner)] };
  return { owner, bitmap: (1 << one) | (1 << two), slots: one < two ? [slot, entry] : [entry, slot] };
}

/** Returns the map without a key; the same map if the key is absent. */
export function mapDelete<E extends MapEntry>(
  map: PersistentMap<E>,
  key: string,
  hash: number = hashText(key),
): PersistentMap<E> {
  if (mapGet(map, key, hash) === undefined) return map;
  return { size: map.size - 1, root: deleteFrom(map.root, 0, key, hash) ?? emptyMap<E>().root };
}

function deleteFrom<E extends MapEntry>(
  branch: TrieBranch<E>,
  shift: number,
  key: string,
  hash: number,
): TrieBranch<E> | null {
  const bit = 1 << ((hash >>> shift) & 31);
  const at = popcount(branch.bitmap & (bit - 1));
  const slot = branch.slots[at];
  if (slot === undefined) return branch;
  const left = isBranch(slot)
    ? deleteFrom(slot, shift + 5, key, hash)
    : isCollision(slot)
      ? deleteSame(slot, key)
      : null;
  if (left !== null) {
    const slots = branch.slots.slice();
    slots[at] = left;
    return { owner: null, bitmap: branch.bitmap, slots };
  }
  if (branch.slots.length === 1) return null;
  return { owner: null, bitmap: branch.bitmap & ~bit, slots: branch.slots.filter((_, index) => index !== at) };
}

function deleteSame<E extends MapEntry>(slot: Collision<E>, key: string): Slot<E> | null {
  const same = slot.same.filter((entry) => entry.key !== key);
  return same.length === 1 ? (same[0] ?? null) : { hash: slot.hash, same };
}

/** Yields every entry in the order of their hashes; callers must not rely on it. */
export function* mapEntries<E extends MapEntry>(map: PersistentMap<E>): Generator<E, void, undefined> {
  const open: Slot<E>[] = [map.root];
  for (let slot = open.pop(); slot !== undefined; slot = open.pop()) {
    if (isBranch(slot)) for (const inner of slot.slots) open.push(inner);
    else if (isCollision(slot)) yield* slot.same;
    else yield slot;
  }
}
