import type { Subcommand } from './contract.ts';
import { loadSubcommands } from './index.ts';

/** All subcommands in the order of the help. Importing this loads the code of every subcommand. */
export const subcommands: readonly Subcommand[] = await loadSubcommands();
