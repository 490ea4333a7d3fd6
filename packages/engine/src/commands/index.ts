/** The public names of the commands. */

export { type BranchModel, readBranchModel } from './branch-model.ts';
export type { BranchRow } from './branches/index.ts';
export type { Completion, Completions } from './complete.ts';
export type { ContextRow } from './context/index.ts';
export * from './contract.ts';
export { type CopyOutcome, treeCopies } from './copy.ts';
export { type ArgumentsOf, argument, type CommandSpecification, defineCommand } from './define.ts';
export { type CommandErrorCode, commandError, commandErrorKinds } from './errors.ts';
export { type Goal, type GoToResult, goTo } from './go-to.ts';
export {
  nodeAbove,
  nodesByReference,
  type PositionWord,
  positionOfWord,
  type ReferencedNodes,
} from './node-references.ts';
export {
  type CommandOutline,
  commandOutline,
  type OutlineEntry,
  type OutlineFilter,
  outlineFilters,
  renderOutline,
} from './outline.ts';
export { type ParsedCommandLine, parseCommand } from './parse.ts';
export {
  commandPhrases,
  inEnglish,
  listing,
  type Phrase,
  type PhraseCode,
  type PhraseLine,
  type PhraseUnit,
  type PhraseValue,
  phrase,
  phraseUnits,
  report,
} from './phrases.ts';
export {
  builtInCommands,
  type CommandCall,
  type Commands,
  type CommandsOptions,
  createCommands,
} from './registry.ts';
export type { ReversedAct } from './reverse.ts';
