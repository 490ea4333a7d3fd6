/** Readers and writers of foreign formats, as `@coppice/content/formats`. */

export { fromAnthropicMessage } from './anthropic-blocks.ts';
export * from './contract.ts';
export { type CooperativeTask, type PauseFunction, runWithPauses } from './cooperative.ts';
export { type DecodedText, decodeUtf8 } from './decode.ts';
export { findRecordDifference, hasSameContent, type RecordDifference, type ReimportState } from './differences.ts';
export {
  assignExportedIds,
  type ExportSelection,
  findExportedPath,
  findOriginalTreeRecord,
  getConversationTimes,
  groupExportedNodesByParent,
  readExportedTree,
} from './exporting.ts';
export {
  buildFindingDetail,
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
export { deriveImportedNodeId, deriveImportedRootId, deriveImportedTreeId, type ImportOrigin } from './ids.ts';
export {
  type ImportInput,
  type InputFile,
  type InputSample,
  openInput,
  readAllBytes,
  readSample,
  type SampleFile,
  wrapBytesAsFile,
  wrapStreamAsFile,
} from './input.ts';
export { moveInlineBytes, type TreeWithBlobs } from './move-inline-bytes.ts';
export { buildAudioBlocks, fromOpenAiMessage, imageFromUrl } from './openai-messages.ts';
export { type ImportMetadata, type OriginalRecord, originalRecordOf, readImportMetadata } from './original-record.ts';
export { type FormatGuess, guessFormats, type ImportEvent, type ImportOptions, readImport } from './read.ts';
export { type RepairedNode, type RepairedTree, repairTree } from './repair.ts';
export {
  assembleAnthropicReply,
  assembleChatCompletion,
  assembleOpenAiResponse,
  parseStreamEvents,
} from './request-log/streams.ts';
export {
  buildImportCommand,
  findCoppiceNodeId,
  type ImportDestination,
  type StorableTree,
  toImportCommand,
} from './to-command.ts';
export { type ExportEvent, writeExport } from './write.ts';
export { defaultZipLimits, type ZipLimits } from './zip.ts';
