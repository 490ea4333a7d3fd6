/** The public names of the commands. */

export { type BranchModel, readBranchModel } from './branch-model.ts';
export type { BranchListEntry } from './branches/index.ts';
export type { LineCompletion, LineCompletions } from './complete.ts';
export type { ContextListEntry } from './context/index.ts';
export * from './contract.ts';
export { type ChatCopyResult, treeCopier } from './copy.ts';
export { type ArgumentsOf, argument, type CommandSpecification, defineCommand } from './define.ts';
export { type CommandErrorCode, commandErrorKinds, makeCommandError } from './errors.ts';
export { type MoveToNodeRequest, type MoveToNodeResult, moveToNode } from './move-to-node.ts';
export {
  findNodeAbove,
  findNodesByReference,
  type PositionWord,
  parsePositionWord,
  type ReferencedNodes,
} from './node-references.ts';
export {
  buildCommandOutline,
  type CommandOutline,
  type OutlineEntry,
  type OutlineFilter,
  outlineFilters,
  renderOutline,
} from './outline.ts';
export { type ParsedCommandLine, parseCommand } from './parse.ts';
export {
  commandPhrases,
  makeCommandListing,
  makeCommandReport,
  makePhrase,
  type Phrase,
  type PhraseCode,
  type PhraseLine,
  type PhraseUnit,
  type PhraseValue,
  phraseToEnglish,
  phraseUnits,
} from './phrases.ts';
export {
  builtInCommands,
  type CommandCall,
  type Commands,
  type CommandsOptions,
  createCommands,
} from './registry.ts';
export type { ReversedAct } from './undo-or-redo.ts';
