import { type TreeSession, toHttpProblem } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import { type KeyboardEvent, type ReactElement, useCallback, useRef, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { moveMessages, showError } from '../state/tree-actions.ts';
import { openDialog } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { BackToThreadButton, BranchCrumb } from '../thread/tree-bar.tsx';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { useOpenChatName } from '../ui/use-chat-name.ts';
import { BranchList } from './branch-list.tsx';
import { DragLine } from './drag-line.tsx';
import { MapLegend } from './legend.tsx';
import { handleMapKey } from './map-keys.ts';
import { MapSearch, useMapSearch } from './map-search.tsx';
import { MapZoom } from './map-zoom.tsx';
import { MessageCards } from './message-cards.tsx';
import { type MessageFilter, messageFilters } from './message-filters.ts';
import { MessagePreview } from './message-preview.tsx';
import { Minimap } from './minimap.tsx';
import { type MapModel, useMapModel } from './use-map.ts';
import { type MapCanvas, useMapCanvas } from './use-map-canvas.ts';
import { useMapDrawing } from './use-map-drawing.ts';
import { useMapView } from './use-map-view.ts';
import { useMapPointer } from './use-pointer.ts';
import { type MapView, zoomLevelOf } from './view.ts';

/** The map as a screen: pan, zoom, keyboard navigation, and a preview of messages. */
export function MapScreen(): ReactElement {
  const session = useSession();
  const model = useMapModel();
  const surface = useMapCanvas();
  const { host, canvas, width, height } = surface;
  const [filter, setFilter] = useState<MessageFilter>('all');
  const [find, setFind] = useState('');
  const [focus, setFocus] = useState<NodeId | null>(null);
  const finder = useRef<HTMLInputElement>(null);
  const mapView = useMapView(model, { width, height });
  const { view, setView, zoom, showWhole } = mapView;
  const found = useMapSearch(model, find.trim());
  useMapDrawing(surface, model, { view, focus, filter, found });
  const goTo = useCallback((id: NodeId) => showInThread(session, id), [session]);
  const show = (id: NodeId) => {
    setFocus(id);
    mapView.bringIntoView(id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const search = () => finder.current?.focus();
    if (model !== null)
      handleMapKey(event, { session, model, focus, show, setFocus, openMessage: goTo, zoom, showWhole, search });
  };
  const level = view === null ? 'mid' : zoomLevelOf(view);
  const { drag, ...pointer } = useMapPointer(surface, view, setView, model, {
    onFocus: setFocus,
    onOpen: goTo,
    onZoom: zoom,
    onPinch: mapView.pinch,
    // Zoomed out, messages are not drawn, so dragging pans.
    onMove: level === 'far' ? null : (from, to) => void moveMessages(session, from, to),
  });
  return (
    <main className="mapscreen" aria-label={t('map')} aria-busy={model === null}>
      <MapBar filter={filter} onFilter={setFilter}>
        <MapSearch text={find} onText={setFind} found={found} shown={focus} onShow={show} field={finder} />
      </MapBar>
      <div className="canvas" ref={host}>
        <canvas
          ref={canvas}
          className={focus === null ? 'map-canvas' : 'map-canvas walking'}
          tabIndex={0}
          aria-label={`${tn('mapOf', model?.topology.nodes.size ?? 0)} ${t('mapKeys')}`}
          onKeyDown={onKeyDown}
          {...pointer}
        />
        {model === null ? <MapProgress /> : <BranchList model={model} onPick={goTo} onShow={show} />}
        {model !== null && view !== null ? (
          <MapOverlays
            model={model}
            view={view}
            surface={surface}
            focus={focus}
            drag={drag}
            onOpen={goTo}
            onMove={setView}
          />
        ) : null}
        <MapZoom mapView={mapView} target={focus ?? model?.leaf ?? null} />
        {level === 'near' ? null : <MapLegend />}
      </div>
    </main>
  );
}

/** Shows a message in the thread. */
function showInThread(session: TreeSession, id: NodeId): void {
  session.go(id).then(
    () => {
      navigateTo(treeRoute(session.treeId));
      session.scrollTo(id);
    },
    (thrown) => showError(toHttpProblem(thrown)),
  );
}

/** The title, the filter and the search above the map. */
function MapBar(props: {
  readonly filter: MessageFilter;
  readonly onFilter: (filter: MessageFilter) => void;
  readonly children: ReactElement;
}): ReactElement {
  const { filter, onFilter, children } = props;
  const name = useOpenChatName(useTree((state) => state.part?.tree ?? null));
  return (
    <div className="bar">
      <BackToThreadButton />
      <div className="crumb grow">
        <h1 dir="auto">{name}</h1>
        <BranchCrumb />
      </div>
      <fieldset className="seg wide" aria-label={t('filter')}>
        {messageFilters.map((each) => (
          <button key={each.name} type="button" aria-pressed={each.name === filter} onClick={() => onFilter(each.name)}>
            {each.name === 'bookmarked' ? <Icon name="mark" /> : null}
            {t(each.label)}
          </button>
        ))}
      </fieldset>
      {children}
      <span className="phone-only">
        <Menu trigger={<IconButton icon="sliders" label={t('filter')} />}>
          {messageFilters.map((each) => (
            <MenuItem key={each.name} checked={each.name === filter} onSelect={() => onFilter(each.name)}>
              {t(each.label)}
            </MenuItem>
          ))}
        </Menu>
      </span>
    </div>
  );
}

/** What is drawn above the canvas: the minimap, a drag, and each message as a card or the focused one as a preview. */
function MapOverlays(props: {
  readonly model: MapModel;
  readonly view: MapView;
  readonly surface: MapCanvas;
  readonly focus: NodeId | null;
  readonly drag: ReturnType<typeof useMapPointer>['drag'];
  readonly onOpen: (id: NodeId) => void;
  readonly onMove: (view: MapView) => void;
}): ReactElement {
  const { model, view, surface, focus, drag, onOpen, onMove } = props;
  const { width, height, palette } = surface;
  const isNear = zoomLevelOf(view) === 'near';
  return (
    <>
      {isNear ? <MessageCards model={model} view={view} width={width} height={height} onOpen={onOpen} /> : null}
      {drag === null ? null : <DragLine model={model} view={view} drag={drag} />}
      {focus === null || drag !== null || isNear ? null : (
        <MessagePreview
          model={model}
          view={view}
          id={focus}
          width={width}
          height={height}
          onOpen={onOpen}
          onMerge={(id) => openDialog({ name: 'merge', nodeId: id })}
        />
      )}
      {palette === null ? null : (
        <Minimap model={model} view={view} width={width} height={height} palette={palette} onMove={onMove} />
      )}
    </>
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
