/**
 * The files of nodes and roots, in the form that other programs expect, with the additional data of Coppice in one
 * field. The content depends only on the tree value: the same value always gives the same bytes.
 */
import { messageKit } from '@coppice/content';
import type { ConversationFormat, FieldMap, Json, JsonObject, Node, NodeMeta, Tree, TreeRow } from '@coppice/core';
import { objectField, ownField, requiredText } from '@coppice/core/decode';
import { childIds, findNode } from '@coppice/core/tree';
import { decodeNode, isJsonData, UnreadableValueError } from '../disk/decode.ts';

/** Formats a time for people and other programs. The exact number is stored in another field. */
function isoSecond(at: number): string {
  // The range of Date. A time outside of it, from a wrong clock, must not prevent a message from being written.
  const bound = 8.64e15;
  return new Date(Math.min(bound, Math.max(-bound, Math.trunc(at)))).toISOString();
}

// The names of metadata in Coppice, and in the files.
const noteNames: readonly (readonly [note: string, name: string])[] = [
  ['source', 'source_info'],
  ['title', 'title'],
  ['autoTitle', 'auto_title'],
  ['tags', 'tags'],
  ['customData', 'custom_data'],
  ['splitSource', 'split_source'],
];
const annotatedFields: ReadonlySet<string> = new Set(noteNames.map(([note]) => note));

// Returns the source that nodes without one get, because other programs
// expect one. It is marked, so that it is not read back as metadata.
function usualSource(role: Node['role']): JsonObject {
  return role === 'user' ? { type: 'user' } : { type: 'unknown' };
}

function nodeMetadata(tree: Tree, { meta, createdAt, role }: Node): JsonObject {
  const own = new Map<string, unknown>(Object.entries(meta));
  const named = noteNames.flatMap(([note, name]): [string, Json][] => {
    const value = own.get(note);
    return value !== undefined && isJsonData(value) ? [[name, value]] : [];
  });
  return {
    timestamp: isoSecond(createdAt),
    original_root_id: typeof meta.originalRootId === 'string' ? meta.originalRootId : tree.id,
    source_info: usualSource(role),
    ...Object.fromEntries(named),
  };
}

// Sorts fields, so that their order does not depend on whether a value was planned or read from a file.
function sortEntries(entries: readonly [string, unknown][]): [string, unknown][] {
  return entries.filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
}

function otherFields(meta: NodeMeta): readonly [string, unknown][] {
  return sortEntries(Object.entries(meta)).filter(([key]) => !annotatedFields.has(key));
}

/** Returns the text of a node's file. */
export function formatNodeFile(tree: Tree, node: Node): string {
  const { message, parentId } = node;
  const rest = otherFields(node.meta);
  const said = message === null ? '' : messageKit.text(message);
  return toReadableJson({
    id: node.id,
    root_id: tree.id,
    parent_id: parentId === tree.rootId ? tree.id : parentId,
    child_ids: node.removedIn === null ? childIds(tree, node.id) : [],
    message,
    metadata: nodeMetadata(tree, node),
    coppice: {
      position: node.position,
      seq: node.seq,
      group: node.groupId,
      status: node.status,
      kind: node.kind,
      created_at: node.createdAt,
      key: node.key,
      match_parent: node.matchParent,
      tokens: node.tokens,
      added_in: node.addedIn,
      content_in: node.contentIn,
      removed_in: node.removedIn,
      last_child_id: node.lastChildId,
      ...(node.marker === null ? {} : { marker: Object.fromEntries(sortEntries(Object.entries(node.marker))) }),
      ...(node.aliases.length === 0
        ? {}
        : { aliases: node.aliases.map(({ matchParent, key }) => ({ matchParent, key })) }),
      ...(node.text === said ? {} : { text: node.text }),
      ...(rest.length === 0 ? {} : { meta: Object.fromEntries(rest) }),
      ...(node.meta.source === undefined ? { source: null } : {}),
    },
  });
}

/** Formats a value as readable JSON. */
export function toReadableJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Reads a node from its file. The list of children in the file is ignored; it is only for other programs. */
export function parseNodeFile(row: Pick<TreeRow, 'id' | 'rootId'>, json: FieldMap): Node {
  const own = objectField(json, 'coppice');
  const metadata = objectField(json, 'metadata');
  const parent = requiredText(json, 'parent_id');
  const notes = new Map<string, unknown>(
    Object.entries(ownField(own, 'meta') === undefined ? {} : objectField(own, 'meta')),
  );
  for (const [note, name] of noteNames) {
    const value = ownField(metadata, name);
    if (value !== undefined && !(note === 'source' && ownField(own, 'source') === null)) notes.set(note, value);
  }
  if (requiredText(json, 'root_id') !== row.id)
    throw new UnreadableValueError(`belongs to ${requiredText(json, 'root_id')}`);
  const message = ownField(json, 'message');
  const node = decodeNode({
    id: requiredText(json, 'id'),
    parentId: parent === row.id ? row.rootId : parent,
    position: ownField(own, 'position'),
    kind: ownField(own, 'kind'),
    message,
    status: ownField(own, 'status'),
    groupId: ownField(own, 'group'),
    createdAt: ownField(own, 'created_at'),
    matchParent: ownField(own, 'match_parent'),
    key: ownField(own, 'key'),
    text: ownField(own, 'text') ?? '',
    tokens: ownField(own, 'tokens'),
    meta: Object.fromEntries(notes),
    marker: ownField(own, 'marker') ?? null,
    aliases: ownField(own, 'aliases') ?? [],
    seq: ownField(own, 'seq'),
    addedIn: ownField(own, 'added_in'),
    contentIn: ownField(own, 'content_in'),
    removedIn: ownField(own, 'removed_in'),
    lastChildId: ownField(own, 'last_child_id'),
  });
  if (ownField(own, 'text') !== undefined || node.message === null) return node;
  return { ...node, text: messageKit.text(node.message) };
}

/** The entry of a tree in the registry, in the form that other programs expect, with one field for Coppice. */
export interface RootFileData {
  readonly id: string;
  readonly createdAt: string;
  readonly child_ids: readonly string[];
  readonly config: { readonly systemPrompt?: string };
  readonly metadata?: JsonObject;
  /** Set if the tree is in the trash. Programs that support this field hide the tree. */
  readonly deleted?: true;
  readonly coppice: {
    readonly owner: string;
    readonly version: number;
    readonly format: ConversationFormat;
    readonly title?: string;
  };
}

/** Builds the registry entry of a tree. */
export function buildRootFileData(tree: Tree, format: ConversationFormat): RootFileData {
  const { systemPrompt, metadata, trashedAt, title } = tree.attributes;
  return {
    id: tree.id,
    createdAt: isoSecond(tree.createdAt),
    child_ids: findNode(tree, tree.rootId) === undefined ? [] : childIds(tree, tree.rootId),
    config: systemPrompt === undefined ? {} : { systemPrompt },
    ...(metadata === undefined ? {} : { metadata }),
    ...(trashedAt === undefined ? {} : { deleted: true }),
    coppice: {
      owner: tree.owner,
      version: tree.version,
      format,
      ...(title === undefined ? {} : { title }),
    },
  };
}
