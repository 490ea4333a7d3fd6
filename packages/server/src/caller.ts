import type { User } from '@coppice/core';

/** Who calls. */
export interface Caller {
  /** Whose trees are meant: the user in shared mode, the store's owner otherwise. */
  readonly owner: string;
  /** Who acts, as history and undo know it. */
  readonly actor: string;
  readonly name: string;
  readonly role: User['role'];
  /** How the caller showed who it is. */
  readonly by: 'bearer' | 'cookie' | 'proxy';
}
