import type { CommandDefinition } from '../contract.ts';
import { defineCommand, nameInHelp, optionalArgument } from '../define.ts';
import { argumentPhrase, listing, type PhraseLine, phrase, report, summaryPhrase } from '../phrases.ts';
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
        ...report(phrase('commands-listed', { count: commands.length })),
        data: { commands: commands.map(helpLine) },
        ...listing(overviewLines(commands)),
      };
    const wanted = name.trim().replace(/^\//, '').toLowerCase();
    const found = commands.find((command) => command.name === wanted);
    if (found === undefined) throw unknownCommand(wanted, commands);
    const summary = { parts: [summaryPhrase(found)] };
    return {
      ...report(phrase('command-explained', { command: found.name, summary })),
      data: { commands: [helpLine(found)] },
      ...listing(explainedLines(found)),
    };
  },
});

function helpLine({ name, summary, usage, schema, examples }: CommandDefinition) {
  return { name, summary, usage, schema, examples };
}

function overviewLines(commands: readonly CommandDefinition[]): readonly PhraseLine[] {
  const width = commands.reduce((most, { name }) => Math.max(most, name.length + 1), 0);
  return commands.map((command) => [`${`/${command.name}`.padEnd(width)}  `, summaryPhrase(command)]);
}

function explainedLines(command: CommandDefinition): readonly PhraseLine[] {
  const { usage, parameters, examples, name } = command;
  const entries = Object.entries(parameters);
  const label = (key: string) => {
    const { by, required } = parameters[key] ?? {};
    if (by === 'name') return `--${key}`;
    return required === true ? `<${nameInHelp(key)}>` : `[${nameInHelp(key)}]`;
  };
  const width = entries.reduce((most, [key]) => Math.max(most, label(key).length), 0);
  return [
    [usage],
    [''],
    [summaryPhrase(command)],
    ...(entries.length === 0
      ? []
      : [
          [''],
          ...entries.map(
            ([key, { about }]): PhraseLine => [`  ${label(key).padEnd(width)}  `, argumentPhrase(name, key, about)],
          ),
        ]),
    [''],
    ...examples.map(
      ({ line, about }, at): PhraseLine => [
        `  ${line}   `,
        phrase('command-example', { command: name, example: at, text: about }),
      ],
    ),
  ];
}
