/** Reads a reply while it is being written, from any offset and by any process. */
import { ask, type NodeId, type NodeStatus, type Run, type Store, type TreeId, textOf } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';
import { type SharedTimer, waitForTick } from './shared-timer.ts';

/** The events of a followed reply: text as it is stored, then the end, or an error. */
export type FollowEvent =
  | { readonly type: 'text-delta'; readonly nodeId: NodeId; readonly offset: number; readonly text: string }
  | { readonly type: 'end'; readonly nodeId: NodeId; readonly status: NodeStatus }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** A reply, and how much of its text the follower already has. */
export interface FollowedReply {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  /** How much of the reply's text is already known, in UTF-16 code units. */
  readonly from?: number;
}

/** How often and how long to poll. */
export interface FollowReplyOptions {
  readonly clock: Clock;
  /** The polling interval in milliseconds. */
  readonly everyMs: number;
  /**
   * A timer that all followed replies of a server share, so that they are polled together. If given, `everyMs` is
   * ignored.
   */
  readonly ticks?: SharedTimer | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Yields the text of a reply that any process writes, from an offset on without gaps or repeats, then exactly one `end`
 * or `error`. Text that was not stored as a chunk is read from the finished node. Never throws; an abort ends it with
 * `provider/aborted`.
 */
export async function* followReply(
  store: Store,
  { treeId, nodeId, from = 0 }: FollowedReply,
  options: FollowReplyOptions,
): AsyncGenerator<FollowEvent, void, void> {
  const signal = options.signal ?? new AbortController().signal;
  let offset = from;
  let runId: string | null = null;
  try {
    for (let lost = 0; ; ) {
      if (signal.aborted) {
        yield { type: 'error', code: 'provider/aborted', message: `Following the reply ${nodeId} was aborted.` };
        return;
      }
      runId ??= (await store.runs.list(treeId)).find((run) => isWriting(run, nodeId))?.id ?? null;
      // The run is read before the node: if the run ended in between, its node is finished. Both reads are sent
      // together, so that the store can answer them in one transaction.
      const [found, chunks] =
        runId === null ? [null, []] : await Promise.all([store.runs.find(runId), store.runs.chunks(runId, offset)]);
      const alive = found !== null;
      for (const chunk of alive ? chunks : []) {
        yield { type: 'text-delta', nodeId, offset: chunk.offset, text: chunk.text };
        offset = chunk.offset + chunk.text.length;
      }
      const node = alive ? null : await store.read(treeId, () => ask('node', { id: nodeId }));
      if (!alive && node === null) {
        yield { type: 'error', code: 'tree/unknown-node', message: `There is no message ${nodeId}.` };
        return;
      }
      if (node !== null && node.status !== 'pending') {
        const rest = node.message === null ? '' : textOf(node.message).slice(offset);
        if (rest !== '') yield { type: 'text-delta', nodeId, offset, text: rest };
        yield { type: 'end', nodeId, status: node.status };
        return;
      }
      // A pending node may be without a run for a moment, between two commits of the writer. If that lasts, the reply
      // is lost.
      if (!alive && ++lost > 2) {
        yield { type: 'error', code: 'generate/lost', message: `The reply ${nodeId} is no longer being written.` };
        return;
      }
      const { clock, everyMs, ticks } = options;
      const next = ticks === undefined ? clock.wait(everyMs, signal) : waitForTick(ticks, signal);
      await next.catch(ignoreFollowError);
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    yield { type: 'error', code: 'store/unavailable', message: `The reply ${nodeId} cannot be read: ${message}` };
  }
}

/** Returns whether a run writes the node; other runs of the node only wait for its tool calls. */
function isWriting(run: Run, nodeId: NodeId): boolean {
  return run.nodeId === nodeId && run.data.phase !== 'tools';
}

function ignoreFollowError(): void {
  // The loop checks the signal after each wait.
}
