/** Stops replies that another process writes: ends their nodes here, which the other process notices at its next word. */
import { type ActId, type Run, type RunContext, run as runCommand, type Store, textMessage } from '@coppice/core';
import type { Call } from '../routes/define.ts';
import { runContext } from '../tree-view.ts';

/**
 * Ends the nodes of runs as `aborted` with what was put down, then the runs. Whoever writes them finds the run gone and
 * stops asking its model. False where nothing was left to stop.
 */
export async function abortElsewhere(store: Store, runs: readonly Run[], context: RunContext): Promise<boolean> {
  let aborted = false;
  for (const one of runs) {
    const text = (await store.runs.chunks(one.id)).map((chunk) => chunk.text).join('');
    const { actId } = one.data;
    const error = { code: 'generate/aborted', kind: 'aborted', message: 'The reply was stopped.', retryable: false };
    const { expectedVersion: _, ...plain } = context;
    const outcome = await runCommand(
      store,
      {
        type: 'finish',
        treeId: one.treeId,
        nodeId: one.nodeId,
        status: 'aborted',
        ...(text === '' ? {} : { message: textMessage('assistant', text) }),
        meta: { error },
      },
      { ...plain, ...(typeof actId === 'string' ? { actId } : {}) },
    );
    await store.runs.end(one.id);
    aborted ||= outcome.result.changed;
  }
  return aborted;
}

/** The act that a run belongs to, as far as it says so. */
export function actOf(run: Run): string | null {
  return typeof run.data.actId === 'string' ? run.data.actId : null;
}

type Stopping = Pick<Call<unknown, unknown, unknown>, 'caller' | 'services' | 'expectedVersion' | 'onConflict'>;

/** Stops whatever writes as part of an act, in this process or another; false where nothing did. */
export async function stopAct(call: Stopping, store: Store, actId: ActId): Promise<boolean> {
  if (await call.services.turns.stop(actId)) return true;
  const runs = (await store.runs.list()).filter((run) => actOf(run) === actId);
  return runs.length > 0 && (await abortElsewhere(store, runs, runContext(call)));
}
