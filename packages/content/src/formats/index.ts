/** Foreign formats: what reads and writes them, as `@coppice/content/formats`. */

export { fromAnthropic } from './anthropic-blocks.ts';
export * from './contract.ts';
export { type Again, type Difference, differenceOf, saysTheSame } from './differences.ts';
export {
  childrenOf,
  originalTree,
  outgoingIds,
  readExport,
  type Selection,
  threadOf,
  timesOf,
} from './exporting.ts';
export {
  type ExportReport,
  type Finding,
  type FindingCode,
  finding,
  findingCodes,
  Gathering,
  type ImportErrorCode,
  type ImportReport,
  importErrorKinds,
  type Loss,
  listedFindings,
  type Severity,
  type Tally,
} from './findings.ts';
export { formatNamed, formats } from './formats.ts';
export { importedNodeId, importedRootId, importedTreeId, type Origin } from './ids.ts';
export { type InTurns, type Rest, withRests } from './in-turns.ts';
export {
  bytesOf,
  fileOfBytes,
  fileOfStream,
  type Input,
  type InputFile,
  openInput,
  type Sample,
  type SampleFile,
  sampleOf,
} from './input.ts';
export { fromOpenAi, imageOfUrl, spokenBlocks } from './openai-messages.ts';
export { type Guess, guessFormats, type ImportEvent, type ImportOptions, readImport } from './read.ts';
export { type ImportedNote, type Original, originalOf, readNote } from './records.ts';
export { type RepairedNode, type RepairedTree, repairTree } from './repair.ts';
export { foldResponse, type ItemMessage, messagesOfItems, messagesWithItems } from './request-log/items.ts';
export { eventsOf, foldChunks, foldEvents } from './request-log/streams.ts';
export { commanding, type Destination, type Incoming, ownIdIn, toCommand } from './to-command.ts';
export { type ExportEvent, writeExport } from './write.ts';
export { type ZipLimits, zipLimits } from './zip.ts';
