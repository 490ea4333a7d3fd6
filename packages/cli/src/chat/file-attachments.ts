/** Attaches files to messages: `@` completes a path, and the file is sent with the message. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileBlock, ImageBlock } from '@coppice/content';
import { AppError, type Block, type Message, type Store, textMessage } from '@coppice/core';
import type { LineCompletion } from '@coppice/engine';

const listed = 50;

/**
 * Returns the files and folders that continue a path, folders first; a path with blanks is quoted. Hidden ones are
 * listed only when their dot is typed, and names that a line cannot hold are left out.
 */
export function completeFilePath(typed: string, folder: string): readonly LineCompletion[] {
  const cut = typed.lastIndexOf('/') + 1;
  const [within, start] = [typed.slice(0, cut), typed.slice(cut)];
  try {
    const entries = readdirSync(resolveTypedPath(folder, within), { withFileTypes: true });
    return entries
      .filter(({ name }) => name.toLowerCase().startsWith(start.toLowerCase()))
      .filter(({ name }) => !/["\n\r]/.test(name) && (start.startsWith('.') || !name.startsWith('.')))
      .sort((a, b) => Number(b.isDirectory()) - Number(a.isDirectory()) || (a.name < b.name ? -1 : 1))
      .slice(0, listed)
      .map((entry) => {
        const path = `${within}${entry.name}${entry.isDirectory() ? '/' : ''}`;
        // The quote of a folder stays open for the names in it.
        const quoted = `@"${path}${entry.isDirectory() ? '' : '"'}`;
        return { value: /\s/.test(path) ? quoted : `@${path}`, label: path, about: '' };
      });
  } catch {
    // The folder does not exist, so there is nothing to suggest.
    return [];
  }
}

/** Resolves a path that a user has typed, from a folder or from the home with `~/`. */
export function resolveTypedPath(folder: string, path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(folder, path);
}

// Larger texts would fill the context window of most models. Providers scale images themselves.
const largestText = 400_000;
const largestImage = 10_000_000;

const imageTypes: ReadonlyMap<string, string> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
]);

/** Where files are found and stored, and whether the model accepts images. */
export interface AttachmentScope {
  readonly store: Store;
  readonly folder: string;
  /** Whether the model accepts images. */
  readonly images: boolean;
}

/**
 * Returns the files that a text names with `@`, and the folders if their name ends with a slash. A word such as an e-mail
 * address is not a file and stays text.
 */
export function findReferencedFiles(text: string, folder: string): readonly string[] {
  // A quote may be open at the end of a line: the completion of a folder leaves it open for the names in the folder.
  const words = [...text.matchAll(/(?:^|\s)@(?:"([^"\n]+)(?:"|$)|(\S+))/gm)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  );
  const paths = words.flatMap((word) => {
    // Punctuation after the name may belong to the sentence.
    const found = [word, word.replace(/[.,;:!?)]+$/, '')].find((path) =>
      path.endsWith('/') ? isFolder(resolveTypedPath(folder, path)) : isFile(resolveTypedPath(folder, path)),
    );
    return found === undefined ? [] : [resolveTypedPath(folder, found)];
  });
  return [...new Set(paths)];
}

/**
 * Returns the path of an image that was dropped on the terminal, as `@` reference; null if the text is not such a path.
 */
export function findDroppedImage(pasted: string, folder: string): string | null {
  const text = pasted.trim();
  if (text.includes('\n') || text.length > longestDropped) return null;
  const path = droppedPath(text);
  if (path === null || !imageTypes.has(extname(path).toLowerCase()) || !isFile(resolveTypedPath(folder, path)))
    return null;
  return formatFileReference(path);
}

/** Returns the `@` reference to a file and a space after it; a path with blanks is quoted. */
export function formatFileReference(path: string): string {
  return /\s/.test(path) ? `@"${path}" ` : `@${path} `;
}

const longestDropped = 4096;

/** Returns the path of a dropped file, which terminals insert quoted, with backslashes before blanks, or as a URL. */
function droppedPath(text: string): string | null {
  const [, , quoted] = /^(['"])(.+)\1$/.exec(text) ?? [];
  if (quoted !== undefined) return quoted;
  if (text.startsWith('file://')) {
    try {
      return fileURLToPath(text);
    } catch {
      return null;
    }
  }
  // On Windows a backslash separates folders.
  return process.platform === 'win32' ? text : text.replace(/\\(.)/g, '$1');
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

// The names of a folder that are sent to a model.
const longestFolder = 1_000;

/** Returns the names in a folder as text, so that the model can ask for the files that it needs. */
function listFolder(path: string): string {
  const names = readdirSync(path, { withFileTypes: true })
    .map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`)
    .sort();
  const left = names.length - longestFolder;
  return [
    `The folder ${basename(path)} contains:`,
    ...names.slice(0, longestFolder),
    ...(names.length === 0 ? ['nothing'] : []),
    ...(left > 0 ? [`… and ${left.toLocaleString('en')} more`] : []),
    '',
  ].join('\n');
}

/** Builds the user's message with its files as blocks after the text. */
export async function buildMessageWithFiles(text: string, scope: AttachmentScope): Promise<Message> {
  const blocks: Block[] = [];
  for (const path of findReferencedFiles(text, scope.folder)) blocks.push(await blockOf(path, scope));
  const { role, content } = textMessage('user', text);
  return { role, content: [...content, ...blocks] };
}

async function blockOf(path: string, { store, images }: AttachmentScope): Promise<Block> {
  const name = basename(path);
  const refuse = (why: string) =>
    new AppError({ code: 'chat/attachment', kind: 'refused', message: `${name} ${why} Nothing was sent.` });
  if (isFolder(path)) {
    const list: FileBlock = {
      type: 'file',
      name: `${name}.txt`,
      mediaType: 'text/plain',
      source: { type: 'text', text: listFolder(path) },
    };
    return list;
  }
  const imageType = imageTypes.get(extname(name).toLowerCase());
  const { size } = statSync(path);
  if (size > (imageType === undefined ? largestText : largestImage))
    throw refuse(`is too large to attach (${size.toLocaleString('en')} bytes).`);
  const bytes = readFileSync(path);
  if (imageType !== undefined) {
    if (!images) throw refuse('is an image, and this model takes none. Choose another model with /models.');
    const { hash } = await store.blobs.put(bytes, imageType);
    const image: ImageBlock = { type: 'image', mediaType: imageType, source: { type: 'blob', hash, size } };
    return image;
  }
  const text = decode(bytes);
  if (text === null) throw refuse('is neither text nor an image that a chat can show to a model.');
  const file: FileBlock = { type: 'file', name, mediaType: 'text/plain', source: { type: 'text', text } };
  return file;
}

function decode(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
