/** Determines which features a reader keeps from the files of its tests, for the documentation of the formats. */
import type { KeptFeature } from '../contract.ts';
import type { RepairedNode, RepairedTree } from '../repair.ts';

const hasBlock = (type: string) => (node: RepairedNode) => node.message.content.some((block) => block.type === type);
const someNode = (test: (node: RepairedNode) => boolean) => (tree: RepairedTree) => tree.nodes.some(test);

function hasBranches({ nodes }: RepairedTree): boolean {
  const parents = nodes.filter(({ kind }) => kind !== 'state').map(({ parentExternalId }) => parentExternalId);
  return new Set(parents).size < parents.length;
}

const facts: { readonly [fact in KeptFeature]: (tree: RepairedTree) => boolean } = {
  branches: hasBranches,
  titles: ({ title, attributes }) => (title ?? attributes?.title) !== undefined,
  folders: ({ attributes }) => attributes?.folder !== undefined,
  'system prompts': ({ systemPrompt, attributes }) => (systemPrompt ?? attributes?.systemPrompt) !== undefined,
  models: someNode(({ meta }) => typeof meta?.source?.model_name === 'string'),
  times: someNode(({ createdAt }) => createdAt !== undefined),
  reasoning: someNode(hasBlock('thinking')),
  tools: (tree) => tree.nodes.some(hasBlock('tool-use')) && tree.nodes.some(({ message }) => message.role === 'tool'),
  pictures: someNode(hasBlock('image')),
  files: someNode(hasBlock('file')),
  usage: someNode(({ meta }) => meta?.source?.usage !== undefined),
  compactions: someNode(({ kind }) => kind === 'compaction'),
  bookmarks: someNode(({ bookmark }) => bookmark !== undefined),
  'sub-agents': ({ spawnedBy }) => spawnedBy !== undefined,
};

/** Returns the features of trees, in the order of the documentation. */
export function listFeaturesOfTrees(trees: readonly RepairedTree[]): KeptFeature[] {
  const names = Object.keys(facts).filter((name): name is KeptFeature => Object.hasOwn(facts, name));
  return names.filter((name) => trees.some(facts[name]));
}
