// Repairs foreign trees, with the same code for all formats. Nothing invalid reaches a store, and nothing is dropped
// silently. All walks are iterative, and foreign ids are used only as Map keys.
import { type Json, type Message, type NodeKind, type Result, textMessage, utf8Length } from '@coppice/core';
import { renameRepeatedCalls } from '../call-ids.ts';
import { canonicalJson } from '../canonical-json.ts';
import { normaliseMessage } from '../legacy.ts';
import { sha256Hex } from '../sha256.ts';
import type { ImportedNode, ImportedTree } from './contract.ts';
import { type CooperativeTask, itemsPerPause, runWithoutPauses } from './cooperative.ts';
import { buildFindingDetail } from './finding-details.ts';
import { buildFinding, type ImportFinding } from './findings.ts';
import { FreeIdGenerator } from './free-id-generator.ts';
import { isStorableRecord } from './original-record.ts';
import { hasTextFields } from './text-fields.ts';

/** A node that can be stored: its parent exists and its message is valid. */
export interface RepairedNode extends Omit<ImportedNode, 'message'> {
  readonly message: Message;
  readonly kind: Exclude<NodeKind, 'root'>;
  /** The index of the node among its siblings. */
  readonly order: number;
  readonly records: number;
}

/** A conversation that can be stored; its nodes are in creation order, parents before children. */
export interface RepairedTree extends Omit<ImportedTree, 'nodes' | 'activeExternalId'> {
  readonly nodes: readonly RepairedNode[];
  readonly activeExternalId: string | null;
  /**
   * The number of source records of this conversation: those of its nodes, those of the tree itself, and those left
   * out.
   */
  readonly records: number;
  /** The number of records that are part of another record's node. */
  readonly merged: number;
  readonly rejected: number;
}

const longestId = 512;

/** Returns an id that a store accepts; an id that is too long is hashed. */
export function hashLongId(id: string): string {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  return id.length * 3 <= longestId || utf8Length(id) <= longestId ? id : `sha256:${sha256Hex(id)}`;
}

interface RepairDraft {
  readonly node: ImportedNode;
  readonly id: string;
  /** The index of the parent among the drafts; -1 means the root. */
  parent: number;
  order: number;
  records: number;
}

class Repair {
  readonly drafts: RepairDraft[] = [];
  readonly findings: ImportFinding[] = [];
  readonly #byId = new Map<string, number>();
  readonly #bodies = new Map<string, string>();
  readonly #free = new FreeIdGenerator();
  readonly #tree: ImportedTree;
  merged = 0;

  constructor(tree: ImportedTree) {
    this.#tree = tree;
    for (const found of tree.findings) this.findings.push(found);
  }

  /** Creates one draft per id. A duplicate id with the same body is merged; with another body it gets a new id. */
  createDrafts(): void {
    for (const node of this.#tree.nodes) {
      const id = hashLongId(node.externalId);
      const records = node.records ?? 1;
      const first = this.#byId.get(id);
      const known = first === undefined ? undefined : this.drafts[first];
      if (known === undefined) {
        this.#byId.set(id, this.drafts.length);
        this.drafts.push({ node, id, parent: -1, order: 0, records });
      } else if (this.#firstBody(id, known.node) === bodyOf(node)) {
        this.findings.push(
          buildFinding('import/duplicate', 'repair', node.place, buildFindingDetail('id', shortenedId(id))),
        );
        known.records += records;
      } else {
        const own = this.#free.next(id, (one) => this.#byId.has(one), hashLongId);
        this.findings.push(
          buildFinding(
            'import/duplicate-id',
            'repair',
            node.place,
            buildFindingDetail('renamed', shortenedId(id), shortenedId(own)),
          ),
        );
        this.#byId.set(own, this.drafts.length);
        this.drafts.push({ node, id: own, parent: -1, order: 0, records });
      }
    }
  }

  /**
   * Returns the body of the first record with an id. The result is cached, because all records of a file may have the
   * same id.
   */
  #firstBody(id: string, first: ImportedNode): string {
    const body = this.#bodies.get(id) ?? bodyOf(first);
    this.#bodies.set(id, body);
    return body;
  }

  indexOf(id: string): number | undefined {
    return this.#byId.get(hashLongId(id));
  }

  /** Resolves the parent of each draft to an index. A draft without a valid parent becomes a child of the root. */
  resolveParents(): void {
    for (let index = 0; index < this.drafts.length; index++) {
      const draft = this.drafts[index];
      const parentId = draft?.node.parentExternalId;
      if (draft === undefined || parentId === undefined || parentId === null) continue;
      const parent = this.indexOf(parentId);
      if (parent !== undefined && parent !== index) draft.parent = parent;
      else this.#reportParent(parentId, parent, draft.node.place);
    }
  }

  #reportParent(parentId: string, parent: number | undefined, place: string): void {
    if (parent === undefined)
      this.findings.push(
        buildFinding('import/orphan', 'repair', place, buildFindingDetail('parent', shortenedId(parentId))),
      );
    else this.findings.push(buildFinding('import/self-parent', 'repair', place));
  }

  /**
   * Breaks each cycle at its first node in the source: that node becomes a child of the root, and the other nodes stay
   * below it.
   */
  breakCycles(): void {
    const state = new Uint8Array(this.drafts.length);
    for (let index = 0; index < this.drafts.length; index++) {
      const parent = this.drafts[index]?.parent ?? -1;
      // Usually parents come first, and it is already known that they lead to the root.
      if (parent === -1 || state[parent] === 2) state[index] = 2;
      else if (state[index] === 0) this.#walkUp(index, state);
    }
  }

  /** Walks up from a node until it reaches a node that is known to be below the root, or finds a cycle. */
  #walkUp(index: number, state: Uint8Array): void {
    const walk: number[] = [];
    let at = index;
    while (at !== -1 && state[at] === 0) {
      state[at] = 1;
      walk.push(at);
      at = this.drafts[at]?.parent ?? -1;
    }
    if (at !== -1 && state[at] === 1) {
      const circle = walk.slice(walk.indexOf(at));
      let first = at;
      for (const member of circle) if (member < first) first = member;
      const draft = this.drafts[first];
      if (draft !== undefined) {
        this.findings.push(
          buildFinding('import/cycle', 'repair', draft.node.place, buildFindingDetail('message-count', circle.length)),
        );
        draft.parent = -1;
      }
    }
    for (const done of walk) state[done] = 2;
  }

  /** Orders siblings as the source lists them, else in input order. */
  orderSiblings(): number[][] {
    const { drafts } = this;
    const children: number[][] = [];
    while (children.length <= drafts.length) children.push([]);
    for (let index = 0; index < drafts.length; index++) children[(drafts[index]?.parent ?? -1) + 1]?.push(index);
    this.#tree.childOrder?.forEach((listed, parentId) => {
      const parent = parentId === '' ? -1 : this.indexOf(parentId);
      const family = parent === undefined ? undefined : children[parent + 1];
      if (parent !== undefined && family !== undefined && !this.#isInOrder(family, listed))
        this.#sort(family, listed, parent, parentId);
    });
    for (let at = 0; at < children.length; at++) this.#number(children[at] ?? []);
    return children;
  }

  /** Whether siblings are already in the listed order, which is the usual case. */
  #isInOrder(family: readonly number[], listed: readonly string[]): boolean {
    if (family.length !== listed.length) return false;
    for (let at = 0; at < family.length; at++) if (this.indexOf(listed[at] ?? '') !== family[at]) return false;
    return true;
  }

  #sort(family: number[], listed: readonly string[], parent: number, parentId: string): void {
    const place = new Map<number, number>();
    let stray = 0;
    for (const id of listed) {
      const child = this.indexOf(id);
      if (child === undefined || this.drafts[child]?.parent !== parent) stray++;
      else if (!place.has(child)) place.set(child, place.size);
    }
    if (stray > 0 || place.size !== family.length)
      this.findings.push(
        buildFinding(
          'import/children-mismatch',
          'repair',
          `${this.#tree.place} ${shortenedId(parentId)}`,
          buildFindingDetail('listed-and-present', listed.length, family.length),
        ),
      );
    const last = family.length;
    family.sort((a, b) => (place.get(a) ?? last) - (place.get(b) ?? last));
  }

  #number(family: readonly number[]): void {
    for (let order = 0; order < family.length; order++) {
      const draft = this.drafts[family[order] ?? -1];
      if (draft !== undefined) draft.order = order;
    }
  }

  /** Returns all drafts by time, parents before children. A store numbers them in this order. */
  ordered(children: readonly (readonly number[])[]): number[] {
    const times = new Float64Array(this.drafts.length);
    const rank = new Float64Array(this.drafts.length);
    const stack: number[] = [...(children[0] ?? [])].reverse();
    let walked = 0;
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const draft = this.drafts[at];
      if (draft === undefined) continue;
      const above = draft.parent === -1 ? Number.NEGATIVE_INFINITY : (times[draft.parent] ?? 0);
      times[at] = Math.max(above, draft.node.sequence ?? draft.node.createdAt ?? above);
      rank[at] = walked++;
      const below = children[at + 1] ?? [];
      for (let index = below.length - 1; index >= 0; index--) {
        const child = below[index];
        if (child !== undefined) stack.push(child);
      }
    }
    const order = [...this.drafts.keys()];
    return order.sort((a, b) => compareNodes(times[a] ?? 0, times[b] ?? 0) || (rank[a] ?? 0) - (rank[b] ?? 0));
  }

  /** Returns the message of a node; a blank or unreadable message becomes a marker. */
  read(node: ImportedNode): Pick<RepairedNode, 'message' | 'kind'> {
    const kind = node.kind ?? 'message';
    if (node.message === null || node.message === undefined) {
      if (kind === 'message') this.findings.push(blankFinding(node));
      return { message: textMessage('system', ''), kind: 'state' };
    }
    const read = this.#normalise(node.message, node.place);
    if (!read.ok) {
      const detail = read.refusal.message.replace(/\.$/, '');
      if (read.refusal.code !== 'message/blank') {
        this.findings.push(buildFinding('import/message-unreadable', 'repair', node.place, detail));
        return { message: textMessage('system', ''), kind: 'state' };
      }
    }
    const message = read.ok ? read.value : textMessage('system', '');
    if (kind !== 'state' && isRefusedAsBlank(message, node.status)) {
      this.findings.push(blankFinding(node));
      return { message, kind: 'state' };
    }
    return { message, kind };
  }

  /** Normalises a message. Calls with a repeated id get new ids, and this is reported. */
  #normalise(message: unknown, place: string): Result<Message> {
    const options = { where: 'message', blank: 'keep' } as const;
    const read = normaliseMessage(message, options);
    const unique = read.ok ? null : renameRepeatedCalls(message);
    const again = unique === null ? read : normaliseMessage(unique.message, options);
    if (unique === null || !again.ok) return read;
    for (const { from, to } of unique.renamed) {
      const detail = buildFindingDetail('renamed', from.slice(0, 80), to.slice(0, 90));
      this.findings.push(buildFinding('import/duplicate-id', 'repair', place, detail));
    }
    return again;
  }

  /** Appends a node in the form that a store accepts. */
  addTo(nodes: RepairedNode[], index: number): void {
    const draft = this.drafts[index];
    if (draft === undefined) return;
    const { node, id, parent, order, records } = draft;
    const parentExternalId = parent === -1 ? null : (this.drafts[parent]?.id ?? null);
    nodes.push(repairedNode(node, this, { externalId: id, parentExternalId, order, records }));
  }

  /** Returns the record of a node; reports a record that is too large or too deep, and returns undefined. */
  record(node: ImportedNode): Json | undefined {
    if (node.record === undefined || isStorableRecord(node.record)) return node.record;
    this.findings.push(buildFinding('import/record-too-large', 'loss', node.place));
    return undefined;
  }

  active(order: readonly number[]): string | null {
    const wanted = this.#tree.activeExternalId;
    const live = (index: number) => this.drafts[index]?.node.removed !== true;
    const newest = this.drafts[order.findLast(live) ?? -1]?.id ?? null;
    if (wanted === undefined) {
      if (newest !== null) this.findings.push(buildFinding('import/active-inferred', 'note', this.#tree.place));
      return newest;
    }
    if (wanted === null) return newest;
    const found = this.indexOf(wanted);
    if (found !== undefined && live(found)) return this.drafts[found]?.id ?? newest;
    this.findings.push(buildFinding('import/active-missing', 'repair', this.#tree.place, shortenedId(wanted)));
    return newest;
  }
}

function compareNodes(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function shortenedId(id: string): string {
  return JSON.stringify(id.slice(0, 80));
}

/** Whether a store would refuse the message as blank. A reply that was cut short may be blank. */
function isRefusedAsBlank(message: Message, status: ImportedNode['status']): boolean {
  if (message.role === 'tool') return false;
  if (status !== undefined && status !== 'success') return false;
  return message.content.every((block) => block.type === 'text' && 'text' in block && String(block.text).trim() === '');
}

/** Returns the finding for a message without text. It is a note if the record has no text either. */
function blankFinding({ record, place }: ImportedNode): ImportFinding {
  if (!hasTextFields(record)) return buildFinding('import/blank-message', 'note', place);
  return buildFinding('import/message-unreadable', 'repair', place, buildFindingDetail('text-in-wrong-place'));
}

/** Returns the text that is compared for two records with the same id. */
function bodyOf(node: ImportedNode): string {
  const { parentExternalId, record, message } = node;
  try {
    return canonicalJson({ parentExternalId, body: record ?? message ?? null });
  } catch {
    // Content that JSON cannot represent is never equal to other content.
    return `${node.place} ${node.externalId}`;
  }
}

type PlacedNode = Pick<RepairedNode, 'externalId' | 'parentExternalId' | 'order' | 'records'>;

// Fields are listed instead of spread for speed: this function runs for every record of every import.
function repairedNode(node: ImportedNode, repair: Repair, placed: PlacedNode): RepairedNode {
  const { message, kind } = repair.read(node);
  const record = repair.record(node);
  const made: { -readonly [K in keyof RepairedNode]: RepairedNode[K] } = {
    externalId: placed.externalId,
    parentExternalId: placed.parentExternalId,
    order: placed.order,
    records: placed.records,
    message,
    kind,
    place: node.place,
  };
  if (record !== undefined) made.record = record;
  if (node.meta !== undefined) made.meta = node.meta;
  if (node.createdAt !== undefined) made.createdAt = node.createdAt;
  if (node.status !== undefined) made.status = node.status;
  if (node.group !== undefined) made.group = node.group;
  if (node.marker !== undefined) made.marker = node.marker;
  if (node.bookmark !== undefined) made.bookmark = node.bookmark;
  if (node.sequence !== undefined) made.sequence = node.sequence;
  if (node.removed !== undefined) made.removed = node.removed;
  if (node.repeats !== undefined) made.repeats = node.repeats;
  if (node.companion !== undefined) made.companion = node.companion;
  return made;
}

/** Turns a conversation of a reader into one that can be stored, and reports every change. */
export function repairTree(tree: ImportedTree): RepairedTree {
  return runWithoutPauses(repairTreeCooperatively(tree));
}

/** Like {@link repairTree}, but pauses so that other work can run. */
export function* repairTreeCooperatively(tree: ImportedTree): CooperativeTask<RepairedTree> {
  const repair = new Repair(tree);
  repair.createDrafts();
  repair.resolveParents();
  repair.breakCycles();
  yield;
  const children = repair.orderSiblings();
  const order = repair.ordered(children);
  const nodes: RepairedNode[] = [];
  for (let from = 0; from < order.length; from += itemsPerPause) {
    for (const index of order.slice(from, from + itemsPerPause)) repair.addTo(nodes, index);
    yield;
  }
  let records = tree.ownRecords ?? 0;
  let merged = 0;
  for (const node of nodes) {
    records += node.records;
    merged += Math.max(0, node.records - 1);
  }
  const activeExternalId = repair.active(order);
  let rejected = 0;
  for (const found of repair.findings) rejected += found.rejected;
  return {
    ...tree,
    externalId: hashLongId(tree.externalId),
    scope: hashLongId(tree.scope),
    nodes,
    activeExternalId,
    findings: repair.findings,
    records: records + rejected,
    merged,
    rejected,
  };
}
