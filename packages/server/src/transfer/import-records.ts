/** Shares the imports of a server with the other servers of a store: their states, and requests to cancel them. */
import type { SharedRecords } from '@coppice/core';
import type { ImportStatus } from './imports.ts';

// A server that has not renewed the state of its import for this many milliseconds has ended.
const silentMs = 30_000;
const cancelMs = 60 * 60_000;
// How many finished imports are kept for each owner. The oldest are dropped.
const keptPerOwner = 20;

const states = (owner: string) => `import states ${owner}`;
const signs = (owner: string) => `import signs of life ${owner}`;
const cancels = (owner: string) => `import cancellations ${owner}`;

/** The imports of all servers, as records. */
export class ImportRecords {
  readonly #records: SharedRecords;
  readonly #keepMs: number;

  constructor(records: SharedRecords, keepMs: number) {
    this.#records = records;
    this.#keepMs = keepMs;
  }

  /** Stores the state of an import of this server. */
  async publish(owner: string, status: ImportStatus): Promise<void> {
    if (status.state === 'running') await this.#records.put(signs(owner), status.id, {}, { keepMs: silentMs });
    await this.#records.put(states(owner), status.id, { status: toText(status) }, { keepMs: this.#keepMs });
    if (status.state !== 'running') await this.#trim(owner);
  }

  async #trim(owner: string): Promise<void> {
    const finished = (await this.list(owner)).filter(({ state }) => state !== 'running');
    for (const { id } of finished.slice(keptPerOwner)) await this.forget(owner, id);
  }

  /** Returns the state of an import of any server. If its server has ended, the import has failed. */
  async find(owner: string, id: string): Promise<ImportStatus | null> {
    const record = await this.#records.find(states(owner), id);
    return record === null ? null : this.#statusOf(owner, record.value.status);
  }

  /** Returns the imports of an owner on all servers, newest first. */
  async list(owner: string): Promise<readonly ImportStatus[]> {
    const found: ImportStatus[] = [];
    for (const { value } of await this.#records.list(states(owner))) {
      const status = await this.#statusOf(owner, value.status);
      if (status !== null) found.push(status);
    }
    return found.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
  }

  async #statusOf(owner: string, text: unknown): Promise<ImportStatus | null> {
    if (typeof text !== 'string') return null;
    const status: ImportStatus = JSON.parse(text);
    if (status.state !== 'running' || (await this.#records.find(signs(owner), status.id)) !== null) return status;
    // The import may have ended between the two reads.
    const again = await this.#records.find(states(owner), status.id);
    if (again !== null && again.value.status !== text) return this.#statusOf(owner, again.value.status);
    return { ...status, state: 'failed', endedAt: status.startedAt, error: serverEnded };
  }

  async forget(owner: string, id: string): Promise<void> {
    await this.#records.take(states(owner), id);
  }

  /** Asks the server of an import to cancel it. */
  async cancel(owner: string, id: string): Promise<void> {
    await this.#records.put(cancels(owner), id, {}, { keepMs: cancelMs });
  }

  /** Returns whether a server has requested to cancel an import. */
  async isCancelled(owner: string, id: string): Promise<boolean> {
    return (await this.#records.find(cancels(owner), id)) !== null;
  }
}

const serverEnded: ImportStatus['error'] = {
  code: 'import/aborted',
  kind: 'aborted',
  message: 'The server that ran this import has ended. Import the data again: what was imported is not added twice.',
  data: {},
};

/** The fields of an import as text. Only the fields of the type are stored. */
function toText(status: ImportStatus): string {
  const { id, name, size, dryRun, strict, state, startedAt, endedAt, format, progress, taken } = status;
  const { conversations, findings, report, error } = status;
  const own: ImportStatus = {
    id,
    name,
    size,
    dryRun,
    strict,
    state,
    startedAt,
    endedAt,
    format,
    progress,
    taken,
    conversations,
    findings,
    report: report === null ? null : { ...report, findings: [] },
    error,
  };
  return JSON.stringify(own);
}
