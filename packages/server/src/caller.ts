import type { User } from '@coppice/core';

/** The credential of a request. A stream that stays open checks it again, because it may be revoked. */
export interface CallerCredential {
  /** Equal for all requests that the same credential admitted. */
  readonly key: string;
  isValid(): Promise<boolean>;
}

/** The user who sent a request, after authentication. */
export interface Caller {
  /** The owner of the trees: the user in shared mode, else the store's owner. */
  readonly owner: string;
  /** The actor in history and undo. */
  readonly actor: string;
  readonly name: string;
  readonly role: User['role'];
  /** How the caller authenticated. */
  readonly by: 'bearer' | 'cookie' | 'proxy';
  /** Checked again while a stream of the caller is open; null if the credential cannot be revoked. */
  readonly credential: CallerCredential | null;
}
