/** The answers to compare, and which of them are selected to be combined. */
import { replySourceOf, type TreeSession, toHttpProblem } from '@coppice/client';
import { isCombinable, type Node, type NodeId } from '@coppice/core';
import { useEffect, useState } from 'react';
import { api } from '../state/page-client.ts';
import { showError } from '../state/tree-actions.ts';
import { openDialog } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';

/** Whether an answer was combined from others. */
export function isCombinedAnswer(node: Node): boolean {
  return replySourceOf(node.meta).combinedFrom !== null;
}

/** Whether an answer is combined only if the user selects it: a combined one, or the partial text of a failed one. */
function isOptional(node: Node): boolean {
  return isCombinedAnswer(node) || node.status === 'error';
}

/** Opens the dialog to merge the branch through a node into the view's branch, as a summary or as messages. */
export async function openMergeDialog(session: TreeSession, id: NodeId): Promise<void> {
  try {
    const { nodes } = await api.through(session.treeId, id, 1);
    openDialog({ name: 'merge', nodeId: nodes.at(-1)?.id ?? id });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

/** The variants of a node with their texts, and their prompt. Read again when the tree changes. */
export function useAnswers(focus: NodeId | null): { readonly parent: Node | null; readonly variants: readonly Node[] } {
  const session = useSession();
  const version = useTree((state) => state.base?.tree.version ?? 0);
  const leaf = useTree((state) => state.part?.leaf ?? null);
  const id = focus ?? leaf;
  const [variants, setVariants] = useState<readonly Node[]>([]);
  const [parent, setParent] = useState<Node | null>(null);
  useEffect(() => {
    if (id === null || version === 0) return;
    let stale = false;
    api
      .siblings(session.treeId, id)
      .then(async ({ nodes }) => {
        const above = nodes[0]?.parentId;
        const node = above === null || above === undefined ? null : await api.node(session.treeId, above);
        if (stale) return;
        setVariants(nodes);
        setParent(node === null || node.node.parentId === null ? null : node.node);
      })
      .catch((thrown) => {
        if (!stale) showError(toHttpProblem(thrown));
      });
    return () => {
      stale = true;
    };
  }, [session, id, version]);
  return { parent, variants };
}

/** The answers that are selected to be combined. */
export interface AnswerSelection {
  readonly picked: readonly Node[];
  /** Selects an answer, or removes it from the selection. */
  readonly toggle: (node: Node) => void;
}

/** Selects answers to combine. At first all answers are selected, except combined and failed ones. */
export function useAnswerSelection(variants: readonly Node[]): AnswerSelection {
  const [unpicked, setUnpicked] = useState<ReadonlySet<NodeId>>(new Set());
  const [alsoPicked, setAlsoPicked] = useState<ReadonlySet<NodeId>>(new Set());
  const picked = variants.filter(
    (node) => isCombinable(node) && (isOptional(node) ? alsoPicked.has(node.id) : !unpicked.has(node.id)),
  );
  const toggle = (node: Node) => {
    const set = isOptional(node) ? setAlsoPicked : setUnpicked;
    set((now) => (now.has(node.id) ? new Set([...now].filter((id) => id !== node.id)) : new Set(now).add(node.id)));
  };
  return { picked, toggle };
}
