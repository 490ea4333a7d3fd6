/**
 * The entry of the package `@coppice/stores`: opening stores, simple access to one tree, sessions and tables of other
 * programs.
 */
export { type CursorPart, decodeCursor, encodeCursor } from './cursor.ts';
export { FileSystemStore } from './files/index.ts';
export { createMemorySharedRecords } from './in-process/shared-records.ts';
export { SessionStore } from './jsonl/index.ts';
export { sessionFiles } from './jsonl/session-files.ts';
export { assertNoNewBranch, buildLinearTree, deriveId } from './linear.ts';
export { createMemoryStore } from './memory/index.ts';
export { openStore, storeSchemes } from './open-store.ts';
export { canBranch, defaultOwner, type StoreModule, type StoreOptions } from './options.ts';
export { type RepairedRows, repairRows, type TreeRows } from './repair.ts';
export { containsAllTerms, snippetOf, splitSearchTerms } from './search.ts';
export {
  countCursorConversations,
  countOpencodeSessions,
  type InputWithTables,
  openForeignTables,
} from './sqlite/foreign-tables.ts';
export { TemporaryTrees } from './temporary.ts';
