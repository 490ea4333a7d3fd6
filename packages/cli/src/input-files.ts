/** Resolves the arguments of an import: files, folders and pipes. Only paths that the user named are opened. */
import { lstat, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@coppice/core';
import type { FileSource } from '@coppice/server/importing';
import type { CliContext } from './cli-context.ts';
import { readUntilStopped } from './read-until-stopped.ts';

// A deeper folder, or one with more files, is probably a home directory and not an export.
const [deepest, most] = [12, 20_000];

/** Resolves an argument: a file, a folder with all its files, or standard input for `-`. */
export async function findInputFiles(
  word: string,
  at: Pick<CliContext, 'host' | 'onClose'>,
): Promise<readonly FileSource[]> {
  const { host } = at;
  if (word === '-') return [await spoolInput(at)];
  const path = resolve(host.cwd, word);
  // An empty argument, for example an unset variable, must not mean the current directory.
  const found = word === '' ? null : await stat(path).catch(() => null);
  if (found === null)
    throw new AppError({
      code: 'cli/no-file',
      kind: 'not-found',
      message: `${word === '' ? '""' : word} does not exist. Check the path.`,
    });
  if (!found.isDirectory()) return [await fileAt(path, basename(path))];
  const files: FileSource[] = [];
  for await (const each of filesInFolder(path)) {
    if (files.length >= most)
      throw new AppError({
        code: 'cli/too-many-files',
        kind: 'refused',
        message: `${word} has more than ${most} files. Import its folders one by one.`,
      });
    files.push(await fileAt(each, relative(path, each).replaceAll('\\', '/')));
  }
  if (files.length === 0)
    throw new AppError({ code: 'cli/no-file', kind: 'not-found', message: `The folder ${word} is empty.` });
  return files;
}

/**
 * Copies standard input to a temporary file: archives are read from their end, and a strict import reads twice, which
 * a pipe cannot do.
 */
async function spoolInput({ host, onClose }: Pick<CliContext, 'host' | 'onClose'>): Promise<FileSource> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-input-'));
  onClose(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'input');
  // The file is opened before anything can abort the stream. A stream that is aborted while it opens its file would
  // create the file after the folder was removed.
  const file = await open(path, 'wx', 0o600);
  // The signal stops reading; otherwise the command would wait for a pipe that never ends.
  await pipeline(fileBytes(readUntilStopped(host.stdin, host.signal)), file.createWriteStream());
  return fileAt(path, 'standard input');
}

async function* fileBytes(source: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of source) yield typeof piece === 'string' ? encoder.encode(piece) : piece;
}

async function* filesInFolder(top: string): AsyncGenerator<string> {
  const folders: { readonly path: string; readonly depth: number }[] = [{ path: top, depth: 0 }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = (await readdir(folder.path, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = join(folder.path, entry.name);
      // A symbolic link may point outside of the folder.
      if (entry.isSymbolicLink()) continue;
      if (entry.isDirectory() && folder.depth < deepest) folders.push({ path, depth: folder.depth + 1 });
      else if (entry.isFile()) yield path;
    }
  }
}

async function fileAt(path: string, name: string): Promise<FileSource> {
  const { size } = await lstat(path).then((found) => (found.isSymbolicLink() ? stat(path) : found));
  return { name, size, path };
}
