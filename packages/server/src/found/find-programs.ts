/** Finds conversations of other programs on this computer. */
import { joinPath, lstat, readdir, relativePath } from '#platform/system';
import { type ComputerEnvironment, type ProgramChatFolders, programChatFolders } from './program-chat-folders.ts';

/** A file with conversations of a program. */
export interface ProgramChatFile {
  /** The path inside the folder of the program. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly changedAt: number;
  /** Files of one group are read together. */
  readonly group: string;
}

/** The conversations of one program on this computer, with counts. */
export interface FoundProgram {
  /** The name of its format. */
  readonly format: string;
  readonly label: string;
  /** The folders of the program that contain files. */
  readonly folders: readonly string[];
  readonly sessions: number;
  readonly bytes: number;
  /** The time of the last change. */
  readonly changedAt: number;
}

// Sessions are never in deeper folders.
const deepest = 8;

async function* filesInFolder(top: string, depth: number): AsyncGenerator<string> {
  const folders: { readonly path: string; readonly depth: number }[] = [{ path: top, depth: 0 }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder.path, { withFileTypes: true }).catch(() => []);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = joinPath(folder.path, entry.name);
      // Symbolic links are not followed, because they may point outside of the folder.
      if (entry.isDirectory() && folder.depth < depth) folders.push({ path, depth: folder.depth + 1 });
      else if (entry.isFile()) yield path;
    }
  }
}

/** Returns the files of a program, oldest first. */
export async function findProgramChatFiles(
  place: ProgramChatFolders,
  paths: ComputerEnvironment,
): Promise<ProgramChatFile[]> {
  const found: (Omit<ProgramChatFile, 'group'> & { readonly inside: string })[] = [];
  const messages = new Map<string, string>();
  for (const folder of place.folders(paths))
    for await (const path of filesInFolder(folder, place.depth ?? deepest)) {
      const inside = relativePath(folder, path).replaceAll('\\', '/');
      if (!place.isOwn.test(inside)) continue;
      const about = await lstat(path).catch(() => null);
      if (about === null || about.size === 0) continue;
      const [, session = '', message = ''] = /^message\/([^/]+)\/([^/]+)\.json$/.exec(inside) ?? [];
      if (message !== '') messages.set(message, session);
      found.push({ name: inside, inside, path, size: about.size, changedAt: about.mtimeMs });
    }
  return found
    .map(({ inside, ...file }) => ({ ...file, group: place.group?.(inside, messages) ?? file.path }))
    .sort((a, b) => a.changedAt - b.changedAt);
}

/** Returns the programs that have conversations on this computer. A program may keep them in several ways. */
export async function findPrograms(
  paths: ComputerEnvironment,
  places: readonly ProgramChatFolders[] = programChatFolders,
): Promise<FoundProgram[]> {
  const programs = new Map<string, FoundProgram>();
  for (const place of places) {
    const files = await findProgramChatFiles(place, paths);
    const own = files.filter(({ name }) => place.isSession.test(name));
    // A file whose sessions cannot be counted counts as one; importing it reports the error.
    const sessions = own.reduce((sum, { path }) => sum + (place.countIn?.(path) ?? 1), 0);
    if (sessions === 0) continue;
    const folders = place.folders(paths).filter((folder) => files.some(({ path }) => path.startsWith(folder)));
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const before = programs.get(place.format);
    programs.set(place.format, {
      format: place.format,
      label: place.label,
      folders: [...(before?.folders ?? []), ...folders],
      sessions: (before?.sessions ?? 0) + sessions,
      bytes: (before?.bytes ?? 0) + bytes,
      changedAt: Math.max(before?.changedAt ?? 0, files.at(-1)?.changedAt ?? 0),
    });
  }
  return [...programs.values()];
}
