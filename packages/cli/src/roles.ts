import type { Role } from '@coppice/core';

const roles: readonly Role[] = ['user', 'assistant', 'tool', 'system'];

/** Whether a word is a role that a message can have. */
export function isMessageRole(word: string): word is Role {
  return roles.some((role) => role === word);
}
