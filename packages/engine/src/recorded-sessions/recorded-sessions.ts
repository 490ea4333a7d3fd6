/**
 * Lists the work that programs did through the recording proxy: sessions with sub-agents, calls, tokens, cost and
 * errors.
 */
import { findSubAgents, spawnLinkOf } from '@coppice/content';
import {
  ask,
  isToolUse,
  type JsonObject,
  type Node,
  type NodeId,
  readTopology,
  type Store,
  type TreeId,
  type TreeRow,
} from '@coppice/core';
import { parseUsage } from '@coppice/core/context';
import { getText, isJsonObject } from '@coppice/core/decode';

/** Totals of the recorded calls of a session. */
export interface CallTotals {
  readonly calls: number;
  readonly toolCalls: number;
  /** Input and output tokens together. */
  readonly tokens: number;
  /** The tokens that were read from the provider's cache. */
  readonly cachedTokens: number;
  /** In US dollars, for the calls with a known price; null if no price is known. */
  readonly cost: number | null;
  readonly errors: number;
  /** The sum of the times from request to answer, in milliseconds. */
  readonly workMs: number;
}

/** A recorded session, one of its sub-agents, or its side calls such as titles. */
export interface RecordedSession {
  readonly treeId: TreeId;
  readonly kind: 'session' | 'sub-agent' | 'side-calls';
  readonly title: string | null;
  readonly project: string | null;
  /** The name of the program; null if its user agent is unknown. */
  readonly program: string | null;
  /** The session id that the program sent. */
  readonly session: string | null;
  /** The working folder and git branch of the program, if it sends them. */
  readonly folder: string | null;
  readonly branch: string | null;
  /** For a sub-agent: the id of the tool call that spawned it, if it is known. */
  readonly call: string | null;
  /** The model of the last answer. */
  readonly model: string | null;
  readonly figures: CallTotals;
  /** The totals of the calls since `RecordedSessionQuery.since`. */
  readonly recent: CallTotals;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly children: readonly RecordedSession[];
}

/** Filters and the page of a list of recorded sessions. */
export interface RecordedSessionQuery {
  readonly project?: string;
  readonly program?: string;
  /**
   * The approximate number of sessions, by default 50. A page may have almost twice as many, because store pages also
   * contain sub-agents: pages are read until there are enough sessions, and the last page is used completely.
   */
  readonly limit?: number;
  readonly cursor?: string;
  /** From when on calls count as `recent`, in milliseconds since 1970; by default all calls do. */
  readonly since?: number;
}

/** A page of sessions, the last changed first. */
export interface RecordedSessionPage {
  readonly sessions: readonly RecordedSession[];
  readonly cursor: string | null;
}

/** The totals of a session without calls. */
export const zeroCallTotals: CallTotals = {
  calls: 0,
  toolCalls: 0,
  tokens: 0,
  cachedTokens: 0,
  cost: null,
  errors: 0,
  workMs: 0,
};

/** Returns the sum of two totals; the cost is null only if both costs are. */
export function addCallTotals(a: CallTotals, b: CallTotals): CallTotals {
  return {
    calls: a.calls + b.calls,
    toolCalls: a.toolCalls + b.toolCalls,
    tokens: a.tokens + b.tokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cost: a.cost === null && b.cost === null ? null : (a.cost ?? 0) + (b.cost ?? 0),
    errors: a.errors + b.errors,
    workMs: a.workMs + b.workMs,
  };
}

/** Returns the totals of a session together with its sub-agents and side calls. */
export function sumSessionTotals(session: RecordedSession, which: 'figures' | 'recent' = 'figures'): CallTotals {
  return session.children.reduce((sum, child) => addCallTotals(sum, sumSessionTotals(child, which)), session[which]);
}

/**
 * Lists recorded sessions with their totals. Caches the totals of a tree until the tree changes, because the same page
 * is requested often.
 */
export class RecordedSessionReader {
  readonly #store: Store;
  readonly #known = new Map<TreeId, { readonly version: number; readonly since: number; readonly read: TreeWork }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Lists sessions with their sub-agents. A project or program without sessions gives an empty page. */
  async list(query: RecordedSessionQuery = {}): Promise<RecordedSessionPage> {
    const { limit = 50, since = 0 } = query;
    const rows: TreeRow[] = [];
    let cursor = query.cursor;
    for (;;) {
      const page = await this.#store.trees({
        tag: recordedTag,
        limit,
        ...(query.project === undefined ? {} : { project: query.project }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      rows.push(...page.items.filter((row) => isMainSession(row) && hasProgram(row, query.program)));
      cursor = page.cursor ?? undefined;
      if (cursor === undefined || rows.length >= limit) break;
    }
    const sessions: RecordedSession[] = [];
    for (const row of rows) sessions.push(await this.#session(row, 'session', since, new Set([row.id])));
    return { sessions, cursor: cursor ?? null };
  }

  async #session(
    row: TreeRow,
    kind: RecordedSession['kind'],
    since: number,
    seen: Set<TreeId>,
  ): Promise<RecordedSession> {
    const { title, autoTitle, project = null } = row.attributes;
    const recorded = noteOf(row, 'recorded');
    const { figures, recent, model, lastAt } = await this.#workOf(row, since);
    const children: RecordedSession[] = [];
    for (const child of kind === 'side-calls' ? [] : await this.#childrenOf(row, seen))
      children.push(await this.#session(child.row, child.kind, since, seen));
    return {
      treeId: row.id,
      kind,
      title: title ?? autoTitle ?? null,
      project,
      program: getText(recorded, 'program') ?? null,
      session: getText(recorded, 'session') ?? null,
      folder: getText(recorded, 'folder') ?? null,
      branch: getText(recorded, 'branch') ?? null,
      call: spawnLinkOf(row.attributes)?.call ?? null,
      model,
      figures,
      recent,
      startedAt: row.createdAt,
      lastAt: Math.max(lastAt, ...children.map((child) => child.lastAt)),
      children,
    };
  }

  async #childrenOf(row: TreeRow, seen: Set<TreeId>) {
    const agents = (await findSubAgents(this.#store, [row.id])).get(row.id) ?? [];
    const side = await this.#store.findExternalIds(sideCallsFormat, '', [row.id]);
    const found: { readonly row: TreeRow; readonly kind: 'sub-agent' | 'side-calls' }[] = [];
    for (const [kind, ids] of [
      ['sub-agent', agents.map((agent) => agent.treeId)],
      ['side-calls', side.map((one) => one.treeId)],
    ] as const)
      for (const id of ids) {
        if (seen.has(id)) continue;
        seen.add(id);
        const child = await this.#store.read(id, () => ask('tree', {}));
        if (child !== null && child.attributes.trashedAt === undefined) found.push({ row: child, kind });
      }
    return found;
  }

  async #workOf(row: TreeRow, since: number): Promise<TreeWork> {
    const known = this.#known.get(row.id);
    if (known !== undefined && known.version === row.version && known.since === since) return known.read;
    const read = await readTreeWork(this.#store, row, since);
    this.#known.delete(row.id);
    this.#known.set(row.id, { version: row.version, since, read });
    for (const id of this.#known.keys()) {
      if (this.#known.size <= mostKnown) break;
      this.#known.delete(id);
    }
    return read;
  }
}

/** The tag that marks recorded trees. */
export const recordedTag = 'recorded';
/** The format of the external ids of side calls; such an id is the id of the session's tree. */
export const sideCallsFormat = 'side-calls-of';
// How many trees have their totals cached.
const mostKnown = 2_000;
// How many nodes are read at once, so that a long session needs little memory.
const nodesAtOnce = 200;

function noteOf({ attributes }: TreeRow, key: string): JsonObject {
  const note = attributes.metadata?.[key];
  return isJsonObject(note) ? note : {};
}

/**
 * Returns whether a tree is a recorded session and not part of another one. A copy of a recorded tree has its tag, but
 * no calls.
 */
function isMainSession({ attributes }: TreeRow): boolean {
  return (
    spawnLinkOf(attributes) === null &&
    attributes.metadata?.['sideOf'] === undefined &&
    attributes.copiedFrom === undefined
  );
}

function hasProgram(row: TreeRow, program: string | undefined): boolean {
  return program === undefined || getText(noteOf(row, 'recorded'), 'program') === program;
}

/** The totals of one tree, without its sub-agents. */
interface TreeWork {
  readonly figures: CallTotals;
  readonly recent: CallTotals;
  readonly model: string | null;
  /** The `seq` of the reply that `model` was taken from. */
  readonly modelSeq: number;
  readonly lastAt: number;
}

async function readTreeWork(store: Store, row: TreeRow, since: number): Promise<TreeWork> {
  const replies = (await store.read(row.id, () => readTopology(row.id)))
    .filter(({ role }) => role === 'assistant')
    .map(({ id }) => id);
  let work: TreeWork = {
    figures: zeroCallTotals,
    recent: zeroCallTotals,
    model: null,
    modelSeq: -1,
    lastAt: row.createdAt,
  };
  for (let from = 0; from < replies.length; from += nodesAtOnce) {
    const ids: readonly NodeId[] = replies.slice(from, from + nodesAtOnce);
    for (const node of await store.read(row.id, () => ask('nodes', { ids }))) work = addReply(work, node, since);
  }
  return work;
}

function addReply(work: TreeWork, node: Node, since: number): TreeWork {
  const source = node.meta.source ?? {};
  const timing = isJsonObject(source['timing']) ? source['timing'] : null;
  // Only recorded replies have a timing; the others were part of a history that the program sent again.
  if (timing === null) return work;
  const startedAt = typeof timing['startedAt'] === 'number' ? timing['startedAt'] : node.createdAt;
  const totalMs = typeof timing['totalMs'] === 'number' ? timing['totalMs'] : 0;
  const usage = parseUsage(node);
  const one: CallTotals = {
    calls: 1,
    toolCalls: node.message?.content.filter(isToolUse).length ?? 0,
    tokens: usage?.totalTokens ?? 0,
    cachedTokens: cachedIn(source['usage']),
    cost: costIn(source['cost']),
    errors: node.status === 'error' ? 1 : 0,
    workMs: totalMs,
  };
  const endedAt = startedAt + totalMs;
  const model = getText(source, 'model_name') ?? null;
  // Compares `seq` instead of times, because two calls may end in the same millisecond and clocks may be set back.
  const isNewest = model !== null && node.seq > work.modelSeq;
  return {
    figures: addCallTotals(work.figures, one),
    recent: startedAt >= since ? addCallTotals(work.recent, one) : work.recent,
    ...(isNewest ? { model, modelSeq: node.seq } : { model: work.model, modelSeq: work.modelSeq }),
    lastAt: Math.max(work.lastAt, endedAt),
  };
}

function cachedIn(usage: unknown): number {
  if (!isJsonObject(usage)) return 0;
  const details = ['prompt_tokens_details', 'input_tokens_details'].map((key) => usage[key]).find(isJsonObject);
  const cached = usage['cache_read_input_tokens'] ?? usage['cachedContentTokenCount'] ?? details?.['cached_tokens'];
  return typeof cached === 'number' ? cached : 0;
}

function costIn(cost: unknown): number | null {
  if (!isJsonObject(cost)) return null;
  const total = cost['total'] ?? cost['usd'];
  return typeof total === 'number' ? total : null;
}
