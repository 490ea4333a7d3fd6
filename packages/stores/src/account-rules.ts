/** What no store keeps of an account, said the same way by all of them. */
import { refuse, type User } from '@coppice/core';

const roles: readonly User['role'][] = ['admin', 'member', 'viewer'];

/** Refuses a user of a role that there is not. */
export function checkUser({ id, role }: User): void {
  if (!roles.includes(role))
    refuse('command/invalid', `The user ${id} is one of ${roles.join(', ')}, not ${JSON.stringify(role)}.`, { id });
}

/** Refuses a hash that another token or share is found by: whoever held it would come in as somebody else. */
export function refuseHash(what: 'token' | 'share', id: string, there: { readonly id: string } | null): void {
  if (there !== null && there.id !== id) refuse('id/taken', `The hash of the ${what} ${id} is another one's.`, { id });
}
