/**
 * Runs each write again and again, and makes it fail at its first, second and each further failpoint, in every way,
 * until it succeeds.
 */
import { isAppError, type Store } from '@coppice/core';
import { armFault, countFaultPasses } from '../failpoints.ts';
import { TortureJournal, type TortureReport } from './journal.ts';
import {
  createFaultwalkSample,
  readStoreAsJson,
  readStoreWithoutUnrelated,
  type StoreOperation,
  storeOperations,
  writeUnrelatedTree,
} from './operations.ts';
import { openStoreAt, type StoreLocation, type StoreLocations } from './store-locations.ts';
import { WorkerProcess } from './worker-process.ts';

/** The kind of failure: a killed process, an I/O error or a full disk. */
type Failure = 'kill' | 'eio' | 'enospc';

/** Options of the fault walk, which tests every failure of every write. */
export interface FaultwalkOptions {
  readonly site: StoreLocations;
  readonly seed: string;
  /** The names of the operations to test. Defaults to all. */
  readonly operations?: readonly string[];
  readonly failures?: readonly Failure[];
  readonly say?: (line: string) => void;
}

// More failpoints than any write passes. A write that reaches this number never succeeds.
const mostPoints = 500;
const codes: Readonly<Record<Failure, string>> = { kill: '', eio: 'store/unavailable', enospc: 'store/full' };

/** What readers see in the store before and after an operation that does not fail. */
interface Images {
  readonly old: string;
  readonly new: string;
}

class Walk {
  readonly #site: StoreLocations;
  readonly #journal: TortureJournal;
  readonly #template: StoreLocation;
  failures = 0;

  constructor(site: StoreLocations, journal: TortureJournal, template: StoreLocation) {
    this.#site = site;
    this.#journal = journal;
    this.#template = template;
  }

  async #place(operation: StoreOperation): Promise<StoreLocation> {
    return operation.opens ? this.#site.place() : this.#template.copy();
  }

  async images(operation: StoreOperation): Promise<Images> {
    const place = await this.#place(operation);
    const store = await openStoreAt(place);
    const old = await readStoreAsJson(store);
    await operation.run(store);
    const images = { old, new: await readStoreAsJson(store) };
    await store.close();
    await place.destroy();
    return images;
  }

  #fail(operation: StoreOperation, at: object, message: string, cause?: unknown): Error {
    return this.#journal.failure(
      `${operation.name} at ${JSON.stringify(at)}: ${message}`,
      { operation: operation.name, at },
      cause,
    );
  }

  /** Throws if a store has neither the old nor the new content, or if a check finds errors in it. */
  async #assertSound(
    operation: StoreOperation,
    images: Images,
    store: Store,
    at: object,
    happened: boolean,
  ): Promise<void> {
    const image = await readStoreWithoutUnrelated(store, ['first']);
    if (image !== images.new && (happened || image !== images.old))
      throw this.#fail(
        operation,
        { ...at, image },
        `the state is neither the old one nor the new one${happened ? ', but it was acknowledged' : ''}`,
      );
    const errors = (await store.fsck()).findings.filter((finding) => finding.severity === 'error');
    if (errors.length > 0) throw this.#fail(operation, at, `fsck: ${errors.map((one) => one.message).join(' ')}`);
  }

  /** Makes one operation fail in this process. Returns true if the operation passed fewer than `nth` failpoints. */
  async inProcess(
    operation: StoreOperation,
    images: Images,
    failure: Failure,
    nth: number,
    sticky: boolean,
  ): Promise<boolean> {
    const at = { failure, nth, sticky };
    this.#journal.note({ operation: operation.name, ...at });
    const place = await this.#place(operation);
    let store = operation.opens ? undefined : await openStoreAt(place);
    let error: unknown;
    armFault({ point: '*', nth, fault: failure, sticky });
    try {
      store ??= await openStoreAt(place);
      await operation.run(store);
    } catch (thrown) {
      error = thrown;
    }
    const due = countFaultPasses() >= nth;
    armFault(null);
    if (error !== undefined && (!isAppError(error) || error.code !== codes[failure] || !error.retryable))
      throw this.#fail(operation, at, `it failed with ${String(error)}, not with ${codes[failure]}`, error);
    if (due) this.failures++;
    else if (error !== undefined) throw this.#fail(operation, at, 'it failed although nothing was made to fail', error);
    store ??= await openStoreAt(place);
    await this.#assertSound(operation, images, store, at, error === undefined);
    await writeUnrelatedTree(store, 'first');
    await this.#assertSound(operation, images, store, at, error === undefined);
    // The content must be the same after reopening, and the store must accept another write.
    await store.close();
    const again = await openStoreAt(place);
    await this.#assertSound(operation, images, again, at, error === undefined);
    await writeUnrelatedTree(again, 'second');
    await again.close();
    await place.destroy();
    return !due;
  }

  /**
   * Kills a separate process at one failpoint of an operation. Returns true if the process was not killed, because the
   * operation passed fewer failpoints.
   */
  async killing(operation: StoreOperation, images: Images, nth: number): Promise<boolean> {
    const at = { failure: 'kill', nth };
    this.#journal.note({ operation: operation.name, ...at });
    const place = await this.#place(operation);
    const worker = await WorkerProcess.start();
    const through = worker.waitForReport((reported) => reported.reported === 'through');
    worker.send({ task: 'fault', url: place.url, operation: operation.name, nth });
    const reported = await through;
    await worker.end();
    await place.waitUntilIdle?.();
    if (reported === null) this.failures++;
    const store = await openStoreAt(place);
    await this.#assertSound(operation, images, store, at, reported !== null);
    await writeUnrelatedTree(store, 'first');
    await this.#assertSound(operation, images, store, at, reported !== null);
    await store.close();
    await place.destroy();
    return reported !== null;
  }
}

/** Tests every failure of every operation. Throws if a store has neither the old nor the new content. */
export async function runFaultwalk(options: FaultwalkOptions): Promise<TortureReport> {
  const { site, failures = ['kill', 'eio', 'enospc'] } = options;
  const wanted = options.operations ?? storeOperations.map((one) => one.name);
  const journal = new TortureJournal(`faultwalk-${site.kind}`, options.seed, options.say);
  const template = await site.place();
  const store = await openStoreAt(template);
  await createFaultwalkSample(store);
  await store.close();
  const walk = new Walk(site, journal, template);
  for (const name of wanted) {
    const operation = storeOperations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    const images = await walk.images(operation);
    const before = walk.failures;
    for (const failure of failures)
      for (const sticky of failure === 'kill' ? [false] : [false, true])
        for (let nth = 1, through = false; !through; nth++) {
          if (nth > mostPoints) throw journal.failure(`${name} never gets through.`);
          through =
            failure === 'kill'
              ? await walk.killing(operation, images, nth)
              : await walk.inProcess(operation, images, failure, nth, sticky);
        }
    if (walk.failures === before) throw journal.failure(`${name} passes no failpoint: nothing was tested.`);
    journal.say(`${name}: ${walk.failures - before} failures`);
  }
  await template.destroy();
  return journal.done({ operations: wanted.length, failures: walk.failures });
}
