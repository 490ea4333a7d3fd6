/**
 * Finds the attachments that messages refer to. A message refers to an attachment by the hash of its bytes, in a source
 * of type `blob`. The bytes are deleted when the owner's last message with that hash is purged.
 */
import { ask, type Commit, type Node, type Plan, type ReadProgram, type Step } from '@coppice/core';
import { assertStorable } from '@coppice/core/store';

const hash = /[0-9a-f]{64}/g;
/**
 * A text that the JSON of every message with an attachment contains. Texts without it need not be searched for hashes.
 */
export const blobSourceText = '"blob"';

/** Adds the hashes in a JSON text to a set. Adds nothing if the text names no attachment. */
export function addBlobHashesInJson(json: string, to: Set<string>): void {
  if (json.includes(blobSourceText)) for (const [found] of json.matchAll(hash)) to.add(found);
}

/** Adds the hashes in messages and metadata of nodes to a set. */
export function addBlobHashesOfNodes(nodes: Iterable<Pick<Node, 'message' | 'meta'>>, to: Set<string>): void {
  for (const { message, meta } of nodes) {
    if (message?.content.some((block) => block.type !== 'text') === true)
      addBlobHashesInJson(JSON.stringify(message), to);
    addBlobHashesInJson(JSON.stringify(meta), to);
  }
}

/** Adds the hashes in the contents that commits inserted or replaced to a set. */
export function addBlobHashesOfLog(log: readonly Pick<Commit, 'steps'>[], to: Set<string>): void {
  for (const { steps } of log)
    for (const step of steps) {
      if ('node' in step) addBlobHashesOfNodes([step.node], to);
      else addBlobHashesInJson(JSON.stringify(step), to);
    }
}

/**
 * Adds the hashes in the steps of a plan to a set. Throws if a step has a value that cannot be stored; the steps of an
 * undo or redo are not checked again.
 */
export function addBlobHashesOfPlan({ steps, reverses }: Plan<unknown>, to: Set<string>): void {
  if (reverses === undefined) assertStorable(steps);
  addBlobHashesOfLog([{ steps }], to);
}

/**
 * Returns the attachments that a plan refers to for the first time. Copied and edited messages keep the attachments of
 * their originals, so no upload waits for them.
 */
export function* findNewBlobReferences({ steps, reverses }: Plan<unknown>): ReadProgram<ReadonlySet<string>> {
  const fresh = new Set<string>();
  if (reverses !== undefined) return fresh;
  for (const step of steps) {
    const named = hashesAfter(step);
    if (named.size === 0) continue;
    const before = yield* hashesBefore(step);
    for (const hash of named) if (!before.has(hash)) fresh.add(hash);
  }
  return fresh;
}

function hashesAfter(step: Step): Set<string> {
  const named = new Set<string>();
  if (step.type === 'insert') addBlobHashesOfNodes([step.node], named);
  else if ('after' in step) addBlobHashesInJson(JSON.stringify(step.after), named);
  return named;
}

function* hashesBefore(step: Step): ReadProgram<ReadonlySet<string>> {
  const named = new Set<string>();
  if (step.type !== 'insert') {
    if ('before' in step) addBlobHashesInJson(JSON.stringify(step.before), named);
    return named;
  }
  const { node } = step;
  if (node.meta.copiedFrom !== undefined || node.meta.pickedFrom !== undefined) return hashesAfter(step);
  // The node may be an edited variant, so the hashes of its siblings are not new.
  if (node.groupId > 0 && node.parentId !== null) {
    const ids = (yield* ask('children', { of: node.parentId })).map(({ id }) => id);
    addBlobHashesOfNodes(yield* ask('nodes', { ids }), named);
  }
  return named;
}
