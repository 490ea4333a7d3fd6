/** Imports conversations into a store and exports them. */

export { type ExportFromOptions, exportFrom } from './export-from.ts';
export { type ImportIntoEvent, type ImportIntoOptions, importInto } from './import-into.ts';
