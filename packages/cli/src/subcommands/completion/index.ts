import { findCompletionCandidates } from '../../candidates.ts';
import {
  buildCompletionScript,
  formatCompletionCandidate,
  isSupportedShell,
  supportedShells,
} from '../../completion.ts';
import { makeUsageError } from '../../exit-codes.ts';
import { defineSubcommand } from '../contract.ts';

export const completion = defineSubcommand({
  name: 'completion',
  summary: 'print the completion script for your shell',
  group: 'Manage',
  arguments: [
    { name: 'shell', summary: 'bash, zsh or fish', completes: supportedShells },
    {
      name: 'words',
      summary: 'words typed so far: print what can follow instead of the script',
      optional: true,
      many: true,
    },
  ],
  examples: ['source <(coppice completion bash)', 'coppice completion fish > ~/.config/fish/completions/coppice.fish'],
  async run(given, at) {
    const shell = given.text('shell');
    if (!isSupportedShell(shell))
      throw makeUsageError(`Unknown shell ${shell}. Use one of ${supportedShells.join(', ')}.`);
    // Imported lazily: the list contains this subcommand.
    const { subcommands } = await import('../all.ts');
    const words = given.many('words');
    if (words.length > 0) {
      // An invalid line or an unreachable store gives no candidates; completion must not print errors.
      const found = await findCompletionCandidates(words, subcommands, at).catch(() => []);
      return { data: { shell, candidates: found }, lines: found.map((each) => formatCompletionCandidate(shell, each)) };
    }
    const script = buildCompletionScript(shell, subcommands);
    return { data: { shell, script }, lines: [script] };
  },
});
