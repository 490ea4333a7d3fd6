// Converts the lines of session files, as `@coppice/content/sessions`.

export { type ClaudeCodeEntries, readClaudeCode, readClaudeCodeInPieces } from './claude-code.ts';
export {
  buildHeaderSteps,
  type CommitLineInputs,
  decodeCommitLines,
  encodeCommitLines,
  findPositionAfterChildren,
  type LineReadOptions,
} from './commit-lines.ts';
export * from './contract.ts';
export { type DetectedDialect, detectDialect } from './dialect.ts';
export {
  type DecodedEntry,
  decodeEntry,
  type EntryMarker,
  encodeNode,
  findMessageProblem,
  getLineAndCommitFields,
  toFileMarker,
  toNodeMarker,
} from './entry-codec.ts';
export { copyPlainFields } from './fields.ts';
export { type ConvertedSessionMessage, readSessionMessage } from './messages.ts';
export { sortParentsFirst } from './parents-first.ts';
export { entryFromPi, headerFromPi, renamePiFields } from './pi.ts';
export { resolveFirstKept } from './resolve-first-kept.ts';
export { deriveSessionNodeId, deriveSessionTreeId } from './session-ids.ts';
export { type EntryLabel, type LaterChanges, SessionIndex } from './session-index.ts';
export { type PiExport, toPiLines } from './to-pi.ts';
export { type MigratedSession, migrateV1Session } from './v1.ts';
