/** What can be done with one message, by name: the row under it, its menu, the sheet of a phone and the keys read this. */
import type { Node } from '@coppice/core';
import { t } from '../i18n/index.ts';
import { api } from '../state/client.ts';
import { regenerateReply } from '../state/generation.ts';
import { asProblem } from '../state/http.ts';
import { navigateTo, treePlace } from '../state/router.ts';
import type { TreeSession } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { annotateMessage, cherryPickMessage, setBookmark, showError } from '../state/tree-actions.ts';
import { openDialog } from '../state/ui.ts';
import { canSplit } from '../tree-work/split-points.ts';
import { copyText } from '../ui/copy-button.tsx';
import type { IconName } from '../ui/icon.tsx';
import { currentOptions } from './current-options.ts';
import { startEditing } from './edits.ts';
import { plainTextOf } from './rows.ts';

/** Starts a branch at a message: the next one grows from it. */
export async function branchHere(session: TreeSession, node: Node): Promise<void> {
  try {
    await session.go(node.id, { leaf: node.id });
    document.getElementById('composer')?.focus();
  } catch (thrown) {
    showError(asProblem(thrown));
  }
}

/** Copies the branch down to a message out, as a tree of its own. */
export async function copyOut(session: TreeSession, node: Node): Promise<void> {
  try {
    const made = await api.duplicate(session.treeId, { nodeId: node.id });
    const back = session.treeId;
    navigateTo(treePlace(made.treeId));
    showToast({
      icon: 'copy',
      text: t('copiedOut'),
      action: { label: t('back'), run: () => navigateTo(treePlace(back)) },
    });
  } catch (thrown) {
    showError(asProblem(thrown));
  }
}

/** Copies the text of a message. */
export async function copyMessage(node: Node): Promise<void> {
  if (await copyText(plainTextOf(node.message))) showToast({ icon: 'copy', text: t('copied') });
}

/** Compares a message with the variant beside it. */
export function compareHere(session: TreeSession, node: Node): void {
  navigateTo(treePlace(session.treeId, { screen: 'compare', nodeId: node.id }));
}

/** Sets or takes away the bookmark on a message; its first words are the name. */
export function toggleBookmark(session: TreeSession, node: Node): void {
  const marked = session.state.part?.bookmarks.has(node.id) === true;
  void setBookmark(session, node.id, marked ? null : plainTextOf(node.message).slice(0, 60).trim() || t('bookmark'));
}

/** One thing to do with a message. */
export interface MessageAct {
  readonly id: string;
  readonly icon: IconName;
  readonly label: string;
  readonly keys?: string;
  readonly danger?: boolean;
  run(): void;
}

/** What is done most: it stands in the row of a message. */
export function firstActs(session: TreeSession, node: Node, marked: boolean): readonly MessageAct[] {
  const again: MessageAct = {
    id: 'again',
    icon: 'again',
    label: t('regenerate'),
    keys: 'R',
    run: () => void regenerateReply(session, node.id, currentOptions({ n: 1 })),
  };
  const edit: MessageAct = {
    id: 'edit',
    icon: 'edit',
    label: t('edit'),
    keys: 'E',
    run: () => startEditing(node),
  };
  return [
    { id: 'branch', icon: 'fork', label: t('branchHere'), keys: 'B', run: () => void branchHere(session, node) },
    ...(node.role === 'assistant' ? [again] : []),
    ...(node.role === 'tool' ? [] : [edit]),
    { id: 'compare', icon: 'compare', label: t('compare'), keys: 'C', run: () => compareHere(session, node) },
    { id: 'copy', icon: 'copy', label: t('copy'), keys: 'Y', run: () => void copyMessage(node) },
    {
      id: 'mark',
      icon: marked ? 'markon' : 'mark',
      label: marked ? t('unbookmark') : t('bookmark'),
      keys: 'M',
      run: () => toggleBookmark(session, node),
    },
  ];
}

/** What is done now and then, in parts: notes on it, where it goes, and its end. */
export function moreActs(session: TreeSession, node: Node, marked: string | null): readonly (readonly MessageAct[])[] {
  const excluded = node.meta.excluded === true;
  const rename: MessageAct = {
    id: 'rename-mark',
    icon: 'markon',
    label: t('renameBookmark'),
    run: () => openDialog({ name: 'bookmark', nodeId: node.id, title: marked ?? '' }),
  };
  const parts: MessageAct = {
    id: 'split',
    icon: 'cut',
    label: t('split'),
    keys: 'X',
    run: () => openDialog({ name: 'split', node }),
  };
  return [
    [
      { id: 'title', icon: 'edit', label: t('setTitle'), run: () => openDialog({ name: 'title', node }) },
      { id: 'tags', icon: 'tag', label: t('setTags'), run: () => openDialog({ name: 'tags', node }) },
      ...(marked === null ? [] : [rename]),
      {
        id: 'exclude',
        icon: excluded ? 'eye' : 'eyeoff',
        label: excluded ? t('include') : t('exclude'),
        run: () =>
          void annotateMessage(
            session,
            node,
            { excluded: excluded ? null : true },
            excluded ? t('included') : t('excluded'),
          ),
      },
    ],
    [
      { id: 'pick', icon: 'pick', label: t('pick'), keys: 'P', run: () => void cherryPickMessage(session, node.id) },
      ...(canSplit(node) ? [parts] : []),
      { id: 'copy-out', icon: 'copy', label: t('copyOut'), run: () => void copyOut(session, node) },
      { id: 'move-to', icon: 'map', label: t('moveToTree'), run: () => openDialog({ name: 'move-to', node }) },
      {
        id: 'share',
        icon: 'share',
        label: t('shareToHere'),
        run: () => openDialog({ name: 'share', nodeId: node.id }),
      },
    ],
    [
      {
        id: 'delete',
        icon: 'trash',
        label: t('delete'),
        keys: '⌫',
        danger: true,
        run: () => openDialog({ name: 'delete', node }),
      },
    ],
  ];
}
