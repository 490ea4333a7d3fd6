import type { TreeViewData } from '@coppice/client';
import type { ReactElement, ReactNode } from 'react';
import { formatTime, t } from '../i18n/index.ts';
import { treeRoute } from '../state/router.ts';
import { openDialog } from '../state/ui.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageLink } from '../ui/link.tsx';
import { ListedSilhouette } from '../ui/listed-silhouette.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { useChatName } from '../ui/use-chat-name.ts';
import { deleteChats, duplicateChat, patchChats } from './chat-actions.ts';

interface ChatRowProps {
  readonly tree: TreeViewData;
  readonly current: boolean;
  /** Whether this chat is selected; null while the user is not selecting chats. */
  readonly selected: boolean | null;
  /** Selects the chat; with `toHere` (Shift) also all between it and the one that was clicked before. */
  readonly onSelect: (selected: boolean, toHere?: boolean) => void;
  /** Replaces silhouette and name in the row of the open chat. */
  readonly inside?: ReactNode;
}

/** One chat of the list. Its actions replace the time while the row is hovered or has the focus. */
export function ChatRow({ tree, current, selected, onSelect, inside }: ChatRowProps): ReactElement {
  const name = useChatName(tree);
  if (selected !== null)
    return (
      <label className="chat-row choosing">
        <input
          type="checkbox"
          checked={selected}
          onChange={({ target, nativeEvent }) =>
            onSelect(target.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
          }
        />
        <span className="grow clip" dir="auto">
          {name}
        </span>
      </label>
    );
  return (
    <div className="chat-row">
      <PageLink to={treeRoute(tree.id)} current={current}>
        {inside ?? (
          <>
            <ListedSilhouette tree={tree} />
            <span className="grow clip" dir="auto">
              {name}
            </span>
          </>
        )}
        {tree.pinned ? <Icon name="pin" size={13} /> : <time>{formatTime(tree.updatedAt)}</time>}
      </PageLink>
      <span className="chat-acts">
        <IconButton
          icon="pin"
          label={t(tree.pinned ? 'unpinNamed' : 'pinNamed', { name })}
          onClick={() => void patchChats([tree.id], { pinned: !tree.pinned })}
        />
        <IconButton
          icon="edit"
          label={t('renameNamed', { name })}
          onClick={() => openDialog({ name: 'chats', what: 'title', chats: [tree] })}
        />
        <ChatMenu tree={tree} name={name} onSelect={() => onSelect(true)} />
      </span>
    </div>
  );
}

interface ChatMenuProps {
  readonly tree: TreeViewData;
  readonly name: string;
  /** Starts to select several chats, with this one. */
  readonly onSelect: () => void;
}

function ChatMenu({ tree, name, onSelect }: ChatMenuProps): ReactElement {
  return (
    <Menu trigger={<IconButton icon="more" label={t('moreFor', { name })} />}>
      <MenuItem icon="edit" onSelect={() => openDialog({ name: 'chats', what: 'title', chats: [tree] })}>
        {t('rename')}
      </MenuItem>
      <MenuItem icon="pin" onSelect={() => void patchChats([tree.id], { pinned: !tree.pinned })}>
        {t(tree.pinned ? 'unpin' : 'pin')}
      </MenuItem>
      <MenuItem icon="folder" onSelect={() => openDialog({ name: 'chats', what: 'folder', chats: [tree] })}>
        {t('moveToProject')}
      </MenuItem>
      <MenuItem icon="tag" onSelect={() => openDialog({ name: 'chats', what: 'tags', chats: [tree] })}>
        {t('treeTags')}
      </MenuItem>
      <MenuItem icon="copy" onSelect={() => void duplicateChat(tree.id)}>
        {t('duplicateWord')}
      </MenuItem>
      <MenuItem
        icon="export"
        onSelect={() =>
          openDialog({ name: 'export', about: { treeId: tree.id, leaf: tree.activeNodeId, marked: null } })
        }
      >
        {t('exportWord')}
      </MenuItem>
      <MenuItem icon="check" onSelect={onSelect}>
        {t('selectChats')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon="trash" danger onSelect={() => void deleteChats([tree.id])}>
        {t('deleteTree')}
      </MenuItem>
    </Menu>
  );
}
