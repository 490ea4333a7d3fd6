/** Summaries and titles. */
export { cheapModel } from './cheap-model.ts';
export * from './contract.ts';
export { defaultFileTools, type FileTools, noFiles, type TrackedFiles, trackFiles } from './files.ts';
export { plainTitle } from './plain-title.ts';
export { createSummarizer, type SummarizerOptions } from './summarizer.ts';
export { createTitles, type Titles, type TitlesOptions, titleActor } from './titles.ts';
