import { toHttpProblem, treeTitleOf } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import { type KeyboardEvent, type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
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
import { MapSearch, useMapSearch } from './map-search.tsx';
import { MapZoom, zoomStep } from './map-zoom.tsx';
import { Minimap } from './minimap.tsx';
import { Preview } from './preview.tsx';
import { canvasContext, fontOf, useCanvas } from './use-canvas.ts';
import { isDimmed, type MapModel, useMapModel, useModelColour } from './use-map.ts';
import { usePointer } from './use-pointer.ts';
import {
  centreView,
  fitView,
  keepInSight,
  leastScales,
  levelOf,
  type MapView,
  zoomBounds,
  zoomScales,
  zoomView,
} from './view.ts';

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
  const [view, setRawView] = useState<MapView | null>(null);
  const finder = useRef<HTMLInputElement>(null);
  const phone = width < 720;

  const layout = model?.layout ?? null;
  const least = useMemo(
    () => (layout === null || width === 0 ? null : leastScales(layout, { width, height })),
    [layout, width, height],
  );
  const setView = useCallback(
    (next: MapView) => setRawView(layout === null ? next : keepInSight(layout, next, { width, height })),
    [layout, width, height],
  );
  const zoom = useCallback(
    (by: number, x = width / 2, y = height / 2) =>
      setRawView((now) =>
        now === null || least === null || layout === null
          ? now
          : keepInSight(layout, zoomView(now, by, x, y, least), { width, height }),
      ),
    [layout, least, width, height],
  );
  const frame = useMemo(
    () => ({ width, height, left: phone ? 24 : 272, right: 60, top: 80, bottom: 92 }),
    [width, height, phone],
  );
  const showWhole = () => {
    if (layout !== null) setView(fitView(layout, frame, 1.5));
  };

  // Starts with the whole tree if it is readable; a large one starts at the current message.
  useEffect(() => {
    if (view !== null || model === null || width === 0) return;
    const whole = fitView(model.layout, frame, 1.5);
    const spot = model.leaf === null ? undefined : model.layout.spots.get(model.leaf);
    if (whole.kx >= 0.55 && whole.ky >= 0.55) setView(whole.ky < 0.76 ? { ...whole, ky: 0.76 } : whole);
    else setView(spot === undefined ? whole : centreView(model.layout, { width, height }, spot, 0.9));
  }, [view, model, width, height, frame, setView]);

  const found = useMapSearch(model, find.trim());
  const hidden = useMemo(() => {
    if (model === null) return () => false;
    const base = isDimmed(filter, model);
    if (found === null) return base;
    const shown = new Set(found);
    return (node: { readonly id: NodeId }) => !shown.has(node.id);
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
        (thrown) => showError(toHttpProblem(thrown)),
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
        (thrown) => showError(toHttpProblem(thrown)),
      );
    else if (event.key.toLowerCase() === 'p' && focus !== null) void cherryPickMessage(session, focus);
    else if (event.key === '+' || event.key === '=') zoom(zoomStep);
    else if (event.key === '-') zoom(1 / zoomStep);
    else if (event.key === '0') showWhole();
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
    onZoom: zoom,
    // Zoomed out, messages are not drawn, so dragging pans.
    onMove: level === 'far' ? null : (from, to) => void moveMessages(session, from, to),
  });

  const bounds = view === null || least === null ? null : zoomBounds(view, least);
  return (
    <main className="mapscreen" aria-label={t('map')} aria-busy={model === null}>
      <div className="bar">
        <IconButton
          icon="left"
          label={`${t('backToThread')} (Esc)`}
          onClick={() => navigateTo(treePlace(session.treeId))}
        />
        <div className="crumb grow">
          <h1 dir="auto">{tree === null ? '' : (treeTitleOf(tree) ?? t('untitled'))}</h1>
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
        <MapSearch text={find} onText={setFind} found={found} shown={focus} onShow={show} field={finder} />
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
        {model === null ? <MapProgress /> : null}
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
        <MapZoom
          level={view === null ? null : level}
          canEnlarge={bounds !== null && bounds.most > 1.001}
          canReduce={bounds !== null && bounds.least < 0.999}
          onLevel={(next) => {
            const at = focus ?? model?.leaf ?? null;
            const spot = at === null ? undefined : model?.layout.spots.get(at);
            if (model !== null && spot !== undefined)
              setView(centreView(model.layout, { width, height }, spot, zoomScales[next]));
          }}
          onZoom={zoom}
          onFit={showWhole}
        />
        {model === null || view === null || palette === null ? null : (
          <Minimap model={model} view={view} width={width} height={height} palette={palette} onMove={setView} />
        )}
        {level === 'near' ? null : <MapLegend />}
      </div>
    </main>
  );
}

/** Shows that the tree is being loaded, and how much of it has arrived. */
function MapProgress(): ReactElement {
  const loaded = useTree((state) => state.topologyLoaded);
  return (
    <div className="map-progress" role="status">
      <progress aria-label={t('loadingTree')} {...(loaded === null ? {} : { value: loaded })} />
      <span>{loaded === null ? t('loadingTree') : t('loadingTreeShare', { share: Math.round(loaded * 100) })}</span>
    </div>
  );
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
