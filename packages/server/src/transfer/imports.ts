/** The imports of all servers. An import runs even without a reader, and any number of readers can follow it. */
import { type ImportFinding, type ImportReport, maxListedFindings } from '@coppice/content/formats';
import type { Refusal, SharedRecords, Store } from '@coppice/core';
import { type ImportIntoEvent, type ImportIntoOptions, waitMs } from '@coppice/engine';
import type { Logger } from 'pino';
import type { Quotas, ServerLimits } from '../contract.ts';
import { throwHttpError, toHttpRefusal } from '../http-errors.ts';
import type { SharedSlots } from '../live/shared-slots.ts';
import { ChangeWaiters } from '../live/waiters.ts';
import type { WorkerStoreAddress } from '../threads.ts';
import { ImportRecords } from './import-records.ts';
import { type FileSource, importFiles } from './import-thread.ts';

/**
 * The state of an import. `failed`: it was refused or ended with an error. `cancelled`: it was stopped. Conversations
 * that were imported before are complete.
 */
export type ImportState = 'running' | 'done' | 'failed' | 'cancelled';

/** A conversation that was imported or already existed. */
export type ImportedConversation = Omit<Extract<ImportIntoEvent, { readonly type: 'conversation' }>, 'type'>;

type ImportProgress = Omit<Extract<ImportIntoEvent, { readonly type: 'progress' }>, 'type'>;

/** The state of an import of any server. */
export interface ImportStatus {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly dryRun: boolean;
  readonly strict: boolean;
  readonly state: ImportState;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly format: { readonly name: string; readonly label: string } | null;
  readonly progress: ImportProgress;
  /** How many conversations were stored and merged so far. */
  readonly taken: { readonly stored: number; readonly merged: number };
  /** The first thousand conversations, in the order of the source. */
  readonly conversations: readonly ImportedConversation[];
  readonly findings: readonly ImportFinding[];
  readonly report: ImportReport | null;
  readonly error: Refusal | null;
}

/** The files of an import, and how to import them. */
export interface ImportRequest {
  readonly id: string;
  /** A name for display, for example the file name. */
  readonly name: string;
  readonly store: Store;
  readonly files: readonly FileSource[];
  /** Called when the files are no longer read, for example to delete an upload. */
  readonly release?: () => Promise<void>;
  readonly options: Omit<ImportIntoOptions, 'signal'>;
}

// Titles are shortened for display; the tree has the whole title.
const longestTitle = 200;

/** One import of this server with its progress and its result. */
export class LiveImport implements ImportStatus {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly size: number;
  readonly dryRun: boolean;
  readonly strict: boolean;
  readonly startedAt: number;
  state: ImportState = 'running';
  endedAt: number | null = null;
  format: { readonly name: string; readonly label: string } | null = null;
  progress: ImportProgress = { bytes: 0, total: null, conversations: 0, records: 0 };
  readonly taken = { stored: 0, merged: 0 };
  readonly conversations: ImportedConversation[] = [];
  findings: readonly ImportFinding[] = [];
  report: ImportReport | null = null;
  error: Refusal | null = null;
  /** Resolves when the import has finished and its files are deleted. */
  readonly done: Promise<void>;
  readonly #stop = new AbortController();
  readonly #waiting = new ChangeWaiters();

  constructor(owner: string, request: ImportRequest, at: ImportPosition) {
    this.id = request.id;
    this.owner = owner;
    this.name = request.name;
    this.size = request.files.reduce((sum, { size }) => sum + size, 0);
    this.dryRun = request.options.dryRun ?? false;
    this.strict = request.options.strict ?? false;
    this.startedAt = at.now();
    this.done = this.#run(request, at);
  }

  get over(): boolean {
    return this.state !== 'running';
  }

  /** Stops the import after the current conversation. */
  cancel(): void {
    this.#stop.abort();
  }

  /** Resolves at the next change, or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void> {
    if (this.over || signal.aborted) return Promise.resolve();
    return this.#waiting.wait(signal);
  }

  async #run({ store, files, release, options }: ImportRequest, { now, log, thread }: ImportPosition) {
    let ended: ImportState = 'done';
    const target = {
      store,
      thread: thread === undefined ? undefined : { ...thread, owner: store.owner },
      onNoThread: (err: unknown) => log.warn({ err }, 'an import runs on the main thread and may delay other requests'),
    };
    try {
      const events = importFiles(target, files, { ...options, signal: this.#stop.signal });
      for await (const event of events) this.#take(event);
    } catch (thrown) {
      const refusal = toHttpRefusal(thrown);
      ended = refusal.code === 'import/aborted' ? 'cancelled' : 'failed';
      this.error = refusal;
      this.findings = findingsOf(refusal);
      if (refusal.kind === 'internal') log.error({ err: thrown }, 'an import failed');
    }
    await release?.().catch((error: unknown) => log.warn({ err: error }, 'an upload could not be deleted'));
    this.endedAt = now();
    this.state = ended;
    this.#wake();
  }

  #take(event: ImportIntoEvent): void {
    if (event.type === 'format') this.format = { name: event.name, label: event.label };
    else if (event.type === 'report') {
      this.report = event.report;
      this.findings = event.report.findings;
    } else if (event.type === 'progress') {
      const { type: _, ...progress } = event;
      this.progress = progress;
    } else {
      const { type: _, ...conversation } = event;
      if (conversation.created) this.taken.stored++;
      else this.taken.merged++;
      const title = conversation.title?.slice(0, longestTitle) ?? null;
      if (this.conversations.length < maxListedFindings) this.conversations.push({ ...conversation, title });
    }
    this.#wake();
  }

  #wake(): void {
    this.#waiting.wake();
  }
}

/** Returns the findings of a strict import that was refused, from the error's data. */
function findingsOf({ code, data }: Refusal): readonly ImportFinding[] {
  const found = code === 'import/strict' ? data.findings : undefined;
  return Array.isArray(found) ? found.filter(isFinding) : [];
}

function isFinding(value: unknown): value is ImportFinding {
  return typeof value === 'object' && value !== null && 'code' in value && 'place' in value && 'message' in value;
}

interface ImportsOptions {
  readonly quotas: Pick<Quotas, 'imports'>;
  readonly limits: Pick<ServerLimits, 'keepImportMs'>;
  readonly log: Logger;
  readonly now: () => number;
  /** The slots that count the imports of a user on all servers. */
  readonly slots: SharedSlots;
  readonly records: SharedRecords;
  /** How a worker thread opens the store. Without it, imports run on the server's thread. */
  readonly thread?: WorkerStoreAddress | undefined;
}

type ImportPosition = Pick<ImportsOptions, 'now' | 'log' | 'thread'>;

/** A slot for an import. It is reserved from the first byte of the upload, so that the limit counts uploads too. */
export interface ImportSlot {
  /**
   * Starts the import; the slot is released when it has finished. Resolves when the other servers can find the import.
   */
  begin(request: ImportRequest): Promise<LiveImport>;
  /** Releases the slot without an import. Has no effect after the import has started. */
  leave(): void;
}

// The interval in which the state of a running import is stored for other servers, and their cancellation is checked.
const publishMs = 1_000;
// The interval in which the state of an import of another server is read.
const pollMs = 500;

/** The imports: those that run on this server, and as records those of other servers and finished ones. */
export class ImportRegistry {
  readonly #options: ImportsOptions;
  readonly #records: ImportRecords;
  readonly #live = new Map<string, LiveImport>();
  /** For each import of this server, a promise that resolves when its last state is stored. */
  readonly #publishing = new Map<string, Promise<void>>();
  #running = 0;
  #closed = false;

  constructor(options: ImportsOptions) {
    this.#options = options;
    this.#records = new ImportRecords(options.records, options.limits.keepImportMs);
  }

  /** The number of imports that are uploading or running. */
  get running(): number {
    return this.#running;
  }

  /** Reserves a slot. Rejects if the owner has too many imports on all servers. */
  async admit(owner: string): Promise<ImportSlot> {
    const { quotas, slots } = this.#options;
    const { imports: most } = quotas;
    const release =
      (await slots.take(`imports ${owner}`, most)) ??
      throwHttpError(
        'http/too-many',
        `You have ${most} running imports, and no more are allowed. Wait until one has finished.`,
        { most },
      );
    this.#running++;
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      this.#running--;
      release();
    };
    let begun = false;
    return {
      begin: async (request) => {
        // The server is stopping, so an upload that ends now must not start its import.
        if (this.#closed) throwHttpError('http/closing', 'The server is stopping.');
        begun = true;
        const live = new LiveImport(owner, request, this.#options);
        this.#live.set(live.id, live);
        void live.done.then(leave);
        const isKnown = this.#publishOnce(live);
        const published = isKnown.then(() => this.#publish(live)).then(() => void this.#publishing.delete(live.id));
        this.#publishing.set(live.id, published);
        await isKnown;
        return live;
      },
      leave: () => {
        if (!begun) leave();
      },
    };
  }

  /** Stores the state of an import for other servers. Returns false if the store is unavailable. Never rejects. */
  async #publishOnce(live: LiveImport): Promise<boolean> {
    try {
      await this.#records.publish(live.owner, live);
      if (!live.over && (await this.#records.isCancelled(live.owner, live.id))) live.cancel();
      return true;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the state of an import was not stored');
      return false;
    }
  }

  /** Tells other servers about an import until it has ended. Never rejects. */
  async #publish(live: LiveImport): Promise<void> {
    while (!live.over) {
      await Promise.race([waitMs(publishMs, { idle: true }), live.done]);
      if (!live.over) await this.#publishOnce(live);
    }
    await live.done;
    // If the store is unavailable, this server still knows the result.
    if (await this.#publishOnce(live)) this.#live.delete(live.id);
  }

  /** Returns an import of any server by id; null if this owner has no such import. */
  async find(owner: string, id: string): Promise<ImportStatus | null> {
    const live = this.#live.get(id);
    return live?.owner === owner ? live : this.#records.find(owner, id);
  }

  /** Returns an owner's imports on all servers, newest first. */
  async list(owner: string): Promise<readonly ImportStatus[]> {
    const own = [...this.#live.values()].filter((live) => live.owner === owner).reverse();
    const ids = new Set(own.map(({ id }) => id));
    return [...own, ...(await this.#records.list(owner)).filter(({ id }) => !ids.has(id))];
  }

  /** Removes a finished import from the list. */
  async forget(owner: string, id: string): Promise<void> {
    await this.#publishing.get(id);
    this.#live.delete(id);
    await this.#records.forget(owner, id);
  }

  /**
   * Stops an import of any server after the current conversation. Resolves with its state at the end, or with the last
   * known one if the signal aborts or the import is removed from the list meanwhile.
   */
  async cancel(owner: string, status: ImportStatus, signal: AbortSignal): Promise<ImportStatus> {
    const { id } = status;
    const live = this.#live.get(id);
    if (live !== undefined) {
      live.cancel();
      await live.done;
      return live;
    }
    await this.#records.cancel(owner, id);
    for (let last = status; ; await waitMs(pollMs, { signal })) {
      const found = await this.#records.find(owner, id);
      // Another request removed it, or the database crashed and lost the records.
      if (found === null || found.state !== 'running' || signal.aborted) return found ?? last;
      last = found;
    }
  }

  /** Resolves when an import may have changed, or when the signal aborts. */
  async changed(id: string, signal: AbortSignal): Promise<void> {
    const live = this.#live.get(id);
    if (live !== undefined) await live.changed(signal);
    else await waitMs(pollMs, { signal });
  }

  /** Stops all imports of this server, and waits until their uploads are deleted. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const live of this.#live.values()) live.cancel();
    await Promise.all(this.#publishing.values());
  }
}
