// Reads files of programs that store each conversation as one JSON value: alone in a file, in a list, or under a key.
import type { Json, JsonObject } from '@coppice/core';
import type { FormatReader, ImportedTree, ReadEvent, ReadOptions } from './contract.ts';
import { getFilledText, isJsonObject, listAt } from './fields.ts';
import { readDocumentRecords, readLineRecords } from './file-records.ts';
import { buildFindingDetail } from './finding-details.ts';
import { buildFinding, type FindingSeverity, type ImportFinding } from './findings.ts';
import { parseForeignJson } from './foreign-json.ts';
import {
  type ImportInput,
  type InputFile,
  isJsonLinesFile,
  isMediaFile,
  readSample,
  type SampleFile,
} from './input.ts';
import { type JsonPathPattern, type JsonPiece, JsonSplitter } from './split-json.ts';

/** The layout of a program's files, and a function that converts a conversation to a tree. */
export interface ConversationFiles {
  /** The confidence with which a file that contains a conversation is detected, from 0 to 1. */
  readonly confidence: number;
  /** The paths of conversations inside a document. The document itself may always be a conversation. */
  readonly paths: readonly JsonPathPattern[];
  /** Whether there may be one conversation per line. */
  readonly lines?: boolean;
  /** Whether a value is a conversation of this program. Must be false for those of other programs. */
  readonly isConversation: (value: Json | undefined) => value is JsonObject;
  /** Whether a document belongs to the program, even if its beginning contains no conversation. */
  readonly isDocument?: (json: JsonObject) => boolean;
  /** The severity of the finding for a value at one of `paths` that is not a conversation; a loss by default. */
  readonly otherwise?: FindingSeverity;
  /** The folders that a document lists beside its conversations. */
  readonly folders?: ConversationFolders;
  readonly tree: (
    conversation: JsonObject,
    place: string,
    findings: readonly ImportFinding[],
    options: ReadOptions,
  ) => ImportedTree;
}

/** The folders that a program lists beside its conversations. */
export interface ConversationFolders {
  /** The parts of a document that list folders. */
  readonly paths: readonly JsonPathPattern[];
  /** Returns the folders in a part at one of `paths`. */
  readonly read: (part: Json) => readonly ListedFolder[];
  /** Returns the id of the folder of a conversation, if the conversation names it. */
  readonly idOf?: (conversation: JsonObject) => string | undefined;
}

/** A folder of another program. */
export interface ListedFolder {
  readonly id: string;
  /** Undefined if the file does not contain the name. */
  readonly name: string | undefined;
  /** The ids of its conversations, if the folder names them. */
  readonly conversations?: readonly string[];
}

/** Returns the folders of a list in which each has an id and a name. */
export function readListedFolders(part: Json): readonly ListedFolder[] {
  return (Array.isArray(part) ? part : []).filter(isJsonObject).map((folder: JsonObject) => ({
    id: getFilledText(folder, 'id') ?? '',
    name: getFilledText(folder, 'title') ?? getFilledText(folder, 'name'),
    conversations: listAt(folder, 'conversationIds').filter((id) => typeof id === 'string'),
  }));
}

/** The folders of a file, and the conversations in each. */
class FolderNames {
  readonly #idOf: ConversationFolders['idOf'];
  readonly #names = new Map<string, string>();
  readonly #byConversation = new Map<string, string>();
  readonly #used = new Set<string>();
  #count = 0;

  constructor(folders: ConversationFolders | undefined) {
    this.#idOf = folders?.idOf;
  }

  /** The number of folders whose names are not imported, because no conversation is known to be in them. */
  get left(): number {
    return this.#count - this.#used.size;
  }

  add({ id, name, conversations = [] }: ListedFolder): void {
    this.#count++;
    if (name === undefined) return;
    this.#names.set(id, name);
    for (const one of conversations) this.#byConversation.set(one, id);
  }

  /** Returns a tree with the name of its folder; the same tree if it is in none. */
  sort(tree: ImportedTree, conversation: JsonObject): ImportedTree {
    const id = this.#idOf?.(conversation) ?? this.#byConversation.get(tree.externalId);
    const folder = id === undefined ? undefined : this.#names.get(id);
    if (id === undefined || folder === undefined) return tree;
    this.#used.add(id);
    return { ...tree, attributes: { ...tree.attributes, folder } };
  }
}

/**
 * Reads the folders of a file before its conversations, because many programs list them at the end. A pipe can be read
 * only once, so the folders of its conversations are counted when they arrive.
 */
async function readFolders(file: InputFile, { folders, paths }: ConversationFiles): Promise<FolderNames> {
  const names = new FolderNames(folders);
  if (folders === undefined || file.kept !== undefined) return names;
  // Conversations are split off, because the remainder of a document is kept in memory.
  const splitter = new JsonSplitter([...folders.paths, ...paths]);
  const read = (pieces: readonly JsonPiece[]) => {
    for (const { pattern, bytes } of pieces) {
      const part = pattern < folders.paths.length ? parseForeignJson(bytes, file.name).value : undefined;
      if (part !== undefined) for (const folder of folders.read(part)) names.add(folder);
    }
  };
  for await (const chunk of file.stream()) {
    read(splitter.push(chunk));
    await file.rest?.();
  }
  read(splitter.end().pieces);
  return names;
}

const sampled = 20;

/** Returns at most twenty values of a document that match a path pattern. */
export function findValuesByPath(json: Json | undefined, pattern: JsonPathPattern): readonly (Json | undefined)[] {
  let found: readonly (Json | undefined)[] = [json];
  for (const key of pattern)
    found = found
      .flatMap((value): readonly (Json | undefined)[] => {
        if (key === '*') return Array.isArray(value) ? value.slice(0, sampled) : [];
        if (!isJsonObject(value)) return [];
        return key === '{}' ? Object.values(value).slice(0, sampled) : Object.hasOwn(value, key) ? [value[key]] : [];
      })
      .slice(0, sampled);
  return found;
}

/** Whether the beginning of a file contains a conversation of a program. */
export function hasConversation(
  files: ConversationFiles,
  { json, lines }: Pick<SampleFile, 'json' | 'lines'>,
): boolean {
  const { isConversation, paths } = files;
  if (isConversation(json)) return true;
  if (isJsonObject(json) && files.isDocument?.(json) === true) return true;
  if (files.lines === true && lines.length > 0 && lines.every((line) => isConversation(line))) return true;
  return paths.some((path) => findValuesByPath(json, path).some((value) => isConversation(value)));
}

/** Yields the conversations of one file, and a finding for each value that is not a conversation. */
export async function* readConversationFile(
  file: InputFile,
  files: ConversationFiles,
  options: ReadOptions,
): AsyncGenerator<ReadEvent> {
  const { isConversation, paths, otherwise = 'loss' } = files;
  const inLines = files.lines === true && (await isJsonLinesFile(file));
  const names = await readFolders(file, files);
  const tree = (record: { readonly value: JsonObject; readonly place: string }, findings: readonly ImportFinding[]) => {
    const made = files.tree(record.value, record.place, findings, options);
    return { type: 'tree' as const, tree: names.sort(made, record.value) };
  };
  for await (const record of inLines ? readLineRecords(file) : readDocumentRecords(file, paths)) {
    if (record.type === 'finding') yield record;
    else if (record.type === 'rest') {
      const { value, place } = record;
      const left = file.kept === undefined ? names.left : countFolders(value, files);
      if (left > 0)
        yield {
          type: 'finding',
          finding: buildFinding('import/skipped', 'note', place, buildFindingDetail('names-of-folders', left)),
        };
      if (isConversation(value)) yield tree({ value, place }, []);
    } else if (isConversation(record.value)) yield tree({ value: record.value, place: record.place }, record.findings);
    else
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', otherwise, record.place, buildFindingDetail('not-a-conversation'), 1),
      };
  }
}

/** Returns the number of folders in the remainder of a document. */
function countFolders(document: Json | undefined, { folders }: ConversationFiles): number {
  const parts = (folders?.paths ?? []).flatMap((path) => findValuesByPath(document, path));
  return parts.reduce<number>((sum, part) => sum + (part === undefined ? 0 : (folders?.read(part).length ?? 0)), 0);
}

/** Reads each file of an input that belongs to a program, and reports the other files as skipped. */
export async function* readProgramFiles(
  input: ImportInput,
  isOwn: (sample: SampleFile) => boolean,
  read: (file: InputFile) => AsyncIterable<ReadEvent>,
): AsyncGenerator<ReadEvent> {
  for (const file of input.files) {
    const [sample] = isMediaFile(file.name) ? [] : (await readSample({ files: [file] })).files;
    // If the input is a single file, it is read even if its beginning is damaged.
    if (input.files.length === 1 || (sample !== undefined && isOwn(sample))) yield* read(file);
    else yield { type: 'finding', finding: buildFinding('import/skipped', 'note', file.name) };
  }
}

/** Creates a reader for a program whose files {@link ConversationFiles} describes. */
export function createConversationReader(files: ConversationFiles): FormatReader {
  const isOwn = (sample: SampleFile) => hasConversation(files, sample);
  return {
    detect: ({ files: samples }) => (samples.some(isOwn) ? files.confidence : 0),
    read: (input, options) => readProgramFiles(input, isOwn, (file) => readConversationFile(file, files, options)),
  };
}
