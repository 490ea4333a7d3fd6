/** Runs random operations, legal and illegal, on the model and on every store, and compares results and trees. */
import { messageKit } from '@coppice/content';
import { ask, isAppError, nodeId, run, type Store, type TreeId, treeId } from '@coppice/core';
import { treeFromRows } from '@coppice/core/history';
import {
  type AbstractCommand,
  arbitraryCommands,
  commandsToText,
  ReferenceStore,
  runCommands,
} from '@coppice/core/testing';
import { treeToJson } from '@coppice/core/tree';
import fc from 'fast-check';
import { deriveId } from '../linear.ts';
import { TortureJournal, type TortureReport } from './journal.ts';
import { ModelRefusal, TreeModel } from './model.ts';
import { arbitraryModelOperation, type ModelOperation, translateOperation } from './model-operations.ts';
import { openStoreAt, type StoreLocations } from './store-locations.ts';
import { readVisibleTree, visibleTreeOfModel } from './visible-tree.ts';

/** Options of the comparison of stores with the model. */
export interface ModelComparisonOptions {
  readonly sites: readonly StoreLocations[];
  readonly sequences: number;
  readonly longest: number;
  readonly seed: string;
  readonly say?: (line: string) => void;
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

/** Runs one list of operations on the model and on all stores. Returns how many were compared. */
async function playModel(stores: readonly Store[], tree: TreeId, ops: readonly ModelOperation[]): Promise<number> {
  const rootId = nodeId(deriveId('model root', tree));
  let count = 0;
  const context = { actor: 'me', kit: messageKit, now: () => 0, newId: () => deriveId('model new', tree, ++count) };
  for (const store of stores) await run(store, { type: 'create', treeId: tree, rootId }, context);
  const model = new TreeModel(rootId);
  let cut = false;
  let done = 0;
  for (const [index, op] of ops.entries()) {
    const turn = translateOperation(op, index, model, tree, cut);
    if (turn === null) continue;
    const command = frozen(turn.command);
    const before = visibleTreeOfModel(model);
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
      // The counter of ids is reset, so that every store generates the same ids.
      count = steps;
      const { version } = await readVisibleTree(store, tree);
      expectSame(`${name} is answered`, await codeOf(run(store, command, context)), refusal);
      const now = await readVisibleTree(store, tree);
      const { active, bookmarks } = now.look;
      if (refusal === null && model.loose === 'pointer') model.point(active);
      if (refusal === null && model.loose === 'bookmarks') {
        model.state.bookmarks.clear();
        for (const mark of bookmarks) model.state.bookmarks.set(mark.slice(0, 36), mark.slice(37));
      }
      const after = visibleTreeOfModel(model);
      expectSame(`${name} leaves`, now.look, after);
      const changed = JSON.stringify(before) !== JSON.stringify(after);
      expectSame(`${name} makes commits`, now.version - version, changed ? 1 : 0);
      // If the rules allow several results, the result of the first store is taken over, and the other stores must
      // agree.
      if (refusal === null) model.loose = 'nothing';
    }
    done++;
  }
  return done;
}

/** Runs random commands on all stores and on the reference store of core. All rows and results must be equal. */
async function playReference(stores: readonly Store[], commands: readonly AbstractCommand[]): Promise<void> {
  const reference = new ReferenceStore(stores[0]?.owner);
  const players = stores.map((store) => ({ store, turns: runCommands(store, commands) }));
  for await (const turn of runCommands(reference, commands)) {
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
          rows === null ? null : sorted(treeToJson(treeFromRows(rows.row, rows.nodes, rows.bookmarks))),
          tree === undefined ? null : sorted(treeToJson(tree)),
        );
      }
    }
  }
}

function plain(result: unknown): unknown {
  return sorted(result instanceof Map ? [...result] : (result ?? null));
}

/** Returns a value with sorted keys, because the order of keys differs between stores. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([one], [two]) => (one < two ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}

/**
 * Runs the comparisons with the model and with the reference store of core. Throws with the shortest failing list of
 * operations that was found.
 */
export async function runModelComparison(options: ModelComparisonOptions): Promise<TortureReport> {
  const { sites, sequences, longest, seed } = options;
  const journal = new TortureJournal(`model-${sites.map((site) => site.kind).join('-')}`, seed, options.say);
  const number = Number.parseInt(deriveId('seed', seed).slice(0, 7), 16);
  const places = await Promise.all(sites.map((site) => site.place()));
  const stores = await Promise.all(places.map((place) => openStoreAt(place)));
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
    const ops = fc.array(arbitraryModelOperation, { minLength: 1, maxLength: longest, size: 'max' });
    await check(
      'the model',
      ops,
      async (list) => {
        journal.note({ sequence: ++tree });
        operations += await playModel(stores, treeId(deriveId('model', seed, tree)), list);
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
        // Generated ids depend only on the index of a command, so each list of commands needs new stores.
        const own = await Promise.all(sites.map((site) => site.place()));
        const opened = await Promise.all(own.map((place) => openStoreAt(place, { owner: `player ${played}` })));
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
    for (const store of stores) await journal.checkStore(store);
    return journal.done({ stores: sites.map((site) => site.kind).join(' '), sequences, operations });
  } finally {
    for (const store of stores) await store.close();
    for (const place of places) await place.destroy();
  }
}
