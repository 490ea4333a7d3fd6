/** Where others may look in: hooks before an act, which can cancel or replace it, and after, which are told. */
import { AppError, type Message, type NodeId, type NodeMeta, type TreeId } from '@coppice/core';

/**
 * Why older messages give way: `manual`, somebody asked; `due`, before a call, and `after`, after a turn, it would be
 * good; `full`, there is no room for a reply; `overflow`, the provider said so.
 */
export type CompactReason = 'manual' | 'due' | 'after' | 'full' | 'overflow';

/** What each hook before an act is given, and may give back in place of it. */
export interface BeforeEvents {
  append: {
    readonly treeId: TreeId;
    readonly parentId: NodeId | null;
    readonly messages: readonly { readonly message: Message; readonly id?: string; readonly meta?: NodeMeta }[];
  };
  branch: { readonly treeId: TreeId; readonly nodeId: NodeId; readonly summary?: string };
  switch: { readonly treeId: TreeId; readonly nodeId: NodeId };
  compact: {
    readonly treeId: TreeId;
    /** The end of the branch: the summary goes below it. */
    readonly nodeId: NodeId;
    readonly reason: CompactReason;
    readonly focus?: string;
    /** The summary itself: a hook that sets it spares the model the work. */
    readonly summary?: string;
  };
  generate: {
    readonly treeId: TreeId;
    readonly parentId: NodeId;
    /** As `provider/model`, one per reply. */
    readonly models: readonly string[];
    readonly tools: readonly string[];
    readonly temperature?: number;
    readonly maxTokens?: number;
  };
}

/** What each hook after an act is told. */
export interface AfterEvents {
  append: {
    readonly treeId: TreeId;
    readonly nodeId: NodeId;
    readonly added: readonly NodeId[];
    /** What was there already and is said again. */
    readonly reused: readonly NodeId[];
  };
  branch: { readonly treeId: TreeId; readonly nodeId: NodeId; readonly added: readonly NodeId[] };
  switch: { readonly treeId: TreeId; readonly nodeId: NodeId; readonly from: NodeId | null };
  compact: { readonly treeId: TreeId; readonly nodeId: NodeId; readonly reason: CompactReason };
  generate: { readonly treeId: TreeId; readonly nodeIds: readonly NodeId[]; readonly failed: readonly NodeId[] };
}

/** An act that hooks can stand before and after. */
export type EventName = keyof BeforeEvents & keyof AfterEvents;

/** What a hook before an act decides: nothing, that it does not happen (with a sentence why), or other particulars. */
export type Verdict<T> = undefined | { readonly cancel: string } | { readonly replace: T };

/** A hook before an act. */
export type BeforeHook<K extends EventName> = (
  event: BeforeEvents[K],
) => Verdict<BeforeEvents[K]> | Promise<Verdict<BeforeEvents[K]>>;

/** A hook after an act. */
export type AfterHook<K extends EventName> = (event: AfterEvents[K]) => void | Promise<void>;

/** A hook that threw, gave something that is no verdict, or no answer at all. The act went on as if it were not there. */
export interface HookFailure {
  readonly event: string;
  readonly error: unknown;
  /** Where the hook comes from, if that was said when it was added. */
  readonly from?: string;
}

/** Holds hooks and calls them, in the order in which they came. */
export interface Events {
  /** Adds a hook, with the name under which its failures are reported; what is returned takes it away again. */
  before<K extends EventName>(name: K, hook: BeforeHook<K>, from?: string): () => void;
  after<K extends EventName>(name: K, hook: AfterHook<K>, from?: string): () => void;
  /** Asks the hooks; gives what is to be done, or rejects with `event/cancelled`. */
  ask<K extends EventName>(name: K, event: BeforeEvents[K]): Promise<BeforeEvents[K]>;
  /** Tells the hooks. Never rejects. */
  tell<K extends EventName>(name: K, event: AfterEvents[K]): Promise<void>;
}

/** How a bus deals with its hooks. */
export interface EventsOptions {
  /** After so many milliseconds a hook that has not answered is reported and passed over; a minute if not given. */
  readonly limit?: number;
}

/** Makes a bus without hooks. A hook that fails is reported and passed over: nobody's turn breaks for it. */
export function createEvents(
  onFailure: (failure: HookFailure) => void = ignoreHookError,
  { limit = 60_000 }: EventsOptions = {},
): Events {
  const befores: { readonly [K in EventName]: Map<BeforeHook<K>, string | undefined> } = {
    append: new Map(),
    branch: new Map(),
    switch: new Map(),
    compact: new Map(),
    generate: new Map(),
  };
  const afters: { readonly [K in EventName]: Map<AfterHook<K>, string | undefined> } = {
    append: new Map(),
    branch: new Map(),
    switch: new Map(),
    compact: new Map(),
    generate: new Map(),
  };
  const report = (event: string, error: unknown, from: string | undefined) => {
    try {
      onFailure({ event, error, ...(from === undefined ? {} : { from }) });
    } catch {
      // Who reports failures has failed; there is nobody left to tell.
    }
  };
  return {
    before: (name, hook, from) => addHook(befores[name], hook, from),
    after: (name, hook, from) => addHook(afters[name], hook, from),
    async ask(name, event) {
      let asked = event;
      for (const [hook, from] of [...befores[name]]) {
        let found: FoundHooks<typeof asked>;
        try {
          found = verdictIn(name, asked, await withinTimeout(hook(asked), limit));
        } catch (error) {
          report(`before ${name}`, error, from);
          continue;
        }
        if (found.cancel !== undefined) throw cancelled(name, found.cancel);
        asked = found.replace ?? asked;
      }
      return asked;
    },
    async tell(name, event) {
      for (const [hook, from] of [...afters[name]]) {
        try {
          await withinTimeout(hook(event), limit);
        } catch (error) {
          report(`after ${name}`, error, from);
        }
      }
    },
  };
}

/** Waits for a hook, but not for ever. */
async function withinTimeout<T>(answer: T | Promise<T>, limit: number): Promise<T> {
  if (!(answer instanceof Promise)) return answer;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(invalidVerdict(`The hook has not answered for ${limit} ms.`)), limit);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface FoundHooks<T> {
  readonly cancel?: string;
  readonly replace?: T;
}

// What an act cannot do without. Hooks come from modules that nobody checks the types of.
const needed: { readonly [K in EventName]: readonly (keyof BeforeEvents[K])[] } = {
  append: ['treeId', 'parentId', 'messages'],
  branch: ['treeId', 'nodeId'],
  switch: ['treeId', 'nodeId'],
  compact: ['treeId', 'nodeId', 'reason'],
  generate: ['treeId', 'parentId', 'models', 'tools'],
};

/** What a hook decided; throws where that is none of the things that it may decide. */
function verdictIn<K extends EventName>(name: K, asked: BeforeEvents[K], given: unknown): FoundHooks<BeforeEvents[K]> {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object')
    throw invalidVerdict(`A hook answers with cancel, replace or nothing, not ${typeof given}.`);
  if ('cancel' in given && given.cancel !== undefined && given.cancel !== false)
    return { cancel: typeof given.cancel === 'string' && given.cancel !== '' ? given.cancel : 'A hook said no.' };
  if (!('replace' in given) || given.replace === undefined) {
    if ('cancel' in given) return {};
    throw invalidVerdict('A hook answered with neither cancel nor replace.');
  }
  if (!isStillValid(name, asked, given.replace))
    throw invalidVerdict(`A hook replaced ${name} by something without ${needed[name].join(', ')}.`);
  return { replace: given.replace };
}

function isStillValid<K extends EventName>(name: K, asked: BeforeEvents[K], value: unknown): value is BeforeEvents[K] {
  if (typeof value !== 'object' || value === null) return false;
  const [before, after] = [new Map(Object.entries(asked)), new Map<string, unknown>(Object.entries(value))];
  return needed[name].every((key) => {
    const [was, is] = [before.get(String(key)), after.get(String(key))];
    return Array.isArray(was) ? Array.isArray(is) : typeof is === 'string' || (key === 'parentId' && is === null);
  });
}

function invalidVerdict(message: string): AppError {
  return new AppError({ code: 'hook/invalid', kind: 'invalid', message });
}

function cancelled(name: string, why: string): AppError {
  return new AppError({ code: 'event/cancelled', kind: 'refused', message: why, data: { event: name } });
}

function addHook<H>(hooks: Map<H, string | undefined>, hook: H, from: string | undefined): () => void {
  hooks.set(hook, from);
  return () => {
    hooks.delete(hook);
  };
}

function ignoreHookError(): void {
  // A bus whose owner does not want to know.
}
