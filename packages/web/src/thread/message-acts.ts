/** All actions of one message: for its row, its menu, the sheet on a phone, the keys and the palette. */

import { shownPath, type TreeSession, toHttpProblem, variantPositionOf } from '@coppice/client';
import type { Node } from '@coppice/core';
import { type TextKey, t } from '../i18n/index.ts';
import { formatChord } from '../keys/chords.ts';
import { useAppData } from '../state/app-data.ts';
import { currentGenerationOptions } from '../state/chat-options.ts';
import { regenerateReply } from '../state/generation.ts';
import { canReadAloud, readAloud, stopReadingAloud, useReadAloud } from '../state/read-aloud.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { showToast } from '../state/toasts.ts';
import {
  annotateMessage,
  cherryPickMessage,
  joinMessageWithNext,
  setBookmark,
  showError,
} from '../state/tree-actions.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { canJoinMessages, canSplitMessage } from '../tree-work/split-points.ts';
import { copyText } from '../ui/copy-button.tsx';
import type { IconName } from '../ui/icon.tsx';
import { startEditing } from './edits.ts';
import { plainTextOf } from './rows.ts';

/** Starts a branch at a message: the next message continues from it. */
export async function startBranchAt(session: TreeSession, node: Node): Promise<void> {
  try {
    await session.go(node.id, { leaf: node.id });
    document.getElementById('composer')?.focus();
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

/** Duplicates the branch down to a message as a new chat. */
export async function duplicateBranchAsChat(session: TreeSession, node: Node): Promise<void> {
  try {
    const made = await session.api.duplicate(session.treeId, { nodeId: node.id });
    const back = session.treeId;
    navigateTo(treeRoute(made.treeId));
    showToast({
      icon: 'copy',
      text: t('copiedOut'),
      action: { label: t('back'), run: () => navigateTo(treeRoute(back)) },
    });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

async function copyMessage(node: Node): Promise<void> {
  if (await copyText(plainTextOf(node.message))) showToast({ icon: 'copy', text: t('copied') });
}

function isBookmarked(session: TreeSession, node: Node): boolean {
  return session.state.part?.bookmarks.has(node.id) === true;
}

/** Sets or removes the bookmark on a message; its first words are the title. */
function toggleBookmark(session: TreeSession, node: Node): void {
  const title = isBookmarked(session, node) ? null : plainTextOf(node.message).slice(0, 60).trim() || t('bookmark');
  void setBookmark(session, node.id, title);
}

function toggleExcluded(session: TreeSession, node: Node): void {
  const excluded = node.meta.excluded === true;
  void annotateMessage(session, node, { excluded: excluded ? null : true }, excluded ? t('included') : t('excluded'));
}

type Rating = 'good' | 'bad';

function ratingOf(node: Node): Rating | null {
  const { rating } = node.meta;
  return rating === 'good' || rating === 'bad' ? rating : null;
}

/** Rates a reply, as metadata of its message; the same rating again removes it. */
function rateReply(session: TreeSession, node: Node, rating: Rating): void {
  const same = ratingOf(node) === rating;
  const done = same ? 'ratingRemoved' : rating === 'good' ? 'ratedGood' : 'ratedBad';
  void annotateMessage(session, node, { rating: same ? null : rating }, t(done));
}

function isReading(_session: TreeSession, node: Node): boolean {
  return useReadAloud.getState().id === node.id;
}

/** Generates further replies to the same question with these models, as variants of a reply. */
export function regenerateWithModels(session: TreeSession, node: Node, models: readonly string[]): void {
  void regenerateReply(session, node.id, currentGenerationOptions({ n: 1, models }));
}

function regenerateWithOthers(session: TreeSession, node: Node): void {
  const chosen = currentGenerationOptions().models;
  const others = useAppData
    .getState()
    .models.filter((model) => model.ready)
    .map((model) => model.id)
    .filter((id) => !chosen.includes(id));
  if (others.length > 0) regenerateWithModels(session, node, others.slice(0, 2));
}

/** An action that can be offered for a message. */
export interface MessageAction {
  readonly id: string;
  readonly icon: IconName;
  readonly label: TextKey;
  /** Key chords as in the list of actions; may be empty. */
  readonly keys: readonly string[];
  /** Where the action is offered: in the row of a message, in a section of its menu, or only by key and palette. */
  readonly place: 'row' | 'notes' | 'branches' | 'end' | 'keys';
  /** Whether the action is left out of the palette. */
  readonly unlisted?: boolean;
  readonly danger?: boolean;
  /** Icon and label while the action is on for a message, for example a set bookmark. */
  readonly on?: { readonly icon: IconName; readonly label: TextKey; is(session: TreeSession, node: Node): boolean };
  applies?(session: TreeSession, node: Node): boolean;
  run(session: TreeSession, node: Node): void;
}

export const messageActions: readonly MessageAction[] = [
  {
    id: 'branch',
    icon: 'fork',
    label: 'branchHere',
    keys: ['b'],
    place: 'row',
    run: (session, node) => void startBranchAt(session, node),
  },
  {
    id: 'again',
    icon: 'again',
    label: 'regenerate',
    keys: ['r'],
    place: 'row',
    applies: (_session, node) => node.role === 'assistant',
    run: (session, node) => void regenerateReply(session, node.id, currentGenerationOptions({ n: 1 })),
  },
  {
    id: 'three',
    icon: 'fork',
    label: 'threeAtOnce',
    keys: ['shift+r'],
    place: 'keys',
    run: (session, node) => void regenerateReply(session, node.id, currentGenerationOptions({ n: 3 })),
  },
  {
    id: 'others',
    icon: 'compare',
    label: 'otherModels',
    keys: ['alt+r'],
    place: 'keys',
    run: regenerateWithOthers,
  },
  {
    id: 'edit',
    icon: 'edit',
    label: 'edit',
    keys: ['e'],
    place: 'row',
    applies: (_session, node) => node.role !== 'tool',
    run: (_session, node) => startEditing(node),
  },
  {
    id: 'compare',
    icon: 'compare',
    label: 'compare',
    keys: ['c'],
    place: 'row',
    run: (session, node) => navigateTo(treeRoute(session.treeId, { screen: 'compare', nodeId: node.id })),
  },
  {
    id: 'copy',
    icon: 'copy',
    label: 'copy',
    keys: ['y'],
    place: 'row',
    run: (_session, node) => void copyMessage(node),
  },
  {
    id: 'mark',
    icon: 'mark',
    label: 'bookmark',
    keys: ['m'],
    place: 'row',
    on: { icon: 'markon', label: 'unbookmark', is: isBookmarked },
    run: toggleBookmark,
  },
  {
    id: 'good',
    icon: 'good',
    label: 'goodReply',
    keys: [],
    place: 'row',
    on: { icon: 'goodon', label: 'removeRating', is: (_session, node) => ratingOf(node) === 'good' },
    applies: (_session, node) => node.role === 'assistant',
    run: (session, node) => rateReply(session, node, 'good'),
  },
  {
    id: 'bad',
    icon: 'bad',
    label: 'badReply',
    keys: [],
    place: 'row',
    on: { icon: 'badon', label: 'removeRating', is: (_session, node) => ratingOf(node) === 'bad' },
    applies: (_session, node) => node.role === 'assistant',
    run: (session, node) => rateReply(session, node, 'bad'),
  },
  {
    id: 'read-aloud',
    icon: 'speaker',
    label: 'readAloud',
    keys: [],
    place: 'notes',
    on: { icon: 'stop', label: 'stopReading', is: isReading },
    applies: () => canReadAloud(),
    run: (session, node) => {
      if (isReading(session, node)) return stopReadingAloud();
      // Loaded on demand: only reading aloud needs the words without their markup.
      void import('../markdown/plain-words.ts').then(({ markdownToPlainText }) =>
        readAloud(node.id, markdownToPlainText(plainTextOf(node.message))),
      );
    },
  },
  {
    id: 'title',
    icon: 'edit',
    label: 'setTitle',
    keys: [],
    place: 'notes',
    unlisted: true,
    run: (_session, node) => openDialog({ name: 'title', node }),
  },
  {
    id: 'tags',
    icon: 'tag',
    label: 'setTags',
    keys: [],
    place: 'notes',
    unlisted: true,
    run: (_session, node) => openDialog({ name: 'tags', node }),
  },
  {
    id: 'rename-mark',
    icon: 'markon',
    label: 'renameBookmark',
    keys: [],
    place: 'notes',
    unlisted: true,
    applies: isBookmarked,
    run: (session, node) =>
      openDialog({ name: 'bookmark', nodeId: node.id, title: session.state.part?.bookmarks.get(node.id)?.title ?? '' }),
  },
  {
    id: 'exclude',
    icon: 'eyeoff',
    label: 'exclude',
    keys: [],
    place: 'notes',
    unlisted: true,
    on: { icon: 'eye', label: 'include', is: (_session, node) => node.meta.excluded === true },
    run: toggleExcluded,
  },
  {
    id: 'copyToBranch',
    icon: 'pick',
    label: 'copyToBranch',
    keys: ['p'],
    place: 'branches',
    run: (session, node) => void cherryPickMessage(session, node.id),
  },
  {
    id: 'split',
    icon: 'cut',
    label: 'split',
    keys: ['x'],
    place: 'branches',
    applies: (_session, node) => canSplitMessage(node),
    run: (_session, node) => openDialog({ name: 'split', node }),
  },
  {
    id: 'combine',
    icon: 'merge',
    label: 'combineAnswers',
    keys: [],
    place: 'branches',
    applies: ({ state: { part } }, node) =>
      node.role === 'assistant' && part !== null && variantPositionOf(part, node).ids.length > 1,
    run: (session, node) => {
      useUi.setState({ combining: true });
      navigateTo(treeRoute(session.treeId, { screen: 'compare', nodeId: node.id }));
    },
  },
  {
    id: 'join',
    icon: 'merge',
    label: 'joinNext',
    keys: [],
    place: 'branches',
    applies: (session, node) => {
      const { part } = session.state;
      if (part === null) return false;
      const children = part.childrenByParent.get(node.id);
      if (children !== undefined && children.length > 1) return false;
      return canJoinMessages(
        node,
        shownPath(part).find((each) => each.parentId === node.id),
      );
    },
    run: (session, node) => void joinMessageWithNext(session, node),
  },
  {
    id: 'copy-out',
    icon: 'copy',
    label: 'copyOut',
    keys: [],
    place: 'branches',
    unlisted: true,
    run: (session, node) => void duplicateBranchAsChat(session, node),
  },
  {
    id: 'move-to',
    icon: 'map',
    label: 'moveToTree',
    keys: [],
    place: 'branches',
    run: (_session, node) => openDialog({ name: 'move-to', node }),
  },
  {
    id: 'share',
    icon: 'share',
    label: 'shareToHere',
    keys: [],
    place: 'branches',
    run: (_session, node) => openDialog({ name: 'share', nodeId: node.id }),
  },
  {
    id: 'delete',
    icon: 'trash',
    label: 'delete',
    keys: ['backspace', 'delete'],
    place: 'end',
    danger: true,
    run: (_session, node) => openDialog({ name: 'delete', node }),
  },
];

/** An action that is available for a message. */
export interface OfferedAction {
  readonly id: string;
  readonly icon: IconName;
  readonly label: string;
  readonly keys?: string;
  readonly danger?: boolean;
  /** Whether the action is on for the message, if it can be turned on and off. */
  readonly pressed?: boolean;
  run(): void;
}

/** Lists the available actions of a message in a section. */
export function listOfferedActions(
  session: TreeSession,
  node: Node,
  place: MessageAction['place'],
): readonly OfferedAction[] {
  return messageActions
    .filter((action) => action.place === place && (action.applies?.(session, node) ?? true))
    .map((action) => {
      const { icon, label } = action.on?.is(session, node) === true ? action.on : action;
      const [chord] = action.keys;
      return {
        id: action.id,
        icon,
        label: t(label),
        ...(chord === undefined ? {} : { keys: formatChord(chord) }),
        ...(action.danger === undefined ? {} : { danger: action.danger }),
        ...(action.on === undefined ? {} : { pressed: action.on.is(session, node) }),
        run: () => action.run(session, node),
      };
    });
}

/** Finds an available action of a message by its id. */
export function findOfferedAction(session: TreeSession, node: Node, id: string): OfferedAction | undefined {
  const place = messageActions.find((action) => action.id === id)?.place;
  return place === undefined ? undefined : listOfferedActions(session, node, place).find((action) => action.id === id);
}

/** The sections of a message's menu, in order. */
export const messageMenuSections = ['notes', 'branches', 'end'] as const;
