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

/** A hook that threw. The act went on as if the hook were not there. */
export interface HookFailure {
  readonly event: string;
  readonly error: unknown;
}

/** Holds hooks and calls them, in the order in which they came. */
export interface Events {
  /** Adds a hook; what is returned takes it away again. */
  before<K extends EventName>(name: K, hook: BeforeHook<K>): () => void;
  after<K extends EventName>(name: K, hook: AfterHook<K>): () => void;
  /** Asks the hooks; gives what is to be done, or rejects with `event/cancelled`. */
  ask<K extends EventName>(name: K, event: BeforeEvents[K]): Promise<BeforeEvents[K]>;
  /** Tells the hooks. Never rejects. */
  tell<K extends EventName>(name: K, event: AfterEvents[K]): Promise<void>;
}

/** Makes a bus without hooks. A hook that fails is reported and passed over: nobody's turn breaks for it. */
export function createEvents(onFailure: (failure: HookFailure) => void = ignore): Events {
  const befores: { readonly [K in EventName]: Set<BeforeHook<K>> } = {
    append: new Set(),
    branch: new Set(),
    switch: new Set(),
    compact: new Set(),
    generate: new Set(),
  };
  const afters: { readonly [K in EventName]: Set<AfterHook<K>> } = {
    append: new Set(),
    branch: new Set(),
    switch: new Set(),
    compact: new Set(),
    generate: new Set(),
  };
  const report = (event: string, error: unknown) => {
    try {
      onFailure({ event, error });
    } catch {
      // Who reports failures has failed; there is nobody left to tell.
    }
  };
  return {
    before: (name, hook) => added(befores[name], hook),
    after: (name, hook) => added(afters[name], hook),
    async ask(name, event) {
      let asked = event;
      for (const hook of [...befores[name]]) {
        let verdict: Verdict<typeof asked>;
        try {
          verdict = await hook(asked);
        } catch (error) {
          report(`before ${name}`, error);
          continue;
        }
        if (verdict === undefined) continue;
        if ('cancel' in verdict) throw cancelled(name, verdict.cancel);
        asked = verdict.replace;
      }
      return asked;
    },
    async tell(name, event) {
      for (const hook of [...afters[name]]) {
        try {
          await hook(event);
        } catch (error) {
          report(`after ${name}`, error);
        }
      }
    },
  };
}

function cancelled(name: string, why: string): AppError {
  return new AppError({ code: 'event/cancelled', kind: 'refused', message: why, data: { event: name } });
}

function added<H>(hooks: Set<H>, hook: H): () => void {
  hooks.add(hook);
  return () => {
    hooks.delete(hook);
  };
}

function ignore(): void {
  // A bus whose owner does not want to know.
}
