/** Conversations in and out of a store. */

export { type ExportFromOptions, exportFrom } from './export-from.ts';
export { type ImportIntoEvent, type ImportIntoOptions, importInto } from './import-into.ts';
