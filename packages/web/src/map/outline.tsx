import { leafInTopology } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { t, tn } from '../i18n/index.ts';
import { toExcerpt } from '../markdown/first-words.ts';
import { openMessage } from '../state/open-message.ts';
import { useUi } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { VariantRings } from '../ui/variant-rings.tsx';
import { type ShapeFilter, shapeFilters } from './filters.ts';
import { buildOutlineRows, type OutlineRow } from './outline-rows.ts';

/** The outline of the open tree: the path of the view, and the other branches at each fork. */
export function OutlinePanel(): ReactElement {
  const session = useSession();
  const topology = useTree((state) => state.topology);
  const stamp = useTree((state) => state.stamp);
  const ready = useTree((state) => state.phase === 'ready');
  const leaf = useTree(leafInTopology);
  const [filter, setFilter] = useState<ShapeFilter>('all');
  const [search, setSearch] = useState<string | null>(null);
  const [opened, setOpened] = useState<ReadonlySet<NodeId>>(new Set());
  const [at, setAt] = useState(-1);
  const list = useRef<VListHandle>(null);
  // The thread is loaded first; the topology after it.
  useEffect(() => {
    if (!ready) return;
    const timer = setTimeout(() => void session.wantTopology(), 60);
    return () => clearTimeout(timer);
  }, [session, ready]);
  const rows = useMemo(
    () =>
      topology === null || stamp < 0 ? [] : buildOutlineRows(topology, { leaf, filter, search: search ?? '', opened }),
    [topology, stamp, leaf, filter, search, opened],
  );
  const branches = useMemo(() => {
    if (topology === null || stamp < 0) return 0;
    let count = 0;
    for (const node of topology.nodes.values()) if (topology.children(node.id).length === 0) count++;
    return count;
  }, [topology, stamp]);

  // The marked message, else the end of the branch.
  const marked = useUi((ui) => ui.current);
  const position = useMemo(() => {
    const indexOf = (id: NodeId | null) =>
      id === null ? -1 : rows.findIndex((row) => row.kind === 'node' && row.node.id === id);
    const at = indexOf(marked);
    return at >= 0 ? at : indexOf(leaf);
  }, [rows, marked, leaf]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (position < 0) return;
    // The list gets its height one frame after its rows.
    const frame = requestAnimationFrame(() => {
      // While the user points at or focuses the list, it is not scrolled automatically.
      if (box.current?.matches(':hover, :focus-within') === true) return;
      list.current?.scrollToIndex(position, { align: 'nearest' });
    });
    return () => cancelAnimationFrame(frame);
  }, [position]);

  const pick = (row: OutlineRow) => {
    if (row.kind === 'folded') {
      setOpened(new Set(opened).add(row.id));
      return;
    }
    useUi.setState({ current: row.node.id, drawer: false });
    openMessage(session, row.node.id);
  };

  const step = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setAt(next);
    list.current?.scrollToIndex(next, { align: 'nearest' });
  };

  const onKeyDown = (event: React.KeyboardEvent) => {
    const row = rows[at];
    if (event.key === 'ArrowDown') step(at + 1);
    else if (event.key === 'ArrowUp') step(at - 1);
    else if (event.key === 'Home') step(0);
    else if (event.key === 'End') step(rows.length - 1);
    else if (event.key === 'Enter' && row !== undefined) pick(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <div className="sect outline-head">
        <span>{t('outline')}</span>
        <span className="row">
          <Menu trigger={<IconButton icon="sliders" label={t('filterOutline')} aria-pressed={filter !== 'all'} />}>
            {shapeFilters.map((each) => (
              <MenuItem key={each.name} checked={each.name === filter} onSelect={() => setFilter(each.name)}>
                {t(each.label)}
              </MenuItem>
            ))}
          </Menu>
          <IconButton
            icon="search"
            label={t('searchTree')}
            aria-pressed={search !== null}
            onClick={() => setSearch(search === null ? '' : null)}
          />
        </span>
      </div>
      {search === null ? null : (
        <div className="rail-search">
          <input
            className="field"
            type="search"
            placeholder={t('searchTree')}
            aria-label={t('searchTree')}
            value={search}
            ref={(element) => element?.focus()}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setSearch(null);
            }}
          />
        </div>
      )}
      <div className="outline" ref={box}>
        {/* The scrolling element is focusable, so that it can be scrolled by keyboard. */}
        <VList
          className="outline-list"
          ref={list}
          role="tree"
          aria-label={t('outlineOf')}
          tabIndex={0}
          aria-activedescendant={at >= 0 ? `outline-${at}` : undefined}
          onKeyDown={onKeyDown}
        >
          {rows.map((row, index) => (
            <OutlineLine
              key={row.kind === 'folded' ? `f${row.id}` : row.node.id}
              row={row}
              id={`outline-${index}`}
              first={index === 0}
              chosen={index === at}
              onPick={() => pick(row)}
            />
          ))}
        </VList>
      </div>
      <div className="row outline-foot">
        <span className="num grow">{branches === 0 ? '' : tn('branches', branches)}</span>
        <kbd>[</kbd>
        <kbd>]</kbd>
        <span>{t('forks')}</span>
      </div>
    </>
  );
}

interface OutlineLineProps {
  readonly row: OutlineRow;
  readonly id: string;
  readonly first: boolean;
  readonly chosen: boolean;
  readonly onPick: () => void;
}

function OutlineLine({ row, id, first, chosen, onPick }: OutlineLineProps): ReactElement {
  if (row.kind === 'folded')
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
        <span className="item-text">{tn('folded', row.count)}</span>
        <Icon name="right" size={13} />
      </button>
    );
  const { node } = row;
  const classes = [
    'item',
    row.onPath ? 'on' : 'off',
    row.size > 0 ? 'thru deep' : '',
    first ? 'first' : '',
    row.current ? 'here' : '',
    node.role === 'user' ? 'you' : '',
    chosen ? 'chosen' : '',
  ];
  return (
    <button
      type="button"
      id={id}
      role="treeitem"
      aria-selected={row.current}
      tabIndex={-1}
      className={classes.filter(Boolean).join(' ')}
      onClick={onPick}
      title={node.preview}
    >
      <span className="dot">
        {row.variants > 1 ? (
          <VariantRings count={row.variants} at={row.at} />
        ) : (
          <i className={node.kind === 'message' ? (node.role === 'tool' ? 'tool-mark' : '') : 'bar-mark'} />
        )}
      </span>
      <span className="item-text" dir="auto">
        {node.preview === '' ? '…' : toExcerpt(node.preview)}
      </span>
      <LineMarks row={row} />
    </button>
  );
}

function LineMarks({ row }: { readonly row: Extract<OutlineRow, { kind: 'node' }> }): ReactElement {
  const marked = useTree((state) => state.topology?.bookmarks.has(row.node.id) === true);
  const { status } = row.node;
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
          <span className="sr">{t('noAnswer')}</span>
        </span>
      ) : null}
      {row.variants > 1 ? (
        <span className="count">
          {row.at}/{row.variants}
        </span>
      ) : row.size > 0 ? (
        <span className="count">{row.size}</span>
      ) : null}
    </>
  );
}
