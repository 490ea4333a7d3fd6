/**
 * Decides whether the token usage that was reported with a reply is still valid. The provider counted the context above
 * the reply at that time. A hash of that context's equality keys is stored on the reply. An edit in place, a move, a
 * copy to another place or another system prompt changes the hash.
 */
import { parseUsage } from './budget.ts';
import { findActiveRange, isMessageEntry } from './context-entries.ts';
import type { PathMeta } from './reads.ts';

/** A running hash in two halves of 32 bits. */
export type PathHash = readonly [number, number];

// Uses cyrb53, which is small and mixes well. It hashes equality keys, which an attacker cannot choose freely.
/** Extends a hash by one text. */
export function extendPathHash([one, two]: PathHash, text: string): PathHash {
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

/** Returns the hash of an empty path. */
export function emptyPathHash(systemPrompt: string | undefined): PathHash {
  return extendPathHash([0xdeadbeef, 0x41c6ce57], systemPrompt ?? '');
}

/** Formats a hash for storage. */
export function formatPathHash([one, two]: PathHash): string {
  return [one, two].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

type Measurable = Pick<PathMeta, 'id' | 'kind' | 'key' | 'contentIn'>;

/**
 * Returns the hash input of a node. For a message it is the equality key, which copies share; for a marker it is
 * unique.
 */
export function hashInputOf({ id, kind, key, contentIn }: Measurable): string {
  return kind === 'message' && key !== null ? key : `${id} ${contentIn}`;
}

/** The result of {@link findUsageReports}. */
export interface UsageReports {
  /** The provider's token counts that are still valid, by index of the reply in the path. */
  readonly reported: ReadonlyMap<number, number>;
  /** The hash of the whole context. */
  readonly hash: PathHash;
  /** The newest version that wrote a part of the context. */
  readonly newest: number;
}

/**
 * Finds the replies of a path whose usage is still valid. The path may lack its beginning, like the path of a context.
 */
export function findUsageReports(path: readonly PathMeta[], systemPrompt: string | undefined): UsageReports {
  const { at, start } = findActiveRange(path);
  const reported = new Map<number, number>();
  const compaction = path[at];
  let hash = emptyPathHash(systemPrompt);
  let newest = 0;
  const pass = (node: PathMeta) => {
    hash = extendPathHash(hash, hashInputOf(node));
    newest = Math.max(newest, node.addedIn, node.contentIn);
  };
  if (compaction !== undefined) pass(compaction);
  for (let index = start; index < path.length; index++) {
    const node = path[index];
    if (node === undefined || !isMessageEntry(node)) continue;
    const tokens = index > at ? reportedTokens(node) : null;
    // Usage that was stored without a hash is valid if no version after the reply wrote content above it.
    const noted = node.key === null ? undefined : node.meta.measuredOver;
    const holds =
      noted === undefined
        ? newest <= node.addedIn && node.meta.copiedFrom === undefined
        : noted === formatPathHash(hash);
    if (tokens !== null && holds) reported.set(index, tokens);
    pass(node);
  }
  return { reported, hash, newest };
}

/**
 * Returns the provider's token count up to a reply. The usage of an interrupted reply covers only a part, so only
 * finished replies count. A picked reply was measured on its original path, and a half of a split reply as a whole.
 */
function reportedTokens(node: PathMeta): number | null {
  if (node.kind !== 'message' || node.role !== 'assistant' || node.status !== 'success') return null;
  if (node.meta.pickedFrom !== undefined || node.meta.splitSource !== undefined) return null;
  return parseUsage(node)?.totalTokens || null;
}
