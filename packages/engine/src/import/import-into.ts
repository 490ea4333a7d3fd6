/** Imports conversations of other programs into a store, one commit each. A repeated import adds only what is new. */
import {
  buildImportCommand,
  type ImportedBlob,
  type ImportInput,
  type ImportReport,
  importErrorKinds,
  moveInlineBytes,
  type PauseFunction,
  type RepairedTree,
  readImport,
  runWithPauses,
  type StorableTree,
} from '@coppice/content/formats';
import {
  type AbortSignalLike,
  type Answer,
  AppError,
  ask,
  type ExternalId,
  type ImportCommand,
  type ImportResult,
  isAppError,
  type NodeId,
  planners,
  type Read,
  type ReadProgram,
  type RunContext,
  run,
  runReadsAsync,
  type Store,
  type TreeId,
} from '@coppice/core';
import { waitForNextTask } from '../event-loop.ts';
import { runContextOf, type ServiceOptions } from '../service.ts';
import { findDifferences } from './find-differences.ts';
import { readImportDestination } from './import-destination.ts';
import { ImportTally } from './import-tally.ts';

/** The format of the input, and how strictly it is read. */
export interface ImportIntoOptions extends ServiceOptions {
  /** The format's name; by default detected from the content. */
  readonly format?: string;
  /** Distinguishes ids that are only unique within an account or a file. */
  readonly scope?: string;
  /** Rejects the whole input if anything in it would be repaired or lost. Reads the input twice. */
  readonly strict?: boolean;
  /** Reads and reports without storing anything. */
  readonly dryRun?: boolean;
  /**
   * Whether the input is still being written, for example by a running agent. Messages that became longer since the
   * last import are updated unless they were edited here, and the active node moves to the end of the conversation.
   */
  readonly follow?: boolean;
  readonly signal?: AbortSignalLike;
}

/** The progress of an import; the report is the last event. */
export type ImportIntoEvent =
  | { readonly type: 'format'; readonly name: string; readonly label: string }
  | {
      readonly type: 'progress';
      readonly bytes: number;
      /** Null if the size of the input is unknown. */
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
 * Imports an input into a store and yields progress events; the report is the last one. Each conversation is one commit
 * with ids derived from its source, so repeating the import, even after a crash, adds only what is missing. Throws if
 * the input cannot be read at all or the store fails.
 */
export async function* importInto(
  store: Store,
  input: ImportInput,
  options: ImportIntoOptions = {},
): AsyncGenerator<ImportIntoEvent> {
  const { strict = false, dryRun = false, follow = false } = options;
  if (strict) await assertFlawless(input, options);
  const ledger = new ImportTally();
  const names = new ExternalIdQueue(store);
  const context = runContextOf(store, options);
  const rest = createPause();
  const ends = new Map<TreeId, string>();
  const services: ImportServices = { store, ledger, names, context, dryRun, rest, ends, follow };
  const batch = new ImportBatch(services);
  let total: number | null = null;
  try {
    for await (const event of readImport(input, { ...readOptionsOf(options), rest })) {
      // Findings are reported in the order of the input.
      if (event.type === 'format' || event.type === 'finding') yield* batch.store();
      if (event.type === 'format') {
        ledger.format = event.format.name;
        yield { type: 'format', name: event.format.name, label: event.format.label };
      } else if (event.type === 'finding') ledger.addOutsideFinding(event.finding);
      else if (event.type === 'blob') {
        if (!dryRun) await storeBlob(store, event.blob);
        ledger.attachments++;
      } else if (event.type === 'progress') {
        ledger.bytes = event.bytes;
        total = event.total;
        yield ledger.progress(total);
        await rest();
      } else {
        // Storing a large conversation takes long, so other work may run first.
        await rest();
        yield* batch.add(event.tree);
        await names.flush(idsPerWrite);
      }
    }
    if (options.signal?.aborted !== true) yield* batch.store();
    if (options.signal?.aborted === true) throwAborted();
    yield ledger.progress(total);
    await names.flush(1);
  } finally {
    // If the import ends early, the next import writes the external ids that are missing.
    await names.flush(1).catch(() => undefined);
  }
  yield { type: 'report', report: ledger.report(strict, dryRun) };
}

function throwAborted(): never {
  throw new AppError({
    code: 'import/aborted',
    kind: importErrorKinds['import/aborted'],
    message: 'The import was stopped.',
  });
}

// A larger batch would block other work; a smaller one would cost too many durable writes.
const idsPerWrite = 500;

/**
 * Collects external ids and writes them in batches, because a durable write per conversation would cost as much as
 * storing the conversation.
 */
class ExternalIdQueue {
  readonly #store: Store;
  #waiting: ExternalId[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  add(names: readonly ExternalId[]): void {
    for (const name of names) this.#waiting.push(name);
  }

  /**
   * Writes one batch while the caller commits a conversation, so that both share one disk sync. Never rejects; ids that
   * could not be written stay queued.
   */
  async writeBatch(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await this.#write().catch(() => undefined);
  }

  /** Writes batches until fewer than this many ids are queued. */
  async flush(fewer: number): Promise<void> {
    while (this.#waiting.length >= fewer) {
      await this.#write();
      await waitForNextTask();
    }
  }

  async #write(): Promise<void> {
    const names = this.#waiting.slice(0, idsPerWrite);
    this.#waiting = this.#waiting.slice(names.length);
    try {
      await this.#store.putExternalIds(names);
    } catch (error) {
      this.#waiting = [...names, ...this.#waiting];
      throw error;
    }
  }
}

// Milliseconds of work before other work may run. Yielding after every small conversation would cost more than
// importing it.
const longestWorkMs = 10;

/** Returns a function that yields to the event loop if enough time has passed since the last yield. */
function createPause(): PauseFunction {
  let since = performance.now();
  const turn = async () => {
    await waitForNextTask();
    since = performance.now();
  };
  return () => (performance.now() - since < longestWorkMs ? undefined : turn());
}

/** The store and the shared state of one import. */
interface ImportServices {
  readonly store: Store;
  readonly ledger: ImportTally;
  readonly names: ExternalIdQueue;
  readonly context: RunContext;
  readonly dryRun: boolean;
  readonly rest: PauseFunction;
  /**
   * The active node that this import last set in each tree. A log contains a conversation call by call, so a later call
   * continues at this node.
   */
  readonly ends: Map<TreeId, string>;
  readonly follow: boolean;
}

// How many trees are remembered. The calls of one conversation are close to each other in a log.
const mostRememberedTrees = 1000;

function rememberActiveNode(
  { ends }: ImportServices,
  { treeId, activeId, follows }: ImportCommand,
  { created, added }: ImportResult,
): void {
  if (activeId === undefined || activeId === null || !(created || follows !== undefined)) return;
  if (!added.some((id) => id === activeId)) return;
  ends.delete(treeId);
  ends.set(treeId, activeId);
  const [oldest] = ends.keys();
  if (ends.size > mostRememberedTrees && oldest !== undefined) ends.delete(oldest);
}

function readOptionsOf({ format, scope, signal }: ImportIntoOptions) {
  return {
    ...(format === undefined ? {} : { format }),
    ...(scope === undefined ? {} : { scope }),
    ...(signal === undefined ? {} : { signal }),
  };
}

async function assertFlawless(input: ImportInput, options: ImportIntoOptions): Promise<void> {
  const ledger = new ImportTally();
  for await (const event of readImport(input, { ...readOptionsOf(options), rest: createPause() })) {
    if (event.type === 'finding') ledger.addOutsideFinding(event.finding);
    else if (event.type === 'tree') ledger.open(event.tree);
    else await waitForNextTask();
  }
  if (ledger.first === undefined) return;
  throw new AppError({
    code: 'import/strict',
    kind: importErrorKinds['import/strict'],
    message: `Nothing was imported: ${ledger.troubles} ${ledger.troubles === 1 ? 'thing' : 'things'} would have to be repaired or left out. The first: ${ledger.first.message}`,
    data: { findings: ledger.findings.listed, counts: ledger.findings.counts },
  });
}

/** A conversation with the command that stores it. */
interface PreparedTree {
  readonly tree: RepairedTree;
  readonly incoming: StorableTree;
  /** The same command with the bytes of pictures and files in the messages. */
  readonly inline: ImportCommand;
  readonly attachments: number;
  /** Whether the store has the tree already. */
  readonly known: boolean;
}

// The stores let other work run during the commit of a conversation with 250 nodes or more. They commit a batch without
// such pauses, so a batch is no longer than the longest conversation without them.
const longestBatch = 250;
// A conversation without messages takes as long as this many messages.
const conversationCost = 10;

/**
 * Collects short conversations and stores them together. Each is a commit of its own, but a store that syncs its disk
 * does so once for all of them.
 */
class ImportBatch {
  readonly #services: ImportServices;
  readonly #waiting = new Map<TreeId, PreparedTree>();
  #cost = 0;

  constructor(services: ImportServices) {
    this.#services = services;
  }

  /** Adds a conversation. Stores the batch when it is long enough. */
  async *add(tree: RepairedTree): AsyncGenerator<ImportIntoEvent> {
    const cost = tree.nodes.length + conversationCost;
    if (this.#cost + cost > longestBatch) yield* this.store();
    let prepared = await attemptImport(() => prepareTree(this.#services, tree));
    if (isAppError(prepared) || this.#waiting.has(prepared.incoming.command.treeId)) {
      // Conversations are reported in order, and a further part of one depends on the part before it.
      yield* this.store();
      prepared = await attemptImport(() => prepareTree(this.#services, tree));
    }
    if (isAppError(prepared)) return reportRefused(this.#services, tree, prepared);
    this.#waiting.set(prepared.incoming.command.treeId, prepared);
    this.#cost += cost;
    if (this.#cost >= longestBatch) yield* this.store();
  }

  /** Stores the waiting conversations. */
  async *store(): AsyncGenerator<ImportIntoEvent> {
    const trees = [...this.#waiting.values()];
    if (trees.length === 0) return;
    this.#waiting.clear();
    this.#cost = 0;
    // Writes the external ids of the previous batch at the same time, because a separate durable write would cost as
    // much as a short conversation.
    const idsWritten = this.#services.names.writeBatch();
    // All commits begin before the first is awaited, so that the store can join them.
    const outcomes = await Promise.allSettled(
      trees.map((prepared) => attemptImport(() => commitTree(this.#services, prepared))),
    );
    await idsWritten;
    for (const [index, prepared] of trees.entries()) {
      const outcome = outcomes[index];
      if (outcome?.status === 'rejected') throw outcome.reason;
      if (outcome !== undefined) yield* finishTree(this.#services, prepared, outcome.value);
    }
  }
}

/** Returns the error instead of throwing it if it concerns only one conversation, so that the import can continue. */
async function attemptImport<T>(work: () => Promise<T>): Promise<T | AppError> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error) || error.kind === 'unavailable' || error.kind === 'internal' || error.kind === 'aborted')
      throw error;
    return error;
  }
}

function reportRefused({ ledger }: ImportServices, tree: RepairedTree, error: AppError): void {
  ledger.open(tree);
  ledger.refused(tree, error);
}

/** Reports a stored conversation, and what changed at its source since an earlier import. */
async function* finishTree(
  services: ImportServices,
  first: PreparedTree,
  outcome: ImportResult | AppError,
): AsyncGenerator<ImportIntoEvent> {
  const { store, context, ledger, follow, dryRun } = services;
  const { tree } = first;
  const stored = await attemptImport(() => withFreeIds(services, first, outcome));
  if (isAppError(stored)) return reportRefused(services, tree, stored);
  ledger.open(tree);
  const { prepared, result } = stored;
  const { incoming, inline, attachments } = prepared;
  const { treeId, attributes } = incoming.command;
  ledger.attachments += attachments;
  ledger.stored(tree, incoming, result);
  // Nothing was refused, because the trash has every message already. Without this finding the conversation would seem
  // to be imported.
  if (!result.created && result.added.length === 0 && tree.trashed !== true && (await isInTrash(store, treeId)))
    ledger.inTrash(tree);
  const grown: NodeId[] = [];
  const reimport = { ...incoming, inline, present: result.present, restored: tree.restores !== undefined };
  const compared = await attemptImport(async () => {
    for await (const { node, found, changed } of findDifferences(store, reimport)) {
      if (follow && !changed) grown.push(node);
      else ledger.note(found);
    }
    if (grown.length > 0 && !dryRun) await run(store, { ...incoming.command, refresh: grown }, context);
  });
  if (isAppError(compared)) return ledger.refused(tree, compared);
  yield {
    type: 'conversation',
    treeId,
    title: attributes?.title ?? attributes?.autoTitle ?? null,
    created: result.created,
    added: result.added.length,
    present: result.present.length,
  };
}

/**
 * Returns the result of storing a conversation. A tree that was exported from here gets its old ids; if these belong to
 * another owner of this server, it is stored with new ids.
 */
async function withFreeIds(
  services: ImportServices,
  prepared: PreparedTree,
  outcome: ImportResult | AppError,
): Promise<{ readonly prepared: PreparedTree; readonly result: ImportResult }> {
  if (!isAppError(outcome)) return { prepared, result: outcome };
  if (prepared.tree.restores === undefined || outcome.code !== 'id/taken') throw outcome;
  const fresh = await prepareTree(services, prepared.tree, true);
  return { prepared: fresh, result: await commitTree(services, fresh) };
}

async function isInTrash(store: Store, treeId: TreeId): Promise<boolean> {
  const row = await store.read(treeId, () => ask('tree', {}));
  return row?.attributes.trashedAt !== undefined;
}

/** Builds the command that stores a conversation, and stores its attachments. */
async function prepareTree(
  { store, ledger, dryRun, rest, ends, follow }: ImportServices,
  tree: RepairedTree,
  fresh = false,
): Promise<PreparedTree> {
  const found = tree.restores === undefined ? await readImportDestination(store, tree, ledger.format, rest) : {};
  const whole = await runWithPauses(buildImportCommand(tree, ledger.format, store.owner, { ...found, fresh }), rest);
  const { tree: made, blobs } = await runWithPauses(moveInlineBytes(whole), rest);
  const { treeId } = made.command;
  const follows = ends.get(treeId) ?? (follow ? await findFollowedNode(store, made) : undefined);
  const incoming = follows === undefined ? made : { ...made, command: { ...made.command, follows } };
  await rest();
  const attached = [...(tree.blobs ?? []), ...blobs];
  if (!dryRun) for (const blob of attached) await storeBlob(store, blob);
  const known = (await store.read(treeId, () => ask('tree', {}))) !== null;
  return { tree, incoming, inline: whole.command, attachments: attached.length, known };
}

/**
 * Returns the active node of a tree if it is still on the branch that the import follows; undefined if the user moved
 * to another branch.
 */
async function findFollowedNode(store: Store, { command }: StorableTree): Promise<string | undefined> {
  const row = await store.read(command.treeId, () => ask('tree', {}));
  const active = row?.activeNodeId ?? null;
  if (active === null) return undefined;
  const parents = new Map(command.nodes.map(({ id, parentId }) => [id, parentId]));
  const seen = new Set<string>();
  for (let at = command.activeId ?? null; at !== null && !seen.has(at); at = parents.get(at) ?? null) {
    if (at === active) return active;
    seen.add(at);
  }
  return undefined;
}

/** Computes what storing a tree would do. It writes nothing, so it needs no lock. */
async function previewTree({ store, context, rest }: ImportServices, { command }: StorableTree): Promise<ImportResult> {
  const { treeId } = command;
  const { actor, newId, kit, now } = context;
  const planning = planners.import(command, { treeId, now: now(), newId, kit, actor, stale: false });
  const plan = await runReadsAsync(planning, async (read) => {
    await rest();
    return store.read(treeId, () => answerRead(read));
  });
  if (plan.steps.length > 0 && (await isInTrash(store, treeId)))
    throw new AppError({ code: 'tree/read-only', kind: 'refused', message: `The chat ${treeId} is in the trash.` });
  return plan.result;
}

function* answerRead(read: Read): ReadProgram<Answer> {
  return yield* ask(read.ask, read);
}

/** Stores a prepared conversation, or with `dryRun` computes what storing it would do. */
async function commitTree(services: ImportServices, { tree, incoming, known }: PreparedTree): Promise<ImportResult> {
  if (services.dryRun) return previewTree(services, incoming);
  const { command, names } = incoming;
  const { store, context } = services;
  const { treeId } = command;
  // A new tree gets the time of its last message, so that lists sorted by time show it in the right position.
  const at = known ? undefined : lastTime(tree);
  const { result } = await run(store, command, at === undefined ? context : { ...context, now: () => at });
  rememberActiveNode(services, command, result);
  if (result.created && tree.trashed === true) await run(store, { type: 'delete-tree', treeId }, context);
  const nameOf = ({ format, scope, id }: ExternalId) => JSON.stringify([format, scope, id]);
  const there = new Set(known ? (await store.externalIdsOf(treeId)).map(nameOf) : []);
  const left = new Set(result.left);
  // After a crash between the commit and this write some external ids are missing; this import adds them.
  const missing = names.filter(
    (one) => !(there.size > 0 && there.has(nameOf(one))) && (one.nodeId === null || !left.has(one.nodeId)),
  );
  services.names.add(missing);
  return result;
}

async function storeBlob(store: Store, blob: ImportedBlob): Promise<void> {
  if ((await store.blobs.find(blob.hash)) === null) await store.blobs.put(await blob.read(), blob.mediaType);
}

function lastTime(tree: RepairedTree): number | undefined {
  if (tree.updatedAt !== undefined) return tree.updatedAt;
  let last = tree.createdAt;
  for (const { createdAt } of tree.nodes)
    if (createdAt !== undefined && !(last !== undefined && last >= createdAt)) last = createdAt;
  return last;
}
