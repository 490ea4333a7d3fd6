/** Reads a reply while it is written, from any offset and whoever writes it. */
import { ask, type NodeId, type NodeStatus, type Run, type Store, type TreeId, textOf } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';

/** What a follower sees: text as it is put down, then how it ended, or that it cannot be read. */
export type FollowEvent =
  | { readonly type: 'text-delta'; readonly nodeId: NodeId; readonly offset: number; readonly text: string }
  | { readonly type: 'end'; readonly nodeId: NodeId; readonly status: NodeStatus }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** What is followed. */
export interface Followed {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  /** Code units of the reply's text that are known already. */
  readonly from?: number;
}

/** How a reply is followed. */
export interface FollowOptions {
  readonly clock: Clock;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Follows a reply in any process: text without gap or double from an offset on, then exactly one `end` or `error`. Text
 * that was never put down as a chunk comes from the finished node. Never throws; a signal ends it with `provider/aborted`.
 */
export async function* followReply(
  store: Store,
  { treeId, nodeId, from = 0 }: Followed,
  options: FollowOptions,
): AsyncGenerator<FollowEvent, void, void> {
  const signal = options.signal ?? new AbortController().signal;
  let offset = from;
  let runId: string | null = null;
  try {
    for (let lost = 0; ; ) {
      if (signal.aborted) {
        yield { type: 'error', code: 'provider/aborted', message: `Nobody reads the reply ${nodeId} any more.` };
        return;
      }
      runId ??= (await store.runs.list(treeId)).find((run) => writes(run, nodeId))?.id ?? null;
      // The run is looked for before the node: a run that ended in between has finished its node by then.
      const alive = runId !== null && (await store.runs.find(runId)) !== null;
      for (const chunk of alive && runId !== null ? await store.runs.chunks(runId, offset) : []) {
        yield { type: 'text-delta', nodeId, offset: chunk.offset, text: chunk.text };
        offset = chunk.offset + chunk.text.length;
      }
      const node = alive ? null : await store.read(treeId, () => ask('node', { id: nodeId }));
      if (!alive && node === null) {
        yield { type: 'error', code: 'tree/unknown-node', message: `There is no node ${nodeId}.` };
        return;
      }
      if (node !== null && node.status !== 'pending') {
        const rest = node.message === null ? '' : textOf(node.message).slice(offset);
        if (rest !== '') yield { type: 'text-delta', nodeId, offset, text: rest };
        yield { type: 'end', nodeId, status: node.status };
        return;
      }
      // Pending without a run: once may be a glance between two commits of somebody else, more often is a lost reply.
      if (!alive && ++lost > 2) {
        yield { type: 'error', code: 'generate/lost', message: `Nobody writes the reply ${nodeId} any more.` };
        return;
      }
      await options.clock.wait(options.everyMs, signal).catch(ignoreFollowError);
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    yield { type: 'error', code: 'store/unavailable', message: `The reply ${nodeId} cannot be read: ${message}` };
  }
}

/** Whether a run writes a node, and does not only wait for the tools that it called. */
function writes(run: Run, nodeId: NodeId): boolean {
  return run.nodeId === nodeId && run.data.phase !== 'tools';
}

function ignoreFollowError(): void {
  // The loop looks at the signal itself.
}
