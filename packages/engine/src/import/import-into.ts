/** Foreign conversations into a store: one commit each, found again by the next import. */
import { setImmediate } from 'node:timers/promises';
import {
  buildCommand,
  type ImportedBlob,
  type ImportReport,
  type Incoming,
  type Input,
  importErrorKinds,
  type Pause,
  type RepairedTree,
  readImport,
  runWithPauses,
} from '@coppice/content/formats';
import {
  type AbortSignalLike,
  type Answer,
  AppError,
  ask,
  type ExternalId,
  type ImportCommand,
  type Imported,
  isAppError,
  planners,
  type Read,
  type ReadProgram,
  type RunContext,
  run,
  runReadsAsync,
  type Store,
  type TreeId,
} from '@coppice/core';
import { runContextOf, type ServiceOptions } from '../service.ts';
import { findDifferences } from './differing.ts';
import { Ledger } from './ledger.ts';
import { destinationOf } from './own-ids.ts';

/** How an import is done. */
export interface ImportIntoOptions extends ServiceOptions {
  /** The format's name; found out from the content if not given. */
  readonly format?: string;
  /** A name for the source of ids that are not unique by themselves: an account or a file. */
  readonly scope?: string;
  /** Refuses the whole input if anything in it had to be repaired or would be lost. Reads it twice. */
  readonly strict?: boolean;
  /** Reads and reports, and stores nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignalLike;
}

/** What an import tells while it goes on; the report is last. */
export type ImportIntoEvent =
  | { readonly type: 'format'; readonly name: string; readonly label: string }
  | {
      readonly type: 'progress';
      readonly bytes: number;
      /** Null where the size of the input is not known. */
      readonly total: number | null;
      readonly conversations: number;
      readonly records: number;
    }
  | {
      readonly type: 'conversation';
      readonly treeId: TreeId;
      readonly title: string | null;
      readonly created: boolean;
      readonly added: number;
      readonly present: number;
    }
  | { readonly type: 'report'; readonly report: ImportReport };

/**
 * Imports an input into a store and tells how it goes; the report comes last. Each conversation is one commit, all of it
 * or nothing, with ids that follow from where it came from: the same import again, also after a crash half way, adds
 * only what is missing. Throws for an input that cannot be read at all, and for a store that fails.
 */
export async function* importInto(
  store: Store,
  input: Input,
  options: ImportIntoOptions = {},
): AsyncGenerator<ImportIntoEvent> {
  const { strict = false, dryRun = false } = options;
  if (strict) await refuseFlawed(input, options);
  const ledger = new Ledger();
  const names = new ImportNames(store);
  const context = runContextOf(store, options);
  const rest = withPauses();
  const ends = new Map<TreeId, string>();
  try {
    for await (const event of readImport(input, { ...readerOf(options), rest })) {
      if (event.type === 'format') {
        ledger.format = event.format.name;
        yield { type: 'format', name: event.format.name, label: event.format.label };
      } else if (event.type === 'finding') ledger.aside(event.finding);
      else if (event.type === 'blob') {
        if (!dryRun) await keepBlob(store, event.blob);
        ledger.attachments++;
      } else if (event.type === 'progress') {
        ledger.bytes = event.bytes;
        yield {
          type: 'progress',
          bytes: event.bytes,
          total: event.total,
          conversations: ledger.conversations.read,
          records: ledger.records.read,
        };
        await rest();
      } else {
        // What was read may be large: it is stored in a turn of its own.
        await rest();
        yield* storeTree({ store, ledger, names, context, dryRun, rest, ends }, event.tree);
        await names.flush(namesAtOnce);
      }
    }
    await names.flush(1);
  } finally {
    // Where the import ends early: names that cannot be written now are written by the next import.
    await names.flush(1).catch(() => undefined);
  }
  yield { type: 'report', report: ledger.report(strict, dryRun) };
}

// More in one write would hold up others, fewer would cost a durable write too often.
const namesAtOnce = 500;

/** Names on their way into the store, many at once: a durable write for each conversation would cost as much as the conversation. */
class ImportNames {
  readonly #store: Store;
  #waiting: ExternalId[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  add(names: readonly ExternalId[]): void {
    for (const name of names) this.#waiting.push(name);
  }

  /**
   * Begins to write some of them and tells when that is over, whatever came of it. A commit that is asked for in the same
   * moment shares its wait for the disk; what could not be written waits on.
   */
  async along(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await this.#write().catch(() => undefined);
  }

  /** Writes them until fewer than so many are left. */
  async flush(fewer: number): Promise<void> {
    while (this.#waiting.length >= fewer) {
      await this.#write();
      await setImmediate();
    }
  }

  async #write(): Promise<void> {
    const names = this.#waiting.slice(0, namesAtOnce);
    this.#waiting = this.#waiting.slice(names.length);
    try {
      await this.#store.putExternalIds(names);
    } catch (error) {
      this.#waiting = [...names, ...this.#waiting];
      throw error;
    }
  }
}

// Others have work too, and so has the reader of these events; but a turn for each small conversation costs more than it.
const longestStretch = 10;

/** Gives others a turn where they have waited for a while. */
function withPauses(): Pause {
  let since = performance.now();
  const turn = async () => {
    await setImmediate();
    since = performance.now();
  };
  return () => (performance.now() - since < longestStretch ? undefined : turn());
}

/** What taking a conversation in needs. */
interface ImportServices {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly names: ImportNames;
  readonly context: RunContext;
  readonly dryRun: boolean;
  readonly rest: Pause;
  /** Where this import left the pointers of the last trees: a log brings a conversation in call by call. */
  readonly ends: Map<TreeId, string>;
}

// Calls of one conversation are not far from each other in a log.
const endsAtOnce = 1000;

function noteEnd(
  { ends }: ImportServices,
  { treeId, activeId, follows }: ImportCommand,
  { created, added }: Imported,
): void {
  if (activeId === undefined || activeId === null || !(created || follows !== undefined)) return;
  if (!added.some((id) => id === activeId)) return;
  ends.delete(treeId);
  ends.set(treeId, activeId);
  const [oldest] = ends.keys();
  if (ends.size > endsAtOnce && oldest !== undefined) ends.delete(oldest);
}

function readerOf({ format, scope, signal }: ImportIntoOptions) {
  return {
    ...(format === undefined ? {} : { format }),
    ...(scope === undefined ? {} : { scope }),
    ...(signal === undefined ? {} : { signal }),
  };
}

async function refuseFlawed(input: Input, options: ImportIntoOptions): Promise<void> {
  const ledger = new Ledger();
  for await (const event of readImport(input, { ...readerOf(options), rest: withPauses() })) {
    if (event.type === 'finding') ledger.aside(event.finding);
    else if (event.type === 'tree') ledger.open(event.tree);
    else await setImmediate();
  }
  if (ledger.first === undefined) return;
  throw new AppError({
    code: 'import/strict',
    kind: importErrorKinds['import/strict'],
    message: `Nothing was imported: ${ledger.troubles} things would have to be repaired or left out. The first: ${ledger.first.message}`,
    data: { findings: ledger.findings.listed, counts: ledger.findings.counts },
  });
}

async function* storeTree(services: ImportServices, tree: RepairedTree): AsyncGenerator<ImportIntoEvent> {
  const { ledger } = services;
  ledger.open(tree);
  try {
    const { incoming, result } = await takenNames(services, tree);
    const { treeId, attributes } = incoming.command;
    ledger.attachments += tree.blobs?.length ?? 0;
    ledger.stored(tree, incoming, result);
    const restored = tree.restores !== undefined;
    for await (const found of findDifferences(services.store, incoming, result.present, restored)) ledger.note(found);
    yield {
      type: 'conversation',
      treeId,
      title: attributes?.title ?? attributes?.autoTitle ?? null,
      created: result.created,
      added: result.added.length,
      present: result.present.length,
    };
  } catch (error) {
    if (!isAppError(error) || error.kind === 'unavailable' || error.kind === 'internal' || error.kind === 'aborted')
      throw error;
    ledger.refused(tree, error);
  }
}

/** Takes a tree in. One of our own keeps its ids; where somebody else on this server has them, it gets others. */
async function takenNames(services: ImportServices, tree: RepairedTree) {
  const { store, ledger, dryRun, rest } = services;
  const take = async (fresh: boolean) => {
    const known = tree.restores === undefined ? await destinationOf(store, tree, ledger.format, rest) : {};
    const destination = { ...known, fresh };
    const made = await runWithPauses(buildCommand(tree, ledger.format, store.owner, destination), rest);
    const follows = services.ends.get(made.command.treeId);
    const incoming = follows === undefined ? made : { ...made, command: { ...made.command, follows } };
    await rest();
    const result = dryRun ? await previewTree(services, incoming) : await carryOutImport(services, tree, incoming);
    return { incoming, result };
  };
  try {
    return await take(false);
  } catch (error) {
    if (tree.restores === undefined || !isAppError(error) || error.code !== 'id/taken') throw error;
    return take(true);
  }
}

/** What an import would do, without doing it. Nothing is written, so it need not be planned in one moment. */
async function previewTree({ store, context, rest }: ImportServices, { command }: Incoming): Promise<Imported> {
  const { treeId } = command;
  const { actor, newId, kit, now } = context;
  const planning = planners.import(command, { treeId, now: now(), newId, kit, actor, stale: false });
  const plan = await runReadsAsync(planning, async (read) => {
    await rest();
    return store.read(treeId, () => askApproval(read));
  });
  const trashed = await store.read(treeId, () => ask('tree', {}));
  if (trashed?.attributes.trashedAt !== undefined && plan.steps.length > 0)
    throw new AppError({ code: 'tree/read-only', kind: 'refused', message: `The tree ${treeId} is in the trash.` });
  return plan.result;
}

function* askApproval(read: Read): ReadProgram<Answer> {
  return yield* ask(read.ask, read);
}

async function carryOutImport(
  services: ImportServices,
  tree: RepairedTree,
  { command, names }: Incoming,
): Promise<Imported> {
  const { store, context } = services;
  const { treeId } = command;
  const known = await store.read(treeId, () => ask('tree', {}));
  for (const blob of tree.blobs ?? []) await keepBlob(store, blob);
  // A tree that comes in whole is as old as it is elsewhere, so that lists by time show it where it belongs.
  const at = known === null ? lastTime(tree) : undefined;
  // Names of the conversation before go with this commit: each durable write costs as much as a short conversation.
  const along = services.names.along();
  const { result } = await run(store, command, at === undefined ? context : { ...context, now: () => at });
  await along;
  noteEnd(services, command, result);
  if (result.created && tree.trashed === true) await run(store, { type: 'delete-tree', treeId }, context);
  const nameOf = ({ format, scope, id }: ExternalId) => JSON.stringify([format, scope, id]);
  const there = new Set(known === null ? [] : (await store.externalIdsOf(treeId)).map(nameOf));
  const left = new Set(result.left);
  // A crash after the commit and before this left names out; the next import brings them.
  const missing = names.filter(
    (one) => !(there.size > 0 && there.has(nameOf(one))) && (one.nodeId === null || !left.has(one.nodeId)),
  );
  services.names.add(missing);
  return result;
}

async function keepBlob(store: Store, blob: ImportedBlob): Promise<void> {
  if ((await store.blobs.find(blob.hash)) === null) await store.blobs.put(await blob.read(), blob.mediaType);
}

function lastTime(tree: RepairedTree): number | undefined {
  if (tree.updatedAt !== undefined) return tree.updatedAt;
  let last = tree.createdAt;
  for (const { createdAt } of tree.nodes)
    if (createdAt !== undefined && !(last !== undefined && last >= createdAt)) last = createdAt;
  return last;
}
