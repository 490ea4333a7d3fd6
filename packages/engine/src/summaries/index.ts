/** The public names for summaries and titles. */

export * from './contract.ts';
export { defaultFileToolNames, type FileToolNames, noTrackedFiles, type TrackedFiles, trackFiles } from './files.ts';
export { makeTitleFromFirstSentence } from './plain-title.ts';
export { createSummarizer, type SummarizerOptions } from './summarizer.ts';
export { chooseSummaryModel } from './summary-model.ts';
export { createTitleGenerator, type TitleGenerator, type TitleGeneratorOptions, titleActor } from './titles.ts';
