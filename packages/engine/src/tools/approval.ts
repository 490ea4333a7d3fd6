/** Grants approvals for tool calls, bound to the exact arguments. */
import { canonicalJson, sha256Hex } from '@coppice/content';
import type { JsonObject } from '@coppice/core';
import type { ApprovalDecision, Approve } from './contract.ts';

/** Returns a hash of a tool and exactly these arguments; the order of keys does not matter. */
export function hashToolCall(name: string, parameters: JsonObject): string {
  return sha256Hex(canonicalJson({ name, parameters }));
}

/**
 * Holds approvals that are granted before the call, for example by a separate request. Each allows one call of that
 * tool with those arguments.
 */
export class GrantedApprovals {
  readonly #granted = new Map<string, number>();

  /** Allows one call with this hash. Granting it twice allows two calls. */
  grant(hash: string): void {
    this.#granted.set(hash, (this.#granted.get(hash) ?? 0) + 1);
  }

  /** Revokes all unused approvals of this hash. */
  revoke(hash: string): void {
    this.#granted.delete(hash);
  }

  /** Returns a function that approves calls granted in advance, and asks `otherwise` about all others. */
  deciding(otherwise?: Approve): Approve {
    return (request): ApprovalDecision | Promise<ApprovalDecision> => {
      const left = this.#granted.get(request.hash) ?? 0;
      if (left === 0) return otherwise?.(request) ?? { approved: false };
      if (left === 1) this.#granted.delete(request.hash);
      else this.#granted.set(request.hash, left - 1);
      return { approved: true, hash: request.hash };
    };
  }
}
