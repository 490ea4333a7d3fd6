/** Builds the context of the next model call from the nodes of a path. */
import { estimateContextTokens, type TokenEstimate } from './budget.ts';
import {
  type ActiveCompaction,
  buildContextEntry,
  buildContextHead,
  type ContextEntry,
  type ContextFlag,
  findActiveRange,
  findSystemPrompt,
  indexOfFirstKept,
  indexOfLastCompaction,
  toActiveCompaction,
} from './context-entries.ts';
import type { ContextTexts } from './context-wrappers.ts';
import { findContinuedParents } from './continued-text.ts';
import { refuse } from './errors.ts';
import type { NodeId } from './ids.ts';
import type { MessageKit } from './message.ts';
import type { Node } from './node.ts';
import { ask, type PathMeta, type ReadProgram } from './reads.ts';
import { findUsageReports, formatPathHash } from './usage-reports.ts';

export * from './budget.ts';
export type { ContextEntry, ContextFlag } from './context-entries.ts';
export * from './context-wrappers.ts';
export * from './request.ts';

/** The messages of the next model call, with their token counts. */
export interface Context {
  readonly entries: readonly ContextEntry[];
  readonly compaction: ActiveCompaction | null;
  readonly flags: readonly ContextFlag[];
  /** The sum of the estimates of all entries. */
  readonly tokens: number;
  /** The estimate by {@link estimateContextTokens}, which prefers counts that a provider reported. */
  readonly estimate: TokenEstimate;
  /**
   * A hash of the context. Stored with a reply as `measuredOver`, it shows later whether the reply's usage is still
   * valid.
   */
  readonly measure: string;
}

/** The inputs of {@link contextOf} besides the path. */
export interface ContextOptions {
  readonly systemPrompt?: string | undefined;
  readonly kit: Pick<MessageKit, 'tokens'>;
  readonly words?: ContextTexts;
}

/**
 * Returns the entries that a model sees at the end of a path. After a compaction these are its summary, the nodes from
 * the first kept node on, and everything after the compaction. The cost depends on that part, not on the whole path.
 * The path may lack its beginning if {@link isPathEnoughForContext} returns true.
 */
export function contextOf(path: readonly Node[], options: ContextOptions): Context {
  const { systemPrompt, kit, words } = options;
  const { at, start, flag } = findActiveRange(path);
  const entries = buildContextHead(findSystemPrompt(path, systemPrompt, { at, start }), path[at], kit, words);
  const { reported, hash } = findUsageReports(path, systemPrompt);
  const continued = findContinuedParents(path, start);
  for (let index = start; index < path.length; index++) {
    const node = path[index];
    const entry = node && buildContextEntry(node, reported.get(index) ?? null, kit, words);
    const continues = continued.get(index);
    if (entry !== undefined) entries.push(continues === undefined ? entry : { ...entry, continues });
  }
  let tokens = 0;
  for (const entry of entries) tokens += entry.tokens;
  const flags = flag === null ? [] : [flag];
  return {
    entries,
    compaction: toActiveCompaction(path[at]),
    flags,
    tokens,
    estimate: estimateContextTokens(entries),
    measure: formatPathHash(hash),
  };
}

/**
 * Whether a path without its beginning is long enough for {@link contextOf} to return the same result as for the whole
 * path.
 */
export function isPathEnoughForContext(path: readonly PathMeta[]): boolean {
  const at = indexOfLastCompaction(path);
  if (at < 0) return false;
  return path[at]?.marker?.firstKept === undefined || indexOfFirstKept(path, at) !== undefined;
}

/** Reads as much of the path to a node as the context needs, in growing parts, so that a long history is not read. */
export function* readContextPath(to: NodeId): ReadProgram<readonly Node[]> {
  return yield* readUpwards(to, function* (end, limit, until) {
    const { nodes, complete } = yield* ask('path', { to: end, limit, until });
    return { part: nodes, complete };
  });
}

/** Like {@link readContextPath} without message contents, enough to count tokens. */
export function* readContextMeta(to: NodeId): ReadProgram<readonly PathMeta[]> {
  return yield* readUpwards(to, function* (end, limit, until) {
    const { entries: notes, complete } = yield* ask('pathMeta', { to: end, limit, until });
    return { part: notes, complete };
  });
}

/** Reads a path upwards in parts; no node is read twice. */
function* readUpwards<T extends PathMeta>(
  to: NodeId,
  read: (
    end: NodeId,
    limit: number,
    until: NodeId | undefined,
  ) => ReadProgram<{ readonly part: readonly T[]; readonly complete: boolean }>,
): ReadProgram<readonly T[]> {
  let path: readonly T[] = [];
  for (let end = to, limit = 64; ; limit *= 4) {
    // Once the compaction is read, the first node that the context needs is known.
    const { part, complete } = yield* read(end, limit, path[indexOfLastCompaction(path)]?.marker?.firstKept);
    if (part.length === 0 && path.length > 0)
      refuse('tree/broken-path', `The path to ${to} is incomplete: ${end} is missing.`, { nodeId: end });
    path = [...part, ...path];
    const above = part[0]?.parentId ?? null;
    if (complete || part.length < limit || above === null || isPathEnoughForContext(path)) return path;
    end = above;
  }
}
