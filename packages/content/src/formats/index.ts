/** Readers and writers of foreign formats, as `@coppice/content/formats`. */

export { fromAnthropic } from './anthropic-blocks.ts';
export * from './contract.ts';
export { type Cooperative, type Pause, runWithPauses } from './cooperative.ts';
export { type Difference, differenceOf, hasSameContent, type Reimport } from './differences.ts';
export {
  exportedChildren,
  originalTree,
  outgoingIds,
  readExport,
  type Selection,
  threadOf,
  timesOf,
} from './exporting.ts';
export {
  detailOf,
  type FindingDetail,
  type FindingDetailCode,
  findingDetailTexts,
} from './finding-details.ts';
export {
  buildFinding,
  type ExportReport,
  type ImportCounts,
  type ImportErrorCode,
  type ImportFinding,
  type ImportFindingCode,
  type ImportReport,
  importErrorKinds,
  importFindingCodes,
  type Loss,
  listedFindings,
  ReportBuilder,
  type Severity,
} from './findings.ts';
export { formatNamed, formats } from './formats.ts';
export { type ImportOrigin, importedNodeId, importedRootId, importedTreeId } from './ids.ts';
export {
  fileOfBytes,
  fileOfStream,
  type Input,
  type InputFile,
  openInput,
  readAllBytes,
  type Sample,
  type SampleFile,
  sampleOf,
} from './input.ts';
export { assistantBlocks, fromOpenAi, imageOfUrl } from './openai-messages.ts';
export { type ImportedNote, type OriginalRecord, originalOf, readNote } from './original-record.ts';
export { type FormatGuess, guessFormats, type ImportEvent, type ImportOptions, readImport } from './read.ts';
export { type RepairedNode, type RepairedTree, repairTree } from './repair.ts';
export { eventsInText, foldChunks, foldEvents, foldResponse } from './request-log/streams.ts';
export { buildCommand, type ImportDestination, ownIdIn, type StorableTree, toCommand } from './to-command.ts';
export { type ExportEvent, writeExport } from './write.ts';
export { type ZipLimits, zipLimits } from './zip.ts';
