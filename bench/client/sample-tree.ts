/** Builds the trees that all libraries are measured with: 10,000 messages, questions and replies in turn. */
import { type NodeId, nodeId, run, type Store, type TreeId, textMessage, treeId } from '@coppice/core';
import { benchContext } from '../stores/bench-tree.ts';

/** A message of the sample. Parents are listed before their children. */
export interface SampleMessage {
  readonly id: NodeId;
  readonly parentId: NodeId | null;
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** A tree with a fork, and the first and last message of each branch below the fork. */
export interface SampleTree {
  readonly name: string;
  readonly messages: readonly SampleMessage[];
  /** The first message of each branch. */
  readonly variants: readonly NodeId[];
  /** The last message of each branch. */
  readonly ends: readonly NodeId[];
}

const filler = 'the quick brown fox jumps over the lazy dog and runs on along the hedge '.repeat(4);

function uuid(n: number): NodeId {
  return nodeId(`01890c2e-0000-7000-8000-${n.toString(16).padStart(12, '0')}`);
}

/** Builds a chain of messages that ends with a question, and `branches` branches of equal length below it. */
function makeSample(name: string, above: number, branches: number, length: number): SampleTree {
  const messages: SampleMessage[] = [];
  const variants: NodeId[] = [];
  const ends: NodeId[] = [];
  const add = (parentId: NodeId | null, depth: number) => {
    const id = uuid(messages.length + 1);
    const role = depth % 2 === 0 ? 'user' : 'assistant';
    messages.push({ id, parentId, role, text: `message ${messages.length}: ${filler}` });
    return id;
  };
  let fork: NodeId | null = null;
  for (let depth = 0; depth < above; depth++) fork = add(fork, depth);
  for (let branch = 0; branch < branches; branch++) {
    let at = fork;
    for (let depth = 0; depth < length; depth++) {
      at = add(at, above + depth);
      if (depth === 0) variants.push(at);
    }
    if (at !== null) ends.push(at);
  }
  return { name, messages, variants, ends };
}

/** One tree with 303 branches of 33 messages, and one with a thread of 9,997 messages and three replies to the last. */
export const sampleTrees: readonly SampleTree[] = [
  makeSample('303 branches', 1, 303, 33),
  makeSample('one thread', 9_997, 3, 1),
];

/** Stores a sample; its first branch is active. */
export async function storeSampleTree(store: Store, { messages, ends }: SampleTree): Promise<TreeId> {
  const id = treeId(crypto.randomUUID());
  const nodes = messages.map(({ id: own, parentId, role, text }, order) => ({
    id: own,
    parentId,
    order,
    message: textMessage(role, text),
  }));
  await run(store, { type: 'import', treeId: id, nodes }, benchContext);
  const [end] = ends;
  if (end !== undefined) await run(store, { type: 'select', treeId: id, nodeId: end }, benchContext);
  return id;
}
