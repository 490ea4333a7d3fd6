/**
 * Decides tool calls that wait for approval, in the data of the run that waits for the tools. So any process can decide,
 * and the first decision counts.
 */
import type { ActId, JsonObject, Run, RunStore } from '@coppice/core';

const waitingField = (callId: string) => `waiting ${callId}`;
const decidedField = (callId: string) => `decided ${callId}`;

/** Returns the run data that says that a call of a tool waits for approval. */
export function makeWaitingCallData(callId: string, tool: string): JsonObject {
  return { [waitingField(callId)]: tool };
}

/** Returns whether the data of a run says that a call waits. */
export function isCallWaiting(data: JsonObject, callId: string): boolean {
  return Object.hasOwn(data, waitingField(callId));
}

/** Returns the decision about a call from the data of its run; null while it is undecided. */
export function findCallDecision(data: JsonObject, callId: string): boolean | null {
  const field = decidedField(callId);
  const decided = Object.hasOwn(data, field) ? data[field] : null;
  return typeof decided === 'boolean' ? decided : null;
}

/** Records a decision. Returns false if there was one before, or if the run has ended. */
function recordDecision(
  runs: Pick<RunStore, 'note'>,
  runId: string,
  callId: string,
  approved: boolean,
): Promise<boolean> {
  return runs.note(runId, { [decidedField(callId)]: approved }, decidedField(callId));
}

/** A call of a turn, in any process, and the decision. */
export interface CallDecision {
  readonly actId: ActId;
  readonly callId: string;
  readonly approved: boolean;
}

/** Decides a call that waits in any process. Returns the name of its tool, or null if no such call waits any more. */
export async function decideWaitingCall(
  runs: Pick<RunStore, 'list' | 'note'>,
  { actId, callId, approved }: CallDecision,
): Promise<string | null> {
  for (const run of await runs.list()) {
    const tool = run.data.actId === actId ? toolWaiting(run, callId) : null;
    if (tool !== null && (await recordDecision(runs, run.id, callId, approved))) return tool;
  }
  return null;
}

function toolWaiting({ data }: Run, callId: string): string | null {
  const field = waitingField(callId);
  const tool = Object.hasOwn(data, field) ? data[field] : null;
  return typeof tool === 'string' ? tool : null;
}
