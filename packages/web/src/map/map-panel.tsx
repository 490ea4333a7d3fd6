import { toHttpProblem } from '@coppice/client';
import { type ReactElement, useEffect, useMemo } from 'react';
import { t, tn } from '../i18n/index.ts';
import { showError } from '../state/tree-actions.ts';
import { useSession } from '../state/use-session.ts';
import { drawMap, findNodeAtPoint } from './draw.ts';
import { useMapModel, useModelColour } from './use-map.ts';
import { getScaledCanvasContext, mapFontOf, useMapCanvas } from './use-map-canvas.ts';
import { fitView } from './view.ts';

const nothingHidden = () => false;

/** The whole tree, fitted into the panel. A click on a branch opens it. */
export function MapPanel(): ReactElement {
  const session = useSession();
  const model = useMapModel();
  const { host, canvas, width, height, palette } = useMapCanvas();
  const modelColour = useModelColour(palette);
  const view = useMemo(
    () =>
      model === null || width === 0
        ? null
        : fitView(model.layout, { width, height, left: 34, right: 34, top: 64, bottom: 44 }, 2.4),
    [model, width, height],
  );
  useEffect(() => {
    const context = getScaledCanvasContext(canvas.current);
    if (context === null || model === null || view === null || palette === null) return;
    const frame = requestAnimationFrame(() =>
      drawMap(context, {
        layout: model.layout,
        view,
        // The panel always uses the lowest level of detail.
        level: 'far',
        width,
        height,
        palette,
        font: mapFontOf(host.current),
        live: model.live,
        leaf: model.leaf,
        bookmarks: model.topology.bookmarks,
        hidden: nothingHidden,
        focus: null,
        childCount: model.childCount,
        liveChild: model.liveChild,
        modelColour,
        avoid: [],
        quiet: true,
      }),
    );
    return () => cancelAnimationFrame(frame);
  }, [canvas, host, model, view, palette, modelColour, width, height]);
  const count = model?.topology.nodes.size ?? 0;
  return (
    <div className="mapbox" ref={host}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={count === 0 ? t('map') : tn('mapOf', count)}
        onClick={(event) => {
          if (model === null || view === null) return;
          const box = event.currentTarget.getBoundingClientRect();
          const id = findNodeAtPoint(model.layout, view, event.clientX - box.left, event.clientY - box.top);
          if (id !== null)
            session.go(id).then(
              () => session.scrollTo(id),
              (thrown) => showError(toHttpProblem(thrown)),
            );
        }}
      />
    </div>
  );
}
