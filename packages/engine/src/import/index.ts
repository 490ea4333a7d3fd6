/** The public names for importing into a store and exporting from it. */

export { type ExportFromOptions, exportFrom } from './export-from.ts';
export { type ImportIntoEvent, type ImportIntoOptions, importInto } from './import-into.ts';
