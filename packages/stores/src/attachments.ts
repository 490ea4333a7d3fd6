/**
 * Finds which attachments are still referred to. A message refers to one by the hash of its bytes, in a source of type
 * `blob`. When the last message of its owner that refers to it is purged, its bytes are deleted.
 */
import type { Commit, Node, Plan } from '@coppice/core';
import { assertStorable } from '@coppice/core/store';

const hash = /[0-9a-f]{64}/g;
/** The JSON of every message that refers to an attachment contains this text. */
export const blobMark = '"blob"';

/** Adds the hashes in a JSON text; none if it refers to no attachment. */
export function addHashes(json: string, to: Set<string>): void {
  if (json.includes(blobMark)) for (const [found] of json.matchAll(hash)) to.add(found);
}

/** Adds the hashes in messages and metadata of nodes. */
export function addHashesOf(nodes: Iterable<Pick<Node, 'message' | 'meta'>>, to: Set<string>): void {
  for (const { message, meta } of nodes) {
    if (message?.content.some((block) => block.type !== 'text') === true) addHashes(JSON.stringify(message), to);
    addHashes(JSON.stringify(meta), to);
  }
}

/** Adds the hashes in former contents. */
export function addHashesOfLog(log: readonly Pick<Commit, 'steps'>[], to: Set<string>): void {
  for (const { steps } of log)
    for (const step of steps) {
      if ('node' in step) addHashesOf([step.node], to);
      else addHashes(JSON.stringify(step), to);
    }
}

/** Adds the hashes in a plan. Throws on values that cannot be stored, like preparing the commit does. */
export function addHashesOfPlan({ steps, reverses }: Plan<unknown>, to: Set<string>): void {
  if (reverses === undefined) assertStorable(steps);
  addHashesOfLog([{ steps }], to);
}
