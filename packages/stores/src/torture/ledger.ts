/**
 * Records the acknowledged changes of writers in the parent process, so that they are known after a writer is killed.
 */
import { ask, type Store, type TreeId, textOf, treeId } from '@coppice/core';
import {
  describeDifferences,
  haveSameNodes,
  type WriterAct,
  WriterBranch,
  type WriterNode,
  type WriterNodes,
} from './branch.ts';
import type { TortureJournal } from './journal.ts';
import type { WorkerReport, WriterTask } from './protocol.ts';
import type { SeededRandom } from './seeded-random.ts';

const treesPerPlace = 2;
// Errors that are expected while another process has the store locked or a server is down. The writer tries again.
const expectedFailures: ReadonlySet<string> = new Set(['store/locked', 'store/unavailable']);

/** A writer and its acknowledged changes, over all rounds. */
interface Writer {
  readonly name: string;
  readonly tree: TreeId;
  branch: WriterBranch;
  /** The act that was started and is not acknowledged yet. */
  open: WriterAct | null;
  /** An act that was not acknowledged when the last round ended, but that was found in the store. It is repeated. */
  again: WriterAct | null;
}

/** The writers of a store, and the number of commits that each tree must have. */
export class WriterLedger {
  readonly writers: readonly Writer[];
  readonly #commits = new Map<TreeId, number>();
  readonly #homes = new Map<string, string>();
  readonly journal: TortureJournal;
  acknowledged = 0;
  unknown = 0;
  happened = 0;
  /** The error for the first unexpected report of a worker. */
  wrong: Error | null = null;
  /** How many times the store was locked or unavailable, so that a writer tried again. */
  busy = 0;

  constructor(journal: TortureJournal, count: number, random: SeededRandom) {
    this.journal = journal;
    const trees = Array.from({ length: treesPerPlace }, () => treeId(random.uuid()));
    this.writers = Array.from({ length: count }, (_, at) => ({
      name: `w${at}`,
      tree: trees[at % trees.length] ?? treeId(''),
      branch: new WriterBranch(),
      open: null,
      again: null,
    }));
  }

  get trees(): readonly TreeId[] {
    return [...new Set(this.writers.map((writer) => writer.tree))];
  }

  /** Returns the version that a tree must have: one for its creation and one for each change. */
  versionOf(tree: TreeId): number {
    return 1 + (this.#commits.get(tree) ?? 0);
  }

  /** Records a report of a worker. Only changes that were recorded here count as acknowledged. */
  record(reported: WorkerReport): void {
    if (reported.reported !== 'tries' && reported.reported !== 'done' && reported.reported !== 'failed') return;
    this.journal.note(reported);
    const writer = this.writers.find((one) => one.name === reported.writer);
    if (writer === undefined) {
      this.wrong ??= new Error(`Nobody is called ${reported.writer}.`);
      return;
    }
    if (reported.reported === 'tries') {
      writer.open = reported.act;
      for (const id of idsOf(reported.act)) this.#homes.set(id, writer.name);
      return;
    }
    if (reported.reported === 'failed') {
      if (!expectedFailures.has(reported.code))
        this.wrong ??= this.journal.failure(`${reported.writer} was refused: ${reported.code}, ${reported.message}`);
      if (!reported.unknown) writer.open = null;
      this.busy++;
      return;
    }
    if (writer.open === null) {
      this.wrong ??= new Error(`${reported.writer} was told of the end of nothing.`);
      return;
    }
    this.acknowledged++;
    this.#countAct(writer, writer.open);
    writer.open = null;
  }

  #countAct(writer: Writer, act: WriterAct): void {
    // The act was already counted when it was found in the store, and repeating it changes nothing.
    if (writer.again === act || JSON.stringify(writer.again) === JSON.stringify(act)) {
      writer.again = null;
      return;
    }
    writer.branch = writer.branch.after(act);
    this.#commits.set(writer.tree, (this.#commits.get(writer.tree) ?? 0) + 1);
  }

  /**
   * Compares the store with the acknowledged changes. For each unacknowledged act, finds out whether the change was
   * made.
   */
  async compare(store: Store): Promise<void> {
    if (this.wrong !== null) throw this.wrong;
    for (const tree of this.trees) {
      const rows = await store.read(tree, () => ask('rows', {}));
      const found = new Map<string, Map<string, WriterNode>>(this.writers.map((writer) => [writer.name, new Map()]));
      for (const node of rows?.nodes ?? []) {
        if (node.removedIn !== null || node.parentId === null || node.message === null) continue;
        const home = found.get(this.#homes.get(node.id) ?? '');
        if (home === undefined) throw this.journal.failure(`The node ${node.id} is nobody's.`);
        const parent = node.parentId === rows?.row.rootId ? null : node.parentId;
        home.set(node.id, { parent, text: textOf(node.message) });
      }
      for (const writer of this.writers)
        if (writer.tree === tree) this.#compareWriter(writer, found.get(writer.name) ?? new Map());
      const version = rows?.row.version ?? 0;
      if (rows === null ? this.#commits.has(tree) : version !== this.versionOf(tree))
        throw this.journal.failure(`The tree ${tree} is at version ${version}, not ${this.versionOf(tree)}.`);
    }
    await this.journal.checkStore(store);
  }

  #compareWriter(writer: Writer, actual: WriterNodes): void {
    const { open } = writer;
    writer.open = null;
    writer.again = null;
    if (open !== null) this.unknown++;
    if (haveSameNodes(writer.branch.nodes, actual)) return;
    const after = open === null ? null : writer.branch.after(open);
    if (open !== null && after !== null && haveSameNodes(after.nodes, actual)) {
      this.happened++;
      this.#countAct(writer, open);
      // An append with chosen ids can be repeated without changing anything; other acts cannot.
      if (open.act === 'append') writer.again = open;
      return;
    }
    const missing = describeDifferences(writer.branch.nodes, actual).slice(0, 5);
    throw this.journal.failure(
      `What ${writer.name} was told is not what is there: ${missing.join('; ')}. On its way was ${JSON.stringify(open)}.`,
    );
  }

  tasks(seed: string): WriterTask[] {
    return this.writers.map((writer) => ({
      name: writer.name,
      treeId: writer.tree,
      seed: `${seed} ${writer.name}`,
      branch: JSON.parse(JSON.stringify(writer.branch)),
      ...(writer.again === null ? {} : { again: writer.again }),
    }));
  }
}

function idsOf(act: WriterAct): readonly string[] {
  if (act.act === 'append') return act.ids;
  return act.act === 'vary' || act.act === 'split' ? [act.newId] : [];
}
