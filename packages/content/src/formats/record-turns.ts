// Converts between nodes and records for formats in which one record contains a whole turn with its calls and results.
// One record is read as several nodes, and the nodes of one turn are written as one record.
import type { JsonObject, Node, NodeId } from '@coppice/core';
import type { ExportedTree, ImportedNode } from './contract.ts';
import { assignExportedIds, groupExportedNodesByParent } from './exporting.ts';
import { findOriginalLines, type NodeWithLines, toPreservedRecord } from './preserved-lines.ts';

/**
 * A node of a record. The pieces of a record form a chain or are siblings, and the primary piece has the record's id.
 */
export interface RecordPiece extends Pick<ImportedNode, 'message' | 'kind' | 'marker' | 'status' | 'meta' | 'group'> {
  readonly id: string;
  readonly parent: string | null;
}

/** A record with its position in the source. */
export interface SourceRecord {
  readonly record: JsonObject;
  readonly at: number;
  readonly place: string;
  readonly createdAt: number | undefined;
  /** Whether the conversation contains a record with this id. */
  readonly known: (id: string) => boolean;
}

/**
 * Returns the nodes of a record. The primary node stores the record and the ids of the other nodes, so that a writer
 * finds them again.
 */
export function buildRecordNodes(
  primary: string,
  pieces: readonly RecordPiece[],
  source: SourceRecord,
): ImportedNode[] {
  const { record, at, place, createdAt, known } = source;
  const ids = new Set(pieces.map((piece) => piece.id));
  const parts = [...ids].filter((id) => id !== primary);
  return pieces.map(({ id, parent, ...said }) => {
    const own = id === primary;
    const above = parent !== null && (ids.has(parent) || known(parent)) ? parent : null;
    const lines = own ? [{ at, line: record }] : [];
    const kept = toPreservedRecord({ lines, after: [], parent: above, parts: own ? parts : [] });
    return {
      ...said,
      externalId: id,
      parentExternalId: parent,
      ...(createdAt === undefined ? {} : { createdAt }),
      record: kept,
      records: own ? 1 : 0,
      place,
    };
  });
}

/** The nodes that are written as one record. */
export interface RecordTurn {
  readonly id: string;
  /** Null for a first message. */
  readonly parent: RecordTurn | null;
  /** Whether the turn was imported as a first message, because its record names no parent or a missing one. */
  readonly first: boolean;
  /** Whether the turn still has its original parent. */
  readonly inPlace: boolean;
  readonly nodes: Node[];
  readonly children: RecordTurn[];
  /** The original position of the record; turns that were added in Coppice come after all others. */
  at: number;
  /** The original record, if all nodes read from it are unchanged. */
  readonly original: JsonObject | null;
  /** The original record of a turn whose content changed. */
  was: JsonObject | null;
}

/** The nodes of a tree grouped into records. */
export interface GroupedTurns {
  /** The turns, parents before children, children in their order. */
  readonly ordered: readonly RecordTurn[];
  readonly byNode: ReadonlyMap<NodeId, RecordTurn>;
  /** Markers of extensions that were not imported from this format, and have no record. */
  readonly left: readonly Node[];
  /** Nodes whose parent was a step inside a turn and is now the whole turn. */
  readonly lifted: readonly Node[];
}

/**
 * Returns the step that determines the author of a turn: the last step with a model or usage. Steps with another model
 * or usage cannot be stored in the same record.
 */
export function findTurnAuthor({ nodes }: RecordTurn): { readonly maker: Node; readonly others: readonly Node[] } {
  const replies = nodes.filter((node) => node.role === 'assistant');
  const named = replies.filter(({ meta }) => meta.source?.model_name !== undefined || meta.source?.usage !== undefined);
  const maker = named.at(-1) ?? replies.at(-1) ?? nodes.at(-1);
  if (maker === undefined) throw new Error('A turn has no nodes.');
  const { source } = maker.meta;
  const others = named.filter(
    ({ meta }) =>
      meta.source !== source && (meta.source?.model_name !== source?.model_name || meta.source?.usage !== undefined),
  );
  return { maker, others };
}

class TurnBuilder {
  readonly #all: readonly NodeWithLines[];
  readonly #byId = new Map<string, NodeWithLines>();
  readonly #byNode: ReadonlyMap<NodeId, NodeWithLines>;
  readonly #children: ReadonlyMap<NodeId, readonly Node[]>;
  /** Maps each node whose record is written unchanged to the primary node of that record. */
  readonly #primaries = new Map<NodeId, NodeWithLines>();
  readonly #turns = new Map<NodeId, RecordTurn>();
  readonly #last = new Map<RecordTurn, NodeId>();

  constructor(tree: ExportedTree, format: string) {
    this.#all = findOriginalLines(tree, format, assignExportedIds(tree, format));
    this.#byNode = new Map(this.#all.map((one) => [one.node.id, one]));
    this.#children = groupExportedNodesByParent(tree);
    for (const one of this.#all) this.#byId.set(one.id, one);
    for (const one of this.#all) this.#claim(one);
  }

  /** Marks a record as unchanged if all its nodes are unchanged and still have their parents. */
  #claim(home: NodeWithLines): void {
    const { kept } = home;
    if (kept === null || kept.lines.length === 0 || !home.unchanged) return;
    const pieces = [home];
    for (const id of kept.parts) {
      const piece = this.#byId.get(id);
      if (piece === undefined || !piece.unchanged || piece.kept === null) return;
      pieces.push(piece);
    }
    const own = new Set([home.id, ...kept.parts]);
    let top: NodeId | null | undefined;
    for (const { node, kept: noted, inPlace } of pieces) {
      if (noted !== null && noted.parent !== null && own.has(noted.parent)) {
        if (!inPlace) return;
      } else if (top === undefined) top = node.parentId;
      else if (top !== node.parentId) return;
    }
    for (const { node } of pieces) this.#primaries.set(node.id, home);
  }

  gather(): GroupedTurns {
    const left: Node[] = [];
    const lifted: Node[] = [];
    const roots: RecordTurn[] = [];
    const whole = new Map<NodeWithLines, RecordTurn>();
    for (const one of this.#all) {
      const { node } = one;
      const above = node.parentId === null ? undefined : this.#turns.get(node.parentId);
      const home = this.#primaries.get(node.id);
      const begun = home === undefined ? undefined : whole.get(home);
      if (begun !== undefined) {
        this.#join(begun, node);
        continue;
      }
      if (home === undefined && node.kind === 'state') {
        left.push(node);
        if (above !== undefined) this.#turns.set(node.id, above);
        continue;
      }
      if (home === undefined && above !== undefined && this.#continues(above, node)) {
        this.#join(above, node);
        above.was ??= one.kept?.lines[0]?.line ?? null;
        above.at = Math.min(above.at, one.kept?.lines[0]?.at ?? Number.POSITIVE_INFINITY);
        continue;
      }
      if (above !== undefined && above.original !== null && above.id !== this.#idOf(node.parentId)) lifted.push(node);
      const turn: RecordTurn = {
        id: home?.id ?? this.#end(one),
        parent: above ?? null,
        first: (one.kept?.parent ?? null) === null,
        inPlace: one.inPlace,
        nodes: [],
        children: [],
        at: (home ?? one).kept?.lines[0]?.at ?? Number.POSITIVE_INFINITY,
        original: home?.kept?.lines[0]?.line ?? null,
        was: home === undefined ? (one.kept?.lines[0]?.line ?? null) : null,
      };
      if (home !== undefined) whole.set(home, turn);
      this.#join(turn, node);
      if (above === undefined) roots.push(turn);
      else above.children.push(turn);
    }
    return { ordered: this.#ordered(roots), byNode: this.#turns, left, lifted };
  }

  #join(turn: RecordTurn, node: Node): void {
    turn.nodes.push(node);
    this.#turns.set(node.id, turn);
    this.#last.set(turn, node.id);
  }

  #idOf(id: NodeId | null): string | undefined {
    return id === null ? undefined : this.#byNode.get(id)?.id;
  }

  /** Whether a node continues a turn. Calls, results and later content form one turn until a fork. */
  #continues(turn: RecordTurn, node: Node): boolean {
    return turn.original === null && this.#last.get(turn) === node.parentId && this.#isNext(node);
  }

  #isNext(node: Node): boolean {
    const parent = node.parentId === null ? undefined : this.#byNode.get(node.parentId)?.node;
    if (parent === undefined || parent.kind !== 'message' || node.kind !== 'message') return false;
    if (this.#primaries.has(node.id) || this.#primaries.has(parent.id)) return false;
    if ((this.#children.get(parent.id)?.length ?? 0) !== 1) return false;
    const calls = parent.message?.content.some((block) => block.type === 'tool-use') === true;
    if (node.message?.role === 'tool') return calls || parent.message?.role === 'tool';
    return node.message?.role === 'assistant' && parent.message?.role === 'tool';
  }

  /** Returns the id of a turn that begins here: the id of its last node, which later turns name as their parent. */
  #end(first: NodeWithLines): string {
    let end = first;
    for (;;) {
      const below = this.#children.get(end.node.id);
      const next = below?.length === 1 ? below[0] : undefined;
      const found = next === undefined || !this.#isNext(next) ? undefined : this.#byNode.get(next.id);
      if (found === undefined) return end.id;
      end = found;
    }
  }

  #ordered(roots: readonly RecordTurn[]): RecordTurn[] {
    const place = new Map<RecordTurn, number>();
    for (const family of this.#children.values())
      for (const [index, child] of family.entries()) {
        const turn = this.#turns.get(child.id);
        if (turn !== undefined && !place.has(turn)) place.set(turn, index);
      }
    const sort = (turns: readonly RecordTurn[]) => [...turns].sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0));
    const ordered: RecordTurn[] = [];
    const open = sort(roots).reverse();
    for (let turn = open.pop(); turn !== undefined; turn = open.pop()) {
      ordered.push(turn);
      const children = sort(turn.children);
      turn.children.splice(0, turn.children.length);
      for (const child of children) turn.children.push(child);
      for (let index = children.length - 1; index >= 0; index--) {
        const child = children[index];
        if (child !== undefined) open.push(child);
      }
    }
    return ordered;
  }
}

/** Divides the nodes of a tree into turns, each of which becomes one record. */
export function groupIntoTurns(tree: ExportedTree, format: string): GroupedTurns {
  return new TurnBuilder(tree, format).gather();
}
