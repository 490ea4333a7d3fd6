// The public names of session lines, in reading order.

export { type CodeSession, readClaudeCode, readingClaudeCode } from './claude-code.ts';
export * from './contract.ts';
export { type Detected, detectDialect } from './dialect.ts';
export { plainFields } from './fields.ts';
export { withKept } from './kept.ts';
export {
  aboutLine,
  type EntryMarker,
  type EntryMeaning,
  entryOf,
  fileMarker,
  meaningOf,
  messageProblem,
  nodeMarker,
} from './meaning.ts';
export { type ReadMessage, readSessionMessage } from './messages.ts';
export { sessionNodeId, sessionTreeId } from './names.ts';
export { parentsFirst } from './parents-first.ts';
export { entryFromPi, headerFromPi, renamePiFields } from './pi.ts';
export { type Amendment, type Label, SessionIndex } from './session-index.ts';
export { headerSteps, lastPlaceBelow, linesOf, type ReadingLines, stepsOf, type Writing } from './steps.ts';
export { type PiExport, piLines } from './to-pi.ts';
export { type Migrated, migrateV1 } from './v1.ts';
