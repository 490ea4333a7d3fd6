/** Conversations of other programs on this computer: where they are, how many, and what changed. */
export { type FoundFile, type FoundProgram, findFiles, findPrograms } from './find-programs.ts';
export { type ComputerPaths, type ProgramPlace, programPlaces } from './places.ts';
export { type ChangedFiles, ProgramWatch } from './watch-programs.ts';
