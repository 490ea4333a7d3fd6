import { asProblem, titleOfNode } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import { type KeyboardEvent, type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { formatNumber, t, tn } from '../i18n/index.ts';
import { navigateTo, treePlace } from '../state/router.ts';
import { cherryPickMessage, moveMessages, showError } from '../state/tree-actions.ts';
import { openDialog } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { BranchCrumb } from '../thread/tree-bar.tsx';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { BranchList } from './branch-list.tsx';
import { MessageCards } from './cards.tsx';
import { DragLine } from './drag-line.tsx';
import { drawMap } from './draw.ts';
import { filters, type ShapeFilter } from './filters.ts';
import { positionOf } from './layout.ts';
import { MapLegend } from './legend.tsx';
import { Minimap } from './minimap.tsx';
import { Preview } from './preview.tsx';
import { canvasContext, fontOf, useCanvas } from './use-canvas.ts';
import { isDimmed, type MapModel, useMapModel, useModelColour } from './use-map.ts';
import { usePointer } from './use-pointer.ts';
import { centreView, fitView, levelOf, type MapView, type ZoomLevel, zoomScales, zoomView } from './view.ts';

const levels: readonly { readonly name: ZoomLevel; readonly label: 'far' | 'mid' | 'near' }[] = [
  { name: 'far', label: 'far' },
  { name: 'mid', label: 'mid' },
  { name: 'near', label: 'near' },
];

/** The map as a screen: pan, zoom, keyboard navigation, and a preview of messages. */
export function MapScreen(): ReactElement {
  const session = useSession();
  const model = useMapModel();
  const tree = useTree((state) => state.part?.tree ?? null);
  const surface = useCanvas();
  const { host, canvas, width, height, palette } = surface;
  const modelColour = useModelColour(palette);
  const [filter, setFilter] = useState<ShapeFilter>('all');
  const [find, setFind] = useState('');
  const [focus, setFocus] = useState<NodeId | null>(null);
  const [view, setView] = useState<MapView | null>(null);
  const finder = useRef<HTMLInputElement>(null);
  const phone = width < 720;

  // Starts with the whole tree if it is readable; a large one starts at the current message.
  useEffect(() => {
    if (view !== null || model === null || width === 0) return;
    const whole = fitView(model.layout, { width, height, left: phone ? 24 : 272, right: 60, top: 80, bottom: 92 }, 1.5);
    const spot = model.leaf === null ? undefined : model.layout.spots.get(model.leaf);
    if (whole.kx >= 0.55 && whole.ky >= 0.55) setView(whole.ky < 0.76 ? { ...whole, ky: 0.76 } : whole);
    else setView(spot === undefined ? whole : centreView(model.layout, { width, height }, spot, 0.9));
  }, [view, model, width, height, phone]);

  const found = useMemo(() => matchesFilter(model, find), [model, find]);
  const hidden = useMemo(() => {
    if (model === null) return () => false;
    const base = isDimmed(filter, model);
    return found === null ? base : (node: { readonly id: NodeId }) => !found.has(node.id);
  }, [filter, model, found]);

  useEffect(() => {
    const context = canvasContext(canvas.current);
    if (context === null || model === null || view === null || palette === null) return;
    const frame = requestAnimationFrame(() =>
      drawMap(context, {
        layout: model.layout,
        view,
        width,
        height,
        palette,
        font: fontOf(host.current),
        live: model.live,
        leaf: model.leaf,
        bookmarks: model.topology.bookmarks,
        merges: model.merges,
        hidden,
        focus,
        childCount: model.childCount,
        liveChild: model.liveChild,
        modelColour,
        avoid: phone
          ? []
          : [
              { x0: 0, y0: 0, x1: 262, y1: 262 },
              { x0: 0, y0: height - 170, x1: 420, y1: height },
            ],
      }),
    );
    return () => cancelAnimationFrame(frame);
  }, [canvas, host, model, view, palette, hidden, focus, modelColour, width, height, phone]);

  const goTo = useCallback(
    (id: NodeId) => {
      session.go(id).then(
        () => {
          navigateTo(treePlace(session.treeId));
          session.scrollTo(id);
        },
        (thrown) => showError(asProblem(thrown)),
      );
    },
    [session],
  );

  const show = (id: NodeId) => {
    setFocus(id);
    const spot = model?.layout.spots.get(id);
    if (spot === undefined || model === null || view === null) return;
    const { x, y } = positionOf(model.layout, spot.branch, spot.at);
    const sx = x * view.kx + view.tx;
    const sy = y * view.ky + view.ty;
    const margin = 60;
    if (sx < margin || sx > width - margin || sy < margin || sy > height - margin)
      setView({ ...view, tx: width / 2 - x * view.kx, ty: height / 2 - y * view.ky });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    // Browser shortcuts, such as printing.
    if (model === null || event.ctrlKey || event.metaKey) return;
    const at = focus ?? model.leaf;
    const next = at === null ? null : neighbourNode(model, at, event.key);
    if (next !== null) show(next);
    else if (event.key === 'Enter' && focus !== null) goTo(focus);
    else if (event.key.toLowerCase() === 'b' && focus !== null)
      void session.go(focus, { leaf: focus }).then(
        () => navigateTo(treePlace(session.treeId)),
        (thrown) => showError(asProblem(thrown)),
      );
    else if (event.key.toLowerCase() === 'p' && focus !== null) void cherryPickMessage(session, focus);
    else if (event.key === '+' || event.key === '=')
      setView((now) => (now === null ? now : zoomView(now, 1.25, width / 2, height / 2)));
    else if (event.key === '-') setView((now) => (now === null ? now : zoomView(now, 0.8, width / 2, height / 2)));
    else if (event.key === '/') finder.current?.focus();
    else if (event.key === 'Escape' && focus !== null) setFocus(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const level = view === null ? 'mid' : levelOf(view);
  const { drag, ...pointer } = usePointer(surface, view, setView, model, {
    onFocus: setFocus,
    onOpen: goTo,
    // Zoomed out, messages are not drawn, so dragging pans.
    onMove: level === 'far' ? null : (from, to) => void moveMessages(session, from, to),
  });

  return (
    <div className="mapscreen">
      <div className="bar">
        <IconButton
          icon="left"
          label={`${t('backToThread')} (Esc)`}
          onClick={() => navigateTo(treePlace(session.treeId))}
        />
        <div className="crumb grow">
          <h1 dir="auto">{tree === null ? '' : (titleOfNode(tree) ?? t('untitled'))}</h1>
          <BranchCrumb />
        </div>
        <fieldset className="seg wide" aria-label={t('filter')}>
          {filters.map((each) => (
            <button
              key={each.name}
              type="button"
              aria-pressed={each.name === filter}
              onClick={() => setFilter(each.name)}
            >
              {each.name === 'bookmarked' ? <Icon name="mark" /> : null}
              {t(each.label)}
            </button>
          ))}
        </fieldset>
        <input
          className="field wide map-find"
          type="search"
          ref={finder}
          placeholder={t('findOnMap')}
          aria-label={t('findOnMap')}
          value={find}
          onChange={(event) => setFind(event.target.value)}
        />
        <span className="phone-only">
          <Menu trigger={<IconButton icon="sliders" label={t('filter')} />}>
            {filters.map((each) => (
              <MenuItem key={each.name} checked={each.name === filter} onSelect={() => setFilter(each.name)}>
                {t(each.label)}
              </MenuItem>
            ))}
          </Menu>
        </span>
      </div>
      <div className="canvas" ref={host}>
        <canvas
          ref={canvas}
          className={focus === null ? 'map-canvas' : 'map-canvas walking'}
          tabIndex={0}
          aria-label={`${tn('mapOf', model?.topology.nodes.size ?? 0)} ${t('mapKeys')}`}
          onKeyDown={onKeyDown}
          {...pointer}
        />
        {model !== null && view !== null && level === 'near' ? (
          <MessageCards model={model} view={view} width={width} height={height} onOpen={goTo} />
        ) : null}
        {model === null ? null : <BranchList model={model} onPick={goTo} onShow={show} />}
        {model !== null && view !== null && drag !== null ? <DragLine model={model} view={view} drag={drag} /> : null}
        {model !== null && view !== null && focus !== null && drag === null && level !== 'near' ? (
          <Preview
            model={model}
            view={view}
            id={focus}
            width={width}
            height={height}
            onOpen={goTo}
            onMerge={(id) => openDialog({ name: 'merge', nodeId: id })}
          />
        ) : null}
        <div className="zoom">
          <fieldset className="seg" aria-label={t('zoom')}>
            {levels.map((each) => (
              <button
                key={each.name}
                type="button"
                aria-pressed={each.name === level}
                disabled={view === null}
                onClick={() => {
                  const at = focus ?? model?.leaf ?? null;
                  const spot = at === null ? undefined : model?.layout.spots.get(at);
                  if (model !== null && spot !== undefined)
                    setView(centreView(model.layout, { width, height }, spot, zoomScales[each.name]));
                }}
              >
                {t(each.label)}
              </button>
            ))}
          </fieldset>
        </div>
        {model === null || view === null || palette === null ? null : (
          <Minimap model={model} view={view} width={width} height={height} palette={palette} onMove={setView} />
        )}
        {level === 'near' ? null : <MapLegend />}
        <p className="sr" role="status">
          {found === null ? '' : t('foundOnMap', { n: formatNumber(found.size) })}
        </p>
      </div>
    </div>
  );
}

function matchesFilter(model: MapModel | null, find: string): ReadonlySet<NodeId> | null {
  const words = find.trim().toLowerCase();
  if (model === null || words === '') return null;
  const found = new Set<NodeId>();
  for (const node of model.topology.nodes.values()) if (node.preview.toLowerCase().includes(words)) found.add(node.id);
  return found;
}

/** The target of an arrow key: up to the child, down to the parent, left and right to variants. */
function neighbourNode(model: MapModel, id: NodeId, key: string): NodeId | null {
  const node = model.topology.nodes.get(id);
  if (node === undefined) return null;
  if (key === 'ArrowUp') {
    const kids = model.topology.children(id);
    return (kids.find((kid) => model.live.has(kid.id)) ?? kids[0])?.id ?? null;
  }
  if (key === 'ArrowDown') return model.topology.nodes.has(node.parentId) ? node.parentId : null;
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return null;
  const siblings = model.topology.children(node.parentId);
  const at = siblings.findIndex((sibling) => sibling.id === id);
  return siblings[at + (key === 'ArrowRight' ? 1 : -1)]?.id ?? null;
}
