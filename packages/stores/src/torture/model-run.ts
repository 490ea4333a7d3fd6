/** Random operations, legal and illegal, on the model and on every store: the same answers and the same trees. */
import { messageKit } from '@coppice/content';
import {
  ask,
  type Command,
  fromRows,
  isAppError,
  type NodeId,
  nodeId,
  run,
  type Store,
  type TreeId,
  textMessage,
  treeId,
  treeToJson,
} from '@coppice/core';
import { type AbstractCommand, arbitraryCommands, commandsToText, play, ReferenceStore } from '@coppice/core/testing';
import fc from 'fast-check';
import { derivedId } from '../linear.ts';
import { Journal, type Report } from './journal.ts';
import { Model, ModelRefusal } from './model.ts';
import { type Ground, openPlace } from './places.ts';

/** How many sequences, how long, on what. */
export interface ModelOptions {
  readonly grounds: readonly Ground[];
  readonly sequences: number;
  readonly longest: number;
  readonly seed: string;
  readonly say?: (line: string) => void;
}

const kinds = [
  'append',
  'edit',
  'save',
  'split',
  'reply',
  'select',
  'navigate',
  'splice',
  'cascade',
  'clear',
  'move',
  'bookmark',
  'undo',
  'redo',
] as const;

/** An operation that names nodes by number, so that a shortened list still makes sense. */
interface Op {
  readonly kind: (typeof kinds)[number];
  readonly node: number;
  readonly other: number;
  readonly texts: readonly string[];
  readonly choice: number;
}

const words = fc.constantFrom(
  'a',
  'b',
  'c',
  'one two',
  'one three',
  '🌲🌳 tree',
  '',
  ' ',
  '\n',
  'nul \u0000 x',
  'lone \ud800 x',
  '__proto__',
);
const arbitraryOp: fc.Arbitrary<Op> = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant('append' as const) },
    { weight: 12, arbitrary: fc.constantFrom(...kinds.filter((kind) => kind !== 'clear')) },
    { weight: 1, arbitrary: fc.constant('clear' as const) },
  ),
  node: fc.nat(999),
  other: fc.nat(999),
  texts: fc.array(words, { minLength: 1, maxLength: 3 }),
  choice: fc.nat(63),
});

/** What a tree looks like to a reader: lines in order, groups of several, the pointer, the bookmarks. */
interface Look {
  readonly lines: readonly string[];
  readonly active: string | null;
  readonly bookmarks: readonly string[];
}

interface Shape {
  readonly role: string;
  readonly text: string;
  readonly group: number;
  readonly children: readonly string[];
}

function look(
  root: string,
  shape: (id: string) => Shape,
  active: string | null,
  bookmarks: readonly (readonly [string, string])[],
): Look {
  const lines: string[] = [];
  const open = [{ id: root, depth: 0, group: '' }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { children, role, text } = shape(at.id);
    if (at.id !== root) lines.push(`${at.depth} ${at.id} ${role} ${JSON.stringify(text)}${at.group}`);
    const sizes = new Map<number, string[]>();
    for (const child of children) {
      const { group } = shape(child);
      if (group > 0) sizes.set(group, [...(sizes.get(group) ?? []), child]);
    }
    const { depth } = at;
    for (const child of [...children].reverse()) {
      const members = sizes.get(shape(child).group) ?? [];
      // A group of one is as good as none.
      open.push({ id: child, depth: depth + 1, group: members.length > 1 ? ` with ${members[0]}` : '' });
    }
  }
  return { lines, active, bookmarks: bookmarks.map(([id, title]) => `${id} ${title}`).sort() };
}

function lookOfModel(model: Model): Look {
  return look(model.root, (id) => model.node(id), model.state.active, [...model.state.bookmarks]);
}

async function lookOfStore(store: Store, tree: TreeId): Promise<{ readonly look: Look; readonly version: number }> {
  const rows = await store.read(tree, () => ask('rows', {}));
  if (rows === null) throw new Error('The tree is gone.');
  const shapes = new Map<string, { role: string; text: string; group: number; children: string[]; position: string }>();
  for (const node of rows.nodes)
    if (node.removedIn === null)
      shapes.set(node.id, {
        role: node.role,
        text: node.text,
        group: node.groupId,
        children: [],
        position: node.position,
      });
  for (const node of rows.nodes)
    if (node.removedIn === null && node.parentId !== null) shapes.get(node.parentId)?.children.push(node.id);
  const place = (id: string) => shapes.get(id)?.position ?? '';
  for (const { children } of shapes.values()) children.sort((one, two) => (place(one) < place(two) ? -1 : 1));
  const found = (id: string): Shape => shapes.get(id) ?? { role: '', text: '', group: 0, children: [] };
  const bookmarks = rows.bookmarks.map((mark) => [mark.nodeId, mark.title] as const);
  return { look: look(rows.row.rootId, found, rows.row.activeNodeId, bookmarks), version: rows.row.version };
}

/** One operation as the command for the stores and as the call for the model. */
interface Turn {
  readonly command: Command;
  apply(): void;
}

const unknown = nodeId('ffffffff-ffff-7fff-8fff-ffffffffffff');

/** Turns an operation into both forms; null where the rules leave too much open to compare. */
function turnOf(op: Op, index: number, model: Model, tree: TreeId, cut: boolean): Turn | null {
  const ids = [...model.state.nodes.keys()].filter((id) => id !== model.root);
  const pick = (number: number): NodeId => {
    if (number > 990) return unknown;
    if (number > 970 || ids.length === 0) return nodeId(model.root);
    return nodeId(ids[number % ids.length] ?? model.root);
  };
  const fresh = (at: number) => derivedId('model', tree, index, at);
  const node = pick(op.node);
  // Once something was split, an old text is still found by its pieces: texts of their own keep that out.
  const texts = op.texts.map((text) => (cut && text.trim() !== '' ? `${text} ${index}` : text));
  const text = texts[0] ?? '';
  switch (op.kind) {
    case 'append': {
      const parent = op.choice % 3 === 0 ? (model.state.active ?? model.root) : node;
      const role = (at: number) =>
        (['user', 'assistant', 'tool'] as const)[(at + op.choice) % (op.choice % 8 === 7 ? 3 : 2)] ?? 'user';
      const items = texts.map((one, at) => ({ id: fresh(at), role: role(at), text: one }));
      const select = op.choice < 48;
      const messages = items.map((item, at) => ({
        id: item.id,
        message: { ...textMessage(role(at), item.text), ...(item.role === 'tool' ? { tool_call_id: 'call' } : {}) },
      }));
      const below = op.choice % 3 === 0 ? {} : { parentId: nodeId(parent) };
      return {
        command: { type: 'append', treeId: tree, messages, select, ...below },
        apply: () => model.append(parent, items, select),
      };
    }
    case 'edit':
      return {
        command: { type: 'edit', treeId: tree, nodeId: node, content: text, id: fresh(0) },
        apply: () => model.edit(node, fresh(0), text),
      };
    case 'save':
      return {
        command: { type: 'edit', treeId: tree, nodeId: node, content: text, mode: 'in-place' },
        apply: () => model.save(node, text),
      };
    case 'split': {
      const position = op.choice % 9;
      const said = model.state.nodes.get(node)?.text ?? '';
      // Inside of a character it is refused in any case; the model does not know characters.
      if (/[\ud800-\udfff]/.test(said.slice(Math.max(0, position - 4), position + 4))) return null;
      return {
        command: { type: 'split', treeId: tree, nodeId: node, position, id: fresh(0) },
        apply: () => model.split(node, fresh(0), position),
      };
    }
    case 'reply': {
      const items = texts.filter((one) => one.trim() !== '').map((one, at) => ({ id: fresh(at), text: one }));
      if (items.length === 0) return null;
      const replies = items.map((item) => ({ id: item.id, message: textMessage('assistant', item.text) }));
      return {
        command: { type: 'reply', treeId: tree, parentId: node, replies },
        apply: () => model.reply(node, items),
      };
    }
    case 'select':
      return { command: { type: 'select', treeId: tree, nodeId: node }, apply: () => model.select(node) };
    case 'navigate': {
      const direction = op.choice % 2 === 0 ? 'next' : 'previous';
      return {
        command: { type: 'navigate', treeId: tree, nodeId: node, direction },
        apply: () => model.navigate(node, direction === 'next' ? 1 : -1),
      };
    }
    case 'splice':
    case 'cascade':
      return {
        command: { type: 'delete', treeId: tree, nodeIds: [node], mode: op.kind },
        apply: () => model[op.kind === 'splice' ? 'splice' : 'cascade'](node),
      };
    case 'clear':
      return { command: { type: 'clear', treeId: tree }, apply: () => model.clear() };
    case 'move': {
      const parent = pick(op.other);
      if (model.state.nodes.get(node)?.parent === parent) return null;
      return {
        command: { type: 'move', treeId: tree, nodeId: node, parentId: parent },
        apply: () => model.move(node, parent),
      };
    }
    case 'bookmark': {
      const title = op.choice % 4 === 0 ? null : `mark ${op.choice % 3}`;
      return {
        command: { type: 'bookmark', treeId: tree, nodeId: node, title },
        apply: () => model.bookmark(node, title),
      };
    }
    case 'undo':
    case 'redo':
      return {
        command: { type: op.kind, treeId: tree },
        apply: () => (op.kind === 'undo' ? model.undo() : model.redo()),
      };
  }
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

async function codeOf(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code;
  }
}

function expectSame(what: string, actual: unknown, expected: unknown): void {
  const [one, two] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== two) throw new Error(`${what}:\n  is       ${one}\n  expected ${two}`);
}

/** Plays one list of operations on the model and on all stores. */
async function playModel(stores: readonly Store[], tree: TreeId, ops: readonly Op[]): Promise<number> {
  const rootId = nodeId(derivedId('model root', tree));
  let count = 0;
  const context = { actor: 'me', kit: messageKit, now: () => 0, newId: () => derivedId('model new', tree, ++count) };
  for (const store of stores) await run(store, { type: 'create', treeId: tree, rootId }, context);
  const model = new Model(rootId);
  let cut = false;
  let done = 0;
  for (const [index, op] of ops.entries()) {
    const turn = turnOf(op, index, model, tree, cut);
    if (turn === null) continue;
    const command = frozen(turn.command);
    const before = lookOfModel(model);
    let refusal: string | null = null;
    try {
      turn.apply();
    } catch (error) {
      if (!(error instanceof ModelRefusal)) throw error;
      refusal = error.message;
    }
    if (op.kind === 'split' && refusal === null) cut = true;
    const steps = count;
    for (const store of stores) {
      const name = `${store.constructor.name} ${index} ${JSON.stringify(command)}`;
      // Every store is given the same ids.
      count = steps;
      const { version } = await lookOfStore(store, tree);
      expectSame(`${name} is answered`, await codeOf(run(store, command, context)), refusal);
      const now = await lookOfStore(store, tree);
      const { active, bookmarks } = now.look;
      if (refusal === null && model.loose === 'pointer') model.point(active);
      if (refusal === null && model.loose === 'bookmarks') {
        model.state.bookmarks.clear();
        for (const mark of bookmarks) model.state.bookmarks.set(mark.slice(0, 36), mark.slice(37));
      }
      const after = lookOfModel(model);
      expectSame(`${name} leaves`, now.look, after);
      const changed = JSON.stringify(before) !== JSON.stringify(after);
      expectSame(`${name} makes commits`, now.version - version, changed ? 1 : 0);
      // The first store settles what the rules leave open; the others must agree with it.
      if (refusal === null) model.loose = 'nothing';
    }
    done++;
  }
  return done;
}

/** Plays core's own random commands on all stores, the reference among them: every row and every answer the same. */
async function playReference(stores: readonly Store[], commands: readonly AbstractCommand[]): Promise<void> {
  const reference = new ReferenceStore(stores[0]?.owner);
  const players = stores.map((store) => ({ store, turns: play(store, commands) }));
  for await (const turn of play(reference, commands)) {
    const touched = new Set([turn.treeId, ...(turn.commit === null ? [] : [turn.commit.treeId])]);
    for (const { store, turns } of players) {
      const { value } = await turns.next();
      const name = `${store.constructor.name} ${turn.index} ${turn.abstract.type}`;
      expectSame(
        `${name} is answered`,
        [value?.refusal, value?.commit, plain(value?.result)],
        [turn.refusal, turn.commit, plain(turn.result)],
      );
      for (const id of touched) {
        const rows = await store.read(id, () => ask('rows', {}));
        const tree = reference.trees.get(id);
        expectSame(
          `${name} leaves`,
          rows === null ? null : sorted(treeToJson(fromRows(rows.row, rows.nodes, rows.bookmarks))),
          tree === undefined ? null : sorted(treeToJson(tree)),
        );
      }
    }
  }
}

function plain(result: unknown): unknown {
  return sorted(result instanceof Map ? [...result] : (result ?? null));
}

/** The same value with its keys in order: an order of keys is no difference. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([one], [two]) => (one < two ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}

/** Runs both parts. Throws with the shortest failing list that could be found. */
export async function modelRun(options: ModelOptions): Promise<Report> {
  const { grounds, sequences, longest, seed } = options;
  const journal = new Journal(`model-${grounds.map((ground) => ground.kind).join('-')}`, seed, options.say);
  const number = Number.parseInt(derivedId('seed', seed).slice(0, 7), 16);
  const places = await Promise.all(grounds.map((ground) => ground.place()));
  const stores = await Promise.all(places.map((place) => openPlace(place)));
  let tree = 0;
  let operations = 0;
  const check = async <T>(
    what: string,
    arbitrary: fc.Arbitrary<T>,
    one: (value: T) => Promise<void>,
    runs: number,
    text: (value: T) => unknown,
  ) => {
    const result = await fc.check(fc.asyncProperty(arbitrary, one), { numRuns: runs, seed: number });
    if (!result.failed) return;
    const [value] = result.counterexample ?? [];
    throw journal.failure(
      `${what} failed: ${String(result.errorInstance)}`,
      {
        what,
        fastCheckSeed: result.seed,
        path: result.counterexamplePath,
        shrunk: value === undefined ? null : text(value),
      },
      result.errorInstance,
    );
  };
  try {
    const ops = fc.array(arbitraryOp, { minLength: 1, maxLength: longest, size: 'max' });
    await check(
      'the model',
      ops,
      async (list) => {
        journal.note({ sequence: ++tree });
        operations += await playModel(stores, treeId(derivedId('model', seed, tree)), list);
        if (tree % 100 === 0) journal.say(`${tree} sequences, ${operations} operations`);
      },
      sequences,
      (list) => list,
    );
    let player = 0;
    await check(
      'the reference',
      arbitraryCommands({ maxLength: Math.min(60, longest) }),
      async (commands) => {
        const played = ++player;
        journal.note({ played, commands });
        // Its ids depend on a command's place alone, so each list needs a place of its own.
        const own = await Promise.all(grounds.map((ground) => ground.place()));
        const opened = await Promise.all(own.map((place) => openPlace(place, { owner: `player ${played}` })));
        try {
          await playReference(opened, commands);
        } finally {
          for (const store of opened) await store.close();
          for (const place of own) await place.destroy();
        }
      },
      Math.max(1, Math.floor(sequences / 10)),
      (commands) => commandsToText(commands),
    );
    for (const store of stores) {
      const errors = (await store.fsck()).findings.filter((finding) => finding.severity === 'error');
      if (errors.length > 0)
        throw journal.failure(
          `fsck: ${errors
            .slice(0, 5)
            .map((one) => one.message)
            .join(' ')}`,
        );
    }
    return journal.done({ stores: grounds.map((ground) => ground.kind).join(' '), sequences, operations });
  } finally {
    for (const store of stores) await store.close();
    for (const place of places) await place.destroy();
  }
}
