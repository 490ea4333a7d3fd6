/** Converts rows of a store to the shapes that Forest returns. */
import type {
  Bookmark,
  JsonObject,
  Message,
  Node,
  NodeHead,
  NodeId,
  NodeMeta,
  Patch,
  TextBlock,
  TreeRow,
} from '@coppice/core';
import { refuse } from '@coppice/core';
import { objectOrEmpty } from '@coppice/core/decode';
import type {
  AnyId,
  AppendMetadata,
  BookmarkData,
  MetadataChange,
  NodeData,
  NodeMetadata,
  NodeStructure,
  RootConfig,
  RootData,
  SourceInfo,
} from './shapes.ts';

// The range of a Date. Times beyond it are clamped, because a wrong clock must not make a message unreadable.
const latestTime = 8.64e15;

function isoTimeOf(at: number): string {
  return new Date(Math.min(latestTime, Math.max(-latestTime, Math.trunc(at)))).toISOString();
}

/** Returns the public id of a node; that of a root is the id of its tree. */
function displayId(row: TreeRow, id: NodeId): AnyId {
  return id === row.rootId ? row.id : id;
}

/** Returns the configuration of a tree's root. */
export function toRootConfig({ attributes: { systemPrompt } }: TreeRow): RootConfig {
  return systemPrompt === undefined ? {} : { systemPrompt };
}

/** Builds the root of a tree from its row. */
export function toRootData(row: TreeRow, children: readonly NodeId[]): RootData {
  const { metadata } = row.attributes;
  return {
    id: row.id,
    createdAt: isoTimeOf(row.createdAt),
    child_ids: children,
    config: toRootConfig(row),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Returns the root as a system message, without content if the tree has no prompt. */
export function toRootMessage({ attributes: { systemPrompt } }: TreeRow): Message {
  if (systemPrompt === undefined) return { role: 'system', content: [] };
  const block: TextBlock = { type: 'text', text: systemPrompt };
  return { role: 'system', content: [block] };
}

/** Builds a node other than the root. Throws on a root. */
export function toNodeData(row: TreeRow, node: Node, children: readonly NodeId[]): NodeData {
  const { id, parentId, message } = node;
  if (parentId === null || message === null)
    return refuse('store/damaged', `The node ${id} of ${row.id} has no ${parentId === null ? 'parent' : 'message'}.`, {
      nodeId: id,
    });
  return {
    id,
    root_id: row.id,
    parent_id: displayId(row, parentId),
    child_ids: children,
    message,
    metadata: metadataOfNode(row, node),
  };
}

function metadataOfNode(row: TreeRow, { meta, createdAt, role }: Node): NodeMetadata {
  const { title, autoTitle, tags, customData, splitSource, originalRootId } = meta;
  return {
    timestamp: isoTimeOf(createdAt),
    original_root_id: typeof originalRootId === 'string' ? originalRootId : (meta.copiedFrom?.treeId ?? row.id),
    source_info: sourceInfo(meta.source, role),
    ...(title === undefined ? {} : { title }),
    ...(autoTitle === undefined ? {} : { auto_title: autoTitle }),
    ...(tags === undefined ? {} : { tags }),
    ...(customData === undefined ? {} : { custom_data: customData }),
    ...(splitSource === undefined ? {} : { split_source: splitSource }),
  };
}

/** Returns the author of a message as it was recorded, else one derived from the role. */
function sourceInfo(source: JsonObject | undefined, role: Node['role']): SourceInfo {
  switch (source?.type) {
    case 'user':
      return { ...source, type: 'user' };
    case 'model':
      return {
        ...source,
        type: 'model',
        provider: textValue(source.provider),
        model_name: textValue(source.model_name),
        parameters: objectOrEmpty(source, 'parameters'),
      };
    case 'tool_result':
      return { ...source, type: 'tool_result', tool_name: textValue(source.tool_name) };
    default:
      return source === undefined && role === 'user' ? { type: 'user' } : { ...source, type: 'unknown' };
  }
}

function textValue(value: JsonObject[string] | undefined): string {
  return typeof value === 'string' ? value : 'unknown';
}

/** Returns the metadata for every new node of an append, and for the last one, which alone gets the title. */
export function toAppendedMeta(metadata: AppendMetadata): { readonly each: NodeMeta; readonly last: NodeMeta } {
  const { source_info: source, title, auto_title: autoTitle, tags, custom_data: customData } = metadata;
  const each: NodeMeta = {
    ...(source === undefined ? {} : { source: { ...source } }),
    ...(tags === undefined ? {} : { tags }),
    ...(customData === undefined ? {} : { customData }),
  };
  const last = {
    ...each,
    ...(title === undefined ? {} : { title }),
    ...(autoTitle === undefined ? {} : { autoTitle }),
  };
  return { each, last };
}

/** Returns the metadata fields to set and to remove. */
export function toMetaPatch(change: MetadataChange): Patch<NodeMeta> {
  const { title, auto_title: autoTitle, tags, custom_data: customData } = change;
  return {
    ...(title === undefined ? {} : { title }),
    ...(autoTitle === undefined ? {} : { autoTitle }),
    ...(tags === undefined ? {} : { tags }),
    ...(customData === undefined ? {} : { customData }),
  };
}

export function idsOfNodes(heads: readonly Pick<NodeHead, 'id'>[]): NodeId[] {
  return heads.map((head) => head.id);
}

/** Groups the ids of nodes by their parent. Siblings keep the order of the list. */
export function groupChildrenByParent(nodes: readonly Pick<NodeHead, 'id' | 'parentId'>[]): Map<NodeId, NodeId[]> {
  const children = new Map<NodeId, NodeId[]>();
  for (const { id, parentId } of nodes) {
    if (parentId === null) continue;
    const known = children.get(parentId);
    if (known === undefined) children.set(parentId, [id]);
    else known.push(id);
  }
  return children;
}

/** The fields that an entry without a message needs; a root has no node head, so they are built from its row. */
type RootOutline = Pick<NodeHead, 'id' | 'parentId' | 'createdAt' | 'role'>;

/** Builds the root's entry from the tree's row. */
export function rootOutlineOf(row: TreeRow): RootOutline {
  return { id: row.rootId, parentId: null, createdAt: row.createdAt, role: 'root' };
}

/** Builds the entry of a node without its message. */
export function toNodeStructure(row: TreeRow, node: RootOutline, children: readonly NodeId[]): NodeStructure {
  return {
    id: displayId(row, node.id),
    parent_id: node.parentId === null ? null : displayId(row, node.parentId),
    child_ids: children,
    root_id: row.id,
    timestamp: isoTimeOf(node.createdAt),
    role: node.role === 'root' ? 'system' : node.role,
  };
}

/** Builds a bookmark with the id of its tree. */
export function toBookmarkData(row: TreeRow, { nodeId, title, createdAt, updatedAt }: Bookmark): BookmarkData {
  return {
    node_id: nodeId,
    root_id: row.id,
    title,
    createdAt: isoTimeOf(createdAt),
    updatedAt: isoTimeOf(updatedAt),
  };
}
