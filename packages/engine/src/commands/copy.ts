/** Copies a chat and continues in the copy: shared by `/branch`, `/fork` and `/clone`. */
import { type Node, type NodeId, run, type TreeId, textOf, treeId } from '@coppice/core';
import type { ChatCopier, CommandResult, CommandScope } from './contract.ts';
import { makeCommandReport, makeNodeValue, makePhrase, type Phrase } from './phrases.ts';

/** Creates copies as new trees of the same store. */
export const treeCopier: ChatCopier = {
  async copy({ store, treeId: from, nodeId, whole, running }) {
    const id = treeId(running.newId());
    const { result } = await run(store, { type: 'duplicate', treeId: id, from, nodeId, whole }, running);
    return { treeId: id, activeNodeId: result.ids.get(nodeId) ?? null, file: null };
  },
};

/** The new chat, and the position where the user continues in it. */
export interface ChatCopyResult {
  readonly treeId: TreeId;
  readonly activeNodeId: NodeId | null;
  /** The path of the copy's session file; null if it is a tree of the same store. */
  readonly file: string | null;
}

/** The part of a chat to copy, and how the user continues in the copy. */
export interface ChatPartToCopy {
  /** The last node of the copied path; null is before the first message. */
  readonly target: Node | null;
  /** If the target is a message of the user, copy the path above it and return its text for editing. */
  readonly takeBack: boolean;
  readonly whole: boolean;
}

/**
 * Copies a part of a chat and moves the view to the copy. Hooks may cancel the copy or choose another target. The
 * original chat is not changed.
 */
export async function copyChatAndContinue(
  scope: CommandScope,
  { target, takeBack, whole }: ChatPartToCopy,
): Promise<CommandResult<ChatCopyResult>> {
  const { store, treeId: from, rootId, events } = scope;
  const back = takeBack && target?.kind === 'message' && target.role === 'user' ? target : null;
  const end = back === null ? (target?.id ?? rootId) : (back.parentId ?? rootId);
  const { nodeId } = await events.ask('branch', { treeId: from, nodeId: end });
  const made = await scope.copies.copy({ store, treeId: from, nodeId, whole, running: scope.running() });
  await events.tell('branch', { treeId: made.treeId, nodeId: made.activeNodeId ?? nodeId, added: [] });
  const did = copySentence(made.file, {
    whole,
    node: nodeId === rootId ? null : (back ?? target),
    before: back !== null,
  });
  const changed = back === null ? [] : [makePhrase('its-text-in-editor')];
  const { activeNodeId, file } = made;
  return {
    ...makeCommandReport(did, ...changed, makePhrase('original-unchanged')),
    data: { treeId: made.treeId, activeNodeId, file },
    place: { treeId: made.treeId, activeNodeId },
    ...(back === null || nodeId !== end || back.message === null ? {} : { selectedText: textOf(back.message) }),
  };
}

function copySentence(
  file: string | null,
  { whole, node, before }: { readonly whole: boolean; readonly node: Node | null; readonly before: boolean },
): Phrase {
  const to = file === null ? {} : { file };
  if (whole) return makePhrase(file === null ? 'copied-all' : 'copied-all-to-file', to);
  if (node === null) return makePhrase(file === null ? 'started-again' : 'started-again-in-file', to);
  const values = { node: makeNodeValue(node), ...to };
  if (before) return makePhrase(file === null ? 'continues-before' : 'continues-before-in-file', values);
  return makePhrase(file === null ? 'continues-after' : 'continues-after-in-file', values);
}
