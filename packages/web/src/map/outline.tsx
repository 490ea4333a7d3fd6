import type { Topology } from '@coppice/client';
import type { NodeId, TopologyNode } from '@coppice/core';
import { Outline, type OutlineItem, type OutlineListProps } from '@coppice/react';
import { type KeyboardEvent, type ReactElement, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { t, tn } from '../i18n/index.ts';
import { nameOfMessage } from '../markdown/message-name.ts';
import { openMessage } from '../state/open-message.ts';
import { useUi } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { isInputMethodKey } from '../ui/input-method.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { VariantRings } from '../ui/variant-rings.tsx';
import { type MessageFilter, messageFilters } from './message-filters.ts';

// Shorter runs are not folded.
const foldFrom = 5;
const mostFound = 300;
const mostLines = 20_000;

function isWanted(node: TopologyNode, filter: MessageFilter, topology: Topology): boolean {
  if (filter === 'no-tools') return node.role !== 'tool';
  if (filter === 'mine') return node.role === 'user';
  return filter !== 'bookmarked' || topology.bookmarks.has(node.id);
}

function containsWords(node: TopologyNode, words: string, topology: Topology): boolean {
  const title = topology.bookmarks.get(node.id)?.title ?? '';
  return node.preview.toLowerCase().includes(words) || title.toLowerCase().includes(words);
}

/** The outline of the open tree: the shown branch with its forks. A search lists the hits in all branches instead. */
export function OutlinePanel(): ReactElement {
  const session = useSession();
  const [filter, setFilter] = useState<MessageFilter>('all');
  const [search, setSearch] = useState<string | null>(null);
  const words = (search ?? '').trim().toLowerCase();
  const isFlat = words !== '' || filter === 'bookmarked';
  const shows = useMemo(() => {
    if (isFlat)
      return (node: TopologyNode, topology: Topology) =>
        isWanted(node, filter, topology) && containsWords(node, words, topology);
    // Forks are listed whatever the filter is: without them the other branches could not be reached.
    return (node: TopologyNode, topology: Topology) =>
      topology.children(node.parentId).length > 1 || isWanted(node, filter, topology);
  }, [isFlat, filter, words]);
  return (
    <>
      <div className="sect outline-head">
        <span>{t('outline')}</span>
        <span className="row">
          <FilterMenu filter={filter} onChange={setFilter} />
          <IconButton
            icon="search"
            label={t('searchTree')}
            aria-pressed={search !== null}
            onClick={() => setSearch(search === null ? '' : null)}
          />
        </span>
      </div>
      {search === null ? null : <OutlineSearch text={search} onChange={setSearch} />}
      <Outline
        className="outline-frame"
        shows={shows}
        branches={isFlat ? 'all' : 'path'}
        foldFrom={filter === 'all' && !isFlat ? foldFrom : null}
        limit={isFlat ? mostFound : mostLines}
        onSelect={(id) => {
          useUi.setState({ current: id, drawer: false });
          openMessage(session, id);
        }}
        renderList={(list) => <OutlineTree {...list} />}
      />
      <OutlineFoot />
    </>
  );
}

function FilterMenu({
  filter,
  onChange,
}: {
  readonly filter: MessageFilter;
  readonly onChange: (filter: MessageFilter) => void;
}): ReactElement {
  return (
    <Menu trigger={<IconButton icon="sliders" label={t('filterOutline')} aria-pressed={filter !== 'all'} />}>
      {messageFilters.map((each) => (
        <MenuItem key={each.name} checked={each.name === filter} onSelect={() => onChange(each.name)}>
          {t(each.label)}
        </MenuItem>
      ))}
    </Menu>
  );
}

/** The search field of the outline. Escape closes it. */
function OutlineSearch({
  text,
  onChange,
}: {
  readonly text: string;
  readonly onChange: (text: string | null) => void;
}): ReactElement {
  return (
    <div className="rail-search">
      <input
        className="field"
        type="search"
        placeholder={t('searchTree')}
        aria-label={t('searchTree')}
        value={text}
        ref={(element) => element?.focus()}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onChange(null);
        }}
      />
    </div>
  );
}

/** The number of branches, and the keys that jump between forks. */
function OutlineFoot(): ReactElement {
  const topology = useTree((state) => state.topology);
  const stamp = useTree((state) => state.stamp);
  const branches = useMemo(() => {
    if (topology === null || stamp < 0) return 0;
    let count = 0;
    for (const node of topology.nodes.values()) if (topology.children(node.id).length === 0) count++;
    return count;
  }, [topology, stamp]);
  return (
    <div className="row outline-foot">
      <span className="num grow">{branches === 0 ? '' : tn('branches', branches)}</span>
      <kbd>[</kbd>
      <kbd>]</kbd>
      <span>{t('forks')}</span>
    </div>
  );
}

/** The items as a virtual list, which is one tree widget for keyboards and screen readers. */
function OutlineTree({ items, leaf, onSelect }: OutlineListProps): ReactElement {
  const list = useRef<VListHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  useScrollToCurrent(items, leaf, list, box);
  const { chosen, onKeyDown } = useListKeys(items, onSelect, list);
  return (
    <div className="outline" ref={box}>
      {/* The scrolling element is focusable, so that it can be scrolled by keyboard. */}
      <VList
        className="outline-list"
        ref={list}
        role="tree"
        aria-label={t('outlineOf')}
        tabIndex={0}
        aria-activedescendant={chosen >= 0 ? `outline-${chosen}` : undefined}
        onKeyDown={onKeyDown}
      >
        {items.map((item, index) => (
          <OutlineRow
            key={item.kind === 'fold' ? `f${item.id}` : item.node.id}
            item={item}
            id={`outline-${index}`}
            first={index === 0}
            chosen={index === chosen}
            onPick={() => onSelect(item)}
          />
        ))}
      </VList>
    </div>
  );
}

/** Scrolls to the current message, or else to the end of the branch, unless the user points at or focuses the list. */
function useScrollToCurrent(
  items: readonly OutlineItem[],
  leaf: NodeId | null,
  list: RefObject<VListHandle | null>,
  box: RefObject<HTMLDivElement | null>,
): void {
  const current = useUi((ui) => ui.current);
  const position = useMemo(() => {
    const indexOf = (id: NodeId | null) =>
      id === null ? -1 : items.findIndex((item) => item.kind === 'message' && item.node.id === id);
    const at = indexOf(current);
    return at >= 0 ? at : indexOf(leaf);
  }, [items, current, leaf]);
  useEffect(() => {
    if (position < 0) return;
    // The list gets its height one frame after its rows.
    const frame = requestAnimationFrame(() => {
      if (box.current?.matches(':hover, :focus-within') === true) return;
      list.current?.scrollToIndex(position, { align: 'nearest' });
    });
    return () => cancelAnimationFrame(frame);
  }, [position, list, box]);
}

/** Moves a selection through the items with the arrow keys; Enter picks the selected item. */
function useListKeys(
  items: readonly OutlineItem[],
  onSelect: (item: OutlineItem) => void,
  list: RefObject<VListHandle | null>,
): { readonly chosen: number; readonly onKeyDown: (event: KeyboardEvent) => void } {
  const [chosen, setChosen] = useState(-1);
  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(items.length - 1, index));
    setChosen(next);
    list.current?.scrollToIndex(next, { align: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const item = items[chosen];
    if (isInputMethodKey(event)) return;
    if (event.key === 'ArrowDown') moveTo(chosen + 1);
    else if (event.key === 'ArrowUp') moveTo(chosen - 1);
    else if (event.key === 'Home') moveTo(0);
    else if (event.key === 'End') moveTo(items.length - 1);
    else if (event.key === 'Enter' && item !== undefined) onSelect(item);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { chosen, onKeyDown };
}

interface OutlineRowProps {
  readonly item: OutlineItem;
  readonly id: string;
  readonly first: boolean;
  readonly chosen: boolean;
  readonly onPick: () => void;
}

function OutlineRow({ item, id, first, chosen, onPick }: OutlineRowProps): ReactElement {
  if (item.kind === 'fold')
    return (
      <button
        type="button"
        id={id}
        role="treeitem"
        aria-selected={chosen}
        aria-expanded={false}
        tabIndex={-1}
        className="item on"
        onClick={onPick}
      >
        <span className="dot">
          <i className="bar-mark" />
        </span>
        <span className="item-text">{tn('folded', item.count)}</span>
        <Icon name="right" size={13} />
      </button>
    );
  const { node } = item;
  const classes = [
    'item',
    item.onPath ? 'on' : 'off',
    item.size > 0 ? 'thru deep' : '',
    first ? 'first' : '',
    item.current ? 'here' : '',
    node.role === 'user' ? 'you' : '',
    chosen ? 'chosen' : '',
  ];
  return (
    <button
      type="button"
      id={id}
      role="treeitem"
      aria-selected={item.current}
      tabIndex={-1}
      className={classes.filter(Boolean).join(' ')}
      onClick={onPick}
      title={node.preview}
    >
      <span className="dot">
        {item.variants > 1 ? (
          <VariantRings count={item.variants} at={item.at} />
        ) : (
          <i className={node.kind === 'message' ? (node.role === 'tool' ? 'tool-mark' : '') : 'bar-mark'} />
        )}
      </span>
      <span className="item-text" dir="auto">
        {nameOfMessage(node.preview, node.status)}
      </span>
      <LineMarks item={item} />
    </button>
  );
}

function LineMarks({ item }: { readonly item: Extract<OutlineItem, { kind: 'message' }> }): ReactElement {
  const marked = useTree((state) => state.topology?.bookmarks.has(item.node.id) === true);
  const { status } = item.node;
  return (
    <>
      {marked ? <Icon name="markon" size={13} /> : null}
      {status === 'interrupted' || status === 'aborted' ? (
        <span className="warm-mark">
          <Icon name="cut" size={13} />
          <span className="sr">{t('interrupted')}</span>
        </span>
      ) : null}
      {status === 'error' ? (
        <span className="bad-mark">
          <Icon name="x" size={13} />
          {/* Without a text, the name of the line is already this sentence. */}
          {item.node.preview === '' ? null : <span className="sr">{t('noAnswer')}</span>}
        </span>
      ) : null}
      {item.variants > 1 ? (
        <span className="count">
          {item.at}/{item.variants}
        </span>
      ) : item.size > 0 ? (
        <span className="count">{item.size}</span>
      ) : null}
    </>
  );
}
