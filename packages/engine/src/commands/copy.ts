/** Going on in a conversation of its own: what `/branch`, `/fork` and `/clone` have in common. */
import { type Node, type NodeId, run, type TreeId, textOf, treeId } from '@coppice/core';
import type { CommandResult, CommandScope, Copies } from './contract.ts';
import { describeNode } from './format.ts';

/** Copies as new trees of the same store. */
export const treeCopies: Copies = {
  async copy({ store, treeId: from, nodeId, whole, running }) {
    const id = treeId(running.newId());
    const { result } = await run(store, { type: 'duplicate', treeId: id, from, nodeId, whole }, running);
    return { treeId: id, activeNodeId: result.ids.get(nodeId) ?? null, file: null };
  },
};

/** What a copy came to. */
export interface CopyOutcome {
  readonly treeId: TreeId;
  readonly activeNodeId: NodeId | null;
  /** The file that it is in, where it got one of its own. */
  readonly file: string | null;
}

/** Which part to copy. */
export interface CopyGoal {
  /** The end of the way; null is before the first message. */
  readonly target: Node | null;
  /** A message of the user is taken back: the way ends above it, and its text comes along to be changed. */
  readonly takeBack: boolean;
  readonly whole: boolean;
}

/** Copies a part and goes there. Hooks may cancel it or choose another place. The conversation that is left stays as it is. */
export async function copyTo(
  scope: CommandScope,
  { target, takeBack, whole }: CopyGoal,
): Promise<CommandResult<CopyOutcome>> {
  const { store, treeId: from, rootId, events } = scope;
  const back = takeBack && target?.kind === 'message' && target.role === 'user' ? target : null;
  const end = back === null ? (target?.id ?? rootId) : (back.parentId ?? rootId);
  const { nodeId } = await events.ask('branch', { treeId: from, nodeId: end });
  const made = await scope.copies.copy({ store, treeId: from, nodeId, whole, running: scope.running() });
  await events.tell('branch', { treeId: made.treeId, nodeId: made.activeNodeId ?? nodeId, added: [] });
  const place = made.file === null ? 'a conversation of its own' : `a new file, ${made.file}`;
  const what = whole
    ? 'Copied every branch into'
    : target === null || nodeId === rootId
      ? 'Begins anew in'
      : `Goes on ${back === null ? 'after' : 'before'} ${describeNode(back ?? target)} in`;
  const changed = back === null ? '' : ' Its text is there to be changed.';
  const { activeNodeId, file } = made;
  return {
    said: `${what} ${place}.${changed} The one you come from stays as it is.`,
    data: { treeId: made.treeId, activeNodeId, file },
    place: { treeId: made.treeId, activeNodeId },
    ...(back === null || nodeId !== end || back.message === null ? {} : { selectedText: textOf(back.message) }),
  };
}
