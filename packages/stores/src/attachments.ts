/**
 * Which attachments are still referred to. A message names one by the hash of its bytes, in a source of type `blob`;
 * when what named it is purged and nothing else of its owner's does, its bytes go as well.
 */
import type { Commit, Node } from '@coppice/core';

const hash = /[0-9a-f]{64}/g;
/** What the JSON text of everything that names an attachment holds. */
export const blobMark = '"blob"';

/** Adds the hashes that a JSON text names; none where it names no attachment at all. */
export function addHashes(json: string, to: Set<string>): void {
  if (json.includes(blobMark)) for (const [found] of json.matchAll(hash)) to.add(found);
}

/** Adds the hashes that nodes name, in what they say and in what is noted about them. */
export function addHashesOf(nodes: Iterable<Pick<Node, 'message' | 'meta'>>, to: Set<string>): void {
  for (const { message, meta } of nodes) {
    if (message?.content.some((block) => block.type !== 'text') === true) addHashes(JSON.stringify(message), to);
    addHashes(JSON.stringify(meta), to);
  }
}

/** Adds the hashes that former contents name. */
export function addHashesOfLog(log: readonly Commit[], to: Set<string>): void {
  for (const { steps } of log)
    for (const step of steps) {
      if (step.type === 'insert') addHashesOf([step.node], to);
      else if (step.type === 'replace' || step.type === 'annotate') addHashes(JSON.stringify(step), to);
    }
}

const longestWait = 3_600_000;

/**
 * Attachments that were put and that no message has named yet: they are on their way into one. Whoever collects leaves
 * them, for an hour at most, after which nobody is waiting for them any more.
 */
export class Awaited {
  readonly #since = new Map<string, number>();

  put(owner: string, found: string): void {
    this.#since.delete(`${owner} ${found}`);
    this.#since.set(`${owner} ${found}`, performance.now());
  }

  /** A commit came through: what it names is not waited for any more. */
  arrived(owner: string, commit: Commit): void {
    if (this.#since.size === 0) return;
    const named = new Set<string>();
    addHashesOfLog([commit], named);
    for (const found of named) this.#since.delete(`${owner} ${found}`);
  }

  has(owner: string, found: string): boolean {
    const since = this.#since.get(`${owner} ${found}`);
    return since !== undefined && performance.now() - since < longestWait;
  }
}
