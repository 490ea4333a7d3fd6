/**
 * Decides whether the token usage that was reported with a reply is still valid. The provider counted the context above
 * the reply at that time. A hash of that context's equality keys is stored on the reply. An edit in place, a move, a
 * copy to another place or another system prompt changes the hash.
 */
import { parseUsage } from './budget.ts';
import { findActiveRange, isMessageEntry } from './context-entries.ts';
import type { PathMeta } from './reads.ts';

/** A hash that is extended node by node, as two numbers of 32 bits. */
export type PathHash = readonly [number, number];

// Uses cyrb53, which is small and mixes well. It hashes equality keys, which an attacker cannot choose freely.
/** Returns the hash extended by one text. */
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

/** Returns the hash of a path without nodes, which depends on the system prompt only. */
export function emptyPathHash(systemPrompt: string | undefined): PathHash {
  return extendPathHash([0xdeadbeef, 0x41c6ce57], systemPrompt ?? '');
}

/** Formats a hash as 16 hexadecimal digits, the form in which it is stored. */
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
    // Usage that was stored without a hash is valid if no later version than the reply's changed the nodes above it.
    const storedHash = node.key === null ? undefined : node.meta.measuredOver;
    const isValid =
      storedHash === undefined
        ? newest <= node.addedIn && node.meta.copiedFrom === undefined
        : storedHash === formatPathHash(hash);
    if (tokens !== null && isValid) reported.set(index, tokens);
    pass(node);
  }
  return { reported, hash, newest };
}

/**
 * Returns the provider's token count up to and including a reply; null if the count cannot be used. The usage of an
 * interrupted reply is incomplete. The usage of a cherry-picked reply was measured on another path. A half of a split
 * reply has the usage of the whole reply.
 */
function reportedTokens(node: PathMeta): number | null {
  if (node.kind !== 'message' || node.role !== 'assistant' || node.status !== 'success') return null;
  if (node.meta.pickedFrom !== undefined || node.meta.splitSource !== undefined) return null;
  return parseUsage(node)?.totalTokens || null;
}
