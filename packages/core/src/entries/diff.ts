/** Differences between branches, messages and texts. */
export { type BlockPart, type BranchDiff, diff, diffBranches, diffMessages, type MessageDiff } from '../diff.ts';
export { diffText, splitWords, type TextPart } from '../word-diff.ts';
