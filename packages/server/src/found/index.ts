/** Finds conversations of other programs on this computer, counts them, and reports changes. */
export { type FoundProgram, findProgramChatFiles, findPrograms, type ProgramChatFile } from './find-programs.ts';
export { type ComputerEnvironment, type ProgramChatFolders, programChatFolders } from './program-chat-folders.ts';
export { type ChangedChatFiles, ProgramChatWatch } from './program-chat-watch.ts';
