/** Linear conversations and former shapes, read as trees. */
import { applyOrThrow } from './apply.ts';
import { nodeId, type TreeId } from './ids.ts';
import { isBlank, type MessageKit } from './message.ts';
import type { NodeMeta, TreeAttributes } from './node.ts';
import { chainSteps, type NewMessage } from './plan/append.ts';
import { type PlanContext, parseNewMessage } from './plan/context.ts';
import { firstSteps } from './plan/create.ts';
import type { Step } from './steps/types.ts';
import { emptyTree, type Tree } from './tree.ts';

/** A conversation as a list of messages. */
export interface Linear {
  readonly treeId: TreeId;
  readonly owner?: string;
  readonly attributes?: TreeAttributes;
  readonly rootId?: string;
  readonly messages: readonly NewMessage[];
}

/** A linear conversation as steps: a chain whose last message is active. Messages that say nothing are named, not hidden. */
export interface Linearised {
  readonly steps: readonly Step[];
  readonly blank: readonly number[];
}

/** The clock, ids and message kit that core has none of itself. */
export interface LinearContext {
  readonly now: number;
  readonly newId: () => string;
  readonly kit: MessageKit;
}

/** The steps of a tree's first commit that hold a linear conversation. Throws a refusal that names a message it cannot read. */
export function linearSteps(linear: Linear, context: LinearContext): Linearised {
  const plan: PlanContext = { ...context, treeId: linear.treeId, actor: 'migration', stale: false };
  const blank: number[] = [];
  const said: NewMessage[] = [];
  for (const [index, item] of linear.messages.entries()) {
    if (Array.isArray(item.message?.content) && isBlank(item.message)) {
      blank.push(index);
      continue;
    }
    parseNewMessage(item.message, `messages[${index}]`);
    said.push(item);
  }
  const rootId = nodeId(linear.rootId ?? context.newId());
  const steps = firstSteps(plan, rootId, linear.attributes ?? {});
  const root = { id: rootId, kind: 'root', matchParent: null, createdAt: 0 } as const;
  const chain = chainSteps(
    plan,
    root,
    null,
    said.map((item) => ({ item, id: item.id === undefined ? undefined : nodeId(item.id) })),
  );
  for (const step of chain) steps.push(step);
  const last = chain.at(-1);
  if (last !== undefined) steps.push({ type: 'select', after: last.node.id, before: null });
  return { steps, blank };
}

/** A linear conversation as a tree value: readable at once, stored as a tree at the next write. */
export function fromLinear(linear: Linear, context: LinearContext): Tree {
  const { steps } = linearSteps(linear, context);
  return applyOrThrow(emptyTree(linear.treeId, linear.owner, context.now), steps, { at: context.now }).tree;
}

/** A row of a former shape, in which first turns had no parent. */
export interface FormerRow {
  readonly id: string;
  readonly parentId: string | null;
  readonly isRoot: boolean;
  readonly meta?: NodeMeta;
}

/**
 * Hangs several physical roots under the one root, in their order. Rows that hang right already stay as they are, so
 * doing it again changes nothing.
 */
export function attachRoots<R extends FormerRow>(rows: readonly R[], rootId: string): readonly R[] {
  return rows.map((row) => (row.parentId === null && !row.isRoot ? { ...row, parentId: rootId } : row));
}
