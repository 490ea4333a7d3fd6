import { loadedPath } from '@coppice/client';
import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { ActionButton, ActionIcon, ActionItem } from '../keys/action-controls.tsx';
import { toExcerpt } from '../markdown/excerpt.ts';
import { keepTemporaryTree, restoreTrashedTree } from '../state/between-trees.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { patchTree } from '../state/tree-actions.ts';
import { useUi } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { isInputMethodKey } from '../ui/input-method.ts';
import { Menu, MenuSeparator } from '../ui/menu.tsx';
import { useOpenChatName } from '../ui/use-chat-name.ts';
import { plainTextOf } from './rows.ts';
import { UndoButtons, UndoItems, useUndoRedo } from './undo-buttons.tsx';

/** The name of the view's branch: the last title or bookmark after its last fork, else its first words there. */
function useBranchName(): string | null {
  return useTree((state) => {
    if (state.part === null) return null;
    const path = loadedPath(state.part);
    for (let at = path.length - 1; at >= 0; at--) {
      const node = path[at];
      if (node === undefined) continue;
      const name = node.meta.title ?? state.part.bookmarks.get(node.id)?.title;
      if (name !== undefined) return name;
      const kids = node.parentId === null ? undefined : state.part.childrenByParent.get(node.parentId);
      if (kids !== undefined && kids.length > 1) return toExcerpt(plainTextOf(node.message), 40) || null;
    }
    return null;
  });
}

/** The button that leads from a screen of the open chat back to its thread. */
export function BackToThreadButton(): ReactElement {
  const { treeId } = useSession();
  return <IconButton icon="left" label={`${t('backToThread')} (Esc)`} onClick={() => navigateTo(treeRoute(treeId))} />;
}

/** The name of the shown branch, after the name of the screen. Renders nothing if the branch has no name. */
export function BranchCrumb(): ReactElement | null {
  const branch = useBranchName();
  if (branch === null) return null;
  return (
    <>
      <span className="sep" aria-hidden="true">
        /
      </span>
      <span className="br">
        <Icon name="fork" />
        {branch}
      </span>
    </>
  );
}

/** The bar above the thread: tree, branch, and their actions. */
export function TreeBar(): ReactElement {
  const hasMessages = useTree((state) => (state.part?.leaf ?? null) !== null);
  const reversible = useUndoRedo();
  return (
    <div className="bar">
      <IconButton
        className="phone-only"
        icon="menu"
        label={t('treesAndOutline')}
        onClick={() => useUi.setState({ drawer: true })}
      />
      <div className="crumb grow">
        <ChatTitle />
        <BranchButton />
        <ChatState />
      </div>
      <ActionButton id="compare" className="desk-only" look="quiet" small />
      <ActionIcon id="share-branch" className="desk-only" disabled={!hasMessages} />
      <UndoButtons {...reversible} />
      <ActionIcon id="map" className="phone-only" />
      <ChatMenu hasMessages={hasMessages} reversible={reversible} />
    </div>
  );
}

/** The title of the chat. A click edits it. */
function ChatTitle(): ReactElement {
  const session = useSession();
  const tree = useTree((state) => state.part?.tree ?? null);
  const name = useOpenChatName(tree);
  const naming = useUi((ui) => ui.renaming === session.treeId);
  const rename = (title: string) => {
    useUi.setState({ renaming: null });
    if (title !== (tree?.title ?? '')) void patchTree(session, { title: title === '' ? null : title }, t('renamed'));
  };
  if (naming)
    return <TitleField title={tree?.title ?? ''} onDone={rename} onCancel={() => useUi.setState({ renaming: null })} />;
  return (
    <h1>
      <button
        type="button"
        className="name"
        dir="auto"
        title={t('rename')}
        onClick={() => useUi.setState({ renaming: session.treeId })}
      >
        {name}
      </button>
    </h1>
  );
}

/** The name of the shown branch; a click opens the map. Renders nothing if the branch has no name. */
function BranchButton(): ReactElement | null {
  const session = useSession();
  const branch = useBranchName();
  if (branch === null) return null;
  return (
    <>
      <span className="sep" aria-hidden="true">
        /
      </span>
      <button type="button" className="br" onClick={() => navigateTo(treeRoute(session.treeId, { screen: 'map' }))}>
        <Icon name="fork" />
        <span className="clip" dir="auto">
          {branch}
        </span>
      </button>
    </>
  );
}

/** Whether the chat is deleted or temporary, with the button that ends this state. */
function ChatState(): ReactElement {
  const session = useSession();
  const tree = useTree((state) => state.part?.tree ?? null);
  return (
    <>
      {tree === null || tree.deletedAt === null ? null : (
        <>
          <span className="chip warm">{t('inTrash')}</span>
          <Button small onClick={() => void restoreTrashedTree(session)}>
            {t('restore')}
          </Button>
        </>
      )}
      {tree?.temporary === true ? (
        <>
          <span className="chip warm">{t('temporary')}</span>
          <Button small title={t('keepTreeLong')} onClick={() => void keepTemporaryTree(session)}>
            {t('keepTree')}
          </Button>
        </>
      ) : null}
    </>
  );
}

interface ChatMenuProps {
  readonly hasMessages: boolean;
  readonly reversible: ReturnType<typeof useUndoRedo>;
}

/** The menu of the chat. What can be undone is requested when the user points at its button. */
function ChatMenu({ hasMessages, reversible }: ChatMenuProps): ReactElement {
  const pinned = useTree((state) => state.part?.tree.pinned === true);
  const panelShown = useUi((ui) => ui.panelShown);
  return (
    <Menu
      trigger={<IconButton icon="more" label={t('more')} onPointerEnter={reversible.ask} onFocus={reversible.ask} />}
    >
      <ActionItem id="rename" />
      <ActionItem id="pin" checked={pinned} />
      <UndoItems known={reversible.known} />
      <ActionItem id="tree-tags" />
      <ActionItem id="tree-folder" />
      <ActionItem id="prompt" />
      <ActionItem id="context" />
      <ActionItem id="history" />
      <ActionItem id="share-branch" disabled={!hasMessages} />
      <ActionItem id="copy-branch" disabled={!hasMessages} />
      <ActionItem id="export" />
      <ActionItem id="panel" checked={panelShown} />
      <MenuSeparator />
      <ActionItem id="delete-tree" />
    </Menu>
  );
}

function TitleField({
  title,
  onDone,
  onCancel,
}: {
  readonly title: string;
  readonly onDone: (title: string) => void;
  readonly onCancel: () => void;
}): ReactElement {
  return (
    <input
      className="title-field"
      aria-label={t('rename')}
      defaultValue={title}
      // The user opened the field to type.
      ref={(element) => element?.focus()}
      onBlur={(event) => onDone(event.target.value.trim())}
      onKeyDown={(event) => {
        if (isInputMethodKey(event)) return;
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') onCancel();
        event.stopPropagation();
      }}
    />
  );
}
