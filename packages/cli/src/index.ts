/** The public names of the command line, for programs that run it in their own process. */

export { cliErrorKinds, exitCodes } from './exit-codes.ts';
export type { OutputWriter, ProcessHost } from './output.ts';
export { runCli } from './program.ts';
export { subcommands } from './subcommands/all.ts';
export type {
  Subcommand,
  SubcommandArgument,
  SubcommandInput,
  SubcommandOption,
  SubcommandOutput,
} from './subcommands/contract.ts';
export { stripControlSequences, toOneLine } from './terminal/strip-control-sequences.ts';
