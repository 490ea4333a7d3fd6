/** Converts linear conversations and former row shapes to trees. */
import { applyOrThrow } from './apply.ts';
import { nodeId, type TreeId } from './ids.ts';
import { isBlank, type MessageKit } from './message.ts';
import type { NodeMeta, TreeAttributes } from './node.ts';
import { buildChainSteps, type NewMessage } from './plan/append.ts';
import { type PlanContext, parseNewMessage } from './plan/context.ts';
import { buildFirstSteps } from './plan/create.ts';
import type { Step } from './steps/types.ts';
import { emptyTree, type Tree } from './tree.ts';

/** A conversation as a list of messages. */
export interface LinearConversation {
  readonly treeId: TreeId;
  readonly owner?: string;
  readonly attributes?: TreeAttributes;
  readonly rootId?: string;
  readonly messages: readonly NewMessage[];
}

/**
 * The steps that build a linear conversation as a chain whose last message is active. `blank` are the indexes of blank
 * messages, which get no node.
 */
export interface LinearConversationSteps {
  readonly steps: readonly Step[];
  readonly blank: readonly number[];
}

/** What {@link buildLinearSteps} needs besides the conversation: the time, an id generator and the message kit. */
export interface LinearContext {
  readonly now: number;
  readonly newId: () => string;
  readonly kit: MessageKit;
}

/**
 * Builds the steps of a tree's first commit for a linear conversation. Throws if a message is malformed, and names that
 * message.
 */
export function buildLinearSteps(linear: LinearConversation, context: LinearContext): LinearConversationSteps {
  const plan: PlanContext = { ...context, treeId: linear.treeId, actor: 'migration', stale: false };
  const blank: number[] = [];
  const nonBlankMessages: NewMessage[] = [];
  for (const [index, item] of linear.messages.entries()) {
    if (Array.isArray(item.message?.content) && isBlank(item.message)) {
      blank.push(index);
      continue;
    }
    parseNewMessage(item.message, `messages[${index}]`);
    nonBlankMessages.push(item);
  }
  const rootId = nodeId(linear.rootId ?? context.newId());
  const steps = buildFirstSteps(plan, rootId, linear.attributes ?? {});
  const root = { id: rootId, kind: 'root', matchParent: null, createdAt: 0 } as const;
  const chain = buildChainSteps(
    plan,
    root,
    null,
    nonBlankMessages.map((item) => ({ item, id: item.id === undefined ? undefined : nodeId(item.id) })),
  );
  for (const step of chain) steps.push(step);
  const last = chain.at(-1);
  if (last !== undefined) steps.push({ type: 'select', after: last.node.id, before: null });
  return { steps, blank };
}

/** Converts a linear conversation to a tree value without storing it; a store writes the tree with the next change. */
export function treeFromLinear(linear: LinearConversation, context: LinearContext): Tree {
  const { steps } = buildLinearSteps(linear, context);
  return applyOrThrow(emptyTree(linear.treeId, linear.owner, context.now), steps, { at: context.now }).tree;
}

/** A row of an older format, in which first messages had no parent. */
export interface FormerNodeRow {
  readonly id: string;
  readonly parentId: string | null;
  readonly isRoot: boolean;
  readonly meta?: NodeMeta;
}

/**
 * Makes rows without a parent children of the root, in their order. Other rows do not change, so calling it again has
 * no effect.
 */
export function attachRoots<R extends FormerNodeRow>(rows: readonly R[], rootId: string): readonly R[] {
  return rows.map((row) => (row.parentId === null && !row.isRoot ? { ...row, parentId: rootId } : row));
}
