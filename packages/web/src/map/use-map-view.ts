import type { NodeId } from '@coppice/core';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { computeMessagePosition, type MapLayout } from './layout.ts';
import type { MapModel } from './use-map.ts';
import {
  centreViewOnMessage,
  computeSmallestScales,
  computeZoomBounds,
  fitView,
  keepTreeVisible,
  type MapScales,
  type MapView,
  type ViewFrame,
  zoomScales,
  zoomView,
} from './view.ts';

interface ScreenPoint {
  readonly x: number;
  readonly y: number;
}

/** The visible part of the map, and functions that change it. */
export interface MapViewState {
  /** Null until the tree is loaded. */
  readonly view: MapView | null;
  readonly bounds: ReturnType<typeof computeZoomBounds> | null;
  setView(view: MapView): void;
  zoom(by: number, x?: number, y?: number): void;
  /** Scales about the point `from`, and moves that point to `to`. */
  pinch(by: number, from: ScreenPoint, to: ScreenPoint): void;
  showWhole(): void;
  /** Moves the map if the message is outside of it, or too near an edge. */
  bringIntoView(id: NodeId): void;
  /** Zooms to a level, with the message in the middle. */
  showLevel(level: keyof typeof zoomScales, id: NodeId | null): void;
}

interface CanvasSize {
  readonly width: number;
  readonly height: number;
}

/** Messages nearer to an edge than this are brought into the middle. */
const edgeMargin = 60;

/** The view that the map starts with: the whole tree if that is readable, otherwise the current message. */
function firstView({ layout, leaf }: MapModel, frame: ViewFrame): MapView {
  const whole = fitView(layout, frame, 1.5);
  if (whole.kx >= 0.55 && whole.ky >= 0.55) return whole.ky < 0.76 ? { ...whole, ky: 0.76 } : whole;
  const spot = leaf === null ? undefined : layout.spots.get(leaf);
  return spot === undefined ? whole : centreViewOnMessage(layout, frame, spot, 0.9);
}

/** Returns a view that shows a message: the same view if the message is not too near an edge, otherwise in the middle. */
function viewWithMessage(layout: MapLayout, view: MapView, { width, height }: CanvasSize, id: NodeId): MapView {
  const spot = layout.spots.get(id);
  if (spot === undefined) return view;
  const { x, y } = computeMessagePosition(layout, spot.branch, spot.at);
  const sx = x * view.kx + view.tx;
  const sy = y * view.ky + view.ty;
  if (sx >= edgeMargin && sx <= width - edgeMargin && sy >= edgeMargin && sy <= height - edgeMargin) return view;
  return { ...view, tx: width / 2 - x * view.kx, ty: height / 2 - y * view.ky };
}

/** Returns the visible part of a tree's map; null until the tree and the size of the canvas are known. */
export function useMapView(model: MapModel | null, size: CanvasSize): MapViewState {
  const { width, height } = size;
  const [view, setRawView] = useState<MapView | null>(null);
  const layout = model?.layout ?? null;
  const least = useMemo<MapScales | null>(
    () => (layout === null || width === 0 ? null : computeSmallestScales(layout, { width, height })),
    [layout, width, height],
  );
  const setView = useCallback(
    (next: MapView) => setRawView(layout === null ? next : keepTreeVisible(layout, next, { width, height })),
    [layout, width, height],
  );
  const pinch = useCallback(
    (by: number, from: ScreenPoint, to: ScreenPoint) =>
      setRawView((now) => {
        if (now === null || least === null || layout === null) return now;
        const scaled = zoomView(now, by, from.x, from.y, least);
        const moved = { ...scaled, tx: scaled.tx + to.x - from.x, ty: scaled.ty + to.y - from.y };
        return keepTreeVisible(layout, moved, { width, height });
      }),
    [layout, least, width, height],
  );
  const zoom = useCallback(
    (by: number, x = width / 2, y = height / 2) => pinch(by, { x, y }, { x, y }),
    [pinch, width, height],
  );
  const frame = useMemo(
    () => ({ width, height, left: width < phoneWidth ? 24 : 272, right: 60, top: 80, bottom: 92 }),
    [width, height],
  );

  useEffect(() => {
    if (view === null && model !== null && width > 0) setView(firstView(model, frame));
  }, [view, model, width, frame, setView]);

  return {
    view,
    bounds: view === null || least === null ? null : computeZoomBounds(view, least),
    setView,
    zoom,
    pinch,
    showWhole() {
      if (layout !== null) setView(fitView(layout, frame, 1.5));
    },
    bringIntoView(id) {
      if (layout !== null && view !== null) setView(viewWithMessage(layout, view, size, id));
    },
    showLevel(level, id) {
      const spot = id === null ? undefined : layout?.spots.get(id);
      if (layout !== null && spot !== undefined)
        setView(centreViewOnMessage(layout, { width, height }, spot, zoomScales[level]));
    },
  };
}

/** Below this width the map is laid out for a phone. */
export const phoneWidth = 720;
