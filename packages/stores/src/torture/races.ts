/** Races: conflicting commands of several sessions, and the trees that they start from. */
import { messageKit } from '@coppice/content';
import {
  ask,
  type Command,
  type NodeId,
  nodeId,
  run,
  type Store,
  type TreeId,
  textMessage,
  treeId,
} from '@coppice/core';
import { deriveId } from '../linear.ts';
import { SeededRandom } from './seeded-random.ts';

/** One run of a race in a new tree. Its ids depend only on the name of the run, so that runs can be compared. */
export class RaceRun {
  readonly name: string;
  readonly treeId: TreeId;
  readonly #names = new Map<string, string>();

  constructor(name: string) {
    this.name = name;
    this.treeId = treeId(deriveId('race', name));
  }

  /** Returns the id of a node by its name. The first call with a name generates the id. */
  id(name: string): NodeId {
    const id = nodeId(deriveId('race', this.name, name));
    this.#names.set(id, name);
    return id;
  }

  nameOf(id: string): string {
    return this.#names.get(id) ?? 'somebody';
  }

  run(store: Store, actor: string, command: Command, expectedVersion?: number) {
    const random = new SeededRandom('race', this.name, actor, command.type);
    return run(store, command, {
      actor,
      kit: messageKit,
      now: () => 0,
      newId: () => random.uuid(),
      ...(expectedVersion === undefined ? {} : { expectedVersion }),
    });
  }

  /** Adds a chain of messages, named by their texts. */
  async chain(store: Store, actor: string, parent: string | null, ...names: readonly string[]): Promise<void> {
    const messages = names.map((name, at) => ({
      id: this.id(name),
      message: textMessage(at % 2 === 0 ? 'user' : 'assistant', name),
    }));
    const below = parent === null ? {} : { parentId: this.id(parent) };
    await this.run(store, actor, { type: 'append', treeId: this.treeId, messages, ...below });
  }

  /**
   * Draws the tree as indented lines: the names in order, `=` and a letter for each group, and a star for the active
   * node.
   */
  async drawing(store: Store): Promise<string[]> {
    const rows = await store.read(this.treeId, () => ask('rows', {}));
    if (rows === null) return [];
    const below = new Map<string, (typeof rows.nodes)[number][]>();
    for (const node of rows.nodes) {
      if (node.removedIn !== null || node.parentId === null) continue;
      const list = below.get(node.parentId) ?? [];
      list.push(node);
      below.set(node.parentId, list);
    }
    for (const list of below.values()) list.sort((one, two) => (one.position < two.position ? -1 : 1));
    const lines: string[] = [];
    const open = [{ id: rows.row.rootId, depth: -1, line: '' }];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (at.depth >= 0) lines.push(at.line);
      const { depth, id } = at;
      const groups: number[] = [];
      const children = (below.get(id) ?? []).map((node) => {
        if (node.groupId > 0 && !groups.includes(node.groupId)) groups.push(node.groupId);
        const group = node.groupId > 0 ? `=${String.fromCharCode(97 + groups.indexOf(node.groupId))}` : '';
        const star = node.id === rows.row.activeNodeId ? ' *' : '';
        const named = this.nameOf(node.id);
        const said = node.text === named ? '' : `: ${node.text}`;
        return { id: node.id, depth: depth + 1, line: `${'  '.repeat(depth + 1)}${named}${group}${said}${star}` };
      });
      for (const child of children.reverse()) open.push(child);
    }
    return lines;
  }
}

/** A race: the tree at the start, and the command of each session. */
export interface Race {
  readonly name: string;
  set(track: RaceRun, store: Store): Promise<void>;
  readonly sessions: readonly { readonly actor: string; command(track: RaceRun): Command }[];
}

const sample = async (track: RaceRun, store: Store): Promise<void> => {
  await track.run(store, 'ann', { type: 'create', treeId: track.treeId });
};

const deleting =
  (name: string, mode: 'splice' | 'cascade') =>
  (track: RaceRun): Command => ({
    type: 'delete',
    treeId: track.treeId,
    nodeIds: [track.id(name)],
    mode,
  });

const appending =
  (parent: string, name: string) =>
  (track: RaceRun): Command => ({
    type: 'append',
    treeId: track.treeId,
    parentId: track.id(parent),
    messages: [{ id: track.id(name), message: textMessage('user', name) }],
  });

const moving =
  (name: string, parent: string) =>
  (track: RaceRun): Command => ({
    type: 'move',
    treeId: track.treeId,
    nodeId: track.id(name),
    parentId: track.id(parent),
  });

const editing =
  (name: string, made: string, mode: 'branch' | 'in-place') =>
  (track: RaceRun): Command => ({
    type: 'edit',
    treeId: track.treeId,
    nodeId: track.id(name),
    content: made,
    mode,
    ...(mode === 'branch' ? { id: track.id(made) } : {}),
  });

const founding =
  (name: string) =>
  (track: RaceRun): Command => ({
    type: 'create',
    treeId: treeId(deriveId('race', track.name, name)),
    forest: true,
    attributes: { systemPrompt: `The forest of ${track.name}` },
  });

async function chainOfThree(track: RaceRun, store: Store): Promise<void> {
  await sample(track, store);
  await track.chain(store, 'ann', null, 'a', 'b', 'c');
}

/** All races of the suite. */
export const races: readonly Race[] = [
  {
    name: 'M3 append and splice of its parent',
    set: chainOfThree,
    sessions: [
      { actor: 'ann', command: appending('b', 'late') },
      { actor: 'ben', command: deleting('b', 'splice') },
    ],
  },
  {
    name: 'M4 two moves that would make a circle',
    async set(track, store) {
      await sample(track, store);
      await track.chain(store, 'ann', null, 'top', 'x');
      await track.chain(store, 'ann', 'top', 'y');
    },
    sessions: [
      { actor: 'ann', command: moving('x', 'y') },
      { actor: 'ben', command: moving('y', 'x') },
    ],
  },
  {
    name: 'M5 two splices that both number groups anew',
    async set(track, store) {
      await sample(track, store);
      await track.chain(store, 'ann', null, 'top', 'p');
      await track.chain(store, 'ann', 'top', 'q');
      for (const parent of ['p', 'q'])
        await track.run(store, 'ann', {
          type: 'reply',
          treeId: track.treeId,
          parentId: track.id(parent),
          replies: [1, 2].map((at) => ({
            id: track.id(`${parent}${at}`),
            message: textMessage('assistant', `${parent}${at}`),
          })),
        });
    },
    sessions: [
      { actor: 'ann', command: deleting('p', 'splice') },
      { actor: 'ben', command: deleting('q', 'splice') },
    ],
  },
  {
    name: 'two edits of one message',
    set: chainOfThree,
    sessions: [
      { actor: 'ann', command: editing('b', 'by ann', 'branch') },
      { actor: 'ben', command: editing('b', 'by ben', 'branch') },
    ],
  },
  {
    name: 'two edits in place of one message',
    set: chainOfThree,
    sessions: [
      { actor: 'ann', command: editing('b', 'by ann', 'in-place') },
      { actor: 'ben', command: editing('b', 'by ben', 'in-place') },
    ],
  },
  {
    name: 'delete and select of what goes',
    set: chainOfThree,
    sessions: [
      { actor: 'ann', command: deleting('b', 'cascade') },
      { actor: 'ben', command: (track) => ({ type: 'select', treeId: track.treeId, nodeId: track.id('b') }) },
    ],
  },
  {
    name: 'undo and append to what it takes back',
    set: chainOfThree,
    sessions: [
      { actor: 'ann', command: (track) => ({ type: 'undo', treeId: track.treeId }) },
      { actor: 'ben', command: appending('c', 'late') },
    ],
  },
  {
    name: 'get or create the same forest tree',
    set: async () => undefined,
    sessions: [
      { actor: 'ann', command: founding('first') },
      { actor: 'ben', command: founding('second') },
    ],
  },
  {
    name: 'append, splice and move of one branch',
    set: chainOfThree,
    sessions: [
      { actor: 'ann', command: appending('b', 'late') },
      { actor: 'ben', command: deleting('b', 'splice') },
      { actor: 'cem', command: moving('c', 'a') },
    ],
  },
  {
    name: 'cascade, append and undo',
    set: chainOfThree,
    sessions: [
      { actor: 'ben', command: deleting('c', 'cascade') },
      { actor: 'cem', command: appending('c', 'late') },
      { actor: 'ann', command: (track) => ({ type: 'undo', treeId: track.treeId }) },
    ],
  },
];
