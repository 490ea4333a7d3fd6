import type { CoppiceClient } from '@coppice/client';
import { formats, type ImportReport } from '@coppice/content/formats';
import { AppError } from '@coppice/core';
import type { FileSource, ImportTarget } from '@coppice/server/importing';
import type { CliContext } from '../../cli-context.ts';
import { findInputFiles } from '../../input-files.ts';
import type { FileToUpload, RemoteImportReport } from '../../remote/remote-import.ts';
import { createProgressBar } from '../../terminal/progress.ts';
import { defineSubcommand } from '../contract.ts';
import { formatImportReport } from './format-report.ts';
import { importFoundChats, watchFoundChats } from './found-chats.ts';

const readable = formats.filter((format) => format.reader !== undefined).map((format) => format.name);

export const importFrom = defineSubcommand({
  name: 'import',
  summary: 'import chats from other programs',
  group: 'Manage',
  begins: true,
  arguments: [
    {
      name: 'files',
      summary: 'files, folders or archives; - for standard input',
      many: true,
      optional: true,
      completes: 'file',
    },
  ],
  options: [
    {
      name: 'format',
      value: 'name',
      summary: `format (default: detected): ${readable.join(', ')}`,
      completes: readable,
    },
    { name: 'scope', value: 'name', summary: 'account or file that the ids belong to, if they are not unique' },
    { name: 'strict', summary: 'import nothing if a file has problems' },
    { name: 'dry-run', summary: 'report only; import nothing' },
    { name: 'found', summary: 'look for chats of other programs on this computer and ask what to import' },
    { name: 'watch', summary: 'like --found, then keep importing what is new until Ctrl-C' },
    { name: 'yes', short: 'y', summary: 'import without asking' },
  ],
  examples: [
    'coppice import conversations.zip --dry-run',
    'coppice import ~/exports',
    'cat chat.json | coppice import -',
    'coppice import --found',
    'coppice import --watch --yes --format codex',
  ],
  async run(given, at) {
    const { output, host } = at;
    const [format, scope] = ['format', 'scope'].map(given.optional);
    const flags = { yes: given.flag('yes'), dryRun: given.flag('dry-run'), format };
    const client = await at.server();
    if (client !== null && (given.flag('watch') || given.flag('found')))
      throw new AppError({
        code: 'cli/not-on-server',
        kind: 'refused',
        message:
          '--found and --watch look for chats on the computer of the store. Name the files to send to the server.',
      });
    if (given.flag('watch')) return watchFoundChats(at, flags);
    if (given.flag('found')) return importFoundChats(at, flags);
    if (given.many('files').length === 0)
      throw new AppError({
        code: 'cli/usage',
        kind: 'invalid',
        message: 'Name a file to import, or use --found to look for chats on this computer. See coppice import --help.',
      });
    const options: WordOptions = {
      strict: given.flag('strict'),
      dryRun: given.flag('dry-run'),
      signal: host.signal,
      ...(format === undefined ? {} : { format }),
      ...(scope === undefined ? {} : { scope }),
    };
    const reports: (ImportReport | RemoteImportReport)[] = [];
    const lines: string[] = [];
    for (const word of given.many('files')) {
      const files = await findInputFiles(word, at);
      const progress = createProgressBar(output, 'bytes');
      const showProgress = (bytes: number, total: number | null) =>
        progress.tell(bytes, total === null ? null : Math.max(0, total - bytes));
      try {
        const imported =
          client === null
            ? await importHere(at, files, options, showProgress)
            : [await importThere(client, onlyFile(word, files), options, showProgress)];
        for (const report of imported) {
          reports.push(report);
          lines.push(...formatImportReport(word, report, output));
        }
      } finally {
        progress.end();
      }
    }
    // Imported chats keep their times, so that `last` is often another chat.
    if (reports.some(({ conversations, dryRun }) => conversations.stored > 0 && !dryRun))
      lines.push(output.style.quiet('List the imported chats, each at the time of its last message: coppice ls'));
    return { data: { reports }, lines };
  },
});

/** The options of the command for the files of one argument. */
interface WordOptions {
  readonly strict: boolean;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly format?: string;
  readonly scope?: string;
}

type ProgressListener = (bytes: number, total: number | null) => void;

/** Imports files into the store. */
async function importHere(
  at: CliContext,
  files: readonly FileSource[],
  options: WordOptions,
  showProgress: ProgressListener,
): Promise<readonly ImportReport[]> {
  const { importFiles } = await import('@coppice/server/importing');
  const reports: ImportReport[] = [];
  for await (const event of importFiles(await targetOf(at, files), files, { ...options, actor: at.context().actor })) {
    if (event.type === 'progress') showProgress(event.bytes, event.total);
    if (event.type === 'report') reports.push(event.report);
  }
  return reports;
}

/** Imports a file into the store of a server. */
async function importThere(
  client: CoppiceClient,
  file: FileToUpload,
  options: WordOptions,
  showProgress: ProgressListener,
): Promise<RemoteImportReport> {
  const { importOnServer } = await import('../../remote/remote-import.ts');
  return importOnServer(client, file, { ...options, onProgress: showProgress });
}

/**
 * Returns the file of an argument. A server imports one file at a time, and the files of a folder may belong together.
 */
function onlyFile(word: string, files: readonly FileSource[]): FileToUpload {
  const [file] = files;
  if (file !== undefined && files.length === 1 && 'path' in file) return file;
  throw new AppError({
    code: 'cli/not-on-server',
    kind: 'refused',
    message: `${word} is a folder. A server takes files: pack it into a zip file and import that.`,
  });
}

// Smaller inputs are imported faster than a thread starts.
const minBytesForThread = 1024 * 1024;

/** Returns the target of the import. A worker thread keeps the terminal and Ctrl-C responsive during a long chat. */
async function targetOf(at: CliContext, files: readonly FileSource[]): Promise<ImportTarget> {
  const { allowsConcurrentOpen } = await import('@coppice/server/importing');
  const [store, url] = [await at.store(), await at.storeUrl()];
  const { readOnly } = await store.info();
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const useThread = bytes >= minBytesForThread && !readOnly && allowsConcurrentOpen(url);
  return { store, ...(useThread ? { thread: { url, owner: store.owner } } : {}) };
}
