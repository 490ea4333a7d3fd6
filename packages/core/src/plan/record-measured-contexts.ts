import { parseUsage } from '../budget.ts';
import { readContextMeta } from '../context.ts';
import { isMessageEntry } from '../context-entries.ts';
import type { NodeId } from '../ids.ts';
import type { NewNode, NodeMeta } from '../node.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { Step } from '../steps/types.ts';
import type { TreeRow } from '../tree.ts';
import {
  emptyPathHash,
  extendPathHash,
  findUsageReports,
  formatPathHash,
  hashInputOf,
  type PathHash,
  type UsageReports,
} from '../usage-reports.ts';

type PathAbove = Pick<UsageReports, 'hash' | 'newest'>;

function hasUsageWithoutHash(meta: NodeMeta): boolean {
  return (
    parseUsage({ meta }) !== undefined &&
    meta.measuredOver === undefined &&
    meta.copiedFrom === undefined &&
    meta.pickedFrom === undefined &&
    meta.splitSource === undefined
  );
}

/** Whether the steps add token usage to a reply without the hash of the measured context. */
export function hasUnmeasuredUsage(steps: readonly Step[]): boolean {
  return steps.some((step) =>
    step.type === 'insert'
      ? hasUsageWithoutHash(step.node.meta)
      : step.type === 'annotate' && hasUsageWithoutHash(withoutNulls(step.after)),
  );
}

/**
 * Adds to each reply with token usage a hash of the context that the provider measured, unless the caller did so. Reads
 * the path to one existing parent at most.
 */
export function* recordMeasuredContexts(steps: readonly Step[], row: TreeRow | null): ReadProgram<readonly Step[]> {
  const paths = new MeasuredPaths(row, promptAfter(steps, row));
  const noted: Step[] = [];
  for (const step of steps) {
    if (step.type === 'insert') noted.push(yield* addHashToInsert(step, paths));
    else if (step.type === 'annotate' && hasUsageWithoutHash(withoutNulls(step.after)))
      noted.push(yield* addHashToAnnotate(step, paths));
    else noted.push(step);
  }
  return noted;
}

function withoutNulls(patch: Extract<Step, { type: 'annotate' }>['after']): NodeMeta {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null));
}

function promptAfter(steps: readonly Step[], row: TreeRow | null): string | undefined {
  let prompt: unknown = row?.attributes.systemPrompt;
  for (const step of steps) if (step.type === 'attributes') prompt = step.after.systemPrompt ?? prompt;
  return typeof prompt === 'string' ? prompt : undefined;
}

function* addHashToInsert(step: Extract<Step, { type: 'insert' }>, paths: MeasuredPaths): ReadProgram<Step> {
  const { node } = step;
  const above = yield* paths.above(node);
  paths.insert(node, above);
  if (above === null || node.message?.role !== 'assistant' || !hasUsageWithoutHash(node.meta)) return step;
  return { ...step, node: { ...node, meta: { ...node.meta, measuredOver: formatPathHash(above) } } };
}

function* addHashToAnnotate(step: Extract<Step, { type: 'annotate' }>, paths: MeasuredPaths): ReadProgram<Step> {
  const node = yield* ask('head', { id: step.nodeId });
  const above = node?.role === 'assistant' && node.parentId !== null ? yield* paths.at(node.parentId) : null;
  // The path changed while the reply was generated, so the usage does not describe it. Without the hash, readers
  // compare versions instead.
  if (node === null || above === null || above.newest > node.addedIn) return step;
  const { measuredOver = null } = step.before;
  return {
    ...step,
    after: { ...step.after, measuredOver: formatPathHash(above.hash) },
    before: { ...step.before, measuredOver },
  };
}

/** Computes the hashes of paths, including paths through nodes that the steps insert. */
class MeasuredPaths {
  readonly #row: TreeRow | null;
  readonly #prompt: string | undefined;
  readonly #known = new Map<NodeId, PathHash | null>();
  /**
   * The existing parent whose path was read; only one is read. Replies below other existing parents get no hash.
   * Without a hash, readers compare the versions of the nodes above to decide whether the usage still applies.
   */
  #readParent: { readonly id: NodeId; readonly above: PathAbove } | null = null;

  constructor(row: TreeRow | null, prompt: string | undefined) {
    this.#row = row;
    this.#prompt = prompt;
  }

  *above(node: NewNode): ReadProgram<PathHash | null> {
    if (node.parentId === null) return emptyPathHash(this.#prompt);
    const known = this.#known.get(node.parentId);
    if (known !== undefined) return known;
    if (this.#readParent !== null && this.#readParent.id !== node.parentId) return null;
    return (yield* this.at(node.parentId)).hash;
  }

  *at(id: NodeId): ReadProgram<PathAbove> {
    if (id === this.#row?.rootId) return { hash: emptyPathHash(this.#prompt), newest: 0 };
    if (this.#readParent?.id === id) return this.#readParent.above;
    const above = findUsageReports(yield* readContextMeta(id), this.#prompt);
    this.#readParent = { id, above };
    return above;
  }

  insert(node: NewNode, above: PathHash | null): void {
    if (above === null || node.kind === 'compaction') this.#known.set(node.id, null);
    else if (node.kind === 'root' || !isMessageEntry(node)) this.#known.set(node.id, above);
    // The hash of a marker needs the version of this commit, which is not known yet. Usage below a new marker is rare.
    else
      this.#known.set(
        node.id,
        node.kind === 'message' ? extendPathHash(above, hashInputOf({ ...node, contentIn: 0 })) : null,
      );
  }
}
