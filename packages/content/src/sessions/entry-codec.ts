// Decodes an entry to a node of the tree, and encodes a node as an entry. Both are in one file, so that they stay
// consistent.

import type { FieldMap } from '@coppice/core';
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
import { getNumber, getObject, getText, isFieldMap, ownField } from '@coppice/core/decode';
import { canonicalJson } from '../canonical-json.ts';
import { commitFields, type SessionEntry } from './contract.ts';
import { formatSessionTime, omitSessionFields, parseSessionTime, pickJsonFields } from './fields.ts';
import { readSessionBlocks, readSessionMessage, unreadableBlockType } from './messages.ts';

/** A decoded entry. Ids are those of the file; the caller, which has the tree, derives missing values. */
export interface DecodedEntry {
  readonly kind: Exclude<NodeKind, 'root'>;
  readonly message: Message;
  readonly status: NodeStatus;
  readonly meta: NodeMeta;
  readonly marker: EntryMarker | null;
  readonly createdAt: number | undefined;
  /** The values that the writing store added: position, group, key, tokens and others. */
  readonly noted: FieldMap;
}

/** A marker whose references are ids of the file. */
export type EntryMarker = Omit<Marker, 'firstKept' | 'from'> & { readonly firstKept?: string; readonly from?: string };

const nothing: FieldMap = {};

/** Decodes an entry. Entries of unknown types become states, which stay in the tree but are hidden from models. */
export function decodeEntry(entry: SessionEntry): DecodedEntry {
  const noted = getObject(entry, 'node') ?? nothing;
  const read = readEntry(entry);
  const exact = ownField(noted, 'message') === undefined ? null : checkMessage(ownField(noted, 'message'));
  const message = exact?.ok === true ? exact.value : read.message;
  const status = nodeStatuses.find((one) => one === ownField(noted, 'status')) ?? read.status;
  const meta = getObject(noted, 'meta') ?? read.meta;
  const marker = ownField(noted, 'marker') === undefined ? read.marker : markerIn(ownField(noted, 'marker'));
  return {
    kind: read.kind,
    message,
    status,
    meta,
    marker,
    createdAt: getNumber(noted, 'createdAt') ?? parseSessionTime(entry.timestamp),
    noted,
  };
}

/**
 * Returns why the message of an entry would be refused as input now; null if it would be accepted. Lines of other tools
 * have their own kinds of messages, which only need to be readable.
 */
export function findMessageProblem(entry: SessionEntry, isOurs: boolean): string | null {
  const noted = ownField(getObject(entry, 'node') ?? nothing, 'message');
  const said = isOurs ? messageIn(entry) : undefined;
  for (const message of [noted, said]) {
    const checked = message === undefined ? null : checkMessage(message);
    if (checked?.ok === false) return checked.refusal.message;
  }
  if (entry.type !== 'message' || isOurs) return null;
  const isUnreadable = readSessionMessage(ownField(entry, 'message')).message.content.some(
    ({ type }) => type === unreadableBlockType,
  );
  return isUnreadable ? 'message cannot be read.' : null;
}

/** Returns the raw message of a line in Coppice's format; undefined for lines without a message. */
function messageIn(entry: SessionEntry): unknown {
  if (entry.type === 'message') return ownField(entry, 'message') ?? null;
  return entry.type === 'custom_message' ? { role: 'user', content: ownField(entry, 'content') } : undefined;
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
      const { message, kind, status, meta } = readSessionMessage(ownField(entry, 'message'));
      return {
        kind,
        message,
        status,
        meta: { ...meta, ...foreignMeta(entry) },
        marker: kind === 'injected' ? {} : null,
      };
    }
    case 'branch_summary':
    case 'stack_summary':
      return markerFields(
        'branch-summary',
        textMessage('system', getText(entry, 'summary') ?? ''),
        { ...pointerField('from', getText(entry, 'fromUuid')), ...detailsIn(entry) },
        foreignMeta(entry),
      );
    case 'compaction': {
      const before = getNumber(entry, 'tokensBefore');
      return markerFields(
        'compaction',
        textMessage('system', getText(entry, 'summary') ?? ''),
        {
          ...pointerField('firstKept', getText(entry, 'firstKeptEntryUuid')),
          ...(before === undefined ? {} : { tokensBefore: before }),
          ...detailsIn(entry),
        },
        foreignMeta(entry),
      );
    }
    case 'custom_message': {
      const blocks = readSessionBlocks(ownField(entry, 'content'));
      const message: Message = {
        role: 'user',
        content: blocks.length === 0 ? textMessage('user', '').content : blocks,
      };
      return markerFields('injected', message, detailsMarker(entryData({ ...entry, content: undefined })));
    }
    case 'model_change': {
      const [provider, model] = [getText(entry, 'provider'), getText(entry, 'modelId')];
      const meta = provider === undefined || model === undefined ? {} : { model: `${provider}/${model}` };
      return markerFields(
        'state',
        textMessage('system', ''),
        detailsMarker({ type: entry.type, ...entryData(entry) }),
        meta,
      );
    }
    default:
      return markerFields(
        'state',
        textMessage('system', ''),
        detailsMarker(entry.type === types.state ? entryData(entry) : { type: entry.type, ...entryData(entry) }),
      );
  }
}

// Fields that every line may have; the other fields of a state are its content.
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
// Further fields of Coppice's lines; in a line of another tool these are content.
const ownFields: ReadonlySet<string> = new Set([...lineFields, 'row']);
const lastFields: ReadonlySet<string> = new Set([...ownFields, ...commitFields]);
const foreignFields: ReadonlySet<string> = new Set(lineFields);
const bare: ReadonlySet<string> = new Set([...lastFields, 'content']);

function entryData(entry: SessionEntry): JsonObject {
  return pickJsonFields(omitSessionFields(entry, getLineAndCommitFields(entry)));
}

/** Returns the fields of an entry that describe its line and commit, which are not content. */
export function getLineAndCommitFields(entry: SessionEntry): ReadonlySet<string> {
  if (ownField(entry, 'commit') === true) return lastFields;
  return ownField(entry, 'version') === undefined ? foreignFields : ownFields;
}

function detailsMarker(details: JsonObject): EntryMarker {
  return Object.keys(details).length === 0 ? {} : { details };
}

function markerFields(kind: EntryRead['kind'], message: Message, marker: EntryMarker, meta: NodeMeta = {}): EntryRead {
  return { kind, message, status: 'success', meta, marker };
}

// The content fields of messages and summaries.
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

/** Returns the fields of a line that Coppice does not decode; they are stored with the node. */
function foreignMeta(entry: SessionEntry): NodeMeta {
  const read = ownField(entry, 'version') === undefined ? knownElsewhere : known;
  // This is a fast path for lines without such fields, because it runs for each line.
  for (const key of Object.keys(entry))
    if (!read.has(key) || isOdd(entry, key)) return { sessionFields: fieldsOfOthers(entry, read) };
  return {};
}

function fieldsOfOthers(entry: SessionEntry, read: ReadonlySet<string>): JsonObject {
  return pickJsonFields(
    Object.fromEntries(Object.entries(entry).filter(([key]) => !read.has(key) || isOdd(entry, key))),
  );
}

/** Whether a field has a known name but a value that is not decoded. */
function isOdd(entry: SessionEntry, key: string): boolean {
  return key === 'details' && getObject(entry, key) === undefined;
}

function extrasOf(meta: NodeMeta): FieldMap {
  const { sessionFields } = meta;
  return isFieldMap(sessionFields) ? omitSessionFields(sessionFields, known) : {};
}

function pointerField(key: 'from' | 'firstKept', id: string | undefined): EntryMarker {
  return id === undefined ? {} : { [key]: id };
}

function detailsIn(entry: SessionEntry): EntryMarker {
  const found = getObject(entry, 'details');
  return found === undefined ? {} : { details: found };
}

function markerIn(value: unknown): EntryMarker | null {
  return isMarker(value) ? value : null;
}

// A type guard for a stored marker; core validates its fields when the step is parsed.
function isMarker(value: unknown): value is EntryMarker {
  return isFieldMap(value);
}

/** Converts a node id to its form in the file. */
export type ToFileId = (id: string) => string;

const types: { readonly [K in Exclude<NodeKind, 'root'>]: string } = {
  message: 'message',
  'branch-summary': 'branch_summary',
  compaction: 'compaction',
  injected: 'custom_message',
  state: 'custom',
};

/** Returns the creation time of a node as text; undefined for time 0, which means unknown. */
export function formatCreatedTime({ createdAt }: Pick<NewNode, 'createdAt'>): string | undefined {
  return createdAt === 0 ? undefined : formatSessionTime(createdAt);
}

/** Encodes a node as an entry. `noted` contains values that cannot be derived from the entry, such as its position. */
export function encodeNode(node: NewNode, fileId: ToFileId, noted: FieldMap): SessionEntry {
  const { kind, message, parentId } = node;
  if (kind === 'root' || message === null || parentId === null)
    throw new Error(`The root ${node.id} is the header, not an entry.`);
  const marker = toFileMarker(node.marker, fileId);
  const said = sourceOfNode(kind, message, marker);
  const timestamp = formatCreatedTime(node);
  const entry: SessionEntry = {
    type: said.type,
    uuid: fileId(node.id),
    parentUuid: fileId(parentId),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...said.fields,
    ...(kind === 'injected' || kind === 'state' ? {} : extrasOf(node.meta)),
  };
  const read = readEntry(entry);
  const notes = pickJsonFields({
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

/** Converts the references of a marker to ids of the file. */
export function toFileMarker(marker: Marker | null, fileId: ToFileId): EntryMarker | null {
  if (marker === null) return null;
  const { firstKept, from, ...rest } = marker;
  return {
    ...(firstKept === undefined ? {} : { firstKept: fileId(firstKept) }),
    ...(from === undefined ? {} : { from: fileId(from) }),
    ...rest,
  };
}

/** Converts the references of a marker to ids of the tree. */
export function toNodeMarker(marker: EntryMarker | null, toNode: (id: string) => string): Marker | null {
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
): { readonly type: string; readonly fields: FieldMap } {
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

// Entry types that a state must not use as its own type, because it would be decoded as such an entry.
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

/** Returns the details of a marker without fields that have the same name as fields of the line. */
function fieldsIn(details: JsonObject | undefined): FieldMap {
  return details === undefined ? {} : omitSessionFields(details, bare);
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return canonicalJson(a) === canonicalJson(b);
}
