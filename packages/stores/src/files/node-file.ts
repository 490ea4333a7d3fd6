/**
 * Nodes and roots in the shape that other readers of such folders know, and what they have no word for in one field of
 * our own. What is written here follows from the tree's value alone: the same value gives the same bytes.
 */
import { messageKit } from '@coppice/content';
import type { ConversationFormat, Json, JsonObject, Node, NodeMeta, Tree, TreeRow } from '@coppice/core';
import { childIds, findNode } from '@coppice/core/tree';
import {
  type DiskFields,
  decodeNode,
  diskField,
  diskObject,
  diskText,
  isJsonData,
  Unreadable,
} from '../disk/decode.ts';

/** A time as people and other programs read it; the exact number stands beside it. */
function isoSecond(at: number): string {
  // The ends of what a date can be: a clock that is off must not keep a message from being written.
  const bound = 8.64e15;
  return new Date(Math.min(bound, Math.max(-bound, Math.trunc(at)))).toISOString();
}

// Names of notes here and in the files.
const noteNames: readonly (readonly [note: string, name: string])[] = [
  ['source', 'source_info'],
  ['title', 'title'],
  ['autoTitle', 'auto_title'],
  ['tags', 'tags'],
  ['customData', 'custom_data'],
  ['splitSource', 'split_source'],
];
const annotatedFields: ReadonlySet<string> = new Set(noteNames.map(([note]) => note));

// Readers ask for a source on every node. This one is said to be ours, so that it does not come back as a note.
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

// The order of keys must not depend on whether the value was just planned or has been read from a file.
function sorted(entries: readonly [string, unknown][]): [string, unknown][] {
  return entries.filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
}

function otherFields(meta: NodeMeta): readonly [string, unknown][] {
  return sorted(Object.entries(meta)).filter(([key]) => !annotatedFields.has(key));
}

/** The text of a node's file. */
export function nodeFileText(tree: Tree, node: Node): string {
  const { message, parentId } = node;
  const rest = otherFields(node.meta);
  const said = message === null ? '' : messageKit.text(message);
  return fileFingerprint({
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
      ...(node.marker === null ? {} : { marker: Object.fromEntries(sorted(Object.entries(node.marker))) }),
      ...(node.aliases.length === 0
        ? {}
        : { aliases: node.aliases.map(({ matchParent, key }) => ({ matchParent, key })) }),
      ...(node.text === said ? {} : { text: node.text }),
      ...(rest.length === 0 ? {} : { meta: Object.fromEntries(rest) }),
      ...(node.meta.source === undefined ? { source: null } : {}),
    },
  });
}

/** A value as people can read it. */
export function fileFingerprint(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A node from its file. The list of its children is written for others and not looked at. */
export function nodeFromFile(row: Pick<TreeRow, 'id' | 'rootId'>, json: DiskFields): Node {
  const own = diskObject(json, 'coppice');
  const metadata = diskObject(json, 'metadata');
  const parent = diskText(json, 'parent_id');
  const notes = new Map<string, unknown>(
    Object.entries(diskField(own, 'meta') === undefined ? {} : diskObject(own, 'meta')),
  );
  for (const [note, name] of noteNames) {
    const value = diskField(metadata, name);
    if (value !== undefined && !(note === 'source' && diskField(own, 'source') === null)) notes.set(note, value);
  }
  if (diskText(json, 'root_id') !== row.id) throw new Unreadable(`belongs to ${diskText(json, 'root_id')}`);
  const message = diskField(json, 'message');
  const node = decodeNode({
    id: diskText(json, 'id'),
    parentId: parent === row.id ? row.rootId : parent,
    position: diskField(own, 'position'),
    kind: diskField(own, 'kind'),
    message,
    status: diskField(own, 'status'),
    groupId: diskField(own, 'group'),
    createdAt: diskField(own, 'created_at'),
    matchParent: diskField(own, 'match_parent'),
    key: diskField(own, 'key'),
    text: diskField(own, 'text') ?? '',
    tokens: diskField(own, 'tokens'),
    meta: Object.fromEntries(notes),
    marker: diskField(own, 'marker') ?? null,
    aliases: diskField(own, 'aliases') ?? [],
    seq: diskField(own, 'seq'),
    addedIn: diskField(own, 'added_in'),
    contentIn: diskField(own, 'content_in'),
    removedIn: diskField(own, 'removed_in'),
    lastChildId: diskField(own, 'last_child_id'),
  });
  if (diskField(own, 'text') !== undefined || node.message === null) return node;
  return { ...node, text: messageKit.text(node.message) };
}

/** A tree in the registry, as other readers know it, with what they have no word for in a field of our own. */
export interface RootFileData {
  readonly id: string;
  readonly createdAt: string;
  readonly child_ids: readonly string[];
  readonly config: { readonly systemPrompt?: string };
  readonly metadata?: JsonObject;
  /** Readers that know the word leave the tree out: it is in the trash. */
  readonly deleted?: true;
  readonly coppice: {
    readonly owner: string;
    readonly version: number;
    readonly format: ConversationFormat;
    readonly title?: string;
  };
}

/** The registry's line about a tree. */
export function rootFileData(tree: Tree, format: ConversationFormat): RootFileData {
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
