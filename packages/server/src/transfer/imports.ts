/** The imports of this process. An import runs also without a reader, and any number of readers can follow it. */
import { type ImportFinding, type ImportReport, maxListedFindings } from '@coppice/content/formats';
import type { Refusal, Store } from '@coppice/core';
import type { ImportIntoEvent, ImportIntoOptions } from '@coppice/engine';
import type { Logger } from 'pino';
import type { Quotas, ServerLimits } from '../contract.ts';
import { throwHttpError, toHttpRefusal } from '../http-errors.ts';
import { ChangeWaiters } from '../live/waiters.ts';
import type { ThreadStore } from '../threads.ts';
import { type FileSource, importFiles } from './import-thread.ts';

/**
 * The state of an import. `failed`: it was refused or ended with an error. `cancelled`: it was stopped. Conversations
 * that were imported before are complete.
 */
export type ImportState = 'running' | 'done' | 'failed' | 'cancelled';

/** A conversation that was imported or already existed. */
export type ImportedConversation = Omit<Extract<ImportIntoEvent, { readonly type: 'conversation' }>, 'type'>;

type ImportProgress = Omit<Extract<ImportIntoEvent, { readonly type: 'progress' }>, 'type'>;

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

/** One import with its progress and its result. */
export class LiveImport {
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
  /** How many conversations were stored and merged so far. */
  readonly taken = { stored: 0, merged: 0 };
  /** The first thousand conversations, in the order of the source. */
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
  /** How a worker thread opens the store. Without it, imports run on the server's thread. */
  readonly thread?: ThreadStore | undefined;
}

type ImportPosition = Pick<ImportsOptions, 'now' | 'log' | 'thread'>;

/** A slot for an import. It is reserved from the first byte of the upload, so that the limit counts uploads too. */
export interface ImportSlot {
  /** Starts the import; the slot is released when it has finished. */
  begin(request: ImportRequest): LiveImport;
  /** Releases the slot without an import. Has no effect after the import has started. */
  leave(): void;
}

// How many finished imports are kept for each owner. The oldest are dropped.
const keptPerOwner = 20;

/** The running imports of this process, and finished ones for a limited time. */
export class ImportRegistry {
  readonly #options: ImportsOptions;
  readonly #byOwner = new Map<string, Map<string, LiveImport>>();
  readonly #places = new Map<string, number>();
  #closed = false;

  constructor(options: ImportsOptions) {
    this.#options = options;
  }

  /** The number of imports that are uploading or running. */
  get running(): number {
    let sum = 0;
    for (const count of this.#places.values()) sum += count;
    return sum;
  }

  /** Reserves a slot. Throws if the owner has too many imports. */
  admit(owner: string): ImportSlot {
    const taken = this.#places.get(owner) ?? 0;
    const { imports: most } = this.#options.quotas;
    if (taken >= most)
      throwHttpError(
        'http/too-many',
        `You have ${taken} running imports; at most ${most} are allowed. Wait until one has finished.`,
        {
          most,
        },
      );
    this.#places.set(owner, taken + 1);
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      const rest = (this.#places.get(owner) ?? 1) - 1;
      if (rest === 0) this.#places.delete(owner);
      else this.#places.set(owner, rest);
    };
    let begun = false;
    return {
      begin: (request) => {
        // The store is closing, so an upload that ends now must not start its import.
        if (this.#closed) throwHttpError('http/closing', 'The server is stopping.');
        begun = true;
        const live = new LiveImport(owner, request, this.#options);
        this.#keep(live);
        void live.done.then(() => {
          leave();
          for (const each of [...this.#byOwner.keys()]) this.#tidy(each);
        });
        return live;
      },
      leave: () => {
        if (!begun) leave();
      },
    };
  }

  /** Returns an import by id; null if this process has no such import of this owner. */
  find(owner: string, id: string): LiveImport | null {
    this.#tidy(owner);
    return this.#byOwner.get(owner)?.get(id) ?? null;
  }

  /** Returns an owner's imports, newest first. */
  list(owner: string): readonly LiveImport[] {
    this.#tidy(owner);
    return [...(this.#byOwner.get(owner)?.values() ?? [])].reverse();
  }

  /** Removes a finished import from the list. */
  forget(live: LiveImport): void {
    const own = this.#byOwner.get(live.owner);
    own?.delete(live.id);
    if (own?.size === 0) this.#byOwner.delete(live.owner);
  }

  /** Stops all imports, and waits until their uploads are deleted. */
  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#byOwner.values()].flatMap((own) => [...own.values()]);
    for (const live of all) live.cancel();
    await Promise.all(all.map((live) => live.done));
  }

  #keep(live: LiveImport): void {
    const own = this.#byOwner.get(live.owner) ?? new Map<string, LiveImport>();
    own.set(live.id, live);
    this.#byOwner.set(live.owner, own);
  }

  #tidy(owner: string): void {
    const own = [...(this.#byOwner.get(owner)?.values() ?? [])];
    const oldest = this.#options.now() - this.#options.limits.keepImportMs;
    let spare = own.length - keptPerOwner;
    for (const live of own) {
      if (!live.over || (spare <= 0 && (live.endedAt ?? 0) > oldest)) continue;
      this.forget(live);
      spare--;
    }
  }
}
