import type { User } from '@coppice/core';

/** The credential that admitted a caller, and a check whether it is still valid. */
export interface CallerCredential {
  /** Equal for all requests that the same credential admitted. */
  readonly key: string;
  holds(): Promise<boolean>;
}

/** The authenticated caller. */
export interface Caller {
  /** The owner of the trees: the user in shared mode, else the store's owner. */
  readonly owner: string;
  /** The actor in history and undo. */
  readonly actor: string;
  readonly name: string;
  readonly role: User['role'];
  /** How the caller authenticated. */
  readonly by: 'bearer' | 'cookie' | 'proxy';
  /** For long-lived streams: the check whether the credential is still valid; null if it cannot be revoked. */
  readonly stay: CallerCredential | null;
}
