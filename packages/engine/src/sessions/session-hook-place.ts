/** Hooks over many conversations: those that are session files give a hook their entries, others their events alone. */
import { AppError, type TreeId } from '@coppice/core';
import type { Events } from '../events.ts';
import type { SessionOptions } from './contract.ts';
import { type HookEventContext, type HookPlace, hookContext } from './hooks.ts';
import { SessionManager } from './manager.ts';

/** What such a place is made with. */
export interface SessionPlaceOptions extends SessionOptions {
  readonly events: Events;
  /** The file of a conversation; null where it is in none. */
  fileOf(treeId: TreeId): Promise<string | null>;
}

/** A place whose conversations are opened when a hook is first asked about one. */
export interface SessionHookPlace extends HookPlace {
  close(): void;
}

/** Makes a place for hooks. Files that are open already in this process are shared, their leases too. */
export function createHookPlace(options: SessionPlaceOptions): SessionHookPlace {
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
      return hookContext({ manager });
    },
    close() {
      for (const manager of open.values()) manager.close();
      open.clear();
    },
  };
}

/** What a hook is given about a conversation that is no session file: it can judge the event, and nothing else. */
function withoutSession(treeId: TreeId): HookEventContext {
  const refusal = () =>
    new AppError({
      code: 'hook/no-session',
      kind: 'refused',
      message: `The conversation ${treeId} is not in a session file: a hook has no entries of it.`,
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
