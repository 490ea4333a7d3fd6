/** What subcommands that change a tree share: one command of core, what it did in words, and how to take it back. */
import { type Command, type NodeId, type Outcome, type ResultOf, run, type TreeId } from '@coppice/core';
import type { CliContext } from './cli-context.ts';
import type { SubcommandOutput } from './subcommands/contract.ts';
import { widthOf } from './terminal/width.ts';

/** Runs a command on the store on behalf of the user. */
export async function runTreeChange<C extends Command>(
  at: CliContext,
  command: C,
): Promise<Outcome<ResultOf<C['type']>>> {
  return run(await at.store(), command, at.context());
}

/** The answer of a change: what happened, in words and as data, and how to take it back. */
export function printChange(
  outcome: Outcome<unknown>,
  said: string,
  at: CliContext,
  back = undoLine,
): SubcommandOutput {
  const { treeId, version, actId, result, commit } = outcome;
  const moved = movedFrom(outcome);
  // Where one is is no part of what is taken back: undo would take the last message along.
  const line = commit === null ? null : moved === null ? back(treeId) : goBackLine(treeId, moved.before);
  const next = line === null ? null : commandLineFor(at, line);
  const words = moved === null ? 'Undo with' : 'Go back with';
  return {
    data: { treeId, version, actId, changed: commit !== null, ...spread(result) },
    lines: [
      commit === null ? 'Nothing changed.' : said,
      ...(next === null ? [] : [at.output.style.quiet(`${words} ${next}.`)]),
    ],
  };
}

/** Where one was before a change that did nothing but go elsewhere; null for every other. */
export function movedFrom({ commit }: Outcome<unknown>): { readonly before: NodeId | null } | null {
  const [first, ...more] = commit?.steps ?? [];
  return first?.type === 'select' && more.length === 0 ? { before: first.before } : null;
}

function goBackLine(treeId: TreeId, before: NodeId | null): string | null {
  return before === null ? null : `coppice switch ${treeId} ${before} --exactly`;
}

/** `1 change`, `3 changes`; other things by their name. */
export function countNoun(count: number, one = 'change'): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}

/**
 * A line to run next, on the store and for the owner of this one; null where nothing would be left to run it on. The
 * address of a database is not repeated, since a password may stand in it.
 */
export function commandLineFor(at: CliContext, line: string): string | null {
  const { store, owner } = at.options;
  const [, kind] = /^([a-z]+):/i.exec(store ?? '') ?? [];
  if (kind?.toLowerCase() === 'memory') return null;
  const isLocal = kind !== undefined && ['sqlite', 'files', 'jsonl'].includes(kind.toLowerCase());
  const words = [
    ...(store !== undefined && isLocal ? ['--store', store] : []),
    ...(owner === undefined ? [] : ['--owner', owner]),
  ];
  // Behind the subcommand: the end of a sentence would be taken for a part of an address.
  return line.replace(/^coppice \S+/, (begin) => [begin, ...words.map(shellWord)].join(' '));
}

/** A line for a shell on lines of at most so many columns, as it is taken from them: each but the last says that it goes on. */
export function continued(line: string, columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  // What is quoted stays together.
  for (const word of line.match(/(?:'[^']*'|[^\s'])+/g) ?? []) {
    const longer = row === '' ? word : `${row} ${word}`;
    // There has to be room for the sign that the line goes on.
    if (row === '' || widthOf(longer) + 2 <= columns || (widthOf(longer) <= columns && line.endsWith(longer)))
      row = longer;
    else {
      rows.push(`${row} \\`);
      row = word;
    }
  }
  return [...rows, row];
}

/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** How to take the last change of a tree back, as a line of an answer; none where nothing is left to take back. */
export function undoLines(at: CliContext, treeId: TreeId): readonly string[] {
  const line = commandLineFor(at, undoLine(treeId));
  return line === null ? [] : [at.output.style.quiet(`Undo with ${line}.`)];
}

/** The line that takes the last change of a tree back. */
export function undoLine(treeId: TreeId): string {
  return `coppice undo ${treeId}`;
}

/** The line that does again what was taken back. */
export function redoLine(treeId: TreeId): string {
  return `coppice redo ${treeId}`;
}

function spread(result: unknown): object {
  return typeof result === 'object' && result !== null ? result : {};
}
