/** Adds and loads hooks: functions of a module that run before and after an act, with access to the session. */
import { AppError, type TreeId } from '@coppice/core';
import type { AfterEvents, BeforeEvents, EventBus, HookEventName, HookFailure, HookVerdict } from '../events.ts';
import type { NewEntry, SessionContext, SessionEntry } from './contract.ts';
import type { SessionManager } from './manager.ts';

/** The session as a hook sees it: its entries, and the changes that a hook may make. */
export interface HookEventContext {
  /** All live entries, in file order. */
  readonly entries: readonly SessionEntry[];
  /** The entries from the header to the current leaf. */
  readonly currentPath: readonly SessionEntry[];
  /**
   * Moves to an entry within the file. Runs no hooks. If a summary is given, it is added as that of the branch that is
   * left.
   */
  branchInPlace(parentUuid: string, summary?: string): Promise<void>;
  /** Saves an entry; it is durable when the promise resolves. */
  saveEntry(entry: NewEntry): Promise<void>;
  /** Reads the session file again and builds the context. */
  rebuildContext(): Promise<SessionContext>;
}

/** The hooks of one module, by the name of the act. */
export interface SessionHooks {
  readonly before?: {
    readonly [K in HookEventName]?: (
      event: BeforeEvents[K],
      context: HookEventContext,
    ) => HookVerdict<BeforeEvents[K]> | Promise<HookVerdict<BeforeEvents[K]>>;
  };
  readonly after?: {
    readonly [K in HookEventName]?: (event: AfterEvents[K], context: HookEventContext) => void | Promise<void>;
  };
}

/**
 * An object with events and a session manager, such as an agent session. The manager changes when the session continues
 * in a new file.
 */
export interface HookSession {
  readonly events: EventBus;
  readonly manager: SessionManager;
}

/** Creates the object through which hooks access a session. */
export function createHookContext(session: Pick<HookSession, 'manager'>): HookEventContext {
  return {
    get entries() {
      return session.manager.getEntries();
    },
    get currentPath() {
      return session.manager.getPath();
    },
    async branchInPlace(parentUuid, summary) {
      if (summary === undefined) await session.manager.branch(parentUuid);
      else await session.manager.branchWithSummary(parentUuid, summary);
    },
    async saveEntry(entry) {
      await session.manager.saveEntry(entry);
    },
    async rebuildContext() {
      session.manager.refresh();
      return session.manager.buildSessionContext();
    },
  };
}

const names: readonly HookEventName[] = ['append', 'branch', 'switch', 'merge', 'compact', 'generate'];

/** The events of many sessions, and a function that returns the context of each. */
export interface HookHost {
  readonly events: EventBus;
  contextOf(treeId: TreeId): Promise<HookEventContext>;
}

/**
 * Adds hooks to the events of one session or of many; returns a function that removes them. A hook that fails is
 * reported under the name `from` and skipped.
 */
export function addHooks(on: HookSession | HookHost, hooks: SessionHooks, from?: string): () => void {
  const place = 'contextOf' in on ? on : hookPlaceOf(on);
  const added = names.flatMap((name) => [addBefore(place, name, hooks, from), addAfter(place, name, hooks, from)]);
  return () => {
    for (const remove of added) remove();
  };
}

function hookPlaceOf(session: HookSession): HookHost {
  const context = createHookContext(session);
  return { events: session.events, contextOf: async () => context };
}

function addBefore<K extends HookEventName>(
  { events, contextOf }: HookHost,
  name: K,
  hooks: SessionHooks,
  from: string | undefined,
): () => void {
  const hook = hooks.before?.[name];
  if (hook === undefined) return doNothing;
  return events.before(name, async (event) => hook(event, await contextOf(event.treeId)), from);
}

function addAfter<K extends HookEventName>(
  { events, contextOf }: HookHost,
  name: K,
  hooks: SessionHooks,
  from: string | undefined,
): () => void {
  const hook = hooks.after?.[name];
  if (hook === undefined) return doNothing;
  return events.after(name, async (event) => hook(event, await contextOf(event.treeId)), from);
}

function doNothing(): void {
  // The module has no hook for this event.
}

/** The folders that hook modules may come from, and functions that read them. */
export interface HookLoadOptions {
  /** Trusted folders. A module outside of them is not even read. */
  readonly trusted: readonly string[];
  /** Returns the path of a file with symbolic links resolved. */
  realPath(path: string): Promise<string>;
  /** Imports a module by its path. */
  importModule(path: string): Promise<unknown>;
  readonly onFailure?: (failure: HookFailure) => void;
}

/**
 * Loads hook modules for one session or for many. A module that is not trusted, or fails to load, is reported and
 * skipped.
 */
export async function loadHooks(
  on: HookSession | HookHost,
  paths: readonly string[],
  loading: HookLoadOptions,
): Promise<() => void> {
  const added: (() => void)[] = [];
  for (const path of paths) {
    try {
      const real = await loading.realPath(path);
      if (!(await isTrusted(real, loading))) throw untrustedError(path, real);
      added.push(addHooks(on, hooksIn(await loading.importModule(real), path), path));
    } catch (error) {
      loading.onFailure?.({ event: `load ${path}`, error, from: path });
    }
  }
  return () => {
    for (const remove of added) remove();
  };
}

async function isTrusted(real: string, { trusted, realPath }: HookLoadOptions): Promise<boolean> {
  for (const folder of trusted) {
    const root = await realPath(folder).catch(() => null);
    if (root !== null && (real.startsWith(`${root}/`) || real.startsWith(`${root}\\`))) return true;
  }
  return false;
}

function untrustedError(path: string, real: string): AppError {
  return new AppError({
    code: 'hook/untrusted',
    kind: 'refused',
    message: `${path} is not in a folder that you trust with hooks: it was not loaded.`,
    data: { path, real },
  });
}

function hooksIn(module: unknown, path: string): SessionHooks {
  const found: unknown =
    typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  if (isHooks(found)) return found;
  throw new AppError({
    code: 'hook/invalid',
    kind: 'invalid',
    message: `${path} has no default export with hooks under before or after.`,
    data: { path },
  });
}

function isHooks(value: unknown): value is SessionHooks {
  if (typeof value !== 'object' || value === null) return false;
  const parts = [ownProperty(value, 'before'), ownProperty(value, 'after')];
  if (parts.every((part) => part === undefined)) return false;
  return parts.every((part) => part === undefined || isSet(part));
}

function isSet(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return Object.entries(part).every(
    ([name, hook]) => names.some((known) => known === name) && typeof hook === 'function',
  );
}

function ownProperty(value: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}
