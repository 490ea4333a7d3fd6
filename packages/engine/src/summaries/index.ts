/** Summaries and titles. */

export * from './contract.ts';
export { defaultFileTools, type FileTools, noFiles, type TrackedFiles, trackFiles } from './files.ts';
export { plainTitle } from './plain-title.ts';
export { createSummarizer, type SummarizerOptions } from './summarizer.ts';
export { summaryModel } from './summary-model.ts';
export { createTitles, type TitleGenerator, type TitlesOptions, titleActor } from './titles.ts';
