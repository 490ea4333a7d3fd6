/**
 * A second implementation of the rules of trees: small, slow and simple. It shares no code with core and follows only
 * the written rules. Where the rules allow several results, `loose` says so.
 */

export interface ModelNode {
  readonly id: string;
  parent: string;
  readonly role: string;
  text: string;
  group: number;
  /** The creation number. */
  readonly seq: number;
  /** The last time at which the node was on the active path. */
  visited: number;
  children: string[];
}

/** The error for an operation that the model refuses. */
export class ModelRefusal extends Error {}

function no(code: string): never {
  throw new ModelRefusal(code);
}

interface State {
  readonly nodes: Map<string, ModelNode>;
  readonly bookmarks: Map<string, string>;
  active: string | null;
}

function copyOf({ nodes, bookmarks, active }: State): State {
  const copied = new Map<string, ModelNode>();
  for (const [id, node] of nodes) copied.set(id, { ...node, children: [...node.children] });
  return { nodes: copied, bookmarks: new Map(bookmarks), active };
}

/**
 * A tree of the model. An operation either succeeds completely, or throws a {@link ModelRefusal} and changes nothing.
 */
export class TreeModel {
  readonly root: string;
  state: State;
  /** What the rules leave open after the last operation: nothing, the active node, or the bookmarks. */
  loose: 'nothing' | 'pointer' | 'bookmarks' = 'nothing';
  /** Whether no node was moved or removed yet. After that, the rules leave open which child was visited last. */
  isVisitOrderKnown = true;
  #seq = 0;
  #clock = 0;
  #done: State[] = [];
  #undone: State[] = [];

  constructor(root: string) {
    this.root = root;
    const node = { id: root, parent: '', role: 'root', text: '', group: 0, seq: 0, visited: 0, children: [] };
    this.state = { nodes: new Map([[root, node]]), bookmarks: new Map(), active: null };
  }

  node(id: string): ModelNode {
    return this.state.nodes.get(id) ?? no('tree/unknown-node');
  }

  message(id: string): ModelNode {
    return id === this.root ? no('tree/root-protected') : this.node(id);
  }

  /** Runs an operation as one act that can be undone. If `work` returns false, nothing changed and there is no act. */
  act(work: () => boolean): void {
    const before = copyOf(this.state);
    this.loose = 'nothing';
    try {
      if (!work()) return;
    } catch (error) {
      this.state = before;
      throw error;
    }
    this.#done.push(before);
    this.#undone = [];
  }

  point(id: string | null): void {
    this.state.active = id;
    this.#clock++;
    for (let at = id; at !== null && at !== this.root; at = this.node(at).parent) this.node(at).visited = this.#clock;
  }

  add(id: string, parent: string, role: string, text: string): void {
    const node = { id, parent, role, text, group: 0, seq: ++this.#seq, visited: 0, children: [] };
    this.state.nodes.set(id, node);
    this.node(parent).children.push(id);
  }

  append(
    parent: string,
    items: readonly { id: string; role: string; text: string }[],
    select: boolean,
    merges: boolean,
  ): void {
    let at = this.node(parent).id;
    // An empty tool result is not dropped, unlike other empty messages.
    const said = items.filter((item) => item.role === 'tool' || item.text.trim() !== '');
    let added = 0;
    const equal = (item: { role: string; text: string }) =>
      this.node(at).children.find((id) => {
        const child = this.node(id);
        return child.role === item.role && child.text.trim() === item.text.trim();
      });
    this.act(() => {
      for (const item of said) {
        const there = merges && added === 0 ? equal(item) : undefined;
        if (there === undefined) {
          this.add(item.id, at, item.role, item.text);
          added++;
        }
        at = there ?? item.id;
      }
      if (said.length > 0 && (select || this.state.active === null)) this.point(at);
      return added > 0;
    });
  }

  #editable(id: string, text: string): ModelNode {
    const node = this.message(id);
    if (node.role === 'tool') no('message/is-tool');
    return text.trim() === '' ? no('message/blank') : node;
  }

  #freshGroup(parent: string): number {
    return (
      Math.max(0, ...[...this.state.nodes.values()].filter((one) => one.parent === parent).map((one) => one.group)) + 1
    );
  }

  edit(id: string, newId: string, text: string): void {
    const node = this.#editable(id, text);
    this.act(() => {
      if (node.text === text) return false;
      if (node.group === 0) node.group = this.#freshGroup(node.parent);
      this.add(newId, node.parent, node.role, text);
      this.node(newId).group = node.group;
      this.point(newId);
      return true;
    });
  }

  save(id: string, text: string): void {
    const node = this.#editable(id, text);
    this.act(() => {
      this.loose = 'pointer';
      const other = node.text !== text;
      node.text = text;
      return other;
    });
  }

  split(id: string, newId: string, position: number): void {
    const node = this.message(id);
    if (node.role === 'tool') no('message/not-splittable');
    const [left, right] = [node.text.slice(0, position), node.text.slice(position)];
    if (position < 1 || position >= node.text.length || left.trim() === '' || right.trim() === '')
      no('message/bad-position');
    this.act(() => {
      const siblings = this.node(node.parent).children;
      this.add(newId, node.parent, node.role, left);
      siblings.pop();
      siblings.splice(siblings.indexOf(id), 1, newId);
      Object.assign(this.node(newId), { group: node.group, children: [id], visited: node.visited });
      Object.assign(node, { parent: newId, text: right, group: 0 });
      return true;
    });
  }

  join(id: string): void {
    const node = this.message(id);
    const [below] = node.children;
    if (node.role === 'tool' || below === undefined || node.children.length > 1) return no('message/not-joinable');
    const child = this.node(below);
    if (child.role !== node.role) return no('message/not-joinable');
    this.act(() => {
      const siblings = this.node(node.parent).children;
      siblings.splice(siblings.indexOf(id), 1, below);
      Object.assign(child, { parent: node.parent, text: node.text + child.text, group: node.group });
      const mark = this.state.bookmarks.get(id);
      if (mark !== undefined && !this.state.bookmarks.has(below)) this.state.bookmarks.set(below, mark);
      this.state.bookmarks.delete(id);
      if (this.state.active === id) this.point(below);
      this.state.nodes.delete(id);
      this.isVisitOrderKnown = false;
      return true;
    });
  }

  reply(parent: string, items: readonly { id: string; text: string }[]): void {
    this.node(parent);
    this.act(() => {
      const group = items.length > 1 ? this.#freshGroup(parent) : 0;
      for (const { id, text } of items) {
        this.add(id, parent, 'assistant', text);
        this.node(id).group = group;
        this.point(id);
      }
      return true;
    });
  }

  select(id: string): void {
    this.loose = 'nothing';
    this.point(this.message(id).id);
  }

  navigate(id: string, step: 1 | -1): void {
    this.loose = this.isVisitOrderKnown ? 'nothing' : 'pointer';
    const variants = this.node(this.message(id).parent).children;
    if (variants.length === 1) return;
    let at = variants[(variants.indexOf(id) + step + variants.length) % variants.length] ?? id;
    for (let next: ModelNode | undefined; ; at = next.id) {
      const below = this.node(at).children.map((child) => this.node(child));
      next = below.reduce<ModelNode | undefined>(
        (best, one) => (best !== undefined && best.visited > one.visited ? best : one),
        undefined,
      );
      if (next === undefined) break;
    }
    this.point(at);
  }

  #leavesBelow(top: string): ModelNode[] {
    const open = [top];
    const found: ModelNode[] = [];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const node = this.node(at);
      if (node.children.length === 0 && at !== top) found.push(node);
      for (const child of node.children) open.push(child);
    }
    return found;
  }

  /**
   * Chooses the active node after the old one was removed: the newest leaf below the parent, else the parent, else
   * none.
   */
  #selectAfterRemoval(parent: string): void {
    if (this.state.active !== null && this.state.nodes.has(this.state.active)) return;
    const newest = this.#leavesBelow(parent).reduce<ModelNode | null>(
      (best, one) => (best !== null && best.seq > one.seq ? best : one),
      null,
    );
    this.point(newest?.id ?? (parent === this.root ? null : parent));
  }

  splice(id: string): void {
    const { parent, children } = this.message(id);
    this.act(() => {
      const siblings = this.node(parent).children;
      const fresh = new Map<number, number>();
      for (const child of children.map((one) => this.node(one))) {
        if (child.group > 0 && !fresh.has(child.group)) fresh.set(child.group, this.#freshGroup(parent) + fresh.size);
        Object.assign(child, { parent, group: fresh.get(child.group) ?? 0 });
      }
      siblings.splice(siblings.indexOf(id), 1, ...children);
      this.state.nodes.delete(id);
      this.#selectAfterRemoval(parent);
      // The bookmark moves to the parent. The rules leave open what happens if the parent is the root or has a bookmark
      // itself.
      if (this.state.bookmarks.delete(id)) this.loose = 'bookmarks';
      this.isVisitOrderKnown = false;
      return true;
    });
  }

  #remove(top: string): void {
    for (const open = [top]; open.length > 0; ) {
      const id = open.pop() ?? '';
      for (const child of this.node(id).children) open.push(child);
      this.state.nodes.delete(id);
      this.state.bookmarks.delete(id);
    }
  }

  cascade(id: string): void {
    const { parent } = this.message(id);
    this.act(() => {
      const siblings = this.node(parent).children;
      siblings.splice(siblings.indexOf(id), 1);
      this.#remove(id);
      this.#selectAfterRemoval(parent);
      this.isVisitOrderKnown = false;
      return true;
    });
  }

  clear(): void {
    this.act(() => {
      const firstMessages = this.node(this.root).children.splice(0);
      for (const top of firstMessages) this.#remove(top);
      this.state.active = null;
      return firstMessages.length > 0;
    });
  }

  move(id: string, parent: string): void {
    const node = this.message(id);
    for (let at = this.node(parent).id; at !== this.root; at = this.node(at).parent) if (at === id) no('tree/cycle');
    this.act(() => {
      const siblings = this.node(node.parent).children;
      siblings.splice(siblings.indexOf(id), 1);
      Object.assign(node, { parent, group: 0 });
      this.node(parent).children.push(id);
      this.isVisitOrderKnown = false;
      return true;
    });
  }

  bookmark(id: string, title: string | null): void {
    this.message(id);
    this.act(() => {
      const before = this.state.bookmarks.get(id) ?? null;
      if (title === null) this.state.bookmarks.delete(id);
      else this.state.bookmarks.set(id, title);
      return before !== title;
    });
  }

  #back(from: State[], to: State[]): void {
    const state = from.pop() ?? no('undo/nothing');
    to.push(copyOf(this.state));
    this.state = state;
    this.isVisitOrderKnown = false;
    this.loose = 'pointer';
  }

  undo(): void {
    this.#back(this.#done, this.#undone);
  }

  redo(): void {
    this.#back(this.#undone, this.#done);
  }
}
