/**
 * Finds chats of other programs on this computer, shows their counts, imports them if the user agrees, and follows
 * their changes.
 */
import type { ImportReport } from '@coppice/content/formats';
import { isAppError } from '@coppice/core';
import type { ComputerEnvironment, FoundProgram, ProgramChatFile, ProgramChatFolders } from '@coppice/server/found';
import type { CliContext } from '../../cli-context.ts';
import { readUntilStopped } from '../../read-until-stopped.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import type { SubcommandOutput } from '../contract.ts';
import { formatImportReport } from './format-report.ts';

/** The options of the command line that concern found chats. */
interface FoundOptions {
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly format: string | undefined;
}

const checkIntervalMs = 500;

function pathsOf({ host }: CliContext): ComputerEnvironment {
  return { home: host.home, env: host.env, platform: process.platform };
}

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function programLines(programs: readonly FoundProgram[], { output }: CliContext): string[] {
  return programs.map(({ label, sessions, bytes, folders }, index) => {
    const count = `${String(sessions).padStart(7)} ${sessions === 1 ? 'session ' : 'sessions'} ${sizeText(bytes).padStart(9)}`;
    const where = output.style.quiet(toOneLine(folders.join(', '), 200));
    return `${String(index + 1).padStart(2)}  ${label.padEnd(14)}${count}  ${where}`;
  });
}

/** Parses which programs the user has chosen: all, none, or numbers of the list. */
function chosenBy(answer: string, programs: readonly FoundProgram[]): readonly FoundProgram[] {
  const text = answer.trim().toLowerCase();
  if (/^(?:y|yes|all)$/.test(text)) return programs;
  const numbers = new Set(
    text
      .split(/[\s,]+/)
      .filter((word) => /^\d+$/.test(word))
      .map(Number),
  );
  return programs.filter((_, index) => numbers.has(index + 1));
}

/** Asks which programs to import. Without a terminal nothing is imported. */
async function choose(at: CliContext, programs: readonly FoundProgram[], yes: boolean) {
  const { host, output } = at;
  if (yes) return programs;
  if (host.stdin.isTTY !== true || at.options.json) return [];
  for (const line of programLines(programs, at)) output.note(`${line}\n`);
  output.note('Import which? [all, none, or numbers] ');
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of readUntilStopped(host.stdin, host.signal)) {
    text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    if (text.includes('\n')) break;
  }
  return chosenBy(text.split('\n')[0] ?? '', programs);
}

async function findChosen(at: CliContext, { yes, format }: FoundOptions) {
  const { findPrograms, programChatFolders } = await import('@coppice/server/found');
  const places = programChatFolders.filter((place) => format === undefined || place.format === format);
  const programs = await findPrograms(pathsOf(at), places);
  const chosen = programs.length === 0 ? [] : await choose(at, programs, yes);
  const names = new Set(chosen.map((program) => program.format));
  return { programs, chosen: places.filter((place) => names.has(place.format)), places };
}

/** Finds chats, and imports the chats of the chosen programs. */
export async function importFoundChats(at: CliContext, options: FoundOptions): Promise<SubcommandOutput> {
  const { findProgramChatFiles } = await import('@coppice/server/found');
  const { importFiles } = await import('@coppice/server/importing');
  const { programs, chosen } = await findChosen(at, options);
  if (programs.length === 0)
    return { data: { programs, reports: [] }, lines: ['No chats of other programs were found.'] };
  const reports: ImportReport[] = [];
  const lines: string[] = [];
  if (chosen.length === 0) {
    if (!(at.host.stdin.isTTY === true)) lines.push(...programLines(programs, at));
    lines.push('Nothing was imported. Use --yes to import all of them, or --format for one.');
  }
  for (const place of chosen) {
    const files = await findProgramChatFiles(place, pathsOf(at));
    // A program that keeps its chats in several ways may have none of one kind.
    if (files.length === 0) continue;
    const settings = {
      actor: at.context().actor,
      dryRun: options.dryRun,
      signal: at.host.signal,
      format: place.format,
    };
    for await (const event of importFiles({ store: await at.store() }, files, { ...settings, follow: true })) {
      if (event.type !== 'report') continue;
      reports.push(event.report);
      lines.push(...formatImportReport(place.label, event.report, at.output));
    }
  }
  return { data: { programs, reports }, lines };
}

/** Imports chats, then checks for changes twice a second until stopped. Never writes to the files of the programs. */
export async function watchFoundChats(at: CliContext, options: FoundOptions): Promise<SubcommandOutput | null> {
  const { ProgramChatWatch } = await import('@coppice/server/found');
  const { waitMs } = await import('@coppice/engine');
  const { programs, chosen, places } = await findChosen(at, options);
  const candidates = options.yes ? places : chosen;
  const watched = candidates.filter((place) => place.isCopiedWhole !== true);
  if (watched.length === 0)
    return { data: { programs }, lines: ['Nothing is watched. Use --yes to watch all programs, or --format for one.'] };
  const { output, host } = at;
  const names = new Set(programs.map(({ format }) => format));
  const databases = candidates.filter((place) => place.isCopiedWhole === true && names.has(place.format));
  if (databases.length > 0)
    output.note(
      `Not watched: the databases of ${databases.map(({ label }) => label).join(', ')}, because each change would copy them whole. Import them again with \`coppice import --found\`.\n`,
    );
  output.note(`Watching ${watched.map(({ label }) => label).join(', ')}. Stop with Ctrl+C.\n`);
  const watch = new ProgramChatWatch(pathsOf(at), watched);
  while (!host.signal.aborted) {
    try {
      for await (const { place, files } of watch.changes()) {
        host.signal.throwIfAborted();
        await importAndReport(at, place, files);
      }
    } catch (thrown) {
      if (host.signal.aborted) break;
      // An expected error is printed, and the next check tries again.
      if (!isAppError(thrown) || thrown.kind === 'internal') throw thrown;
      output.note(`${toOneLine(thrown.message, 200)}\n`);
    }
    // Unlike `pause`, this keeps the process running.
    await waitMs(checkIntervalMs, { signal: host.signal });
  }
  return null;
}

async function importAndReport(
  at: CliContext,
  place: ProgramChatFolders,
  files: readonly ProgramChatFile[],
): Promise<void> {
  for await (const { title, created, added } of importFilesOf(at, place, files)) {
    if (!created && added === 0) continue;
    const what = created ? 'new' : `${added} more`;
    at.output.print(`${place.label}  ${toOneLine(title ?? 'Untitled', 60)}  ${what}`);
  }
}

async function* importFilesOf(at: CliContext, place: ProgramChatFolders, files: readonly ProgramChatFile[]) {
  const { importFiles } = await import('@coppice/server/importing');
  const settings = { actor: at.context().actor, signal: at.host.signal, format: place.format, follow: true };
  for await (const event of importFiles({ store: await at.store() }, files, settings))
    if (event.type === 'conversation') yield event;
}
