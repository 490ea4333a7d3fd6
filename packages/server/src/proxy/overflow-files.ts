/** Stores waiting calls in files, because they exceed the memory limit or the server stops before they are recorded. */
import { joinBytes } from '@coppice/content';
import {
  booleanField,
  createFieldReader,
  fieldsOrEmpty,
  finiteNumberField,
  integerField,
  nullableField,
  oneOfField,
  optionalField,
  requiredText,
  shapeField,
  shapeReader,
} from '@coppice/core/decode';
import {
  closeSync,
  copyFile,
  hasProcessEnded,
  joinPath,
  mkdirSync,
  mkdtempSync,
  openSync,
  processId,
  readdirSync,
  readFile,
  readSync,
  rename,
  renameSync,
  rm,
  rmdirSync,
  rmSync,
  tmpdir,
  writeFile,
} from '#platform/system';
import { type WireKind, wireKinds } from './exchange.ts';
import { redactResponseForFile } from './read-captured-response.ts';
import { redactRequestForFile } from './remove-secrets.ts';
import { type CallOrigin, isCallOrigin } from './session-of-call.ts';
import type { CapturedResponse, WaitingCall } from './waiting-call.ts';

/** The content of a file with a call. */
export interface OverflowCall {
  /** The id from which the ids of its answers are derived. */
  readonly id: string;
  readonly owner: string;
  readonly project: string;
  readonly wire: WireKind;
  /** Missing in files of older versions. */
  readonly origin?: CallOrigin | undefined;
  readonly request: Uint8Array;
  readonly call: CapturedResponse;
}

type OverflowHead = Omit<OverflowCall, 'id' | 'request' | 'call'> &
  Omit<CapturedResponse, 'response'> & { readonly id?: string; readonly requestBytes: number };

const readHead = shapeReader<OverflowHead>({
  id: optionalField(requiredText),
  owner: requiredText,
  project: requiredText,
  wire: oneOfField(wireKinds),
  origin: optionalField(createFieldReader(isCallOrigin, 'the origin of a call')),
  requestBytes: integerField,
  provider: requiredText,
  isRead: optionalField(booleanField),
  encoding: optionalField(requiredText),
  status: integerField,
  cut: nullableField(oneOfField(['client', 'service', 'limit'] as const)),
  timing: shapeField<CapturedResponse['timing']>({
    startedAt: finiteNumberField,
    firstMs: nullableField(finiteNumberField),
    totalMs: finiteNumberField,
  }),
});

/** Parses the first line of a file. Throws if the file is damaged. */
function parseHead(line: Uint8Array): OverflowHead {
  return readHead(fieldsOrEmpty(JSON.parse(new TextDecoder().decode(line))));
}

const [whole, part] = ['.call', '.part'];
// The length of the first read of a file, which contains the whole header.
const headBytes = 16 * 1024;

// The folders that this process created. Another folder with the same process id is left from an earlier process.
const ownFolders = new Set<string>();

/** Encodes a call for a file, without its keys. Null if the call has no data to write. */
export async function encodeOverflowCall(waiting: WaitingCall): Promise<Uint8Array | null> {
  const { id, owner, project, wire, origin, secrets } = waiting;
  if (waiting.call === null || waiting.request === null) return null;
  const request = redactRequestForFile(waiting.request, secrets);
  const { response, ...rest } = await redactResponseForFile(wire, waiting.call, secrets);
  const head: OverflowHead = { ...rest, id, owner, project, wire, origin, requestBytes: request.byteLength };
  return joinBytes([new TextEncoder().encode(`${JSON.stringify(head)}\n`), request, response]);
}

/** The files of one recorder, in a folder that no other process writes to. */
export class OverflowFiles {
  readonly #parent: string | null;
  readonly #newId: () => string;
  readonly #removing = new Set<Promise<void>>();
  #folder: string | null = null;
  /** The folders of earlier processes whose files this process has adopted. */
  readonly #adopted: string[] = [];

  /** Uses a new folder below `parent`, or a temporary folder if `parent` is null. */
  constructor(parent: string | null, newId: () => string) {
    this.#parent = parent;
    this.#newId = newId;
  }

  /**
   * Writes a call to a new file that only the operating system user can read. Null if the call has no data to write.
   */
  async write(waiting: WaitingCall): Promise<string | null> {
    const bytes = await encodeOverflowCall(waiting);
    if (bytes === null) return null;
    // The name contains the number of the request, so that a later process can sort the files.
    const file = joinPath(this.#open(), `${String(waiting.number).padStart(12, '0')}-${this.#newId()}${whole}`);
    // A temporary name prevents that a later process records a partial file as a complete answer.
    await writeFile(`${file}${part}`, bytes, { mode: 0o600 });
    await rename(`${file}${part}`, file);
    return file;
  }

  /** Copies the file of a failed call to this recorder's folder. */
  async copyFrom(kept: string): Promise<string> {
    const file = joinPath(this.#open(), `${'9'.repeat(12)}-${this.#newId()}${whole}`);
    await copyFile(kept, `${file}${part}`);
    await rename(`${file}${part}`, file);
    return file;
  }

  /** Reads the header of a file synchronously, so that calls of earlier processes are queued before new ones. */
  headOf(file: string): Pick<OverflowCall, 'id' | 'owner' | 'project' | 'wire' | 'origin'> {
    const beginning = new Uint8Array(headBytes);
    const opened = openSync(file, 'r');
    try {
      const length = readSync(opened, beginning);
      const end = beginning.subarray(0, length).indexOf(10);
      const head = parseHead(beginning.subarray(0, Math.max(0, end)));
      const { id = this.#newId(), owner, project, wire, origin } = head;
      return { id, owner, project, wire, origin };
    } finally {
      closeSync(opened);
    }
  }

  async read(file: string): Promise<OverflowCall> {
    const bytes = await readFile(file);
    const end = bytes.indexOf(10);
    const head = parseHead(bytes.subarray(0, Math.max(0, end)));
    // Files of older versions have no id; one is assigned now.
    const { id = this.#newId(), owner, project, wire, origin, requestBytes, ...rest } = head;
    const [from, to] = [end + 1, end + 1 + requestBytes];
    const call: CapturedResponse = { ...rest, encoding: rest.encoding, response: bytes.subarray(to) };
    return { id, owner, project, wire, origin, request: bytes.subarray(from, to), call };
  }

  /** Removes a file without waiting. Errors are ignored. */
  remove(file: string): void {
    const removing = rm(file, { force: true })
      .catch(() => undefined)
      .then(() => void this.#removing.delete(removing));
    this.#removing.add(removing);
  }

  /** Adopts the files of ended processes and returns them, oldest first. */
  adoptEarlierFiles(): readonly string[] {
    if (this.#parent === null) return [];
    const files: string[] = [];
    const left = namesInDirectory(this.#parent).filter((each) => /^\d+-/.test(each) && isLeft(each));
    for (const name of left.sort(byTime)) {
      const folder = `${processId}-${this.#newId()}`;
      ownFolders.add(folder);
      try {
        // Renaming is atomic, so only one process gets the folder.
        renameSync(joinPath(this.#parent, name), joinPath(this.#parent, folder));
      } catch {
        continue;
      }
      const taken = joinPath(this.#parent, folder);
      this.#adopted.push(taken);
      for (const file of namesInDirectory(taken)) {
        if (file.endsWith(whole)) files.push(joinPath(taken, file));
        else rmSync(joinPath(taken, file), { force: true, recursive: true });
      }
    }
    return files;
  }

  /** Removes empty folders. */
  async close(): Promise<void> {
    await Promise.all(this.#removing);
    for (const folder of this.#folder === null ? this.#adopted : [...this.#adopted, this.#folder])
      try {
        rmdirSync(folder);
      } catch {
        // The folder is not empty, so it is left for the next process.
      }
  }

  #open(): string {
    if (this.#folder !== null) return this.#folder;
    const name = `${processId}-${this.#newId()}`;
    ownFolders.add(name);
    if (this.#parent === null) this.#folder = mkdtempSync(joinPath(tmpdir(), 'coppice-proxy-'));
    else {
      const folder = joinPath(this.#parent, name);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      this.#folder = folder;
    }
    return this.#folder;
  }
}

function namesInDirectory(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

// The name of a folder is the process id and an id that increases with time.
function byTime(one: string, other: string): number {
  const [a, b] = [one, other].map((name) => name.slice(name.indexOf('-')));
  return a === undefined || b === undefined || a === b ? 0 : a < b ? -1 : 1;
}

function isLeft(folder: string): boolean {
  if (ownFolders.has(folder)) return false;
  const pid = Number.parseInt(folder, 10);
  return pid === processId || hasProcessEnded(pid);
}
