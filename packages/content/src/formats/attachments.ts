// Finds attachment files of an export by the ids in their names.
import { sha256Hex } from '../sha256.ts';
import type { ImportedBlob } from './contract.ts';
import { type InputFile, readAllBytes } from './input.ts';

const byEnding: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['svg', 'image/svg+xml'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['json', 'application/json'],
  ['html', 'text/html'],
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['ogg', 'audio/ogg'],
  ['mp4', 'video/mp4'],
  ['zip', 'application/zip'],
]);

/** Determines a media type from the first bytes, else from the file extension. */
function mediaTypeOf(name: string, head: Uint8Array): string {
  const starts = (...bytes: readonly number[]) => bytes.every((byte, at) => head[at] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47)) return 'image/png';
  if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0x47, 0x49, 0x46, 0x38)) return 'image/gif';
  if (starts(0x52, 0x49, 0x46, 0x46) && head[8] === 0x57 && head[9] === 0x45) return 'image/webp';
  if (starts(0x52, 0x49, 0x46, 0x46) && head[8] === 0x57 && head[9] === 0x41) return 'audio/wav';
  if (starts(0x25, 0x50, 0x44, 0x46)) return 'application/pdf';
  const ending = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return byEnding.get(ending) ?? 'application/octet-stream';
}

/** An attachment file whose hash is known. */
export interface Attachment extends ImportedBlob {
  readonly name: string;
}

/**
 * The attachment files of an export, by the ids in their names. The bytes of a file are read once for its hash and
 * again when it is stored, so that they do not stay in memory.
 */
export class AttachmentFiles {
  readonly #byId = new Map<string, InputFile>();
  readonly #known = new Map<string, Promise<Attachment>>();
  readonly #used = new Set<string>();
  readonly #files: readonly InputFile[];

  /** `ids` returns the ids in a file's name. */
  constructor(files: readonly InputFile[], ids: (name: string) => readonly string[]) {
    this.#files = files;
    for (const file of files) for (const id of ids(file.name)) if (!this.#byId.has(id)) this.#byId.set(id, file);
  }

  /** Returns the file with an id, or undefined. */
  async find(id: string): Promise<Attachment | undefined> {
    const file = this.#byId.get(id);
    if (file === undefined) return undefined;
    this.#used.add(file.name);
    const known = this.#known.get(file.name) ?? this.#readAttachment(file);
    this.#known.set(file.name, known);
    return known;
  }

  async #readAttachment(file: InputFile): Promise<Attachment> {
    const bytes = await readAllBytes(file);
    return {
      name: file.name.slice(file.name.lastIndexOf('/') + 1),
      hash: sha256Hex(bytes),
      size: bytes.length,
      mediaType: mediaTypeOf(file.name, bytes),
      read: () => readAllBytes(file),
    };
  }

  /** The names of files that no message referred to. */
  get unused(): readonly string[] {
    return this.#files.map((file) => file.name).filter((name) => !this.#used.has(name));
  }
}

/** Builds the block of an attachment: an image block for pictures, else a file block. */
export function buildAttachmentBlock(found: Attachment, name = found.name) {
  const source = { type: 'blob', hash: found.hash, size: found.size };
  return found.mediaType.startsWith('image/')
    ? { type: 'image', mediaType: found.mediaType, source }
    : { type: 'file', name, mediaType: found.mediaType, source };
}
