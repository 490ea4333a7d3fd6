import type { NodeId } from '@coppice/core';
import { useEffect, useMemo } from 'react';
import { drawMap } from './draw.ts';
import type { MessageFilter } from './message-filters.ts';
import { createDimPredicate, type MapModel, useModelColour } from './use-map.ts';
import { getScaledCanvasContext, type MapCanvas, mapFontOf } from './use-map-canvas.ts';
import { phoneWidth } from './use-map-view.ts';
import type { MapView } from './view.ts';

/** The state of the map screen that changes the drawing. */
interface DrawnState {
  readonly view: MapView | null;
  readonly focus: NodeId | null;
  readonly filter: MessageFilter;
  /** The hits of the search; null without a search. */
  readonly found: readonly NodeId[] | null;
}

/** Draws the map on the canvas after each change. */
export function useMapDrawing(surface: MapCanvas, model: MapModel | null, state: DrawnState): void {
  const { host, canvas, width, height, palette } = surface;
  const { view, focus, filter, found } = state;
  const modelColour = useModelColour(palette);
  const hidden = useMemo(() => {
    if (model === null) return () => false;
    if (found === null) return createDimPredicate(filter, model);
    const shown = new Set(found);
    return (node: { readonly id: NodeId }) => !shown.has(node.id);
  }, [filter, model, found]);

  useEffect(() => {
    const context = getScaledCanvasContext(canvas.current);
    if (context === null || model === null || view === null || palette === null) return;
    const frame = requestAnimationFrame(() =>
      drawMap(context, {
        layout: model.layout,
        view,
        width,
        height,
        palette,
        font: mapFontOf(host.current),
        live: model.live,
        leaf: model.leaf,
        bookmarks: model.topology.bookmarks,
        merges: model.merges,
        hidden,
        focus,
        childCount: model.childCount,
        liveChild: model.liveChild,
        modelColour,
        // The list of branches and the legend cover these areas.
        avoid:
          width < phoneWidth
            ? []
            : [
                { x0: 0, y0: 0, x1: 262, y1: 262 },
                { x0: 0, y0: height - 170, x1: 420, y1: height },
              ],
      }),
    );
    return () => cancelAnimationFrame(frame);
  }, [canvas, host, model, view, palette, hidden, focus, modelColour, width, height]);
}
