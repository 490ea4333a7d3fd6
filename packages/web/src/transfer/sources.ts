/**
 * The sources of imports: a file, a folder with all its files, or the data of another program on the server's computer.
 */

/** A file of a folder, with its path in it. */
export interface FolderFile {
  readonly path: string;
  readonly file: File;
}

/** What can be imported: one file, the files of a folder, or the data of another program. */
export type ImportSource =
  | { readonly kind: 'file'; readonly name: string; readonly file: File }
  | { readonly kind: 'folder'; readonly name: string; readonly files: readonly FolderFile[]; readonly whole: boolean }
  | { readonly kind: 'found'; readonly name: string; readonly format: string };

// A folder with more levels or files is probably a home directory, not an export.
const [deepest, most] = [12, 20_000];

function directoryEntries(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  return new Promise((resolve, reject) => {
    // A reader returns a hundred entries at a time, and none at the end.
    const more = () =>
      reader.readEntries((some) => {
        if (some.length === 0) return resolve(found);
        for (const entry of some) found.push(entry);
        more();
      }, reject);
    more();
  });
}

function isFileEntry(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolderEntry(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function fileOfEntry(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** The files of a folder, and whether the list is complete: a part must not be taken for the whole folder. */
async function filesInEntry(top: FileSystemDirectoryEntry) {
  const files: FolderFile[] = [];
  let whole = true;
  const folders = [{ entry: top, path: '', depth: 0 }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { path: above, depth } = folder;
    for (const entry of await directoryEntries(folder.entry)) {
      const path = `${above}${entry.name}`;
      if (files.length >= most) return { files, whole: false };
      if (isFileEntry(entry)) files.push({ path, file: await fileOfEntry(entry) });
      else if (isFolderEntry(entry) && depth < deepest) folders.push({ entry, path: `${path}/`, depth: depth + 1 });
      else whole = false;
    }
  }
  return { files, whole };
}

/** Reads the dropped sources. The list exists only during the event, so it is read before any await. */
export async function readDroppedSources(data: DataTransfer): Promise<readonly ImportSource[]> {
  const entries = [...data.items].flatMap((item) => (item.kind === 'file' ? [item.webkitGetAsEntry()] : []));
  const plain = [...data.files];
  const sources: ImportSource[] = [];
  for (const [index, entry] of entries.entries()) {
    const file = plain[index];
    if (entry !== null && isFolderEntry(entry))
      sources.push({ kind: 'folder', name: entry.name, ...(await filesInEntry(entry)) });
    else if (file !== undefined) sources.push({ kind: 'file', name: file.name, file });
  }
  return sources;
}

/** Reads the chosen sources: files, or a folder, whose files have their paths. */
export function readChosenSources(chosen: FileList): readonly ImportSource[] {
  const files = [...chosen];
  const [first] = files;
  const top = first?.webkitRelativePath.split('/')[0] ?? '';
  if (top === '') return files.map((file) => ({ kind: 'file', name: file.name, file }));
  const inside = files.slice(0, most).map((file) => ({ path: file.webkitRelativePath.slice(top.length + 1), file }));
  return [{ kind: 'folder', name: top, files: inside, whole: inside.length === files.length }];
}
