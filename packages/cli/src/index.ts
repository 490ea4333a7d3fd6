/** The public names of the command line, for programs that run it in their own process. */

export { cliErrorKinds, exitCodes } from './exit-codes.ts';
export type { Output, ProcessHost } from './output.ts';
export { runArguments } from './program.ts';
export type {
  Subcommand,
  SubcommandArgument,
  SubcommandInput,
  SubcommandOption,
  SubcommandOutput,
} from './subcommands/contract.ts';
export { subcommands } from './subcommands/index.ts';
export { oneLine, stripControlSequences } from './terminal/strip-control-sequences.ts';
