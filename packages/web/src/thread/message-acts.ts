/** What can be done with one message, by name: the row under it, its menu, the sheet of a phone and the keys read this. */
import type { Node } from '@coppice/core';
import { t } from '../i18n/index.ts';
import { annotate, bookmark, complain, pick } from '../state/acts.ts';
import { api } from '../state/client.ts';
import { regenerate } from '../state/generation.ts';
import { asProblem } from '../state/http.ts';
import { go, treePlace } from '../state/router.ts';
import type { TreeSession } from '../state/session.ts';
import { say } from '../state/toasts.ts';
import { open } from '../state/ui.ts';
import { canSplit } from '../tree-work/cut-places.ts';
import { copyText } from '../ui/copy-button.tsx';
import type { IconName } from '../ui/icon.tsx';
import { rewrite } from './edits.ts';
import { plainText } from './rows.ts';
import { wishNow } from './wish.ts';

/** Starts a branch at a message: the next one grows from it. */
export async function branchHere(session: TreeSession, node: Node): Promise<void> {
  try {
    await session.go(node.id, { leaf: node.id });
    document.getElementById('composer')?.focus();
  } catch (thrown) {
    complain(asProblem(thrown));
  }
}

/** Copies the branch down to a message out, as a tree of its own. */
export async function copyOut(session: TreeSession, node: Node): Promise<void> {
  try {
    const made = await api.duplicate(session.treeId, { nodeId: node.id });
    const back = session.treeId;
    go(treePlace(made.treeId));
    say({ icon: 'copy', text: t('copiedOut'), action: { label: t('back'), run: () => go(treePlace(back)) } });
  } catch (thrown) {
    complain(asProblem(thrown));
  }
}

/** Copies the text of a message. */
export async function copyMessage(node: Node): Promise<void> {
  if (await copyText(plainText(node.message))) say({ icon: 'copy', text: t('copied') });
}

/** Compares a message with the variant beside it. */
export function compareHere(session: TreeSession, node: Node): void {
  go(treePlace(session.treeId, { screen: 'compare', nodeId: node.id }));
}

/** Sets or takes away the bookmark on a message; its first words are the name. */
export function toggleBookmark(session: TreeSession, node: Node): void {
  const marked = session.state.part?.bookmarks.has(node.id) === true;
  void bookmark(session, node.id, marked ? null : plainText(node.message).slice(0, 60).trim() || t('bookmark'));
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
    run: () => void regenerate(session, node.id, wishNow({ n: 1 })),
  };
  const edit: MessageAct = {
    id: 'edit',
    icon: 'edit',
    label: t('edit'),
    keys: 'E',
    run: () => rewrite(node),
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
    run: () => open({ name: 'bookmark', nodeId: node.id, title: marked ?? '' }),
  };
  const parts: MessageAct = {
    id: 'split',
    icon: 'cut',
    label: t('split'),
    keys: 'X',
    run: () => open({ name: 'split', node }),
  };
  return [
    [
      { id: 'title', icon: 'edit', label: t('setTitle'), run: () => open({ name: 'title', node }) },
      { id: 'tags', icon: 'tag', label: t('setTags'), run: () => open({ name: 'tags', node }) },
      ...(marked === null ? [] : [rename]),
      {
        id: 'exclude',
        icon: excluded ? 'eye' : 'eyeoff',
        label: excluded ? t('include') : t('exclude'),
        run: () =>
          void annotate(session, node, { excluded: excluded ? null : true }, excluded ? t('included') : t('excluded')),
      },
    ],
    [
      { id: 'pick', icon: 'pick', label: t('pick'), keys: 'P', run: () => void pick(session, node.id) },
      ...(canSplit(node) ? [parts] : []),
      { id: 'copy-out', icon: 'copy', label: t('copyOut'), run: () => void copyOut(session, node) },
      { id: 'move-to', icon: 'map', label: t('moveToTree'), run: () => open({ name: 'move-to', node }) },
      { id: 'share', icon: 'share', label: t('shareToHere'), run: () => open({ name: 'share', nodeId: node.id }) },
    ],
    [
      {
        id: 'delete',
        icon: 'trash',
        label: t('delete'),
        keys: '⌫',
        danger: true,
        run: () => open({ name: 'delete', node }),
      },
    ],
  ];
}
