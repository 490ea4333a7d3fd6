/**
 * Builds trees of a given size in a store: branches of equal depth below the root, so that larger trees do not have
 * longer paths.
 */
import { messageKit } from '@coppice/content';
import { type NodeId, type RunContext, run, type Store, type TreeId, textMessage, treeId } from '@coppice/core';
import { newId } from '@coppice/engine/new-id';

/** The depth of every branch. */
export const benchBranchDepth = 60;

const filler = 'the quick brown fox jumps over the lazy dog and runs on along the hedge '.repeat(7);

/** Builds a message of about 500 characters. */
export function makeBenchMessage(n: number) {
  return textMessage(n % 2 === 0 ? 'user' : 'assistant', `message ${n}: ${filler}`);
}

/**
 * Builds the same message with its text as one string in memory, like a message that was parsed. The result of a
 * template literal is stored as its parts, which take less memory.
 */
export function makeParsedBenchMessage(n: number): ReturnType<typeof makeBenchMessage> {
  return JSON.parse(JSON.stringify(makeBenchMessage(n)));
}

/** The run context of one user, with the real clock and with ids that increase with time, as in production. */
export const benchContext: RunContext = {
  actor: 'me',
  kit: messageKit,
  now: Date.now,
  newId: () => newId(),
};

/** Builds a tree of about `size` messages; the last branch is active. */
export async function buildBenchTree(
  store: Store,
  size: number,
  makeMessage = makeBenchMessage,
): Promise<{ readonly id: TreeId; readonly rootId: NodeId; readonly leaf: NodeId }> {
  const id = treeId(newId());
  const rootId = newId();
  await run(store, { type: 'create', treeId: id, rootId }, benchContext);
  let leaf = rootId as NodeId;
  for (let n = 0; n < size; n += benchBranchDepth) {
    const messages = Array.from({ length: benchBranchDepth }, (_, index) => ({ message: makeMessage(n + index) }));
    const { result } = await run(
      store,
      { type: 'append', treeId: id, parentId: rootId as NodeId, messages },
      benchContext,
    );
    leaf = result.nodeId;
  }
  return { id, rootId: rootId as NodeId, leaf };
}
