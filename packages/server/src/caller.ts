import type { User } from '@coppice/core';

/** What lets a caller in, and whether it still does. */
export interface CallerLimits {
  /** The same for everything that was let in by the same. */
  readonly key: string;
  holds(): Promise<boolean>;
}

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
  /** By what it may stay where it is, for streams that are open for long; null where that is never taken away. */
  readonly stay: CallerLimits | null;
}
