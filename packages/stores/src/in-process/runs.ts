/** Stores runs and their text so far in memory. */
import { canonicalJson } from '@coppice/content';
import { type NewRun, type NodeId, type Run, type RunChunk, type RunStore, refuse, type TreeId } from '@coppice/core';
import type { InProcessState } from './in-process-state.ts';

interface ActiveRun {
  readonly owner: string;
  run: Run;
  readonly chunks: RunChunk[];
  length: number;
}

/** The runs of a store. An owner sees only the runs in their own trees. */
export class InProcessRuns {
  readonly #state: InProcessState;
  readonly #running = new Map<string, ActiveRun>();

  constructor(state: InProcessState) {
    this.#state = state;
  }

  /** Adds a run that was read from disk when the store was opened. */
  register(owner: string, run: Run, chunks: readonly RunChunk[]): void {
    const length = chunks.reduce((end, chunk) => Math.max(end, chunk.offset + chunk.text.length), 0);
    this.#running.set(run.id, { owner, run, chunks: [...chunks], length });
  }

  /** Ends the runs of a purged tree, or of some of its nodes. */
  async forget(treeId: TreeId, nodeIds?: ReadonlySet<NodeId>): Promise<void> {
    for (const { run } of [...this.#running.values()])
      if (run.treeId === treeId && nodeIds?.has(run.nodeId) !== false) await this.#end(run.id);
  }

  async #end(id: string): Promise<void> {
    await this.#state.persist({ type: 'run-end', runId: id });
    this.#running.delete(id);
  }

  #find(owner: string, id: string): ActiveRun | undefined {
    const running = this.#running.get(id);
    return running?.owner === owner ? running : undefined;
  }

  async #keep(running: ActiveRun, run: Run): Promise<void> {
    await this.#state.persist({ type: 'run', owner: running.owner, run });
    running.run = run;
  }

  async #append(running: ActiveRun, chunk: RunChunk): Promise<void> {
    if (chunk.offset > running.length)
      refuse(
        'command/invalid',
        `The run ${running.run.id} has ${running.length} characters: a chunk at ${chunk.offset} would leave a gap.`,
        { runId: running.run.id, offset: chunk.offset },
      );
    // A client may send text again after a lost answer: only the part beyond the stored length is added.
    const text = chunk.text.slice(running.length - chunk.offset);
    if (text === '') return;
    const added = { offset: running.length, text };
    await this.#state.persist({ type: 'run-chunk', runId: running.run.id, chunk: added });
    running.chunks.push(added);
    running.length += text.length;
  }

  #locked<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.#state.assertWritable();
    return this.#state.locks.run(`run ${id}`, work);
  }

  async #start(owner: string, run: NewRun): Promise<void> {
    await this.#state.open(owner, run.treeId);
    const there = this.#running.get(run.id);
    const begun: Run = { ...run, beatAt: run.beatAt ?? there?.run.beatAt ?? Date.now() };
    if (there !== undefined) {
      if (there.owner === owner && canonicalJson(there.run) === canonicalJson(begun)) return;
      refuse('id/taken', `There is a run ${run.id} already.`, { runId: run.id });
    }
    await this.#state.persist({ type: 'run', owner, run: begun });
    this.register(owner, begun, []);
  }

  /** Claims the runs whose last heartbeat is too old, of one owner or of all owners. */
  async #claimStale(silentMs: number, process: string, only?: string): Promise<ActiveRun[]> {
    const claimed: ActiveRun[] = [];
    const before = Date.now() - silentMs;
    for (const { run, owner } of [...this.#running.values()]) {
      if ((only !== undefined && owner !== only) || run.beatAt >= before) continue;
      await this.#locked(run.id, async () => {
        const running = this.#find(owner, run.id);
        if (running === undefined || running.run.beatAt >= before) return;
        await this.#keep(running, { ...running.run, process, beatAt: Date.now() });
        claimed.push(running);
      });
    }
    return claimed;
  }

  /** Returns the runs of one owner as a {@link RunStore}. */
  for(owner: string): RunStore {
    const change = (id: string, work: (running: ActiveRun) => Promise<void>) =>
      this.#locked(id, async () => {
        const running = this.#find(owner, id);
        if (running !== undefined) await work(running);
        return running !== undefined;
      });
    return {
      start: (run) => this.#locked(run.id, () => this.#start(owner, run)),
      beat: (id, at = Date.now()) => change(id, (running) => this.#keep(running, { ...running.run, beatAt: at })),
      note: async (id, data, unless) => {
        let isSet = true;
        const isThere = await change(id, async (running) => {
          isSet = unless === undefined || !Object.hasOwn(running.run.data, unless);
          if (isSet) await this.#keep(running, { ...running.run, data: { ...running.run.data, ...data } });
        });
        return isThere && isSet;
      },
      append: (id, chunk) => change(id, (running) => this.#append(running, chunk)),
      chunks: async (id, from = 0) => {
        this.#state.assertOpen();
        return chunksFrom(this.#find(owner, id)?.chunks ?? [], from);
      },
      find: async (id) => {
        this.#state.assertOpen();
        return this.#find(owner, id)?.run ?? null;
      },
      list: async (treeId) => {
        this.#state.assertOpen();
        const own = [...this.#running.values()].filter((running) => running.owner === owner);
        return own.map(({ run }) => run).filter((run) => treeId === undefined || run.treeId === treeId);
      },
      claimStale: async (silentMs, process) => (await this.#claimStale(silentMs, process, owner)).map(({ run }) => run),
      claimStaleOfAll: async (silentMs, process) =>
        (await this.#claimStale(silentMs, process)).map((claimed) => ({ ...claimed.run, owner: claimed.owner })),
      end: (id) =>
        this.#locked(id, async () => {
          if (this.#find(owner, id) !== undefined) await this.#end(id);
        }),
    };
  }
}

/** Returns the chunks from an offset on. A chunk that begins before the offset is cut there. */
function chunksFrom(chunks: readonly RunChunk[], from: number): RunChunk[] {
  const found: RunChunk[] = [];
  for (const { offset, text } of chunks) {
    if (offset + text.length <= from) continue;
    found.push(offset >= from ? { offset, text } : { offset: from, text: text.slice(from - offset) });
  }
  return found;
}
