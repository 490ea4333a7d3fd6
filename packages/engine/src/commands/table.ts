import type { CommandDefinition } from './contract.ts';
import { toHelpName } from './define.ts';

/** The commands as a Markdown table, for the documentation. */
export function renderCommandTable(commands: readonly CommandDefinition[]): string {
  // A pipe character would end the cell, even inside code.
  const rows = commands.map(
    ({ usage, summary }) => `| ${code(usage.replaceAll('|', '\\|'))} | ${summary.replaceAll('|', '\\|')} |`,
  );
  return ['| Command | What it does |', '|---|---|', ...rows].join('\n');
}

/** The questions, arguments and examples of each command, for the documentation. */
export function renderCommandDetails(commands: readonly CommandDefinition[]): string {
  return commands
    .map(({ name, summary, parameters, examples, questions }) =>
      [
        `### /${name}`,
        '',
        `<!-- asks: ${questions.join(' · ')} -->`,
        `${code(`/${name}`)}: ${summary}`,
        '',
        ...Object.entries(parameters).map(
          ([key, { by, about }]) => `- ${code(by === 'name' ? `--${key}` : toHelpName(key))}: ${about}`,
        ),
        ...(Object.keys(parameters).length === 0 ? [] : ['']),
        ...examples.map(({ line, about }) => `- ${code(line)}: ${about}`),
      ].join('\n'),
    )
    .join('\n\n');
}

function code(text: string): string {
  return `\`${text}\``;
}
