/**
 * Which attachments are still referred to. A message names one by the hash of its bytes, in a source of type `blob`;
 * when what named it is purged and nothing else of its owner's does, its bytes go as well.
 */
import type { Commit, Node, Plan } from '@coppice/core';
import { assertStorable } from '@coppice/core/store';

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
export function addHashesOfLog(log: readonly Pick<Commit, 'steps'>[], to: Set<string>): void {
  for (const { steps } of log)
    for (const step of steps) {
      if (step.type === 'insert') addHashesOf([step.node], to);
      else if (step.type === 'replace' || step.type === 'annotate' || step.type === 'attributes')
        addHashes(JSON.stringify(step), to);
    }
}

/** Adds the hashes that a plan names. What could not be kept is refused, as it is when the plan is settled. */
export function addHashesOfPlan({ steps, reverses }: Plan<unknown>, to: Set<string>): void {
  if (reverses === undefined) assertStorable(steps);
  addHashesOfLog([{ steps }], to);
}
