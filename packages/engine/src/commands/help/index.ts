import type { Command } from '../contract.ts';
import { defineCommand, maybe } from '../define.ts';
import { unknownCommand } from '../unknown-command.ts';

/** What there is. */
export const help = defineCommand({
  name: 'help',
  summary: 'Lists the commands, or explains one.',
  parameters: { command: maybe('command', 'The command to explain.') },
  examples: [
    { line: '/help', about: 'all of them' },
    { line: '/help switch', about: 'one of them, with examples' },
  ],
  async run({ commands }, { command: name }) {
    if (name === undefined)
      return {
        said: `There are ${commands.length} commands. /help <command> explains one.`,
        data: { commands: commands.map(shown) },
        text: overview(commands),
      };
    const wanted = name.trim().replace(/^\//, '').toLowerCase();
    const found = commands.find((command) => command.name === wanted);
    if (found === undefined) throw unknownCommand(wanted, commands);
    return { said: `/${found.name}: ${found.summary}`, data: { commands: [shown(found)] }, text: explained(found) };
  },
});

function shown({ name, summary, usage, schema, examples }: Command) {
  return { name, summary, usage, schema, examples };
}

function overview(commands: readonly Command[]): string {
  const width = commands.reduce((most, { name }) => Math.max(most, name.length + 1), 0);
  return commands.map(({ name, summary }) => `${`/${name}`.padEnd(width)}  ${summary}`).join('\n');
}

function explained({ usage, summary, parameters, examples }: Command): string {
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
