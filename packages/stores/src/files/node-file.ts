/**
 * Formats and parses the files of nodes and roots. They have the form that other programs expect, and one field with
 * the data of Coppice. The same tree value always gives the same bytes.
 */
import { messageKit } from '@coppice/content';
import type { ConversationFormat, FieldMap, Json, JsonObject, Node, NodeMeta, Tree, TreeRow } from '@coppice/core';
import { objectField, ownField, requiredText } from '@coppice/core/decode';
import { childIds, findNode } from '@coppice/core/tree';
import { decodeNode, isJsonData, UnreadableValueError } from '../disk/decode.ts';

/** Formats a time as ISO text without fractions of a millisecond. Another field of a node has the exact number. */
function toIsoText(at: number): string {
  // Times beyond the range of Date, from a wrong clock, are clamped, so that the message can still be written.
  const bound = 8.64e15;
  return new Date(Math.min(bound, Math.max(-bound, Math.trunc(at)))).toISOString();
}

// Pairs of a metadata name in Coppice and the name in the files.
const noteNames: readonly (readonly [note: string, name: string])[] = [
  ['source', 'source_info'],
  ['title', 'title'],
  ['autoTitle', 'auto_title'],
  ['tags', 'tags'],
  ['customData', 'custom_data'],
  ['splitSource', 'split_source'],
];
const annotatedFields: ReadonlySet<string> = new Set(noteNames.map(([note]) => note));

// Other programs expect a source for every node, so nodes without one get this value. In the fields of Coppice the
// source of such a node is null, so that this value is not read back as metadata.
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
    timestamp: toIsoText(createdAt),
    original_root_id: typeof meta.originalRootId === 'string' ? meta.originalRootId : tree.id,
    source_info: usualSource(role),
    ...Object.fromEntries(named),
  };
}

// Sorts fields by name, because a value from a plan and the same value from a file may have different orders.
function sortEntries(entries: readonly [string, unknown][]): [string, unknown][] {
  return entries.filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
}

function otherFields(meta: NodeMeta): readonly [string, unknown][] {
  return sortEntries(Object.entries(meta)).filter(([key]) => !annotatedFields.has(key));
}

/** Returns the text of a node's file. It includes the node's list of children, for other programs. */
export function formatNodeFile(tree: Tree, node: Node): string {
  const { message, parentId } = node;
  const rest = otherFields(node.meta);
  const searchText = message === null ? '' : messageKit.text(message);
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
      ...(node.text === searchText ? {} : { text: node.text }),
      ...(rest.length === 0 ? {} : { meta: Object.fromEntries(rest) }),
      ...(node.meta.source === undefined ? { source: null } : {}),
    },
  });
}

/** Formats a value as indented JSON with a line end. */
export function toReadableJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Parses a node from its file. The list of children is ignored, because it is only for other programs. */
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
  /** Set if the tree is in the trash. Programs that know this field hide the tree. */
  readonly deleted?: true;
  readonly coppice: {
    readonly owner: string;
    readonly version: number;
    readonly format: ConversationFormat;
    readonly title?: string;
  };
}

export function buildRootFileData(tree: Tree, format: ConversationFormat): RootFileData {
  const { systemPrompt, metadata, trashedAt, title } = tree.attributes;
  return {
    id: tree.id,
    createdAt: toIsoText(tree.createdAt),
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
