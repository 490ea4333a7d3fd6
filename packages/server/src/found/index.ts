/** Finds conversations of other programs on this computer, counts them, and reports changes. */
export { type FoundFile, type FoundProgram, findProgramFiles, findPrograms } from './find-programs.ts';
export { type ComputerPaths, type ProgramFolders, programFolders } from './program-folders.ts';
export { type ChangedFiles, ProgramWatch } from './watch-programs.ts';
