import type { Json, JsonObject } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import { type Attachment, AttachmentFiles } from '../attachments.ts';
import type { ImportedBlob, ImportedNode, ImportedTree, ReadEvent, ReadOptions } from '../contract.ts';
import { itemsPerPause, type PauseFunction } from '../cooperative.ts';
import { decodeUtf8 } from '../decode.ts';
import {
  checkTime,
  getFilledText,
  getTexts,
  isJsonObject,
  objectAt,
  omitKeys,
  parseSecondsTime,
  textAt,
} from '../fields.ts';
import { readDocumentRecords, readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { appendFindings, buildFinding, type ImportFinding } from '../findings.ts';
import {
  type ImportInput,
  type InputFile,
  type InputSample,
  isJsonLinesFile,
  isMediaFile,
  readFirstBytes,
} from '../input.ts';
import { parsePartialJson } from '../partial-json.ts';
import {
  buildNonObjectFinding,
  checkParentId,
  checkRecordKey,
  checkRole,
  checkRootCount,
} from '../structure-findings.ts';
import {
  type AttachmentsById,
  type ConvertedChatgptMessage,
  deriveCallId,
  readChatgptMessage,
  recipientOf,
} from './content.ts';

function hasAuthor(message: JsonObject): boolean {
  return typeof objectAt(message, 'author').role === 'string';
}

/** Whether the messages of a mapping belong to another program, because no message has an author. */
function isOtherMapping(mapping: JsonObject): boolean {
  let others = 0;
  for (const node of Object.values(mapping)) {
    if (!isJsonObject(node) || !isJsonObject(node.message)) continue;
    if (hasAuthor(node.message)) return false;
    // A sample may end between the id and the author, because the id comes first.
    if (Object.keys(node.message).some((key) => key !== 'id')) others++;
  }
  return others > 0;
}

function isMapping(value: Json | undefined): boolean {
  if (!isJsonObject(value) || !isJsonObject(value.mapping) || isOtherMapping(value.mapping)) return false;
  const [first] = Object.values(value.mapping);
  return (
    first === undefined ||
    (isJsonObject(first) &&
      ('message' in first || 'children' in first || 'parent' in first || Object.keys(first).length < 2))
  );
}

/**
 * Whether the beginning of a file looks like an export: a conversation, a list of conversations, or an object with a
 * list of conversations.
 */
function isChatgptExport(json: Json | undefined): boolean {
  if (isMapping(json)) return true;
  const list = isJsonObject(json) ? json.conversations : json;
  if (!Array.isArray(list)) return false;
  return list.slice(0, 20).some(isMapping);
}

/** Returns 0.95 if a file looks like an export, else 0. */
export function detect(sample: InputSample): number {
  return sample.files.some((file) => isChatgptExport(file.json)) ? 0.95 : 0;
}

/** Finds the call that each tool message answers. Results are cached per node. */
class ToolCalls {
  readonly #mapping: ReadonlyMap<string, JsonObject>;
  readonly #known = new Map<string, string | undefined>();

  constructor(mapping: ReadonlyMap<string, JsonObject>) {
    this.#mapping = mapping;
  }

  /** Returns the call that a tool message answers: the nearest call above it. Other results are skipped. */
  of(id: string): string | undefined {
    const walked: string[] = [];
    let at: string | undefined = this.#above(id);
    let call: string | undefined;
    while (at !== undefined && walked.length <= this.#mapping.size) {
      if (this.#known.has(at)) {
        call = this.#known.get(at);
        break;
      }
      const message = objectAt(this.#mapping.get(at) ?? {}, 'message');
      walked.push(at);
      if (recipientOf(message) !== undefined) {
        call = deriveCallId(at);
        break;
      }
      if (textAt(objectAt(message, 'author'), 'role') !== 'tool') break;
      at = this.#above(at);
    }
    for (const one of walked) this.#known.set(one, call);
    return call;
  }

  #above(id: string): string | undefined {
    return getFilledText(this.#mapping.get(id) ?? {}, 'parent');
  }
}

const roles: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool']);
const isChatgptRole = (role: string) => roles.has(role);

/** Reads the attachment files with these ids; missing files are left out. */
async function filesOfExport(ids: readonly string[], files: AttachmentFiles): Promise<AttachmentsById> {
  const byId = new Map<string, Attachment>();
  for (const id of ids) {
    const file = await files.find(id);
    if (file !== undefined) byId.set(id, file);
  }
  return byId;
}

function isToolMessage(message: JsonObject | undefined): boolean {
  return message !== undefined && textAt(objectAt(message, 'author'), 'role') === 'tool';
}

function isRootMessage(node: JsonObject): boolean {
  return (node.parent === null || node.parent === undefined) && !isJsonObject(node.message);
}

/** Returns the system prompt that Coppice wrote into a message; undefined for other messages. */
function promptAbove(node: JsonObject): string | undefined {
  const message = objectAt(node, 'message');
  if (objectAt(message, 'metadata').coppice_system_prompt !== true) return undefined;
  return getTexts(objectAt(message, 'content'), 'parts').join('');
}

const noFiles: readonly string[] = [];

type Made = { -readonly [K in keyof ImportedNode]: ImportedNode[K] };

/**
 * The nodes of one conversation while they are read. The work per node is in synchronous methods. V8 would compile an
 * async function with all of it as one piece, which takes longer than reading thousands of nodes.
 */
class Mapping {
  readonly place: string;
  readonly findings: ImportFinding[];
  readonly listed = new Map<string, JsonObject>();
  /** Nodes that are not messages of the tree: the root, and the node with the system prompt that Coppice wrote. */
  readonly own = new Map<string, JsonObject>();
  readonly nodes: ImportedNode[] = [];
  readonly blobs = new Map<string, ImportedBlob>();
  readonly childOrder = new Map<string, readonly string[]>();
  /** The ids of the children of all nodes in `own`. */
  readonly first: string[] = [];
  systemPrompt: string | undefined;
  readonly #calls = new ToolCalls(this.listed);

  constructor(conversation: JsonObject, place: string, findings: ImportFinding[]) {
    this.place = place;
    this.findings = findings;
    const listed = objectAt(conversation, 'mapping');
    for (const id of Object.keys(listed)) {
      const node = listed[id];
      if (isJsonObject(node)) this.#list(id, node);
      else findings.push(buildNonObjectFinding(`${place}.mapping.${id}`));
    }
  }

  #list(id: string, node: JsonObject): void {
    this.listed.set(id, node);
    const prompt = promptAbove(node);
    if (prompt !== undefined) this.systemPrompt = prompt;
    if (prompt !== undefined || isRootMessage(node)) this.own.set(id, node);
  }

  /** Converts the message of a node; undefined if the node has no message. */
  #convert(id: string, node: JsonObject, files?: AttachmentsById): ConvertedChatgptMessage | undefined {
    const { message } = node;
    if (!isJsonObject(message)) return undefined;
    const callId = isToolMessage(message) ? this.#calls.of(id) : undefined;
    const given = { nodeId: id, callId, place: this.#placeOf(id) };
    return readChatgptMessage(message, files === undefined ? given : { ...given, files });
  }

  #placeOf(id: string): string {
    return `${this.place}.mapping.${id}`;
  }

  /** Appends the children of a root or of the prompt node to the first messages. */
  #addFirstChildren(node: JsonObject): void {
    for (const child of getTexts(node, 'children')) if (!this.own.has(child)) this.first.push(child);
  }

  /** Reads nodes from an index on. Stops at a node that refers to files, because these must be awaited. */
  readSome(ids: readonly string[], from: number): { readonly next: number; readonly files: readonly string[] } {
    const end = Math.min(ids.length, from + itemsPerPause);
    for (let at = from; at < end; at++) {
      const files = this.addNode(ids[at] ?? '');
      if (files.length > 0) return { next: at + 1, files };
    }
    return { next: end, files: noFiles };
  }

  /**
   * Adds a node to the tree. If the node refers to files, returns their ids and adds nothing; call it again with the
   * files.
   */
  addNode(id: string, files?: AttachmentsById): readonly string[] {
    const node = this.listed.get(id);
    if (node === undefined) return noFiles;
    if (this.own.has(id)) {
      this.#addFirstChildren(node);
      return noFiles;
    }
    const converted = this.#convert(id, node, files);
    if (files === undefined && converted !== undefined && converted.wanted.length > 0) return converted.wanted;
    this.#keep(id, node, converted);
    return noFiles;
  }

  #keep(id: string, node: JsonObject, said: ConvertedChatgptMessage | undefined): void {
    const { findings } = this;
    if (Array.isArray(node.children)) this.childOrder.set(id, getTexts(node, 'children'));
    const at = this.#placeOf(id);
    const parent = getFilledText(node, 'parent') ?? null;
    appendFindings(findings, checkParentId(node.parent, at));
    appendFindings(findings, checkRecordKey(id, node.id, at));
    const message = isJsonObject(node.message) ? node.message : undefined;
    if (message !== undefined)
      appendFindings(findings, checkRole('role', objectAt(message, 'author').role, isChatgptRole, at));
    if (said?.message?.role === 'tool' && this.#calls.of(id) === undefined)
      findings.push(buildFinding('import/tool-pairing', 'note', at, buildFindingDetail('no-call-above')));
    if (said !== undefined) {
      appendFindings(findings, said.findings);
      if (said.blobs.length > 0) for (const blob of said.blobs) this.blobs.set(blob.hash, blob);
    }
    const createdAt = parseSecondsTime(message?.create_time);
    appendFindings(findings, checkTime(message?.create_time, createdAt, at));
    // Fields are listed instead of spread for speed: this code runs for every record of every import.
    const made: Made = {
      externalId: id,
      parentExternalId: parent !== null && this.own.has(parent) ? null : parent,
      message: said?.message ?? null,
      kind: said?.kind ?? (said?.message == null ? 'state' : 'message'),
      record: omitKeys(node, 'children'),
      place: at,
    };
    if (said !== undefined) made.meta = said.meta;
    if (said?.status !== undefined) made.status = said.status;
    if (createdAt !== undefined) made.createdAt = createdAt;
    this.nodes.push(made);
  }
}

async function chatgptTree(
  conversation: JsonObject,
  place: string,
  found: readonly ImportFinding[],
  files: AttachmentFiles,
  rest: PauseFunction | undefined,
): Promise<ImportedTree> {
  // Yields to other work, because parsing the conversation in one step may have taken long.
  await rest?.();
  const mapping = new Mapping(conversation, place, [...found]);
  await rest?.();
  const ids = [...mapping.listed.keys()];
  for (let at = 0; at < ids.length; ) {
    const wanting = mapping.readSome(ids, at);
    at = wanting.next;
    if (wanting.files.length > 0) mapping.addNode(ids[at - 1] ?? '', await filesOfExport(wanting.files, files));
    const resting = rest?.();
    if (resting !== undefined) await resting;
  }
  return buildTree(conversation, mapping);
}

/** Builds the tree after all nodes of the conversation are read. */
function buildTree(conversation: JsonObject, mapping: Mapping): ImportedTree {
  const { place, findings, nodes, own, first, childOrder, blobs, systemPrompt } = mapping;
  const beginnings = [...mapping.listed.values()].filter(({ parent }) => parent === null || parent === undefined);
  appendFindings(findings, checkRootCount(beginnings.length, place, 'repair'));
  // An export may have several roots. First come the children of each root, then messages without a parent.
  if (own.size > 0 && first.length > 0) {
    const known = new Set(first);
    for (const node of nodes)
      if (node.parentExternalId === null && !known.has(node.externalId)) first.push(node.externalId);
    childOrder.set('', first);
  }
  const current = conversation.current_node;
  const record = omitKeys(conversation, 'mapping');
  const kept = Object.fromEntries([...own].map(([id, node]) => [id, omitKeys(node, 'children')]));
  const createdAt = parseSecondsTime(conversation.create_time);
  const updatedAt = parseSecondsTime(conversation.update_time);
  for (const [key, read] of [
    ['create_time', createdAt],
    ['update_time', updatedAt],
  ] as const)
    appendFindings(findings, checkTime(conversation[key], read, `${place}.${key}`));
  const title = getFilledText(conversation, 'title');
  const id = getFilledText(conversation, 'conversation_id') ?? getFilledText(conversation, 'id');
  return {
    externalId: id ?? `sha256:${sha256Hex(canonicalJson(conversation))}`,
    scope: '',
    ...(title === undefined ? {} : { title }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...(conversation.is_starred === true ? { attributes: { pinned: true } } : {}),
    nodes,
    childOrder,
    ...(typeof current === 'string' ? { activeExternalId: own.has(current) ? null : current } : {}),
    record: { ...record, $roots: kept },
    ownRecords: own.size,
    blobs: [...blobs.values()],
    place,
    findings,
  };
}

/** Yields the tree of a conversation, or a finding if its messages belong to another program. */
async function* readConversation(
  conversation: JsonObject,
  place: string,
  found: readonly ImportFinding[],
  files: AttachmentFiles,
  rest: PauseFunction | undefined,
): AsyncGenerator<ReadEvent> {
  const mapping = objectAt(conversation, 'mapping');
  if (isOtherMapping(mapping)) {
    const count = Object.keys(mapping).length;
    yield {
      type: 'finding',
      finding: buildFinding('import/other-format', 'loss', place, buildFindingDetail('no-author'), count),
    };
  } else yield { type: 'tree', tree: await chatgptTree(conversation, place, found, files, rest) };
}

async function hasConversations(file: InputFile): Promise<boolean> {
  if (isMediaFile(file.name)) return false;
  return isChatgptExport(parsePartialJson(decodeUtf8((await readFirstBytes(file)).head).text));
}

/**
 * Returns the ids in a file's name, such as `file-AbC123` in `file-AbC123-photo.png` or `photo-file-AbC123.png`, and
 * the name itself with and without its extension.
 */
function idsInFileName(name: string): string[] {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const ids = [base];
  for (const [id] of base.matchAll(/(?<![A-Za-z0-9])file[-_][A-Za-z0-9]+/g)) ids.push(id);
  const plain = /^(.+)\.[A-Za-z0-9]+$/.exec(base)?.[1];
  if (plain !== undefined) ids.push(plain);
  return ids;
}

// Files of an export that contain no conversations.
const beside =
  /(?:^|\/)(?:chat\.html|user\.json|message_feedback\.json|shared_conversations\.json|export_manifest\.json|model_comparisons\.json|group_chats\.json|shopping\.json|sora\.json)$/;

/** Reads exports: one file, several shards or a single conversation, with their attachment files. */
export async function* read(input: ImportInput, { rest }: ReadOptions = {}): AsyncGenerator<ReadEvent> {
  const chosen: InputFile[] = [];
  const others: InputFile[] = [];
  for (const file of input.files) {
    if (await hasConversations(file)) chosen.push(file);
    else others.push(file);
  }
  // If the input is a single file, it is read even if its beginning is damaged.
  if (chosen.length === 0 && input.files.length === 1) chosen.push(...others.splice(0));
  chosen.sort((a, b) => (a.name < b.name ? -1 : 1));
  const files = new AttachmentFiles(others, idsInFileName);
  for (const file of chosen) {
    const single: JsonObject[] = [];
    const lines = await isJsonLinesFile(file);
    const records = lines ? readLineRecords(file) : readDocumentRecords(file, [['*'], ['conversations', '*']]);
    for await (const record of records) {
      if (record.type === 'finding') yield record;
      else if (record.type === 'rest') {
        if (isJsonObject(record.value) && isJsonObject(record.value.mapping)) single.push(record.value);
      } else if (isJsonObject(record.value) && isJsonObject(record.value.mapping))
        yield* readConversation(record.value, record.place, record.findings, files, rest);
      else
        yield {
          type: 'finding',
          finding: buildFinding('import/skipped', 'note', record.place, buildFindingDetail('no-mapping'), 1),
        };
    }
    for (const one of single) yield* readConversation(one, file.name, [], files, rest);
  }
  for (const name of files.unused)
    yield {
      type: 'finding',
      finding: buildFinding(beside.test(name) ? 'import/skipped' : 'import/attachment-unused', 'note', name),
    };
}
