/**
 * Holds the tool calls that wait for approval. The turn emits an event for each, and the user decides through the turn.
 */
import { type JsonObject, type NodeId, refuse } from '@coppice/core';
import { findCallDecision, isCallWaiting, makeWaitingCallData } from '../runs/tool-decisions.ts';
import type { ApprovalDecision, ApprovalRequest, Approve } from '../tools/contract.ts';
import type { TurnApprove, TurnEvent } from './contract.ts';

/** The tool calls of one turn that wait for approval. */
export interface TurnApprovals {
  /**
   * Returns a function that decides with `approve`, and waits for the user if that returns `ask`. Undefined if the
   * caller passed no `approve`.
   */
  approver(approve: TurnApprove | undefined, nodeId: NodeId): Approve | undefined;
  /**
   * Decides a pending approval and returns the request. Throws `tree/unknown-node` if none with that id is pending.
   */
  decide(callId: string, approved: boolean): ApprovalRequest;
  /** Whether a call with this id waits in this process. */
  isWaiting(callId: string): boolean;
  /**
   * Sets the function that adds data to the run of the turn, so that other processes see which calls wait; null if the
   * turn has no run at the moment.
   */
  shareThrough(note: ((data: JsonObject) => Promise<unknown>) | null): void;
  /** Whether other processes can see and decide the calls. */
  readonly isShared: boolean;
  /**
   * Applies the decisions that other processes have stored in the run's data. A waiting call that the data lacks is
   * added to it again.
   */
  takeDecisions(data: JsonObject): void;
}

export function createTurnApprovals(emit: (event: TurnEvent) => void): TurnApprovals {
  const open = new Map<
    string,
    { readonly request: ApprovalRequest; resolveApproval(decision: ApprovalDecision): void }
  >();
  let note: ((data: JsonObject) => Promise<unknown>) | null = null;
  const ask = async (request: ApprovalRequest, nodeId: NodeId): Promise<ApprovalDecision> => {
    const { callId, name, description, parameters, hash, signal } = request;
    // Stored before the event is sent, so that a decision finds the call on any server.
    await note?.(makeWaitingCallData(callId, name)).catch(ignoreFailure);
    return new Promise((resolve) => {
      const resolveApproval = (decision: ApprovalDecision) => {
        if (!open.delete(callId)) return;
        signal.removeEventListener('abort', stop);
        emit({ type: 'approval-end', nodeId, callId, approved: decision.approved });
        resolve(decision);
      };
      const stop = () => resolveApproval({ approved: false, reason: 'The turn was stopped.' });
      open.set(callId, { request, resolveApproval });
      signal.addEventListener('abort', stop, { once: true });
      emit({ type: 'approval', nodeId, callId, name, description, parameters, hash });
      if (signal.aborted) stop();
    });
  };
  const decide = (callId: string, approved: boolean): ApprovalRequest => {
    const openRequest = open.get(callId);
    if (openRequest === undefined)
      return refuse('tree/unknown-node', `No call ${callId} of this turn waits for an approval.`, { callId });
    const { request } = openRequest;
    openRequest.resolveApproval(approved ? { approved, hash: request.hash } : { approved, reason: 'It was declined.' });
    return request;
  };
  return {
    approver: (approve, nodeId) =>
      approve === undefined
        ? undefined
        : async (request) => {
            const decision = await approve(request);
            return decision === 'ask' ? ask(request, nodeId) : decision;
          },
    decide,
    isWaiting: (callId) => open.has(callId),
    shareThrough(through) {
      note = through;
    },
    get isShared() {
      return note !== null;
    },
    takeDecisions(data) {
      for (const [callId, { request }] of [...open]) {
        const approved = findCallDecision(data, callId);
        if (approved !== null) decide(callId, approved);
        // The store was unavailable when the call began to wait.
        else if (!isCallWaiting(data, callId))
          void note?.(makeWaitingCallData(callId, request.name)).catch(ignoreFailure);
      }
    },
  };
}

function ignoreFailure(): void {
  // The waiting call is stored again at the next check of the run.
}
