// What an entry means as a node of the tree, and how a node is written as an entry. One file, so that the two agree.
import {
  checkMessage,
  type JsonObject,
  type Marker,
  type Message,
  type NewNode,
  type NodeKind,
  type NodeMeta,
  type NodeStatus,
  nodeId,
  nodeStatuses,
  textMessage,
  textOf,
} from '@coppice/core';
import { canonicalJson } from '../canonical-json.ts';
import { commitFields, type SessionEntry } from './contract.ts';
import {
  isSessionFields,
  numberField,
  objectField,
  omitSessionFields,
  omitUndefinedFields,
  ownSessionField,
  parseTime,
  type SessionFields,
  textField,
  toIsoTime,
} from './fields.ts';
import { readBlocks, readSessionMessage, unreadableType } from './messages.ts';

/** A node as an entry tells it. Ids are those of the file; what is not said is derived by whoever knows the tree. */
export interface DecodedEntry {
  readonly kind: Exclude<NodeKind, 'root'>;
  readonly message: Message;
  readonly status: NodeStatus;
  readonly meta: NodeMeta;
  readonly marker: EntryMarker | null;
  readonly createdAt: number | undefined;
  /** What the store that wrote the entry noted: place, group, key, tokens and the like. */
  readonly noted: SessionFields;
}

/** A marker whose pointers are ids of the file. */
export type EntryMarker = Omit<Marker, 'firstKept' | 'from'> & { readonly firstKept?: string; readonly from?: string };

const nothing: SessionFields = {};

/** What an entry means. Entries of unknown types are states: they keep their place and are shown to no model. */
export function decodeEntry(entry: SessionEntry): DecodedEntry {
  const noted = objectField(entry, 'node') ?? nothing;
  const read = readEntry(entry);
  const exact =
    ownSessionField(noted, 'message') === undefined ? null : checkMessage(ownSessionField(noted, 'message'));
  const message = exact?.ok === true ? exact.value : read.message;
  const status = nodeStatuses.find((one) => one === ownSessionField(noted, 'status')) ?? read.status;
  const meta = objectField(noted, 'meta') ?? read.meta;
  const marker =
    ownSessionField(noted, 'marker') === undefined ? read.marker : markerIn(ownSessionField(noted, 'marker'));
  return {
    kind: read.kind,
    message,
    status,
    meta,
    marker,
    createdAt: numberField(noted, 'createdAt') ?? parseTime(entry.timestamp),
    noted,
  };
}

/**
 * Why the message of an entry would be refused if it were sent today; null if it would not. Lines of other tools have
 * messages of their own kinds, which are only asked whether they can be read.
 */
export function messageProblem(entry: SessionEntry, isOurs: boolean): string | null {
  const noted = ownSessionField(objectField(entry, 'node') ?? nothing, 'message');
  const said = isOurs ? messageIn(entry) : undefined;
  for (const message of [noted, said]) {
    const checked = message === undefined ? null : checkMessage(message);
    if (checked?.ok === false) return checked.refusal.message;
  }
  if (entry.type !== 'message' || isOurs) return null;
  const isUnreadable = readSessionMessage(ownSessionField(entry, 'message')).message.content.some(
    ({ type }) => type === unreadableType,
  );
  return isUnreadable ? 'message cannot be read.' : null;
}

/** The message of a line of ours as it is written; undefined for lines that have none. */
function messageIn(entry: SessionEntry): unknown {
  if (entry.type === 'message') return ownSessionField(entry, 'message') ?? null;
  return entry.type === 'custom_message' ? { role: 'user', content: ownSessionField(entry, 'content') } : undefined;
}

interface EntryRead {
  readonly kind: Exclude<NodeKind, 'root'>;
  readonly message: Message;
  readonly status: NodeStatus;
  readonly meta: NodeMeta;
  readonly marker: EntryMarker | null;
}

function readEntry(entry: SessionEntry): EntryRead {
  switch (entry.type) {
    case 'message': {
      const { message, kind, status, meta } = readSessionMessage(ownSessionField(entry, 'message'));
      return { kind, message, status, meta: { ...meta, ...extras(entry) }, marker: kind === 'injected' ? {} : null };
    }
    case 'branch_summary':
    case 'stack_summary':
      return markerFields(
        'branch-summary',
        textMessage('system', textField(entry, 'summary') ?? ''),
        { ...pointer('from', textField(entry, 'fromUuid')), ...detailsIn(entry) },
        extras(entry),
      );
    case 'compaction': {
      const before = numberField(entry, 'tokensBefore');
      return markerFields(
        'compaction',
        textMessage('system', textField(entry, 'summary') ?? ''),
        {
          ...pointer('firstKept', textField(entry, 'firstKeptEntryUuid')),
          ...(before === undefined ? {} : { tokensBefore: before }),
          ...detailsIn(entry),
        },
        extras(entry),
      );
    }
    case 'custom_message': {
      const blocks = readBlocks(ownSessionField(entry, 'content'));
      const message: Message = {
        role: 'user',
        content: blocks.length === 0 ? textMessage('user', '').content : blocks,
      };
      return markerFields('injected', message, warningsOf(data({ ...entry, content: undefined })));
    }
    case 'model_change': {
      const [provider, model] = [textField(entry, 'provider'), textField(entry, 'modelId')];
      const meta = provider === undefined || model === undefined ? {} : { model: `${provider}/${model}` };
      return markerFields('state', textMessage('system', ''), warningsOf({ type: entry.type, ...data(entry) }), meta);
    }
    default:
      return markerFields(
        'state',
        textMessage('system', ''),
        warningsOf(entry.type === types.state ? data(entry) : { type: entry.type, ...data(entry) }),
      );
  }
}

// What every line has; the rest of a state's fields is what it says.
const lineFields: readonly string[] = [
  'type',
  'uuid',
  'parentUuid',
  'timestamp',
  'version',
  'commit',
  'node',
  'damaged',
];
// What a line of ours has besides, which in a line of another tool is what it says.
const ownFields: ReadonlySet<string> = new Set([...lineFields, 'row']);
const lastFields: ReadonlySet<string> = new Set([...ownFields, ...commitFields]);
const foreignFields: ReadonlySet<string> = new Set(lineFields);
const bare: ReadonlySet<string> = new Set([...lastFields, 'content']);

function data(entry: SessionEntry): JsonObject {
  return omitUndefinedFields(omitSessionFields(entry, aboutLine(entry)));
}

/** The fields of an entry that are about its line and its commit, and nothing that it says. */
export function aboutLine(entry: SessionEntry): ReadonlySet<string> {
  if (ownSessionField(entry, 'commit') === true) return lastFields;
  return ownSessionField(entry, 'version') === undefined ? foreignFields : ownFields;
}

function warningsOf(details: JsonObject): EntryMarker {
  return Object.keys(details).length === 0 ? {} : { details };
}

function markerFields(kind: EntryRead['kind'], message: Message, marker: EntryMarker, meta: NodeMeta = {}): EntryRead {
  return { kind, message, status: 'success', meta, marker };
}

// What messages and summaries say in fields that are known.
const saidFields: readonly string[] = [
  'message',
  'summary',
  'fromUuid',
  'firstKeptEntryUuid',
  'tokensBefore',
  'details',
];
const known: ReadonlySet<string> = new Set([...bare, ...saidFields]);
const knownElsewhere: ReadonlySet<string> = new Set([...foreignFields, ...saidFields]);

/** Fields of a line that other tools wrote and that nothing here reads: they go along with the node. */
function extras(entry: SessionEntry): NodeMeta {
  const read = ownSessionField(entry, 'version') === undefined ? knownElsewhere : known;
  // Most lines have none, and this runs for each of them.
  for (const key of Object.keys(entry))
    if (!read.has(key) || isOdd(entry, key)) return { sessionFields: fieldsOfOthers(entry, read) };
  return {};
}

function fieldsOfOthers(entry: SessionEntry, read: ReadonlySet<string>): JsonObject {
  return omitUndefinedFields(
    Object.fromEntries(Object.entries(entry).filter(([key]) => !read.has(key) || isOdd(entry, key))),
  );
}

/** Whether a field has a known name and says something that nothing here reads. */
function isOdd(entry: SessionEntry, key: string): boolean {
  return key === 'details' && objectField(entry, key) === undefined;
}

function extrasOf(meta: NodeMeta): SessionFields {
  const { sessionFields } = meta;
  return isSessionFields(sessionFields) ? omitSessionFields(sessionFields, known) : {};
}

function pointer(key: 'from' | 'firstKept', id: string | undefined): EntryMarker {
  return id === undefined ? {} : { [key]: id };
}

function detailsIn(entry: SessionEntry): EntryMarker {
  const found = objectField(entry, 'details');
  return found === undefined ? {} : { details: found };
}

function markerIn(value: unknown): EntryMarker | null {
  return isMarker(value) ? value : null;
}

// A marker that was noted by a store; core checks its fields when the step is read.
function isMarker(value: unknown): value is EntryMarker {
  return isSessionFields(value);
}

/** How ids of nodes are spelt in the file. */
export type FileId = (id: string) => string;

const types: { readonly [K in Exclude<NodeKind, 'root'>]: string } = {
  message: 'message',
  'branch-summary': 'branch_summary',
  compaction: 'compaction',
  injected: 'custom_message',
  state: 'custom',
};

/** When a node was made, as lines write it; undefined for what does not say so, which has nought for a time. */
export function createdTime({ createdAt }: Pick<NewNode, 'createdAt'>): string | undefined {
  return createdAt === 0 ? undefined : toIsoTime(createdAt);
}

/** A node as an entry. `noted` is what cannot be told from the entry itself, such as its place among the variants. */
export function encodeNode(node: NewNode, fileId: FileId, noted: SessionFields): SessionEntry {
  const { kind, message, parentId } = node;
  if (kind === 'root' || message === null || parentId === null)
    throw new Error(`The root ${node.id} is the header, not an entry.`);
  const marker = fileMarker(node.marker, fileId);
  const said = sourceOfNode(kind, message, marker);
  const timestamp = createdTime(node);
  const entry: SessionEntry = {
    type: said.type,
    uuid: fileId(node.id),
    parentUuid: fileId(parentId),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...said.fields,
    ...(kind === 'injected' || kind === 'state' ? {} : extrasOf(node.meta)),
  };
  const read = readEntry(entry);
  const notes = omitUndefinedFields({
    ...noted,
    ...(timestamp === undefined ? { createdAt: node.createdAt } : {}),
    ...(node.status === read.status ? {} : { status: node.status }),
    ...(node.groupId === 0 ? {} : { groupId: node.groupId }),
    ...(isSame(node.meta, read.meta) ? {} : { meta: node.meta }),
    ...(isSame(message, read.message) ? {} : { message }),
    ...(isSame(marker, read.marker) ? {} : { marker }),
    ...(node.aliases.length === 0 ? {} : { aliases: node.aliases }),
  });
  return Object.keys(notes).length === 0 ? entry : { ...entry, node: notes };
}

/** A marker with its pointers as the file spells them. */
export function fileMarker(marker: Marker | null, fileId: FileId): EntryMarker | null {
  if (marker === null) return null;
  const { firstKept, from, ...rest } = marker;
  return {
    ...(firstKept === undefined ? {} : { firstKept: fileId(firstKept) }),
    ...(from === undefined ? {} : { from: fileId(from) }),
    ...rest,
  };
}

/** A marker with its pointers as the tree spells them. */
export function nodeMarker(marker: EntryMarker | null, toNode: (id: string) => string): Marker | null {
  if (marker === null) return null;
  const { firstKept, from, ...rest } = marker;
  return {
    ...(firstKept === undefined ? {} : { firstKept: nodeId(toNode(firstKept)) }),
    ...(from === undefined ? {} : { from: nodeId(toNode(from)) }),
    ...rest,
  };
}

function sourceOfNode(
  kind: Exclude<NodeKind, 'root'>,
  message: Message,
  marker: EntryMarker | null,
): { readonly type: string; readonly fields: SessionFields } {
  const { details, firstKept, from, tokensBefore } = marker ?? {};
  const more = details === undefined ? {} : { details };
  switch (kind) {
    case 'message':
      return { type: types[kind], fields: { message } };
    case 'branch-summary':
      return {
        type: types[kind],
        fields: { summary: textOf(message), ...(from === undefined ? {} : { fromUuid: from }), ...more },
      };
    case 'compaction':
      return {
        type: types[kind],
        fields: {
          summary: textOf(message),
          ...(firstKept === undefined ? {} : { firstKeptEntryUuid: firstKept }),
          ...(tokensBefore === undefined ? {} : { tokensBefore }),
          ...more,
        },
      };
    case 'injected':
      return { type: types[kind], fields: { ...fieldsIn(details), content: message.content } };
    case 'state': {
      const type = typeof details?.type === 'string' && !reservedFields.has(details.type) ? details.type : types[kind];
      return { type, fields: fieldsIn(details) };
    }
  }
}

// A state that calls itself something else would be read as that.
const reservedFields: ReadonlySet<string> = new Set([
  'session',
  'message',
  'branch_summary',
  'stack_summary',
  'compaction',
  'custom_message',
  'leaf',
  'change',
  'label',
  'session_info',
  'linear',
  'log',
  'state',
]);

/** The fields of a marker's details, as far as they do not stand in the way of the line's own. */
function fieldsIn(details: JsonObject | undefined): SessionFields {
  return details === undefined ? {} : omitSessionFields(details, bare);
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return canonicalJson(a) === canonicalJson(b);
}
