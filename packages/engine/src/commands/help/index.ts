import type { CommandDefinition } from '../contract.ts';
import { defineCommand, optionalArgument } from '../define.ts';
import { unknownCommand } from '../unknown-command.ts';

/** Lists the commands or explains one. */
export const help = defineCommand({
  name: 'help',
  summary: 'Lists the commands, or explains one.',
  parameters: { command: optionalArgument('command', 'The command to explain.') },
  examples: [
    { line: '/help', about: 'list all commands' },
    { line: '/help switch', about: 'explain a command, with examples' },
  ],
  async run({ commands }, { command: name }) {
    if (name === undefined)
      return {
        said: `There are ${commands.length} commands. /help <command> explains one.`,
        data: { commands: commands.map(helpLine) },
        text: helpOverview(commands),
      };
    const wanted = name.trim().replace(/^\//, '').toLowerCase();
    const found = commands.find((command) => command.name === wanted);
    if (found === undefined) throw unknownCommand(wanted, commands);
    return { said: `/${found.name}: ${found.summary}`, data: { commands: [helpLine(found)] }, text: explained(found) };
  },
});

function helpLine({ name, summary, usage, schema, examples }: CommandDefinition) {
  return { name, summary, usage, schema, examples };
}

function helpOverview(commands: readonly CommandDefinition[]): string {
  const width = commands.reduce((most, { name }) => Math.max(most, name.length + 1), 0);
  return commands.map(({ name, summary }) => `${`/${name}`.padEnd(width)}  ${summary}`).join('\n');
}

function explained({ usage, summary, parameters, examples }: CommandDefinition): string {
  const entries = Object.entries(parameters);
  const label = (key: string) => (parameters[key]?.by === 'name' ? `--${key}` : key);
  const width = entries.reduce((most, [key]) => Math.max(most, label(key).length), 0);
  return [
    usage,
    '',
    summary,
    ...(entries.length === 0
      ? []
      : ['', ...entries.map(([key, { about }]) => `  ${label(key).padEnd(width)}  ${about}`)]),
    '',
    ...examples.map(({ line, about }) => `  ${line}   ${about}`),
  ].join('\n');
}
