/** From a path to what is in force for the next call, entry by entry, with the reason why each is there. */
import { estimateTokens, type TokenEstimate } from './budget.ts';
import {
  type ActiveCompaction,
  activeRange,
  type ContextEntry,
  type ContextFlag,
  compactionOf,
  contextEntry,
  contextHead,
  firstKept,
  lastCompaction,
} from './context-entries.ts';
import type { ContextTexts } from './context-wrappers.ts';
import { continuedBy } from './continued-text.ts';
import { refuse } from './errors.ts';
import type { NodeId } from './ids.ts';
import { digest, reportsAlong } from './measured.ts';
import type { MessageKit } from './message.ts';
import type { Node } from './node.ts';
import { ask, type PathMeta, type ReadProgram } from './reads.ts';

export * from './budget.ts';
export type { ActiveCompaction, ContextEntry, ContextFlag, ContextKind } from './context-entries.ts';
export * from './context-wrappers.ts';
export * from './request.ts';
export { pairTools, type ToolPair, type ToolPairs } from './tool-pairs.ts';

/** What is in force for the next call. */
export interface Context {
  readonly entries: readonly ContextEntry[];
  readonly compaction: ActiveCompaction | null;
  readonly flags: readonly ContextFlag[];
  /** The entries' own estimates added up. */
  readonly tokens: number;
  /** What they take by {@link estimateTokens}. */
  readonly estimate: TokenEstimate;
  /** Names all of this. Noted with a reply as `measuredOver`, it tells later whether the usage of that reply still holds. */
  readonly measure: string;
}

/** What {@link contextOf} is told beside the path. */
export interface ContextOptions {
  readonly systemPrompt?: string | undefined;
  readonly kit: Pick<MessageKit, 'tokens'>;
  readonly words?: ContextTexts;
}

/**
 * What a model sees at the end of a path. After a compaction: its summary, the nodes from its first kept one on, and
 * what follows. The cost follows the part in force, not the whole path. A path may begin late if {@link holdsContext}.
 */
export function contextOf(path: readonly Node[], options: ContextOptions): Context {
  const { systemPrompt, kit, words } = options;
  const { at, start, flag } = activeRange(path);
  const entries = contextHead(systemPrompt, path[at], kit, words);
  const { reported, hash } = reportsAlong(path, systemPrompt);
  const continued = continuedBy(path, start);
  for (let index = start; index < path.length; index++) {
    const node = path[index];
    const entry = node && contextEntry(node, reported.get(index) ?? null, kit, words);
    const continues = continued.get(index);
    if (entry !== undefined) entries.push(continues === undefined ? entry : { ...entry, continues });
  }
  let tokens = 0;
  for (const entry of entries) tokens += entry.tokens;
  const flags = flag === null ? [] : [flag];
  return {
    entries,
    compaction: compactionOf(path[at]),
    flags,
    tokens,
    estimate: estimateTokens(entries),
    measure: digest(hash),
  };
}

/**
 * Whether a stretch that does not begin at a first turn reaches up far enough for {@link contextOf} to give what it
 * would give for the whole path.
 */
export function holdsContext(stretch: readonly PathMeta[]): boolean {
  const at = lastCompaction(stretch);
  if (at < 0) return false;
  return stretch[at]?.marker?.firstKept === undefined || firstKept(stretch, at) !== undefined;
}

/** Reads as much of the path to a node as is in force, in growing stretches, so that a long history is not read for it. */
export function* readContextPath(to: NodeId): ReadProgram<readonly Node[]> {
  return yield* readUpwards(to, function* (end, limit) {
    const { nodes, complete } = yield* ask('path', { to: end, limit });
    return { part: nodes, complete };
  });
}

/** The same without what is said: what it weighs is told without reading it. */
export function* readContextNotes(to: NodeId): ReadProgram<readonly PathMeta[]> {
  return yield* readUpwards(to, function* (end, limit) {
    const { entries: notes, complete } = yield* ask('pathMeta', { to: end, limit });
    return { part: notes, complete };
  });
}

/** Each stretch goes on above the one before: no node is read twice, however far up it goes. */
function* readUpwards<T extends PathMeta>(
  to: NodeId,
  read: (end: NodeId, limit: number) => ReadProgram<{ readonly part: readonly T[]; readonly complete: boolean }>,
): ReadProgram<readonly T[]> {
  let path: readonly T[] = [];
  for (let end = to, limit = 64; ; limit *= 4) {
    const { part, complete } = yield* read(end, limit);
    if (part.length === 0 && path.length > 0)
      refuse('tree/broken-path', `The path to ${to} breaks off: ${end} is missing.`, { nodeId: end });
    path = [...part, ...path];
    const above = part[0]?.parentId ?? null;
    if (complete || part.length < limit || above === null || holdsContext(path)) return path;
    end = above;
  }
}
