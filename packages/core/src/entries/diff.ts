/** Differences between branches, messages and texts. */
export { diff, diffBranches, diffMessages } from '../diff.ts';
export { diffText, splitWords } from '../word-diff.ts';
