/** The public names of the command line, for programs that run it in their own process. */

export { cliErrorKinds, exitCodes } from './exit-codes.ts';
export type { Host, Output } from './output.ts';
export { runLine } from './program.ts';
export type { Answer, Argument, Given, Option, Subcommand } from './subcommands/contract.ts';
export { subcommands } from './subcommands/index.ts';
export { neutral, oneLine } from './terminal/neutral.ts';
