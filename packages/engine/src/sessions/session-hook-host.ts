/**
 * Runs hooks for many conversations. If a conversation has a session file, its hooks can read the entries; otherwise
 * they get only the event.
 */
import { AppError, type TreeId } from '@coppice/core';
import type { EventBus } from '../events.ts';
import type { SessionOptions } from './contract.ts';
import { createHookContext, type HookEventContext, type HookHost } from './hooks.ts';
import { SessionManager } from './manager.ts';

/** The events to add hooks to, and how to find session files. */
export interface SessionHookHostOptions extends SessionOptions {
  readonly events: EventBus;
  /** Returns the path of a conversation's session file; null if it has none. */
  fileOf(treeId: TreeId): Promise<string | null>;
}

/** Gives hooks access to many sessions; opens each file on first use. */
export interface SessionHookHost extends HookHost {
  close(): void;
}

/** Creates the host. Files that are already open in this process are shared, including their leases. */
export function createSessionHookHost(options: SessionHookHostOptions): SessionHookHost {
  const open = new Map<TreeId, SessionManager>();
  return {
    events: options.events,
    async contextOf(treeId) {
      const known = open.get(treeId);
      const path = known === undefined ? await options.fileOf(treeId) : known.path;
      if (path === null) return withoutSession(treeId);
      const manager = known ?? SessionManager.open(path, options);
      open.set(treeId, manager);
      manager.refresh();
      return createHookContext({ manager });
    },
    close() {
      for (const manager of open.values()) manager.close();
      open.clear();
    },
  };
}

/**
 * Creates the context for a conversation without a session file: the hook gets the event, but every access to entries
 * throws.
 */
function withoutSession(treeId: TreeId): HookEventContext {
  const refusal = () =>
    new AppError({
      code: 'hook/no-session',
      kind: 'refused',
      message: `The chat ${treeId} is not in a session file, so hooks cannot read its entries.`,
      data: { treeId },
    });
  const none = async (): Promise<never> => {
    throw refusal();
  };
  return {
    get entries(): never {
      throw refusal();
    },
    get currentPath(): never {
      throw refusal();
    },
    branchInPlace: none,
    saveEntry: none,
    rebuildContext: none,
  };
}
