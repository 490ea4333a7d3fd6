/** Validates users, API tokens and share links before a store writes them. */
import { refuse, type User } from '@coppice/core';

const roles: readonly User['role'][] = ['admin', 'member', 'viewer'];

/** Throws if the role of a user is unknown. */
export function assertKnownRole({ id, role }: User): void {
  if (!roles.includes(role))
    refuse(
      'command/invalid',
      `The role of the user ${id} must be one of ${roles.join(', ')}, not ${JSON.stringify(role)}.`,
      { id },
    );
}

/** Throws if another token or share has the same hash, because a lookup by hash could then find the wrong one. */
export function assertHashUnused(what: 'token' | 'share', id: string, there: { readonly id: string } | null): void {
  if (there !== null && there.id !== id)
    refuse('id/taken', `The hash of the ${what} ${id} is already used by another ${what}.`, { id });
}
