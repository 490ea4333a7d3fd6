import type { JsonObject, Node, NodeId, NodeMeta } from '@coppice/core';
import { deriveId } from '../../derive-id.ts';
import { encodeNode, type SessionEntry, SessionIndex, toPiLines } from '../../sessions/index.ts';
import type { ExportedTree, WriteEvent, WriteOptions } from '../contract.ts';
import { embedBytes } from '../embed-bytes.ts';
import {
  assignExportedIds,
  buildLossEvent,
  findAttributeLosses,
  findMetadataLosses,
  findOriginalTreeRecord,
  findProducerLosses,
  findSessionLosses,
  findStatusLosses,
  getConversationTimes,
} from '../exporting.ts';
import { formatIsoTime, getFilledText, objectAt, omitKeys, textAt } from '../fields.ts';
import {
  computeLineRanks,
  encodeJsonLines,
  findOriginalLines,
  getPreservedLines,
  LineCollector,
  type NodeWithLines,
  toSafeFileName,
} from '../preserved-lines.ts';
import { buildSessionInMemory } from '../session-in-memory.ts';
import { isFailedToolResult } from '../tool-results.ts';
import { companionIdPrefix, leafLineType } from './read.ts';

const name = 'pi';

/** Converts a message of an extension from version 2 to version 3. */
function upgradeLine(line: JsonObject): JsonObject {
  const message = objectAt(line, 'message');
  return message.role === 'hookMessage' ? { ...line, message: { ...message, role: 'custom' } } : line;
}

/** Whether a line is a title, a label or a leaf line, which cannot be the active node. */
function isAbout(line: JsonObject): boolean {
  return (
    line.type === 'label' ||
    line.type === 'session_info' ||
    (line.type === 'custom' && line.customType === leafLineType)
  );
}

/** Returns the metadata of a node with the mark of a failed tool in the field that session lines use. */
function sessionMeta(meta: NodeMeta): NodeMeta {
  return isFailedToolResult(meta) ? { ...meta, source: { ...meta.source, is_error: true } } : meta;
}

class PiWriter {
  readonly lines: JsonObject[] = [];
  readonly losses: { readonly node: Node; readonly message: string }[] = [];
  readonly #tree: ExportedTree;
  readonly #options: WriteOptions;
  readonly #ids: ReadonlyMap<NodeId, string>;
  readonly #nodes: readonly NodeWithLines[];
  readonly #header: JsonObject;
  readonly #leading: JsonObject;

  constructor(tree: ExportedTree, options: WriteOptions) {
    this.#tree = tree;
    this.#options = options;
    this.#ids = assignExportedIds(tree, name);
    this.#nodes = findOriginalLines(tree, name, this.#ids);
    this.#leading = findOriginalTreeRecord(tree, name)?.record ?? {};
    const was = objectAt(this.#leading, '$header');
    const metadata = tree.attributes.metadata ?? {};
    this.#header =
      'id' in was
        ? { ...was, version: 3 }
        : {
            type: 'session',
            version: 3,
            id: tree.treeId,
            timestamp: formatIsoTime(getConversationTimes(tree).createdAt),
            cwd: getFilledText(metadata, 'cwd') ?? '',
          };
  }

  get id(): string {
    return textAt(this.#header, 'id') ?? '';
  }

  async write(): Promise<void> {
    const made = await this.#made();
    const out = new LineCollector();
    const ranks = computeLineRanks(this.#tree, this.#nodes);
    out.addKept(getPreservedLines(this.#leading, '$lines'));
    for (const { node, id, kept, unchanged, inPlace } of this.#nodes) {
      const was = kept?.lines[0];
      const fresh = made.get(id);
      const rank = ranks.get(node.id);
      if (was !== undefined && (unchanged || fresh === undefined)) {
        const parentId = node.parentId === null ? null : (this.#ids.get(node.parentId) ?? null);
        out.add(upgradeLine(inPlace ? was.line : { ...was.line, parentId }), was.at, rank);
      } else if (was !== undefined && fresh !== undefined) {
        out.add(editedEntry(was.line, fresh), was.at, rank);
      } else if (fresh !== undefined) out.add(fresh, undefined, rank);
      if (kept !== null) out.addKept(kept.after);
    }
    this.lines.push(this.#header);
    for (const line of out.ordered) this.lines.push(line);
    this.#close();
  }

  /** Builds lines for nodes that were added or changed in Coppice. */
  async #made(): Promise<Map<string, JsonObject>> {
    const changed = new Map<string, Node>();
    const entries: SessionEntry[] = [];
    const ids: ReadonlyMap<string, string> = this.#ids;
    const fileId = (id: string) => ids.get(id) ?? id;
    for (const { node, id, kept, unchanged } of this.#nodes) {
      const { message } = node;
      if (message === null) continue;
      if (kept === null || !unchanged) changed.set(id, node);
      const own = { ...node, message: await embedBytes(message, this.#options), meta: sessionMeta(node.meta) };
      entries.push(encodeNode(own, fileId, {}));
    }
    const found = new Map<string, JsonObject>();
    if (changed.size === 0) return found;
    const header = { type: 'session' as const, version: 2, uuid: this.#tree.rootId, parentUuid: null, id: this.id };
    const file = buildSessionInMemory(header, entries);
    const { lines, losses } = toPiLines(new SessionIndex(file), file.size - 1, this.#options.now);
    for (const line of lines) {
      const id = textAt(line, 'id') ?? '';
      if (changed.has(id) && line.type !== 'session') found.set(id, line);
    }
    for (const { uuid, what } of losses) {
      const node = changed.get(uuid);
      if (node !== undefined) this.losses.push({ node, message: `${what.charAt(0).toUpperCase()}${what.slice(1)}.` });
    }
    return found;
  }

  /** Writes the current title and labels. Adds a line for the active node unless the active node is the last line. */
  #close(): void {
    const { attributes, bookmarks, activeNodeId } = this.#tree;
    const active = activeNodeId === null ? null : (this.#ids.get(activeNodeId) ?? null);
    let parentId = active;
    const taken = new Set(this.lines.map((line) => textAt(line, 'id')));
    const add = (type: string, fields: JsonObject) => {
      // A line that an earlier export added may have been imported again, with this id.
      let number = this.lines.length;
      const next = () => `${companionIdPrefix}${deriveId('pi-line', this.id, number++)}`;
      let id = next();
      while (taken.has(id)) id = next();
      taken.add(id);
      this.lines.push({ type, id, parentId, timestamp: formatIsoTime(this.#options.now), ...fields });
      parentId = id;
    };
    const { title, labels, writtenLeaf } = this.#reported();
    const wanted = attributes.title ?? '';
    if (wanted !== title) add('session_info', { name: wanted });
    const marked = new Map(bookmarks.map((one) => [this.#ids.get(one.nodeId) ?? one.nodeId, one.title]));
    for (const [targetId, label] of marked) if (labels.get(targetId) !== label) add('label', { targetId, label });
    for (const targetId of labels.keys()) if (!marked.has(targetId)) add('label', { targetId });
    if (parentId === active && active !== null && writtenLeaf !== active) add('custom', { customType: leafLineType });
  }

  /** Reads back which title, labels and active node the lines so far contain. */
  #reported(): {
    readonly title: string;
    readonly labels: ReadonlyMap<string, string>;
    readonly writtenLeaf: string | undefined;
  } {
    let title = '';
    const labels = new Map<string, string>();
    const byId = new Map<string, JsonObject>();
    for (const line of this.lines.slice(1)) {
      byId.set(textAt(line, 'id') ?? '', line);
      if (line.type === 'session_info') title = textAt(line, 'name')?.trim() ?? '';
      if (line.type !== 'label') continue;
      const [target, label] = [textAt(line, 'targetId') ?? '', textAt(line, 'label') ?? ''];
      if (label === '') labels.delete(target);
      else labels.set(target, label);
    }
    // A label on a missing entry does not become a bookmark.
    for (const target of labels.keys()) if (!byId.has(target)) labels.delete(target);
    let at = this.lines.length > 1 ? this.lines.at(-1) : undefined;
    const seen = new Set<JsonObject>();
    while (at !== undefined && isAbout(at) && !seen.has(at)) {
      seen.add(at);
      at = byId.get(textAt(at, 'parentId') ?? '');
    }
    return { title, labels, writtenLeaf: at === undefined ? undefined : textAt(at, 'id') };
  }
}

/** Returns a line with changed content; author, time and other fields stay the same. */
function editedEntry(was: JsonObject, line: JsonObject): JsonObject {
  const kept = { ...line, ...omitKeys(was, 'message', 'summary', 'content', 'parentId', 'type') };
  if (!('message' in line)) return kept;
  const said = objectAt(line, 'message');
  return {
    ...kept,
    message: { ...said, ...omitKeys(objectAt(was, 'message'), 'content', 'role'), content: said.content ?? '' },
  };
}

function* piLosses(tree: ExportedTree): Generator<WriteEvent> {
  yield* findSessionLosses(tree);
  yield* findMetadataLosses(tree, name, ['notes']);
  yield* findProducerLosses(tree, name);
  yield* findStatusLosses(tree, name, 'interrupted', 'otherwise');
  yield* findAttributeLosses(tree, name);
}

/** Writes each tree as one session file of version 3. */
export async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  for await (const tree of trees) {
    const writer = new PiWriter(tree, options);
    await writer.write();
    yield* piLosses(tree);
    for (const { node, message } of writer.losses) yield buildLossEvent(tree, node, 'otherwise', message);
    yield { type: 'file', name: `${toSafeFileName(writer.id, tree.treeId)}.jsonl`, mediaType: 'application/jsonl' };
    yield* encodeJsonLines(writer.lines);
    yield { type: 'count', written: tree.nodes.length };
  }
}
