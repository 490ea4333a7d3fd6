/**
 * Predicts the state of a branch that only one writer changes, from the changes that were acknowledged to this writer.
 */

/**
 * One change of a writer. Its ids are chosen in advance, so that the store shows afterwards whether the change was
 * made.
 */
export type WriterAct =
  | {
      readonly act: 'append';
      readonly parent: string | null;
      readonly ids: readonly string[];
      readonly texts: readonly string[];
    }
  | { readonly act: 'save'; readonly id: string; readonly text: string }
  | { readonly act: 'vary'; readonly id: string; readonly newId: string; readonly text: string }
  | { readonly act: 'split'; readonly id: string; readonly newId: string; readonly position: number }
  | { readonly act: 'splice' | 'cascade'; readonly id: string }
  | { readonly act: 'move'; readonly id: string; readonly parent: string }
  | { readonly act: 'undo' };

/** A message of a writer. Its parent is null if it is a child of the root. */
export interface WriterNode {
  readonly parent: string | null;
  readonly text: string;
}

/** The messages of one writer in one tree, by id. */
export type WriterNodes = ReadonlyMap<string, WriterNode>;

// How many earlier states are kept for undo.
const remembered = 12;

function without(nodes: WriterNodes, gone: ReadonlySet<string>): Map<string, WriterNode> {
  return new Map([...nodes].filter(([id]) => !gone.has(id)));
}

/** Returns the ids of a node and all its descendants. */
export function findSubtreeIds(nodes: WriterNodes, top: string): Set<string> {
  const found = new Set([top]);
  // After a move, a child may come before its parent in the map. So this repeats until no node is added.
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const [id, { parent }] of nodes) if (parent !== null && found.has(parent)) found.add(id);
  }
  return found;
}

function changed(nodes: WriterNodes, act: Exclude<WriterAct, { act: 'undo' }>): Map<string, WriterNode> {
  const next = new Map(nodes);
  const known = (id: string): WriterNode => {
    const found = nodes.get(id);
    if (found === undefined) throw new Error(`The writer knows of no node ${id}.`);
    return found;
  };
  switch (act.act) {
    case 'append': {
      let { parent } = act;
      for (const [index, id] of act.ids.entries()) {
        next.set(id, { parent, text: act.texts[index] ?? '' });
        parent = id;
      }
      return next;
    }
    case 'save':
      return next.set(act.id, { ...known(act.id), text: act.text });
    case 'vary':
      return next.set(act.newId, { parent: known(act.id).parent, text: act.text });
    case 'split': {
      const { parent, text } = known(act.id);
      next.set(act.newId, { parent, text: text.slice(0, act.position) });
      return next.set(act.id, { parent: act.newId, text: text.slice(act.position) });
    }
    case 'move':
      return next.set(act.id, { ...known(act.id), parent: act.parent });
    case 'cascade':
      return without(nodes, findSubtreeIds(nodes, act.id));
    case 'splice': {
      const { parent } = known(act.id);
      for (const [id, node] of nodes) if (node.parent === act.id) next.set(id, { ...node, parent });
      next.delete(act.id);
      return next;
    }
  }
}

/** The states of a writer's branch after each of its last acts; the current one is the last. */
export class WriterBranch {
  #states: readonly WriterNodes[];

  constructor(states: readonly WriterNodes[] = [new Map()]) {
    this.#states = states;
  }

  get nodes(): WriterNodes {
    return this.#states[this.#states.length - 1] ?? new Map();
  }

  get canUndo(): boolean {
    return this.#states.length > 1;
  }

  after(act: WriterAct): WriterBranch {
    if (act.act === 'undo') return new WriterBranch(this.#states.slice(0, -1));
    return new WriterBranch([...this.#states.slice(-remembered), changed(this.nodes, act)]);
  }

  toJSON(): unknown {
    return this.#states.map((nodes) => [...nodes]);
  }

  static from(json: readonly (readonly (readonly [string, WriterNode])[])[]): WriterBranch {
    return new WriterBranch(json.map((entries) => new Map(entries)));
  }
}

export function haveSameNodes(one: WriterNodes, two: WriterNodes): boolean {
  if (one.size !== two.size) return false;
  for (const [id, { parent, text }] of one) {
    const other = two.get(id);
    if (other === undefined || other.parent !== parent || other.text !== text) return false;
  }
  return true;
}

/** Returns a sentence for each message that is missing, unexpected or different. */
export function describeDifferences(expected: WriterNodes, actual: WriterNodes): string[] {
  const found: string[] = [];
  for (const [id, node] of expected) {
    const other = actual.get(id);
    if (other === undefined) found.push(`${id} is lost`);
    else if (other.text !== node.text)
      found.push(`${id} says ${JSON.stringify(other.text)}, not ${JSON.stringify(node.text)}`);
    else if (other.parent !== node.parent) found.push(`${id} has the parent ${other.parent}, not ${node.parent}`);
  }
  for (const id of actual.keys())
    if (!expected.has(id)) found.push(`${id} is there although nothing of it was acknowledged`);
  return found;
}
