import type { CommandDefinition } from '../contract.ts';
import { defineCommand, optionalArgument, toHelpName } from '../define.ts';
import {
  makeArgumentPhrase,
  makeCommandListing,
  makeCommandReport,
  makePhrase,
  makeSummaryPhrase,
  type PhraseLine,
} from '../phrases.ts';
import { makeUnknownCommandError } from '../unknown-command.ts';

export const helpCommand = defineCommand({
  name: 'help',
  summary: 'Lists the commands, or explains one.',
  parameters: { command: optionalArgument('command', 'The command to explain.') },
  examples: [
    { line: '/help', about: 'list all commands' },
    { line: '/help switch', about: 'explain a command, with examples' },
  ],
  questions: ['How do I list the slash commands?', 'How do I get help on a command?'],
  async run({ commands }, { command: name }) {
    if (name === undefined)
      return {
        ...makeCommandReport(makePhrase('commands-listed', { count: commands.length })),
        data: { commands: commands.map(helpLine) },
        ...makeCommandListing(overviewLines(commands)),
      };
    const wanted = name.trim().replace(/^\//, '').toLowerCase();
    const found = commands.find((command) => command.name === wanted);
    if (found === undefined) throw makeUnknownCommandError(wanted, commands);
    const summary = { parts: [makeSummaryPhrase(found)] };
    return {
      ...makeCommandReport(makePhrase('command-explained', { command: found.name, summary })),
      data: { commands: [helpLine(found)] },
      ...makeCommandListing(explainedLines(found)),
    };
  },
});

function helpLine({ name, summary, usage, schema, examples }: CommandDefinition) {
  return { name, summary, usage, schema, examples };
}

function overviewLines(commands: readonly CommandDefinition[]): readonly PhraseLine[] {
  const width = commands.reduce((most, { name }) => Math.max(most, name.length + 1), 0);
  return commands.map((command) => [`${`/${command.name}`.padEnd(width)}  `, makeSummaryPhrase(command)]);
}

function explainedLines(command: CommandDefinition): readonly PhraseLine[] {
  const { usage, parameters, examples, name } = command;
  const entries = Object.entries(parameters);
  const label = (key: string) => {
    const { by, required } = parameters[key] ?? {};
    if (by === 'name') return `--${key}`;
    return required === true ? `<${toHelpName(key)}>` : `[${toHelpName(key)}]`;
  };
  const width = entries.reduce((most, [key]) => Math.max(most, label(key).length), 0);
  return [
    [usage],
    [''],
    [makeSummaryPhrase(command)],
    ...(entries.length === 0
      ? []
      : [
          [''],
          ...entries.map(
            ([key, { about }]): PhraseLine => [`  ${label(key).padEnd(width)}  `, makeArgumentPhrase(name, key, about)],
          ),
        ]),
    [''],
    ...examples.map(
      ({ line, about }, at): PhraseLine => [
        `  ${line}   `,
        makePhrase('command-example', { command: name, example: at, text: about }),
      ],
    ),
  ];
}
