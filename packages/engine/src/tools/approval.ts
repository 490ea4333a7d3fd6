/** Approval of calls with side effects, bound to the exact arguments. */
import { canonicalJson, sha256Hex } from '@coppice/content';
import type { JsonObject } from '@coppice/core';
import type { ApprovalDecision, Approve } from './contract.ts';

/** Identifies a tool with exactly these arguments; the order of keys does not count. */
export function hashToolCall(name: string, parameters: JsonObject): string {
  return sha256Hex(canonicalJson({ name, parameters }));
}

/**
 * Approvals that are granted in advance, for example by a separate request. Each allows one call of that tool with
 * those arguments.
 */
export class Approvals {
  readonly #granted = new Map<string, number>();

  /** Allows one call. Granting it twice allows two. */
  grant(hash: string): void {
    this.#granted.set(hash, (this.#granted.get(hash) ?? 0) + 1);
  }

  /** Revokes all unused grants. */
  revoke(hash: string): void {
    this.#granted.delete(hash);
  }

  /** Approves calls that were granted in advance; asks `otherwise` about all others. */
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
