/** The reference of the command line as Markdown, from the list of subcommands. */
import { globalOptions } from '../program.ts';
import { subcommands } from './all.ts';
import type { Subcommand, SubcommandOption } from './contract.ts';
import { questionsBySubcommand } from './questions.ts';

function usageOf({ name, arguments: words = [], options = [] }: Subcommand): string {
  const shown = words.map(({ name: word, optional, many }) => {
    const inner = many === true ? `${word}...` : word;
    return optional === true ? `[${inner}]` : `<${inner}>`;
  });
  return ['coppice', name, ...(options.length === 0 ? [] : ['[options]']), ...shown].join(' ');
}

function optionName({ name, short, value }: SubcommandOption): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function optionTable(options: readonly SubcommandOption[]): string {
  const rows = options.map((option) => `| \`${cell(optionName(option))}\` | ${cell(option.summary)} |`);
  return ['| Option | What it does |', '| --- | --- |', ...rows].join('\n');
}

function section(member: Subcommand): string {
  const { name, summary, arguments: words = [], options = [], examples } = member;
  const lines = examples.map((line) => `\`${line}\``);
  return [
    `### coppice ${name}`,
    `<!-- asks: ${(questionsBySubcommand[name] ?? []).join(' · ')} -->\n\`coppice ${name}\`: ${summary}.`,
    `Usage: \`${usageOf(member)}\``,
    ...(words.length === 0 ? [] : [words.map((word) => `- \`${word.name}\`: ${word.summary}`).join('\n')]),
    ...(options.length === 0 ? [] : [optionTable(options)]),
    `For example: ${lines.join(', ')}.`,
  ].join('\n\n');
}

/** Returns the generated part of `docs/command-line.md`. */
export function buildCommandReference(members: readonly Subcommand[] = subcommands): string {
  const groups = [...new Set(members.map(({ group }) => group))];
  return [
    ...groups.flatMap((group) => [`## ${group}`, ...members.filter((each) => each.group === group).map(section)]),
    '## Options of every command',
    optionTable(globalOptions),
  ].join('\n\n');
}
