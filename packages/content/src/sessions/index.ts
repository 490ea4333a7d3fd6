// The public names for session lines, in reading order.

export { type CodeSession, readClaudeCode, readingClaudeCode } from './claude-code.ts';
export {
  type CommitWriter,
  headerSteps,
  lastPlaceBelow,
  linesOfCommit,
  type ReadingLines,
  stepsOfLines,
} from './commit-lines.ts';
export { resolveFirstKept } from './compaction-anchor.ts';
export * from './contract.ts';
export { type Detected, detectDialect } from './dialect.ts';
export {
  aboutLine,
  type DecodedEntry,
  decodeEntry,
  type EntryMarker,
  encodeNode,
  fileMarker,
  messageProblem,
  nodeMarker,
} from './entry-codec.ts';
export { plainFields } from './fields.ts';
export { type ReadMessage, readSessionMessage } from './messages.ts';
export { entriesParentsFirst } from './parents-first.ts';
export { entryFromPi, headerFromPi, renamePiFields } from './pi.ts';
export { sessionNodeId, sessionTreeId } from './session-ids.ts';
export { type Label, type LaterChanges, SessionIndex } from './session-index.ts';
export { type PiExport, piLines } from './to-pi.ts';
export { type MigratedSession, migrateV1 } from './v1.ts';
