/** Runs hooks for many conversations. For a session file a hook gets the entries, for other trees only the event. */
import { AppError, type TreeId } from '@coppice/core';
import type { Events } from '../events.ts';
import type { SessionOptions } from './contract.ts';
import { createHookContext, type HookEventContext, type HookHost } from './hooks.ts';
import { SessionManager } from './manager.ts';

/** Options of the host. */
export interface SessionHookHostOptions extends SessionOptions {
  readonly events: Events;
  /** The session file of a conversation; null if it has none. */
  fileOf(treeId: TreeId): Promise<string | null>;
}

/** A host that opens session files on first use. */
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

/** The context for a conversation without a session file: the hook can decide about the event, but nothing else. */
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
