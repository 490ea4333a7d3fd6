/** The public names of stores, in reading order. */
export { type CursorPart, fromCursor, toCursor } from './cursor.ts';
export { FileSystemStore } from './files/index.ts';
export { SessionStore } from './jsonl/index.ts';
export { sessionFiles } from './jsonl/session-files.ts';
export { deriveId, refuseBranching, treeOfLinear } from './linear.ts';
export { createMemoryStore } from './memory/index.ts';
export { openStore, storeSchemes } from './open-store.ts';
export { defaultOwner, mayBranch, type StoreModule, type StoreOptions } from './options.ts';
export { type RepairedRows, repairRows, type TreeRows } from './repair.ts';
export { hasTerms, searchTerms, snippetOf } from './search.ts';
export { type OpenedInput, openTables } from './sqlite/foreign-tables.ts';
export { TemporaryTrees } from './temporary.ts';
