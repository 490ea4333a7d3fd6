/** Reads and writes files so that a crash leaves either the old or the new file. Each write step has a failpoint. */
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, isAppError, refusalKinds } from '@coppice/core';
import { failpoint, isFaultArmed } from '../failpoints.ts';

/** What a file contains; failpoints are named after it, such as `disk-journal-before-fsync`. */
export type FilePurpose =
  | 'journal'
  | 'node'
  | 'tree'
  | 'roots'
  | 'side'
  | 'blob'
  | 'format'
  | 'lock'
  | 'backup'
  | 'session';

/** Returns the code of an operating system error, such as `ENOENT`; an empty text for other errors. */
export function osErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && !isAppError(error) ? String(error.code) : '';
}

/** Runs one step of a file operation, with a failpoint before and after it. */
export function runFileOperation<T>(part: FilePurpose, name: 'append' | 'fsync' | 'rename', work: () => T): T {
  if (!isFaultArmed()) return work();
  failpoint(`disk-${part}-before-${name}`);
  const value = work();
  failpoint(`disk-${part}-after-${name}`);
  return value;
}

/** Converts an error of the operating system to an AppError that names the file. Returns other errors unchanged. */
export function toDiskError(error: unknown, path: string): unknown {
  if (isAppError(error)) return error;
  const code = osErrorCode(error);
  const make = (name: keyof typeof refusalKinds, message: string, retryable: boolean) =>
    new AppError({ code: name, kind: refusalKinds[name], message, data: { path }, cause: error, retryable });
  switch (code) {
    case '':
      return error;
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return make('store/full', `The disk of ${path} is full: nothing was saved. Free some space and try again.`, true);
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return make('tree/read-only', `${path} may not be written or read: ${code}.`, false);
    case 'ENOENT':
      return make('store/unavailable', `There is no ${path}.`, true);
    case 'EISDIR':
      return make('store/unavailable', `${path} is a folder, not a file.`, false);
    default:
      return make('store/unavailable', `${path} could not be read or written: ${code}.`, true);
  }
}

/** Runs work on a file and converts its errors with {@link toDiskError}. */
export function withFileErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toDiskError(error, path);
  }
}

/** Makes the error for a file with unexpected content. Its message says that the file was not changed. */
export function makeDamagedFileError(
  path: string,
  why: string,
  data: Readonly<Record<string, unknown>> = {},
): AppError {
  return new AppError({
    code: 'store/damaged',
    kind: refusalKinds['store/damaged'],
    message: `${path} ${why}. It was left as it is.`,
    data: { path, ...data },
  });
}

/** Makes the error for a file that a newer version wrote. */
export function makeNewerFormatError(path: string, version: unknown, own: number): AppError {
  return new AppError({
    code: 'store/newer',
    kind: refusalKinds['store/newer'],
    message: `${path} has the format version ${String(version)}; this build reads ${own}. Open it with the newer build.`,
    data: { path, version },
  });
}

/** Writes all bytes. The system may write only a part of them, so the call is repeated for the rest. */
export function writeAllBytes(handle: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at, bytes.length - at);
}

/** Syncs a folder, so that new file names in it survive a crash. */
export function syncFolder(path: string, part: FilePurpose): void {
  // Windows cannot open folders, and writes file names immediately.
  if (process.platform === 'win32') return;
  const handle = openSync(path, 'r');
  try {
    runFileOperation(part, 'fsync', () => fsyncSync(handle));
  } finally {
    closeSync(handle);
  }
}

/** Creates a hard link to a file, or a copy if the file system has no hard links. */
export function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(osErrorCode(error))) throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** Writes new files under temporary names in one folder, so that files that a crash leaves behind can be deleted. */
export class AtomicWriter {
  readonly #folder: string;
  #next = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Deletes the temporary folder with the files that a crash left behind. */
  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Returns an unused temporary name. */
  name(): string {
    return join(this.#folder, `${process.pid}-${++this.#next}`);
  }

  /** Writes a new temporary file and returns its path. The caller renames the file. */
  make(pieces: Iterable<Uint8Array>, part: FilePurpose, sync: boolean): string {
    const path = this.name();
    withFileErrors(path, () => {
      try {
        this.#write(path, pieces, part, sync);
      } catch (error) {
        rmSync(path, { force: true });
        throw error;
      }
    });
    return path;
  }

  #write(path: string, pieces: Iterable<Uint8Array>, part: FilePurpose, sync: boolean): void {
    let handle: number;
    try {
      handle = openSync(path, 'w');
    } catch (error) {
      if (osErrorCode(error) !== 'ENOENT') throw error;
      mkdirSync(this.#folder, { recursive: true });
      handle = openSync(path, 'w');
    }
    try {
      for (const bytes of pieces) runFileOperation(part, 'append', () => writeAllBytes(handle, bytes));
      if (sync) runFileOperation(part, 'fsync', () => fsyncSync(handle));
    } finally {
      closeSync(handle);
    }
  }

  /** Gives a file that is about to be replaced a second name and returns that name; null if the file does not exist. */
  keep(path: string): string | null {
    if (statOrNull(path) === null) return null;
    const kept = this.name();
    withFileErrors(path, () => {
      mkdirSync(this.#folder, { recursive: true });
      linkOrCopy(path, kept);
    });
    return kept;
  }

  /** Renames a kept file back to its path. Errors are ignored, because the caller already has an error to report. */
  putBack(kept: string, path: string): void {
    try {
      renameSync(kept, path);
      // If both names are hard links to one file, the rename does nothing and the second name must be deleted.
      rmSync(kept, { force: true });
      const handle = openSync(dirname(path), 'r');
      fsyncSync(handle);
      closeSync(handle);
    } catch {
      // The next append checks the file and refuses to write.
    }
  }

  /**
   * Replaces a file by renaming a new one over it. `sync` makes its bytes durable. `last` also syncs the folder, so
   * that the new name is durable on return.
   */
  replace(path: string, pieces: Iterable<Uint8Array>, part: FilePurpose, last: boolean, sync = last): void {
    const temporaryPath = this.make(pieces, part, sync);
    withFileErrors(path, () => {
      try {
        runFileOperation(part, 'rename', () => renameSync(temporaryPath, path));
      } catch (error) {
        rmSync(temporaryPath, { force: true });
        throw error;
      }
      if (last) syncFolder(dirname(path), part);
    });
  }
}

/** Encodes a text as UTF-8. The texts are JSON, which escapes lone surrogates, so no character is lost. */
export function encodeFileText(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

/** Returns the text of a file, or null if it does not exist. */
export function readTextFile(path: string): string | null {
  return withFileErrors(path, () => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if (osErrorCode(error) === 'ENOENT') return null;
      throw error;
    }
  });
}

/** Returns the value in a JSON file; undefined if the file does not exist. Throws if it is not JSON. */
export function readJsonFile(path: string): unknown {
  const found = readTextFile(path);
  if (found === null) return undefined;
  try {
    return JSON.parse(found);
  } catch {
    throw makeDamagedFileError(path, found === '' ? 'is empty' : 'is no JSON');
  }
}

/** Returns the sorted names in a folder; an empty list if the folder does not exist. */
export function listNamesInFolder(path: string): string[] {
  return withFileErrors(path, () => {
    try {
      return readdirSync(path).sort();
    } catch (error) {
      if (osErrorCode(error) === 'ENOENT' || osErrorCode(error) === 'ENOTDIR') return [];
      throw error;
    }
  });
}

/** Returns the stat of a path; null if it does not exist. */
export function statOrNull(path: string): ReturnType<typeof statSync> | null {
  return withFileErrors(path, () => {
    try {
      return statSync(path);
    } catch (error) {
      if (osErrorCode(error) === 'ENOENT' || osErrorCode(error) === 'ENOTDIR') return null;
      throw error;
    }
  });
}

/** Returns the last bytes of a file. */
export function readLastBytes(path: string, count: number): Uint8Array {
  return withFileErrors(path, () => {
    const handle = openSync(path, 'r');
    try {
      const size = Number(statSync(path).size);
      const bytes = Buffer.alloc(Math.min(count, size));
      const read = readSync(handle, bytes, 0, bytes.length, size - bytes.length);
      return bytes.subarray(0, read);
    } finally {
      closeSync(handle);
    }
  });
}
