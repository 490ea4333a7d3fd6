/** The event bus: hooks run before an act, where they can cancel or change it, and after it. */
import { AppError, type Message, type NodeId, type NodeMeta, type TreeId } from '@coppice/core';
import { endsWithin } from './event-loop.ts';

/**
 * Why older messages are compacted. `manual`: on request; `due` and `after`: the context is getting full, seen before a
 * call or after a turn; `full`: no space is left for a reply; `overflow`: the provider refused the request as too long.
 */
export type CompactReason = 'manual' | 'due' | 'after' | 'full' | 'overflow';

/** What a hook receives before each kind of act, and may return with changes. */
export interface BeforeEvents {
  append: {
    readonly treeId: TreeId;
    readonly parentId: NodeId | null;
    readonly messages: readonly { readonly message: Message; readonly id?: string; readonly meta?: NodeMeta }[];
  };
  branch: { readonly treeId: TreeId; readonly nodeId: NodeId; readonly summary?: string };
  switch: { readonly treeId: TreeId; readonly nodeId: NodeId };
  merge: {
    readonly treeId: TreeId;
    /** The last node of the branch to merge. */
    readonly nodeId: NodeId;
    readonly mode: 'summary' | 'messages';
    /** The node to merge into; by default the active node. */
    readonly into?: NodeId;
    /** The text of the summary. If a hook sets it, no model is called. */
    readonly summary?: string;
  };
  compact: {
    readonly treeId: TreeId;
    /** The end of the branch; the summary is added below it. */
    readonly nodeId: NodeId;
    readonly reason: CompactReason;
    readonly focus?: string;
    /** The text of the summary. If a hook sets it, no model is called. */
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

/** What a hook receives after each kind of act. */
export interface AfterEvents {
  append: {
    readonly treeId: TreeId;
    readonly nodeId: NodeId;
    readonly added: readonly NodeId[];
    /** Existing nodes that matched the appended messages. */
    readonly reused: readonly NodeId[];
  };
  branch: { readonly treeId: TreeId; readonly nodeId: NodeId; readonly added: readonly NodeId[] };
  switch: { readonly treeId: TreeId; readonly nodeId: NodeId; readonly from: NodeId | null };
  merge: {
    readonly treeId: TreeId;
    readonly nodeId: NodeId;
    readonly added: readonly NodeId[];
    readonly mergedFrom: NodeId;
  };
  compact: { readonly treeId: TreeId; readonly nodeId: NodeId; readonly reason: CompactReason };
  generate: { readonly treeId: TreeId; readonly nodeIds: readonly NodeId[]; readonly failed: readonly NodeId[] };
}

/** The kinds of acts that hooks can be added to. */
export type HookEventName = keyof BeforeEvents & keyof AfterEvents;

/** The result of a hook before an act: nothing, a cancellation with its reason, or replaced arguments. */
export type HookVerdict<T> = undefined | { readonly cancel: string } | { readonly replace: T };

export type BeforeHook<K extends HookEventName> = (
  event: BeforeEvents[K],
) => HookVerdict<BeforeEvents[K]> | Promise<HookVerdict<BeforeEvents[K]>>;

export type AfterHook<K extends HookEventName> = (event: AfterEvents[K]) => void | Promise<void>;

/**
 * A hook that threw, returned an invalid result, or did not return in time. The act continued as if the hook did not
 * exist.
 */
export interface HookFailure {
  readonly event: string;
  readonly error: unknown;
  /** The hook's origin, if it was given when the hook was added. */
  readonly from?: string;
}

/** Holds hooks and calls them in the order in which they were added. */
export interface EventBus {
  /** Adds a hook; failures are reported under the name `from`. Returns a function that removes it. */
  before<K extends HookEventName>(name: K, hook: BeforeHook<K>, from?: string): () => void;
  after<K extends HookEventName>(name: K, hook: AfterHook<K>, from?: string): () => void;
  /** Calls the hooks before an act; returns its final arguments, or rejects with `event/cancelled`. */
  ask<K extends HookEventName>(name: K, event: BeforeEvents[K]): Promise<BeforeEvents[K]>;
  /** Calls the hooks after an act. Never rejects. */
  tell<K extends HookEventName>(name: K, event: AfterEvents[K]): Promise<void>;
}

export interface EventBusOptions {
  /** The time limit of a hook in milliseconds, by default a minute. A slower hook is reported and skipped. */
  readonly limit?: number;
}

/** Creates a bus without hooks. A hook that fails is reported and skipped, so that it cannot break a turn. */
export function createEventBus(
  onFailure: (failure: HookFailure) => void = ignoreHookError,
  { limit = 60_000 }: EventBusOptions = {},
): EventBus {
  const befores: { readonly [K in HookEventName]: Map<BeforeHook<K>, string | undefined> } = {
    append: new Map(),
    branch: new Map(),
    switch: new Map(),
    merge: new Map(),
    compact: new Map(),
    generate: new Map(),
  };
  const afters: { readonly [K in HookEventName]: Map<AfterHook<K>, string | undefined> } = {
    append: new Map(),
    branch: new Map(),
    switch: new Map(),
    merge: new Map(),
    compact: new Map(),
    generate: new Map(),
  };
  const report = (event: string, error: unknown, from: string | undefined) => {
    try {
      onFailure({ event, error, ...(from === undefined ? {} : { from }) });
    } catch {
      // The failure handler itself threw; the error cannot be reported anywhere else.
    }
  };
  return {
    before: (name, hook, from) => addHook(befores[name], hook, from),
    after: (name, hook, from) => addHook(afters[name], hook, from),
    async ask(name, event) {
      let asked = event;
      for (const [hook, from] of [...befores[name]]) {
        let found: ParsedVerdict<typeof asked>;
        try {
          found = parseVerdict(name, asked, await withinTimeout(hook(asked), limit));
        } catch (error) {
          report(`before ${name}`, error, from);
          continue;
        }
        if (found.cancel !== undefined) throw cancelledError(name, found.cancel);
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

/** Waits for a hook. Rejects when the time limit is reached. */
async function withinTimeout<T>(answer: T | Promise<T>, limit: number): Promise<T> {
  if (!(answer instanceof Promise)) return answer;
  if (!(await endsWithin(answer, limit))) throw invalidVerdict(`The hook has not answered for ${limit} ms.`);
  return answer;
}

interface ParsedVerdict<T> {
  readonly cancel?: string;
  readonly replace?: T;
}

// The required fields of each event, checked at run time because hooks may be untyped modules.
const requiredFields: { readonly [K in HookEventName]: readonly (keyof BeforeEvents[K])[] } = {
  append: ['treeId', 'parentId', 'messages'],
  branch: ['treeId', 'nodeId'],
  switch: ['treeId', 'nodeId'],
  merge: ['treeId', 'nodeId', 'mode'],
  compact: ['treeId', 'nodeId', 'reason'],
  generate: ['treeId', 'parentId', 'models', 'tools'],
};

/** Validates a hook's result: nothing, a cancellation or a complete replacement. Throws on anything else. */
function parseVerdict<K extends HookEventName>(
  name: K,
  asked: BeforeEvents[K],
  given: unknown,
): ParsedVerdict<BeforeEvents[K]> {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object')
    throw invalidVerdict(`A hook must return cancel, replace or nothing; this one returned ${typeof given}.`);
  if ('cancel' in given && given.cancel !== undefined && given.cancel !== false)
    return {
      cancel:
        typeof given.cancel === 'string' && given.cancel !== ''
          ? given.cancel
          : 'A hook cancelled this without giving a reason.',
    };
  if (!('replace' in given) || given.replace === undefined) {
    if ('cancel' in given) return {};
    throw invalidVerdict('A hook returned an object with neither cancel nor replace.');
  }
  if (!isValidReplacement(name, asked, given.replace))
    throw invalidVerdict(`The replacement for ${name} that a hook returned needs ${requiredFields[name].join(', ')}.`);
  return { replace: given.replace };
}

function isValidReplacement<K extends HookEventName>(
  name: K,
  asked: BeforeEvents[K],
  value: unknown,
): value is BeforeEvents[K] {
  if (typeof value !== 'object' || value === null) return false;
  const [before, after] = [new Map(Object.entries(asked)), new Map<string, unknown>(Object.entries(value))];
  return requiredFields[name].every((key) => {
    const [was, is] = [before.get(String(key)), after.get(String(key))];
    return Array.isArray(was) ? Array.isArray(is) : typeof is === 'string' || (key === 'parentId' && is === null);
  });
}

function invalidVerdict(message: string): AppError {
  return new AppError({ code: 'hook/invalid', kind: 'invalid', message });
}

function cancelledError(name: string, why: string): AppError {
  return new AppError({ code: 'event/cancelled', kind: 'refused', message: why, data: { event: name } });
}

function addHook<H>(hooks: Map<H, string | undefined>, hook: H, from: string | undefined): () => void {
  hooks.set(hook, from);
  return () => {
    hooks.delete(hook);
  };
}

function ignoreHookError(): void {
  // By default failures of hooks are ignored.
}
