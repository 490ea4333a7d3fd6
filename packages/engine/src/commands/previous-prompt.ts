import { ask, type Node, type NodeId, type ReadProgram } from '@coppice/core';
import type { CommandScope } from './contract.ts';
import { makeCommandError } from './errors.ts';

/** Finds the last message of the user above the view's position. Throws if there is none. */
export async function findPreviousPrompt({ store, treeId, activeNodeId }: CommandScope): Promise<Node> {
  const found = activeNodeId === null ? null : await store.read(treeId, () => findPromptAbove(activeNodeId));
  return found ?? throwError(makeCommandError('command/no-such-node', 'There is no message of yours above this one.'));
}

function throwError(error: Error): never {
  throw error;
}

function* findPromptAbove(here: NodeId): ReadProgram<Node | null> {
  for (let limit = 16; ; limit *= 4) {
    const { nodes, complete } = yield* ask('path', { to: here, limit });
    const found = nodes.findLast((node) => node.id !== here && node.kind === 'message' && node.role === 'user');
    if (found !== undefined) return found;
    if (complete || nodes.length < limit) return null;
  }
}
