/**
 * Whether usage that was reported with a reply still holds. A provider counts what was above the reply at that time; a
 * note on the reply names that by a hash of the equality keys, so that an edit in place, a move, a copy below something
 * else or another system prompt is noticed when the usage is read.
 */
import { parseUsage } from './budget.ts';
import { activeRange, isMessageEntry } from './context-entries.ts';
import type { PathMeta } from './reads.ts';

/** A running hash, as two halves of 32 bits. */
export type Hash = readonly [number, number];

// cyrb53, which is small and mixes well: what is hashed are equality keys, which nobody can choose freely.
/** The hash of what came before and one more text. */
export function extend([one, two]: Hash, text: string): Hash {
  let [a, b] = [one, two];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return [a, b];
}

/** The hash of a path with nothing on it. */
export function begin(systemPrompt: string | undefined): Hash {
  return extend([0xdeadbeef, 0x41c6ce57], systemPrompt ?? '');
}

/** A hash as it is noted. */
export function digest([one, two]: Hash): string {
  return [one, two].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

type Measurable = Pick<PathMeta, 'id' | 'kind' | 'key' | 'contentIn'>;

/** What a node adds: the equality key of a message, which its copies share; a marker is only equal to itself. */
export function itemOf({ id, kind, key, contentIn }: Measurable): string {
  return kind === 'message' && key !== null ? key : `${id} ${contentIn}`;
}

/** What {@link reportsAlong} found. */
export interface Reports {
  /** By index in the path: the tokens up to that reply as the provider counted them, where that still holds. */
  readonly reported: ReadonlyMap<number, number>;
  /** All that is in force. */
  readonly hash: Hash;
  /** The newest version that wrote something of it. */
  readonly newest: number;
}

/** Which replies of a path have usage that still holds. The path may begin late, as for a context. */
export function reportsAlong(path: readonly PathMeta[], systemPrompt: string | undefined): Reports {
  const { at, start } = activeRange(path);
  const reported = new Map<number, number>();
  const compaction = path[at];
  let hash = begin(systemPrompt);
  let newest = 0;
  const pass = (node: PathMeta) => {
    hash = extend(hash, itemOf(node));
    newest = Math.max(newest, node.addedIn, node.contentIn);
  };
  if (compaction !== undefined) pass(compaction);
  for (let index = start; index < path.length; index++) {
    const node = path[index];
    if (node === undefined || !isMessageEntry(node)) continue;
    const tokens = index > at ? reportedTokens(node) : null;
    // Usage from before such notes were made is judged by the versions that wrote what is above.
    const noted = node.key === null ? undefined : node.meta.measuredOver;
    const holds =
      noted === undefined ? newest <= node.addedIn && node.meta.copiedFrom === undefined : noted === digest(hash);
    if (tokens !== null && holds) reported.set(index, tokens);
    pass(node);
  }
  return { reported, hash, newest };
}

/**
 * The tokens that a provider counted up to a reply. Only a finished one counts: what is reported with one cut short
 * covers part of it. A picked one was measured on the path that it comes from, half of a split one as a whole.
 */
function reportedTokens(node: PathMeta): number | null {
  if (node.kind !== 'message' || node.role !== 'assistant' || node.status !== 'success') return null;
  if (node.meta.pickedFrom !== undefined || node.meta.splitSource !== undefined) return null;
  return parseUsage(node)?.totalTokens || null;
}
