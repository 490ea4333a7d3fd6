import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, statSync, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import {
  type ExportReport,
  type ExportSelection,
  type FormatWriter,
  findFormat,
  formats,
} from '@coppice/content/formats';
import { AppError, isAppError, type TreeRow } from '@coppice/core';
import { exportFrom } from '@coppice/engine';
import type { CliContext } from '../../cli-context.ts';
import { makeUsageError } from '../../exit-codes.ts';
import type { OutputWriter } from '../../output.ts';
import { findNodeInTree, findTree } from '../../resolve-target.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { chatArgument, defineSubcommand, type SubcommandInput } from '../contract.ts';

const writable = formats.filter((format) => format.writer !== undefined).map((format) => format.name);

export const exportTo = defineSubcommand({
  name: 'export',
  summary: 'export chats, and report what the format cannot store',
  group: 'Manage',
  arguments: [
    { ...chatArgument, summary: `${chatArgument.summary}; leave out with --all`, optional: true },
    { name: 'message', summary: 'first message of a branch, or last of a path', optional: true, completes: 'node' },
  ],
  options: [
    {
      name: 'format',
      short: 'f',
      value: 'name',
      summary: `format (default archive): ${writable.join(', ')}`,
      completes: writable,
    },
    {
      name: 'out',
      short: 'o',
      value: 'place',
      summary: 'file, or folder for several files (default: standard output)',
      completes: 'file',
    },
    { name: 'all', summary: 'every chat' },
    { name: 'path', summary: 'only the path to the message, or to the active one' },
    { name: 'branch', summary: 'only the message and everything below it' },
    { name: 'thread', summary: 'only the active branch of each chat' },
  ],
  examples: [
    'coppice export last -f markdown',
    'coppice export last --path -f linear',
    'coppice export --all -o backup.coppice',
  ],
  async run(given, at) {
    const format = findFormat(given.optional('format') ?? 'archive');
    if (format?.writer === undefined)
      throw makeUsageError(`Unknown format ${given.optional('format') ?? ''}. Use one of ${writable.join(', ')}.`);
    const store = await at.keptStore();
    const word = given.optional('chat');
    if ((word === undefined) !== given.flag('all'))
      throw makeUsageError('Nothing to export. Name a chat, or use --all.');
    const row = word === undefined ? null : await findTree(at, word);
    const selection = row === null ? undefined : await selectedNodes(given, row, at);
    const out = given.optional('out');
    const place = out === undefined ? null : resolve(at.host.cwd, out);
    // A single tree is written as one file, unless the target is a folder.
    const isFolder = out !== undefined && (/[\\/]$/.test(out) || (place !== null && isDirectory(place)));
    const sink = new Sink(at, place, format.writer, row === null || isFolder);
    let report: ExportReport | null = null;
    const events = exportFrom(store, {
      format: format.name,
      thread: given.flag('thread'),
      signal: at.host.signal,
      ...(row === null ? {} : { trees: [row.id] }),
      ...(selection === undefined ? {} : { selection }),
    });
    try {
      for await (const event of events) {
        if (event.type === 'file') await sink.open(event.name);
        else if (event.type === 'report') report = event.report;
        else await sink.write(event.type === 'text' ? event.text : event.bytes);
      }
      await sink.close();
    } catch (thrown) {
      throw await sink.giveUp(thrown);
    }
    const { output } = at;
    // Standard output contains the export; the report must not be mixed with it.
    const lines = report === null ? [] : exportReportLines(report, sink.files, output);
    if (out !== undefined) return { data: { report, files: sink.files }, lines };
    if (at.options.json) output.note(`${JSON.stringify(report)}\n`);
    else if (report !== null && report.losses.length > 0) for (const line of lines) output.note(`${line}\n`);
    return null;
  },
});

function isDirectory(place: string): boolean {
  try {
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}

async function selectedNodes(
  given: SubcommandInput,
  row: TreeRow,
  at: CliContext,
): Promise<ExportSelection | undefined> {
  const word = given.optional('message');
  const nodeId = word === undefined ? undefined : await findNodeInTree(at, row, word);
  if (given.flag('branch')) {
    if (nodeId === undefined) throw makeUsageError('--branch needs a message: name the first one of the branch.');
    return { what: 'branch', nodeId };
  }
  if (given.flag('path') || nodeId !== undefined)
    return nodeId === undefined ? { what: 'path' } : { what: 'path', nodeId };
  return undefined;
}

/**
 * Writes an export to its target: standard output, one file, or a folder of files. Existing files are not overwritten,
 * and a file gets its final name when it is complete.
 */
class Sink {
  readonly files: string[] = [];
  readonly #at: CliContext;
  readonly #place: string | null;
  readonly #many: boolean;
  readonly #json: boolean;
  #open: { readonly stream: WriteStream; readonly path: string; readonly part: string } | null = null;
  /** The error of the open file; null until it fails. */
  #failure: Error | null = null;

  constructor(at: CliContext, place: string | null, writer: FormatWriter, isFolder: boolean) {
    this.#at = at;
    this.#place = place;
    this.#many = writer.files === 'per-tree' && isFolder;
    this.#json = /json/.test(writer.mediaType);
  }

  async open(name: string): Promise<void> {
    if (this.#place === null) return;
    await this.close();
    // Formats name files by ids. As a precaution only the last path segment is used.
    const folder = this.#many ? this.#place : dirname(this.#place);
    const path = this.#many || this.files.length > 0 ? join(folder, basename(name)) : this.#place;
    if (this.#many) mkdirSync(folder, { recursive: true });
    if (existsSync(path))
      throw new AppError({
        code: 'cli/exists',
        kind: 'conflict',
        message: `${path} already exists; nothing was written. Choose another name.`,
      });
    const part = `${path}.part-${process.pid}`;
    const stream = createWriteStream(part, { flags: 'wx', mode: 0o600 });
    // The next write reports this error. Without a listener it would end the process.
    stream.on('error', (error) => {
      this.#failure ??= error;
    });
    this.#open = { stream, path, part };
    this.files.push(path);
  }

  async write(piece: string | Uint8Array): Promise<void> {
    if (this.#place === null) {
      this.#at.output.write(typeof piece === 'string' ? this.#shown(piece) : piece);
      return;
    }
    if (this.#open === null) await this.open('export');
    if (this.#failure !== null) throw this.#failure;
    const stream = this.#open?.stream;
    if (stream !== undefined && !stream.write(piece)) await once(stream, 'drain');
  }

  // Standard output may be a terminal, even behind a pipe. JSON keeps its data, and text loses control sequences,
  // unless it is raw or written to a file.
  #shown(text: string): string {
    const { output } = this.#at;
    return this.#json ? output.foreignJson(text) : output.foreign(text);
  }

  async close(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    const open = this.#open;
    if (open === null) return;
    open.stream.end();
    await finished(open.stream);
    await rename(open.part, open.path);
    this.#open = null;
  }

  /** Removes the incomplete file and returns an error with an explanation. */
  async giveUp(thrown: unknown): Promise<unknown> {
    const open = this.#open;
    this.#open = null;
    const path = open?.path ?? this.#place;
    if (path === null) return thrown;
    if (open !== null) {
      open.stream.destroy();
      // Waits until the file is closed: a file that is still being opened would be created after its removal.
      if (!open.stream.closed) await once(open.stream, 'close').catch(() => undefined);
      // The file may not have been created.
      await rm(open.part, { force: true }).catch(() => undefined);
    }
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (isAppError(thrown) || typeof code !== 'string' || !(thrown instanceof Error)) return thrown;
    return new AppError({
      code: code === 'EEXIST' ? 'cli/exists' : 'cli/output',
      kind: code === 'EEXIST' ? 'conflict' : 'unavailable',
      message: `${path} could not be written: ${describeWriteError(code, thrown)}. No partial file was left.`,
      cause: thrown,
    });
  }
}

function describeWriteError(code: string, error: Error): string {
  if (code === 'ENOENT') return 'its folder does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'you may not write there';
  return code === 'ENOSPC' ? 'the disk is full' : error.message;
}

const shown = 20;

function exportReportLines(report: ExportReport, files: readonly string[], output: OutputWriter): string[] {
  const { style } = output;
  const { read, written, merged, left } = report.nodes;
  const sum = Object.values(report.counts).reduce((total, count) => total + count, 0);
  return [
    `${report.trees} ${report.trees === 1 ? 'tree' : 'trees'}, ${read} ${read === 1 ? 'node' : 'nodes'}: ${written} written, ${merged} merged, ${left} left out.`,
    ...files.map((file) => style.quiet(file)),
    ...report.losses.slice(0, shown).map((loss) => style.warn(toOneLine(loss.message, output.columns))),
    ...(sum > Math.min(shown, report.losses.length) ? [style.quiet(`${sum} losses in all; --json lists them.`)] : []),
  ];
}
