import {
  actId,
  buildRootNode,
  type Commit,
  type JsonObject,
  type Node,
  type NodeId,
  type NodeMeta,
  type Patch,
  type Step,
  type TreeAttributes,
} from '@coppice/core';
import { deriveId } from '../../derive-id.ts';
import { messageKit } from '../../kit.ts';
import { deriveSessionNodeId, encodeCommitLines, type SessionEntry } from '../../sessions/index.ts';
import type { ExportedTree, WriteEvent, WriteOptions } from '../contract.ts';
import { embedBytes, hasBlobSource } from '../embed-bytes.ts';
import { assignExportedIds, buildLossEvent, findOriginalTreeRecord, getConversationTimes } from '../exporting.ts';
import { isJsonObject, omitKeys, textAt } from '../fields.ts';
import { readImportMetadata } from '../original-record.ts';
import { encodeJsonLines, toSafeFileName } from '../preserved-lines.ts';

const name = 'session-v2';

/**
 * Returns the metadata of a node. Import metadata of this format is left out, because the file contains the same data.
 */
function sessionV2Meta(meta: NodeMeta): NodeMeta {
  const { imported: _, ...rest } = meta;
  return readImportMetadata(meta)?.format === name ? rest : meta;
}

function sessionAttributes(attributes: TreeAttributes): TreeAttributes {
  const { metadata, trashedAt: _, copiedFrom: __, forestKey: ___, ...rest } = attributes;
  if (metadata === undefined) return rest;
  const { imported } = metadata;
  const own = isJsonObject(imported) && imported.format === name ? omitKeys(metadata, 'imported') : metadata;
  return Object.keys(own).length === 0 ? rest : { ...rest, metadata: own };
}

/** Builds a first commit that inserts the whole tree. */
function sessionCommit(tree: ExportedTree, nodeOf: (id: NodeId) => NodeId): Commit {
  const { createdAt } = getConversationTimes(tree);
  const steps: Step[] = [{ type: 'insert', node: buildRootNode(tree.rootId, createdAt) }];
  for (const node of tree.nodes) steps.push({ type: 'insert', node: { ...node, meta: sessionV2Meta(node.meta) } });
  const after: Patch<TreeAttributes> = sessionAttributes(tree.attributes);
  const keys = Object.keys(after);
  if (keys.length > 0)
    steps.push({ type: 'attributes', after, before: Object.fromEntries(keys.map((key) => [key, null])) });
  // The steps use the ids that a store of this file will use.
  for (const { nodeId: on, ...bookmark } of tree.bookmarks) {
    const id = nodeOf(on);
    steps.push({ type: 'bookmark', nodeId: id, after: { nodeId: id, ...bookmark }, before: null });
  }
  if (tree.activeNodeId !== null) steps.push({ type: 'select', after: tree.activeNodeId, before: null });
  return {
    treeId: tree.treeId,
    version: 1,
    actId: actId(deriveId('session-export', tree.treeId)),
    actor: 'export',
    at: tree.updatedAt,
    kind: 'do',
    seq: 0,
    structural: true,
    steps,
  };
}

/** Serialises an entry. Its type and commit come first, because stores read only the beginning of most lines. */
function sessionLine(entry: SessionEntry, commit: Commit, last: boolean): JsonObject {
  const { type, uuid, parentUuid, version: _, commit: __, ...rest } = entry;
  const { actId: act, actor, at } = commit;
  const line = {
    type,
    uuid,
    parentUuid,
    version: 1,
    ...(last ? { commit: true } : {}),
    ...rest,
    ...(last ? { actId: act, actor, at, sequence: 0 } : {}),
  };
  const json: JsonObject = JSON.parse(JSON.stringify(line));
  return json;
}

/** Returns the original header, else a new header for the tree. */
function sessionHeader(made: SessionEntry, was: JsonObject | undefined): JsonObject {
  const json: JsonObject = JSON.parse(JSON.stringify(made));
  return was === undefined || !('uuid' in was) ? json : { ...was, version: json.version ?? 2 };
}

/**
 * Returns a tree with the bytes of its attachments in the messages, because a session file cannot store them
 * separately.
 */
async function withEmbeddedBytes(tree: ExportedTree, options: WriteOptions): Promise<ExportedTree> {
  if (!tree.nodes.some((node) => node.message?.content.some(hasBlobSource) === true)) return tree;
  const nodes: Node[] = [];
  for (const node of tree.nodes)
    nodes.push(node.message === null ? node : { ...node, message: await embedBytes(node.message, options) });
  return { ...tree, nodes };
}

/** Writes each tree as one session file of version 2. */
export async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  for await (const stored of trees) {
    const tree = await withEmbeddedBytes(stored, options);
    const original = findOriginalTreeRecord(tree, name);
    const names: ReadonlyMap<string, string> = assignExportedIds(tree, name);
    const root = textAt(original?.record ?? {}, 'uuid') ?? tree.rootId;
    const session = original?.id ?? tree.treeId;
    const commit = sessionCommit(tree, (id) => deriveSessionNodeId(session, names.get(id) ?? id));
    let count = 0;
    const [header, ...entries] = encodeCommitLines(commit, {
      before: null,
      fileId: (id) => (id === tree.rootId ? root : (names.get(id) ?? id)),
      newId: () => deriveId('session-line', tree.treeId, count++),
      kit: messageKit,
      header: {},
    });
    if (header === undefined) continue;
    const lines = entries.map((entry, index) => sessionLine(entry, commit, index === entries.length - 1));
    if (tree.trash.length > 0)
      yield buildLossEvent(tree, null, 'trash', `${tree.trash.length} removed messages are left out.`);
    for (const node of tree.nodes)
      if (node.message?.content.some(hasBlobSource) === true)
        yield buildLossEvent(tree, node, 'attachments', 'Only the hash of an attachment is written, not its bytes.');
    yield { type: 'file', name: `${toSafeFileName(session, tree.treeId)}.jsonl`, mediaType: 'application/jsonl' };
    yield* encodeJsonLines([sessionHeader(header, original?.record), ...lines]);
    yield { type: 'count', written: tree.nodes.length };
  }
}
