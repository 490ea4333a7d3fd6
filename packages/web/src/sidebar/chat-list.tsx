import type { TreeViewData } from '@coppice/client';
import type { TreeId } from '@coppice/core';
import { type ReactElement, type ReactNode, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { formatMonth, t, tn } from '../i18n/index.ts';
import { loadMoreTrees, mergePinnedTrees, useAppData } from '../state/app-data.ts';
import { openDialog } from '../state/ui.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useArrowKeys } from '../ui/use-arrow-keys.ts';
import { deleteChats, exportChats, patchChats } from './chat-actions.ts';
import { buildChatListRows, type ChatHeading } from './chat-groups.ts';
import { ChatRow } from './chat-row.tsx';

const headings = { pinned: 'pinned', today: 'today', yesterday: 'yesterday', week: 'lastDays' } as const;

function headingText(heading: ChatHeading): string {
  if (heading.kind !== 'month') return t(headings[heading.kind]);
  return formatMonth(heading.at);
}

// Older chats are loaded when the list is scrolled this near to its end, in pixels.
const nearEnd = 400;

interface ChatListProps {
  readonly current: TreeId | null;
  /** The content of the row of the open chat, which is newer than the list. */
  readonly openChat?: (tree: TreeViewData) => ReactNode;
  /** Whether the list is kept low, because another element needs most of the height. */
  readonly compact?: boolean;
}

/** All chats by date. Only visible rows are rendered; older chats are loaded while scrolling. */
export function ChatList({ current, openChat, compact = false }: ChatListProps): ReactElement {
  const loaded = useAppData((lists) => lists.trees);
  const pinned = useAppData((lists) => lists.pinned);
  const trees = useMemo(() => mergePinnedTrees({ trees: loaded, pinned }), [loaded, pinned]);
  const cursor = useAppData((lists) => lists.cursor);
  const [selected, setSelected] = useState<ReadonlySet<TreeId>>(new Set());
  const [choosing, setChoosing] = useState(false);
  const scroll = useRef<HTMLDivElement>(null);
  useArrowKeys(scroll, '.chat-row > a');
  const list = useRef<VirtualizerHandle>(null);
  const rows = useMemo(() => buildChatListRows(trees, Date.now()), [trees]);
  const lastChosen = useRef<TreeId | null>(null);
  /** Selects a chat; with `toHere` also all between it and the chat that was clicked before. */
  const choose = (id: TreeId, isChosen: boolean, toHere = false) => {
    setChoosing(true);
    const listed = rows.flatMap((row) => (row.kind === 'chat' ? [row.tree.id] : []));
    const ends = [listed.indexOf(lastChosen.current ?? id), listed.indexOf(id)];
    const range = toHere && !ends.includes(-1) ? listed.slice(Math.min(...ends), Math.max(...ends) + 1) : [id];
    lastChosen.current = id;
    setSelected((now) => {
      const next = new Set(now);
      for (const each of range)
        if (isChosen) next.add(each);
        else next.delete(each);
      return next;
    });
  };
  const end = () => {
    setChoosing(false);
    lastChosen.current = null;
    setSelected(new Set());
  };
  return (
    <>
      {choosing ? <SelectionBar chats={trees.filter((tree) => selected.has(tree.id))} onEnd={end} /> : null}
      <div
        className={compact ? 'chat-list compact' : 'chat-list'}
        ref={scroll}
        onScroll={(event) => {
          const { scrollTop, clientHeight, scrollHeight } = event.currentTarget;
          if (cursor !== null && scrollHeight - scrollTop - clientHeight < nearEnd) void loadMoreTrees();
        }}
      >
        <Virtualizer ref={list} scrollRef={scroll} bufferSize={300}>
          {rows.map((row) =>
            row.kind === 'heading' ? (
              <h2 key={row.key} className="sect">
                {headingText(row.heading)}
              </h2>
            ) : (
              <ChatRow
                key={row.key}
                tree={row.tree}
                current={row.tree.id === current}
                selected={choosing ? selected.has(row.tree.id) : null}
                onSelect={(isChosen, toHere) => choose(row.tree.id, isChosen, toHere)}
                inside={row.tree.id === current ? openChat?.(row.tree) : undefined}
              />
            ),
          )}
        </Virtualizer>
        {cursor === null ? null : (
          <Button small look="quiet" onClick={() => void loadMoreTrees()}>
            {t('showMore')}
          </Button>
        )}
      </div>
    </>
  );
}

/** The actions on all selected chats. */
function SelectionBar({
  chats,
  onEnd,
}: {
  readonly chats: readonly TreeViewData[];
  readonly onEnd: () => void;
}): ReactElement {
  const ids = chats.map((chat) => chat.id);
  const none = ids.length === 0;
  return (
    <div className="selection-bar" role="toolbar" aria-label={t('selectedChats')}>
      <span className="grow">{tn('selected', ids.length)}</span>
      <IconButton icon="pin" label={t('pin')} disabled={none} onClick={() => void patchChats(ids, { pinned: true })} />
      <IconButton
        icon="folder"
        label={t('moveToProject')}
        disabled={none}
        onClick={() => openDialog({ name: 'chats', what: 'folder', chats })}
      />
      <IconButton
        icon="tag"
        label={t('treeTags')}
        disabled={none}
        onClick={() => openDialog({ name: 'chats', what: 'tags', chats })}
      />
      <IconButton icon="export" label={t('exportWord')} disabled={none} onClick={() => void exportChats(ids)} />
      <IconButton
        icon="trash"
        label={t('deleteTree')}
        disabled={none}
        onClick={() => void deleteChats(ids).then(onEnd)}
      />
      <IconButton icon="x" label={t('endSelection')} onClick={onEnd} />
    </div>
  );
}
