/** Runs core commands for subcommands that change a tree, and formats the effect and how to undo it. */
import { type Command, type CommandOutcome, type NodeId, type ResultOf, run, type TreeId } from '@coppice/core';
import { fieldsOrEmpty } from '@coppice/core/decode';
import type { CliContext } from './cli-context.ts';
import { shortenId } from './short-ids.ts';
import type { SubcommandOutput } from './subcommands/contract.ts';
import { widthOf } from './terminal/width.ts';

/** Runs a command of core as the user. */
export async function runTreeChange<C extends Command>(
  at: CliContext,
  command: C,
): Promise<CommandOutcome<ResultOf<C['type']>>> {
  return run(await at.store(), command, at.context());
}

/** Returns the output of a change: its effect, as text and as data, and how to undo it. */
export function toChangeOutput(
  outcome: CommandOutcome<unknown>,
  said: string,
  at: CliContext,
  back = undoLine,
  verb = 'Undo',
): SubcommandOutput {
  const { treeId, version, actId, result, commit } = outcome;
  const moved = findPreviousActiveNode(outcome);
  // `coppice undo` would remove the last message too, so the hint names the command that moves back.
  const line = commit === null ? null : moved === null ? back(treeId) : goBackLine(treeId, moved.before);
  const next = line === null ? null : buildCommandLine(at, line);
  const words = moved === null ? `${verb} with` : 'Go back with';
  return {
    data: { treeId, version, actId, changed: commit !== null, ...fieldsOrEmpty(result) },
    lines: [
      commit === null ? 'Nothing changed.' : said,
      ...(next === null ? [] : [at.output.style.quiet(`${words} ${next}.`)]),
    ],
  };
}

/** Returns the previous active node, if a change only moved it; else null. */
export function findPreviousActiveNode({ commit }: CommandOutcome<unknown>): { readonly before: NodeId | null } | null {
  const [first, ...more] = commit?.steps ?? [];
  return first?.type === 'select' && more.length === 0 ? { before: first.before } : null;
}

function goBackLine(treeId: TreeId, before: NodeId | null): string | null {
  return before === null ? null : `coppice switch ${shortenId(treeId)} ${shortenId(before)} --exact`;
}

/** Returns a number and a noun: `1 change`, `3 changes`. */
export function formatCountedNoun(count: number, one = 'change'): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}

/**
 * Returns a command line with the store and owner of this run; null if a later command could not open the store. The
 * URL of a database is left out, because it may contain a password.
 */
export function buildCommandLine(at: CliContext, line: string): string | null {
  const { store, owner, server } = at.options;
  const [, kind] = /^([a-z]+):/i.exec(store ?? '') ?? [];
  if (kind?.toLowerCase() === 'memory') return null;
  const isLocal = kind === undefined || ['sqlite', 'files', 'jsonl'].includes(kind.toLowerCase());
  const words = [
    // If the environment names the server, it also names it for the next command.
    ...(server === undefined || at.host.env['COPPICE_SERVER'] === server ? [] : ['--server', server]),
    ...(store !== undefined && isLocal ? ['--store', store] : []),
    ...(owner === undefined ? [] : ['--owner', owner]),
  ];
  // The options are inserted after the subcommand, because at the end a full stop could be taken for part of the URL.
  return line.replace(/^coppice \S+/, (begin) => [begin, ...words.map(quoteShellWord)].join(' '));
}

/** Breaks a shell line to a width, with a backslash at the end of every line but the last. */
export function breakShellLine(line: string, columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  // Quoted parts are not broken.
  for (const word of line.match(/(?:'[^']*'|[^\s'])+/g) ?? []) {
    const longer = row === '' ? word : `${row} ${word}`;
    // Two columns are needed for the backslash.
    if (row === '' || widthOf(longer) + 2 <= columns || (widthOf(longer) <= columns && line.endsWith(longer)))
      row = longer;
    else {
      rows.push(`${row} \\`);
      row = word;
    }
  }
  return [...rows, row];
}

/** Quotes a word for a shell. */
export function quoteShellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const wholeIds = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** Returns the result of a slash command as text, with the command that undoes it. */
export function addUndoHint(said: string, undo: string | undefined): string {
  if (undo === undefined) return said;
  return `${said} ${undo.startsWith('/redo') ? 'Redo' : 'Undo'} with ${undo.replaceAll(wholeIds, shortenId)}.`;
}

/** Returns the output line that explains how to undo the last change of a tree; empty for a store in memory. */
export function formatUndoHint(at: CliContext, treeId: TreeId): readonly string[] {
  const line = buildCommandLine(at, undoLine(treeId));
  return line === null ? [] : [at.output.style.quiet(`Undo with ${line}.`)];
}

/** Returns the command that undoes the last change of a tree. */
function undoLine(treeId: TreeId): string {
  return `coppice undo ${shortenId(treeId)}`;
}
