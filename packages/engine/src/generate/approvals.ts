/**
 * Holds the tool calls that wait for approval. The turn emits an event for each, and the user decides through the turn.
 */
import { type NodeId, refuse } from '@coppice/core';
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
}

export function createApprovals(emit: (event: TurnEvent) => void): TurnApprovals {
  const open = new Map<
    string,
    { readonly request: ApprovalRequest; resolveApproval(decision: ApprovalDecision): void }
  >();
  const ask = (request: ApprovalRequest, nodeId: NodeId): Promise<ApprovalDecision> => {
    const { callId, name, description, parameters, hash, signal } = request;
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
  return {
    approver: (approve, nodeId) =>
      approve === undefined
        ? undefined
        : async (request) => {
            const decision = await approve(request);
            return decision === 'ask' ? ask(request, nodeId) : decision;
          },
    decide(callId, approved) {
      const asked = open.get(callId);
      if (asked === undefined)
        return refuse('tree/unknown-node', `No call ${callId} of this turn waits for an approval.`, { callId });
      const { request } = asked;
      asked.resolveApproval(approved ? { approved, hash: request.hash } : { approved, reason: 'It was declined.' });
      return request;
    },
  };
}
