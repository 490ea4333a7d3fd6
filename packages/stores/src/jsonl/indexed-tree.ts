/** Answers reads of a session from its node index, and from the lines of the nodes that the reads need. */
import { decodeEntry, type SessionEntry } from '@coppice/content/sessions';
import {
  type Answer,
  type Bookmark,
  type ContentFields,
  type FieldMap,
  type MessageKit,
  type Node,
  type NodeId,
  nodeId,
  type Read,
  type Reads,
  type TreeRow,
} from '@coppice/core';
import { finiteNumberField, getText, MalformedError, objectField, ownField } from '@coppice/core/decode';
import { parseSteps, rowChanges } from '@coppice/core/tree';
import { decodeBookmarks, decodeNode, decodeTreeRow } from '../disk/decode.ts';
import type { PartialTree } from '../in-process/persistence.ts';
import { DamagedNodeIndexError, type IndexedNode, NodeIndex, type NodeRecord } from './node-index.ts';

// At most this many lines of nodes are in memory at the same time.
const batch = 1_000;
// Contents do not depend on the numbers of their commit.
const noNumbers = { version: 0, seq: 0, at: 0 };

/** Answers reads by the node index of a session, without reading the whole file. */
export class IndexedTree implements PartialTree {
  readonly #index: NodeIndex;
  readonly #kit: MessageKit;
  readonly #row: TreeRow;
  readonly #bookmarks: readonly Bookmark[];
  readonly #known = new Map<string, number>();

  private constructor(index: NodeIndex, kit: MessageKit) {
    this.#index = index;
    this.#kit = kit;
    const head = index.head();
    this.#row = decodeTreeRow(objectField(head, 'row'));
    this.#bookmarks = decodeBookmarks(head, 'bookmarks');
    // Most reads start at the root or at the active node, so their records are known from the beginning.
    this.#known.set(this.#row.rootId, finiteNumberField(head, 'root'));
    if (this.#row.activeNodeId !== null) this.#known.set(this.#row.activeNodeId, finiteNumberField(head, 'active'));
  }

  /** Opens a session by its index. Returns null if there is no index for the current state of the file. */
  static open(path: string, kit: MessageKit): IndexedTree | null {
    const index = NodeIndex.open(path);
    if (index === null) return null;
    try {
      return new IndexedTree(index, kit);
    } catch (error) {
      index.close();
      if (isDamage(error)) return null;
      throw error;
    }
  }

  answer(read: Read): Answer | undefined {
    try {
      return this.#answer(read);
    } catch (error) {
      // The caller loads the whole session instead, which reports the damage.
      if (isDamage(error)) return undefined;
      throw error;
    }
  }

  close(): void {
    this.#index.close();
  }

  #answer(read: Read): Answer | undefined {
    if ('treeId' in read && read.treeId !== undefined && read.treeId !== this.#row.id) return undefined;
    switch (read.ask) {
      case 'pause':
        return null;
      case 'tree':
        return this.#row;
      case 'head':
      case 'node':
        return this.#nodes([this.#live(read.id)])[0] ?? null;
      case 'anyNode':
        return this.#nodes([this.#record(read.id)])[0] ?? null;
      case 'nodes':
        return this.#nodes(read.ids.map((id) => this.#live(id)));
      case 'path':
        return this.#path(read);
      case 'pathMeta': {
        const { nodes, complete } = this.#path(read);
        return { entries: nodes.map(toPathMeta), complete };
      }
      case 'ancestors':
        return this.#nodes(this.#ancestors(this.#record(read.of), read.limit));
      case 'isAncestorOrSelf':
        return this.#ancestors(this.#record(read.below)).some(({ id }) => id === read.id);
      case 'children':
        return this.#nodes(this.#children(read.of));
      case 'childIds':
        return read.of.map((id) => this.#children(id).map((child) => child.id));
      case 'lastVisited':
        return this.#lastVisited(read.from);
      case 'bookmark':
        return this.#bookmarks.find((mark) => mark.nodeId === read.on) ?? null;
      case 'bookmarks': {
        const { on } = read;
        if (on === undefined) return this.#bookmarks;
        return on.flatMap((id) => this.#bookmarks.find((mark) => mark.nodeId === id) ?? []);
      }
      default:
        return undefined;
    }
  }

  #record(id: string): NodeRecord | undefined {
    const no = this.#known.get(id) ?? this.#index.find(id);
    if (no < 0) return undefined;
    const record = this.#index.record(no);
    if (record.id !== id) throw new DamagedNodeIndexError();
    return record;
  }

  #live(id: string): NodeRecord | undefined {
    const record = this.#record(id);
    return record?.isRemoved === false ? record : undefined;
  }

  /** Returns a node and its ancestors, nearest first, at most `limit`. */
  #ancestors(of: NodeRecord | undefined, limit = Number.POSITIVE_INFINITY): NodeRecord[] {
    const found: NodeRecord[] = [];
    for (let at = of; at !== undefined && found.length < limit; ) {
      // A path with more nodes than the tree is a cycle, so the index is damaged.
      if (found.length >= this.#index.count) throw new DamagedNodeIndexError();
      found.push(at);
      at = at.parent < 0 ? undefined : this.#index.record(at.parent);
    }
    return found;
  }

  #path({ to, limit = Number.POSITIVE_INFINITY, until }: Reads['path']['args']): Reads['path']['answer'] {
    // One more node than the limit is read, to find out whether the path continues above.
    const above = this.#ancestors(this.#live(to), limit + 1);
    const end = until === undefined ? -1 : above.findIndex(({ id }) => id === until);
    const wanted = above.slice(0, end < 0 ? limit : Math.min(limit, end + 1)).filter(({ parent }) => parent >= 0);
    if (wanted.some(({ isRemoved }) => isRemoved)) throw new DamagedNodeIndexError();
    const next = above[wanted.length];
    return { nodes: this.#nodes(wanted.reverse()), complete: next === undefined || next.parent < 0 };
  }

  #children(of: string): NodeRecord[] {
    const parent = this.#live(of);
    const found: NodeRecord[] = [];
    for (let no = parent?.firstChild ?? -1; no >= 0; ) {
      if (found.length >= this.#index.count) throw new DamagedNodeIndexError();
      const child = this.#index.record(no);
      found.push(child);
      no = child.nextSibling;
    }
    return found;
  }

  #lastVisited(from: NodeId): NodeId {
    let at = this.#live(from);
    for (let steps = 0; at !== undefined; steps++) {
      if (steps > this.#index.count) throw new DamagedNodeIndexError();
      const children = this.#children(at.id);
      if (children.length === 0) return at.id;
      const mark = this.#nodes([at])[0]?.lastChildId;
      at = children.find(({ id }) => id === mark) ?? children.at(-1);
    }
    return from;
  }

  /** Reads nodes in the order of the given records. Missing nodes are left out. */
  #nodes(records: readonly (NodeRecord | undefined)[]): Node[] {
    const wanted = records.filter((record) => record !== undefined);
    const found: Node[] = [];
    for (let at = 0; at < wanted.length; at += batch)
      for (const content of this.#index.contents(wanted.slice(at, at + batch))) found.push(this.#node(content));
    return found;
  }

  #node({ record, row, line }: IndexedNode): Node {
    return decodeNode(line === null ? row : { ...row, ...this.#contentIn(line, record.id) });
  }

  /** Returns message and text of a node, from the line that inserted it or the line that replaced its content. */
  #contentIn(line: FieldMap, id: NodeId): Pick<ContentFields, 'message' | 'text'> {
    if (ownField(line, 'type') === 'change') {
      const steps = parseSteps(ownField(line, 'steps'));
      const rows = steps.ok ? rowChanges(steps.value, noNumbers) : [];
      const written = rows.findLast(
        (row) => row.op === 'updated' && row.nodeIds.includes(id) && row.set.text !== undefined,
      );
      const { message, text } = written?.op === 'updated' ? written.set : {};
      if (message == null || text === undefined) throw new DamagedNodeIndexError();
      return { message, text };
    }
    const [type, uuid] = [getText(line, 'type'), getText(line, 'uuid')];
    if (type === undefined || uuid === undefined || nodeId(uuid) !== id) throw new DamagedNodeIndexError();
    const entry: SessionEntry = { ...line, type, uuid, parentUuid: getText(line, 'parentUuid') ?? null };
    const { message, noted } = decodeEntry(entry);
    return { message, text: getText(noted, 'text') ?? this.#kit.text(message) };
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof DamagedNodeIndexError || error instanceof MalformedError;
}

function toPathMeta(node: Node): Reads['pathMeta']['answer']['entries'][number] {
  const { id, parentId, kind, role, status, key, tokens, addedIn, contentIn, meta, marker } = node;
  return { id, parentId, kind, role, status, key, tokens, addedIn, contentIn, meta, marker };
}
