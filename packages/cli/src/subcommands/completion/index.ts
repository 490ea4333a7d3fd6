import { completionScript, isShell, shells } from '../../completion.ts';
import { usageError } from '../../exit-codes.ts';
import { defineSubcommand } from '../contract.ts';

export const completion = defineSubcommand({
  name: 'completion',
  summary: 'print what makes a shell complete this command',
  group: 'Look after',
  arguments: [{ name: 'shell', summary: shells.join(', '), completes: shells }],
  examples: ['source <(coppice completion bash)', 'coppice completion fish > ~/.config/fish/completions/coppice.fish'],
  async run(given) {
    const shell = given.text('shell');
    if (!isShell(shell)) throw usageError(`A shell is one of ${shells.join(', ')}, not ${shell}.`);
    // Read when it is asked for: the list holds this very subcommand.
    const { subcommands } = await import('../index.ts');
    const script = completionScript(shell, subcommands);
    return { data: { shell, script }, lines: [script] };
  },
});
