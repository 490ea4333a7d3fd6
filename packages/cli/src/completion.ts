/** Scripts that complete the command in shells, computed from the list of subcommands. */
import type { Option, Subcommand } from './subcommands/contract.ts';

/** The shells that are known. */
export const shells = ['bash', 'zsh', 'fish'] as const;
/** One of them. */
export type Shell = (typeof shells)[number];

/** Whether a word names a shell that is known. */
export function isShell(word: string): word is Shell {
  return shells.some((shell) => shell === word);
}

// Not imported from the program: completion is one of its subcommands.
const everywhere: readonly Option[] = [
  { name: 'store', value: 'url', summary: 'where trees are kept' },
  { name: 'owner', value: 'name', summary: 'whose trees are meant' },
  { name: 'json', summary: 'the answer as JSON' },
  { name: 'color', summary: 'colours also where there is no terminal' },
  { name: 'no-color', summary: 'no colours' },
  { name: 'raw', summary: 'texts as they are stored' },
  { name: 'help', short: 'h', summary: 'help' },
];

/** The script for a shell. */
export function completionScript(shell: Shell, members: readonly Subcommand[]): string {
  if (shell === 'bash') return bash(members);
  return shell === 'zsh' ? zsh(members) : fish(members);
}

function flagsOf(member: Subcommand): string[] {
  return [...(member.options ?? []), ...everywhere].map((option) => `--${option.name}`);
}

function wordsOf(member: Subcommand): string[] {
  const words: string[] = [];
  for (const { completes } of member.arguments ?? []) {
    if (completes === 'tree') words.push('last');
    else if (typeof completes === 'object') words.push(...completes);
  }
  return words;
}

function wantsFile(member: Subcommand): boolean {
  return (member.arguments ?? []).some((argument) => argument.completes === 'file');
}

function bash(members: readonly Subcommand[]): string {
  const cases = members.map((member) => {
    const files = wantsFile(member) ? ' COMPREPLY+=($(compgen -f -- "$word"));' : '';
    return `    ${member.name}) COMPREPLY=($(compgen -W "${[...flagsOf(member), ...wordsOf(member)].join(' ')}" -- "$word"));${files} ;;`;
  });
  return [
    '_coppice() {',
    '  local word="$2" command="" each',
    '  for each in "$' + '{COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$each" in -*) ;; *) command="$each"; break ;; esac',
    '  done',
    '  case "$command" in',
    ...cases,
    `    *) COMPREPLY=($(compgen -W "${[...members.map((member) => member.name), '--help', '--version'].join(' ')}" -- "$word")) ;;`,
    '  esac',
    '}',
    'complete -F _coppice coppice',
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replace(/'/g, "'\\''")}'`;
}

function zsh(members: readonly Subcommand[]): string {
  const names = members.map((member) => `    ${quoted(`${member.name}:${member.summary.replace(/:/g, '\\:')}`)}`);
  const cases = members.map((member) => {
    const files = wantsFile(member) ? '; _files' : '';
    return `    ${member.name}) compadd -- ${[...flagsOf(member), ...wordsOf(member)].join(' ')}${files} ;;`;
  });
  return [
    '#compdef coppice',
    '_coppice() {',
    '  local -a commands',
    '  commands=(',
    ...names,
    '  )',
    '  if (( CURRENT == 2 )); then _describe command commands; return; fi',
    '  case "$words[2]" in',
    ...cases,
    '  esac',
    '}',
    'compdef _coppice coppice',
    '',
  ].join('\n');
}

function fish(members: readonly Subcommand[]): string {
  const lines = ['complete -c coppice -f'];
  for (const member of members)
    lines.push(`complete -c coppice -n __fish_use_subcommand -a ${member.name} -d ${quoted(member.summary)}`);
  for (const member of members) {
    const when = `-n '__fish_seen_subcommand_from ${member.name}'`;
    for (const option of [...(member.options ?? []), ...everywhere]) {
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      const value = option.value === undefined ? '' : ' -r';
      lines.push(`complete -c coppice ${when} -l ${option.name}${short}${value} -d ${quoted(option.summary)}`);
    }
    const words = wordsOf(member);
    if (words.length > 0) lines.push(`complete -c coppice ${when} -a ${quoted(words.join(' '))}`);
    if (wantsFile(member)) lines.push(`complete -c coppice ${when} -F`);
  }
  return `${lines.join('\n')}\n`;
}
