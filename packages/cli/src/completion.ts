/** Generates the completion scripts for shells from the list of subcommands. */
import type { CompletionCandidate } from './candidates.ts';
import type { Subcommand, SubcommandOption } from './subcommands/contract.ts';

/** The shells for which a completion script exists. */
export const supportedShells = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof supportedShells)[number];

export function isSupportedShell(word: string): word is ShellName {
  return supportedShells.some((shell) => shell === word);
}

// The global options are repeated here, because importing program.ts would be a cycle.
const everywhere: readonly SubcommandOption[] = [
  { name: 'store', value: 'url', summary: 'store to use' },
  { name: 'server', value: 'url', summary: 'work on a running server' },
  { name: 'owner', value: 'name', summary: 'act as this user' },
  { name: 'json', summary: 'print JSON' },
  { name: 'color', summary: 'use colours even without a terminal' },
  { name: 'no-color', summary: 'disable colours' },
  { name: 'raw', summary: 'print texts exactly as stored' },
  { name: 'help', short: 'h', summary: 'help' },
];

/** Returns the completion script for a shell. */
export function buildCompletionScript(shell: ShellName, members: readonly Subcommand[]): string {
  if (shell === 'bash') return bash(members);
  return shell === 'zsh' ? zsh(members) : fish(members);
}

function flagsOf(member: Subcommand): string[] {
  return [...(member.options ?? []), ...everywhere].map((option) => `--${option.name}`);
}

function wantsFile(member: Subcommand): boolean {
  return (member.arguments ?? []).some((argument) => argument.completes === 'file');
}

/** Formats a candidate for a shell. */
export function formatCompletionCandidate(shell: ShellName, { value, about }: CompletionCandidate): string {
  if (shell !== 'zsh') return about === '' ? value : `${value}\t${about}`;
  const name = value.replace(/[\\:]/g, '\\$&');
  return about === '' ? name : `${name}:${about}`;
}

// Each script contains the names and options. It runs `coppice` for ids and values of options.

function bash(members: readonly Subcommand[]): string {
  const cases = members.map(
    (member) => `      ${member.name}) COMPREPLY=($(compgen -W "${flagsOf(member).join(' ')}" -- "$word")) ;;`,
  );
  const first = [...members.map((member) => member.name), ...everywhere.map(({ name }) => `--${name}`), '--version'];
  return [
    '_coppice() {',
    '  local word="$2" command="" skip="" each',
    '  for each in "$' + '{COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    if [ -n "$skip" ]; then skip=""; continue; fi',
    '    case "$each" in --store|--server|--owner|:|=) skip=1 ;; -*) ;; *) command="$each"; break ;; esac',
    '  done',
    `  if [ -z "$command" ]; then COMPREPLY=($(compgen -W "${first.join(' ')}" -- "$word")); return; fi`,
    '  case "$word" in',
    '    -*) case "$command" in',
    ...cases,
    '    esac ;;',
    "    *) local IFS=$'\\n'",
    '      COMPREPLY=($("$' + '{COMP_WORDS[0]}" completion bash -- "$' + '{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))',
    // Descriptions are added only when the shell lists candidates, because an inserted value must not contain one.
    '      case "$COMP_TYPE" in',
    '        33|37|63|64) [ $' +
      '{#COMPREPLY[@]} -gt 1 ] && COMPREPLY=("$' +
      "{COMPREPLY[@]/$'\\t'/  }\") && return ;;",
    '      esac',
    '      COMPREPLY=("$' + "{COMPREPLY[@]%%$'\\t'*}\") ;;",
    '  esac',
    '}',
    // Without candidates the shell completes file names.
    'complete -o default -F _coppice coppice',
    '',
  ].join('\n');
}

function quoteShell(text: string): string {
  return `'${text.replace(/'/g, "'\\''")}'`;
}

function zsh(members: readonly Subcommand[]): string {
  const described = (name: string, about: string) =>
    quoteShell(`${name.replace(/:/g, '\\:')}:${about.replace(/:/g, '\\:')}`);
  const names = members.map((member) => `    ${described(member.name, member.summary)}`);
  const cases = members.map((member) => {
    const flags = [...(member.options ?? []), ...everywhere].map(({ name, summary }) =>
      described(`--${name}`, summary),
    );
    return `      ${member.name}) found=(${flags.join(' ')}) ;;`;
  });
  return [
    '#compdef coppice',
    '_coppice() {',
    '  local -a commands found',
    '  local command="" skip="" each',
    '  commands=(',
    ...names,
    '  )',
    '  for each in "$' + '{(@)words[2,CURRENT-1]}"; do',
    '    if [[ -n "$skip" ]]; then skip=""; continue; fi',
    '    case "$each" in --store|--server|--owner) skip=1 ;; -*) ;; *) command="$each"; break ;; esac',
    '  done',
    '  if [[ -z "$command" ]]; then _describe command commands; return; fi',
    '  if [[ "$words[CURRENT]" == -* ]]; then',
    '    case "$command" in',
    ...cases,
    '    esac',
    '    _describe option found; return',
    '  fi',
    '  found=("$' + '{(@f)$("$words[1]" completion zsh -- "$' + '{(@)words[2,CURRENT]}" 2>/dev/null)}")',
    '  if [[ -n "$found[1]" ]]; then _describe value found; else _files; fi',
    '}',
    'compdef _coppice coppice',
    '',
  ].join('\n');
}

function fish(members: readonly Subcommand[]): string {
  const lines = [
    '# Whether the line names this subcommand; without one, whether it names none yet.',
    'function __coppice_at',
    '  set -l words (commandline -opc)',
    '  set -l skip 0',
    '  for each in $words[2..-1]',
    '    if test $skip -eq 1',
    '      set skip 0',
    '      continue',
    '    end',
    '    switch $each',
    "      case '--store' '--server' '--owner'",
    '        set skip 1',
    "      case '-*'",
    "      case '*'",
    '        test "$each" = "$argv[1]"',
    '        return $status',
    '    end',
    '  end',
    '  test -z "$argv[1]"',
    'end',
    'function __coppice_values',
    '  set -l words (commandline -opc)',
    '  $words[1] completion fish -- $words[2..-1] (commandline -ct) 2>/dev/null',
    'end',
    'complete -c coppice -f',
  ];
  for (const member of members)
    lines.push(`complete -c coppice -n __coppice_at -a ${member.name} -d ${quoteShell(member.summary)}`);
  for (const member of members) {
    const when = `-n '__coppice_at ${member.name}'`;
    for (const option of [...(member.options ?? []), ...everywhere]) {
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      lines.push(
        `complete -c coppice ${when} -l ${option.name}${short}${fishValue(option)} -d ${quoteShell(option.summary)}`,
      );
    }
    if (wantsFile(member)) lines.push(`complete -c coppice ${when} -F`);
    else if ((member.arguments ?? []).some(({ completes }) => completes !== undefined))
      lines.push(`complete -c coppice ${when} -a '(__coppice_values)'`);
  }
  return `${lines.join('\n')}\n`;
}

function fishValue({ value, completes }: SubcommandOption): string {
  if (value === undefined) return '';
  if (completes === 'file') return ' -r -F';
  if (completes === undefined) return ' -x';
  return ` -x -a ${quoteShell(typeof completes === 'object' ? completes.join(' ') : '(__coppice_values)')}`;
}
