/** Readers and writers of foreign formats, as `@coppice/content/formats`. */

export { fromAnthropic } from './anthropic-blocks.ts';
export * from './contract.ts';
export { type CooperativeTask, type Pause, runWithPauses } from './cooperative.ts';
export { type DecodedText, decodeUtf8 } from './decode.ts';
export { findDifference, hasSameContent, type RecordDifference, type ReimportState } from './differences.ts';
export {
  conversationTimes,
  type ExportSelection,
  exportedChildren,
  exportedIds,
  exportedPath,
  originalTreeRecord,
  readExportedTree,
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
  type FindingSeverity,
  type FormatLoss,
  type ImportCounts,
  type ImportErrorCode,
  type ImportFinding,
  type ImportFindingCode,
  type ImportReport,
  importErrorKinds,
  importFindingCodes,
  maxListedFindings,
  ReportBuilder,
} from './findings.ts';
export { findFormat, formats } from './formats.ts';
export { type ImportOrigin, importedNodeId, importedRootId, importedTreeId } from './ids.ts';
export {
  fileOfBytes,
  fileOfStream,
  type ImportInput,
  type InputFile,
  type InputSample,
  openInput,
  readAllBytes,
  readSample,
  type SampleFile,
} from './input.ts';
export { type MovedTree, moveInlineBytes } from './move-inline-bytes.ts';
export { buildAudioBlocks, fromOpenAi, imageFromUrl } from './openai-messages.ts';
export { type ImportMetadata, type OriginalRecord, originalRecordOf, readImportMetadata } from './original-record.ts';
export { type FormatGuess, guessFormats, type ImportEvent, type ImportOptions, readImport } from './read.ts';
export { type RepairedNode, type RepairedTree, repairTree } from './repair.ts';
export {
  assembleAnthropicReply,
  assembleChatReply,
  assembleResponse,
  parseStreamEvents,
} from './request-log/streams.ts';
export {
  buildImportCommand,
  findCoppiceId,
  type ImportDestination,
  type StorableTree,
  toImportCommand,
} from './to-command.ts';
export { type ExportEvent, writeExport } from './write.ts';
export { defaultZipLimits, type ZipLimits } from './zip.ts';
