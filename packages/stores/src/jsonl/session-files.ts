/** Opens, creates, lists, deletes and restores session files for the engine. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  type CopiedEntry,
  decodeEntry,
  isLeafEntryType,
  type NewSession,
  type SessionEntry,
  type SessionFile,
  type SessionFiles,
  type SessionHeader,
  SessionIndex,
  type SessionSummary,
  sessionVersion,
} from '@coppice/content/sessions';
import { isAppError, type Store, textOf, treeId } from '@coppice/core';
import {
  encodeFileText,
  listNamesInFolder,
  runFileOperation,
  statOrNull,
  syncFolder,
  withFileErrors,
} from '../disk/atomic-files.ts';
import { joinSmallPieces } from '../disk/line-file.ts';
import { makeFolders } from '../disk/make-folders.ts';
import { detectFileDialect, ForeignFile } from './foreign-file.ts';
import { SessionStore } from './index.ts';
import { serializeHeader, serializeSessionLine } from './line-text.ts';
import { isUnwritableError, migrateUnderLease } from './opening.ts';
import {
  buildSessionFileName,
  createSessionFile,
  isInForeignFolder,
  removeEmptySidecarFolders,
  sidecarFolderOf,
} from './paths.ts';
import { JsonlFile } from './session-file.ts';

/** The session files on the local disk. */
export const sessionFiles: SessionFiles = {
  open: openSessionFile,
  create: createSession,
  save: saveSession,
  list: listSessions,
  trash: trashSession,
  restore: restoreSession,
  store: storeSession,
};

function openSessionFile(given: string, options: { readonly readOnly?: boolean } = {}): SessionFile {
  const path = resolve(given);
  let dialect = detectFileDialect(path);
  const mayWrite = options.readOnly !== true;
  if (dialect === 'v1' && mayWrite && !isInForeignFolder(path) && migrateUnderLease(path)) dialect = 'v2';
  if (dialect !== 'v2') return ForeignFile.open(path, dialect);
  const file = JsonlFile.open(path);
  try {
    if (mayWrite && !isInForeignFolder(path)) file.lease.request();
  } catch (error) {
    // Without space for a lease the file can still be read.
    if (!isUnwritableError(error)) {
      file.close();
      throw error;
    }
  }
  return file;
}

function createSession(
  place: { readonly folder: string } | { readonly path: string },
  session: NewSession,
): SessionFile {
  const { uuid, id, at, cwd, parentSession, entries = [], commit } = session;
  const path = resolve('path' in place ? place.path : join(place.folder, buildSessionFileName(at, treeId(id))));
  withFileErrors(path, () => makeFolders(dirname(path)));
  const header: SessionHeader = {
    type: 'session',
    version: sessionVersion,
    uuid,
    parentUuid: null,
    id,
    timestamp: new Date(at).toISOString(),
    cwd: cwd ?? process.cwd(),
    ...(parentSession === undefined ? {} : { parentSession }),
  };
  const lines = function* () {
    // The last line marks a commit as complete, so each line is written only when it is known whether another one
    // follows.
    let before: SessionEntry | null = null;
    let count = 0;
    for (const entry of entries) {
      if (count++ === 0) yield encodeFileText(serializeHeader(header));
      if (before !== null) yield encodeFileText(serializeSessionLine(before, 1, undefined));
      before = isCarried(entry) ? null : entry;
      if (isCarried(entry)) yield carriedLine(entry);
    }
    if (count === 0) yield encodeFileText(serializeHeader({ ...header, ...commit }));
    else if (before === null) yield encodeFileText(serializeSessionLine(endOfFile(uuid), 1, commit, count + 1));
    else yield encodeFileText(serializeSessionLine(before, 1, commit, count));
  };
  createSessionFile(path, joinSmallPieces(lines()));
  const file = JsonlFile.open(path);
  file.lease.take();
  return file;
}

function isCarried(entry: SessionEntry | CopiedEntry): entry is CopiedEntry {
  return entry['rest'] instanceof Uint8Array;
}

function carriedLine({ type, uuid, parentUuid, rest }: CopiedEntry): Uint8Array {
  const head = `{"type":${JSON.stringify(type)},"uuid":${JSON.stringify(uuid)},"parentUuid":${JSON.stringify(parentUuid)},"version":1`;
  const size = Buffer.byteLength(head);
  const line = Buffer.allocUnsafe(size + rest.length + 1);
  line.write(head, 0);
  line.set(rest, size);
  line[line.length - 1] = 0x0a;
  return line;
}

/**
 * Returns an empty entry that ends a commit, for a commit whose last entry was copied unchanged and cannot be marked.
 */
function endOfFile(header: string): SessionEntry {
  return { type: 'change', uuid: randomUUID(), parentUuid: header, steps: [] };
}

function saveSession(given: string, pieces: Iterable<string>): void {
  const path = resolve(given);
  withFileErrors(path, () => makeFolders(dirname(path)));
  const bytes = function* () {
    for (const piece of pieces) yield encodeFileText(piece);
  };
  createSessionFile(path, joinSmallPieces(bytes()));
  removeEmptySidecarFolders(path);
}

function listSessions(folder: string): SessionSummary[] {
  return listNamesInFolder(folder)
    .filter((name) => name.endsWith('.jsonl') && !name.startsWith('.'))
    .map((name) => sessionSummary(join(resolve(folder), name)))
    .sort((a, b) => b.modifiedAt - a.modifiedAt || (a.path < b.path ? 1 : -1));
}

function sessionSummary(path: string): SessionSummary {
  // A symbolic link without a target is listed too.
  const stat = statOrNull(path);
  const bare = { path, bytes: Number(stat?.size ?? 0), modifiedAt: Math.floor(Number(stat?.mtimeMs ?? 0)) };
  try {
    const file = openSessionFile(path, { readOnly: true });
    try {
      return { ...bare, ...describeFile(file) };
    } finally {
      file.close();
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { ...bare, dialect: null, id: '', createdAt: 0, messages: 0, firstMessage: '', trouble: error.message };
  }
}

function describeFile(file: SessionFile): Omit<SessionSummary, 'path' | 'bytes' | 'modifiedAt'> {
  const { header, dialect } = file;
  const index = new SessionIndex(file);
  let messages = 0;
  let first: SessionEntry | null = null;
  for (let at = 1; at < file.size; at++) {
    if (file.typeAt(at) !== 'message') continue;
    messages++;
    first ??= file.entryAt(at);
  }
  const at = Date.parse(header.timestamp ?? '');
  const { cwd, parentSession, id } = header;
  const firstText = first === null || !isLeafEntryType(first.type) ? '' : textOf(decodeEntry(first).message);
  return {
    dialect,
    id,
    ...(index.name === undefined ? {} : { name: index.name }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(parentSession === undefined ? {} : { parentSession }),
    createdAt: Number.isNaN(at) ? 0 : at,
    messages,
    firstMessage: firstText.slice(0, 200),
  };
}

/** Returns a path that is not in use: the name itself, or with a number. */
function freeName(folder: string, name: string): string {
  for (let count = 1; ; count++) {
    const path = join(folder, count === 1 ? name : name.replace(/\.jsonl$/, `.${count}.jsonl`));
    if (statOrNull(path) === null) return path;
  }
}

function moveFile(from: string, folder: string): string {
  return withFileErrors(from, () => {
    mkdirSync(folder, { recursive: true });
    const to = freeName(folder, basename(from));
    runFileOperation('session', 'rename', () => renameSync(from, to));
    if (statOrNull(sidecarFolderOf(from)) !== null) {
      mkdirSync(dirname(sidecarFolderOf(to)), { recursive: true });
      renameSync(sidecarFolderOf(from), sidecarFolderOf(to));
    }
    syncFolder(folder, 'session');
    syncFolder(dirname(from), 'session');
    return to;
  });
}

function trashSession(given: string): string {
  const path = resolve(given);
  // Another process may have the file open. It would continue to write to the deleted file, so deleting is refused.
  const file = openSessionFile(path);
  try {
    if (file instanceof JsonlFile) file.lease.check();
  } finally {
    file.close();
  }
  return moveFile(path, join(dirname(path), '.coppice', 'trash'));
}

function restoreSession(given: string): string {
  const path = resolve(given);
  return moveFile(path, dirname(dirname(dirname(path))));
}

function storeSession(path: string): Promise<Store> {
  return SessionStore.open(path);
}
