// Flattens the nested nodes of a Loom file. Only the nesting is reliable: ids may be missing or duplicate, and parent
// ids outdated. Iterative, because files may be nested thousands of levels deep.
import type { Json, JsonObject } from '@coppice/core';
import { getFilledText, isJsonObject, listAt, omitKeys } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { FreeIdGenerator } from '../free-id-generator.ts';
import { hashLongId } from '../repair.ts';
import { checkListField } from '../structure-findings.ts';

/** A node of the flattened list, with the id of its parent. */
export interface FlatNode {
  readonly id: string;
  readonly parent: string | null;
  /** The record without its children. */
  readonly record: JsonObject;
  readonly place: string;
}

/** The flattened nodes of a file, and what happened to folded ones. */
export interface FlattenedNodes {
  readonly nodes: readonly FlatNode[];
  /**
   * Records of fold nodes, which are not part of the tree. `moved` maps their ids to the id of the last folded node.
   */
  readonly folds: readonly JsonObject[];
  readonly moved: ReadonlyMap<string, string>;
  readonly findings: readonly ImportFinding[];
}

interface PendingNode {
  readonly value: Json;
  readonly parent: string | null;
  readonly place: string;
  readonly index: number;
}

interface Fold {
  readonly children: readonly Json[];
  readonly head: string;
  readonly place: string;
}

/** Whether an object is a node: it has a text or children, or is a fold. */
function isNode(value: JsonObject): boolean {
  return typeof value.text === 'string' || Array.isArray(value.children) || isJsonObject(value.masked_head);
}

class LoomWalk {
  readonly nodes: FlatNode[] = [];
  readonly folds: JsonObject[] = [];
  readonly moved = new Map<string, string>();
  readonly findings: ImportFinding[] = [];
  readonly #seen = new Set<string>();
  readonly #free = new FreeIdGenerator();
  readonly #openFolds = new Map<string, Fold>();
  readonly #stack: PendingNode[] = [];

  run(roots: readonly Json[], place: string): void {
    this.#push(roots, null, place);
    this.#empty();
    // The named end of these folds does not exist, so the children of each fold become children of its head.
    for (const { children, head, place: at } of this.#openFolds.values()) {
      if (children.length === 0) continue;
      this.findings.push(buildFinding('import/inferred', 'repair', at, buildFindingDetail('fold-end-missing')));
      this.#push(children, this.#seen.has(head) ? head : null, at);
    }
    this.#openFolds.clear();
    this.#empty();
  }

  #empty(): void {
    for (let next = this.#stack.pop(); next !== undefined; next = this.#stack.pop()) this.#visit(next);
  }

  #push(values: readonly Json[], parent: string | null, place: string): void {
    for (let index = values.length - 1; index >= 0; index--)
      this.#stack.push({ value: values[index] ?? null, parent, place, index });
  }

  #visit({ value, parent, place, index }: PendingNode): void {
    const at = `${place} ${parent ?? ''}[${index}]`;
    if (!isJsonObject(value) || !isNode(value)) {
      this.findings.push(buildFinding('import/record-unreadable', 'loss', at, buildFindingDetail('not-a-node'), 1));
      return;
    }
    this.findings.push(...checkListField(value, 'children', at));
    const children = listAt(value, 'children');
    const { masked_head: head } = value;
    const tail = getFilledText(value, 'tail_id');
    if (isJsonObject(head) && tail !== undefined) {
      const known = this.#openFolds.get(tail);
      const below = known === undefined ? children : [...known.children, ...children];
      this.#openFolds.set(tail, { children: below, head: getFilledText(head, 'id') ?? '', place: at });
      this.folds.push(omitKeys(value, 'children', 'masked_head'));
      const id = getFilledText(value, 'id');
      if (id !== undefined) this.moved.set(id, tail);
      this.findings.push(buildFinding('import/merged', 'note', at, buildFindingDetail('fold-expanded')));
      this.#stack.push({ value: head, parent, place, index });
      return;
    }
    const named = getFilledText(value, 'id');
    // The id is the path of the node, shortened because the path grows with every level.
    const pathId = hashLongId(`${parent ?? 'node'}/${index}`);
    const id = this.#freeId(named ?? pathId, named !== undefined, at);
    this.nodes.push({ id, parent, record: omitKeys(value, 'children'), place: at });
    const fold = named === undefined ? undefined : this.#openFolds.get(named);
    if (fold !== undefined && named !== undefined) {
      this.#openFolds.delete(named);
      this.#push(fold.children, id, place);
    }
    this.#push(children, id, place);
  }

  #freeId(wanted: string, reported: boolean, place: string): string {
    const id = this.#seen.has(wanted) ? this.#free.next(wanted, (one) => this.#seen.has(one)) : wanted;
    this.#seen.add(id);
    if (id !== wanted && reported)
      this.findings.push(
        buildFinding(
          'import/duplicate-id',
          'repair',
          place,
          buildFindingDetail('renamed', wanted.slice(0, 80), id.slice(0, 80)),
        ),
      );
    return id;
  }
}

/** Walks nested nodes, parents before children, siblings in order, with folds expanded. */
export function flattenLoomNodes(roots: readonly Json[], place: string): FlattenedNodes {
  const made = new LoomWalk();
  made.run(roots, place);
  return made;
}
