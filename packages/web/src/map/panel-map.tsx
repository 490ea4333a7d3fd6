import { type ReactElement, useEffect, useMemo } from 'react';
import { t, tn } from '../i18n/index.ts';
import { complain } from '../state/acts.ts';
import { asProblem } from '../state/http.ts';
import { useSession } from '../state/use-session.ts';
import { drawMap, nodeAt } from './draw.ts';
import { contextOf, fontOf, useCanvas } from './use-canvas.ts';
import { useFlower, useMapModel } from './use-map.ts';
import { fitted } from './view.ts';

const nothingHidden = () => false;

/** The whole tree, fitted into the panel. A press on a stem goes there. */
export function PanelMap(): ReactElement {
  const session = useSession();
  const model = useMapModel();
  const { host, canvas, width, height, palette } = useCanvas();
  const flower = useFlower(palette);
  const view = useMemo(
    () =>
      model === null || width === 0
        ? null
        : fitted(model.layout, { width, height, left: 34, right: 34, top: 64, bottom: 44 }, 2.4),
    [model, width, height],
  );
  useEffect(() => {
    const context = contextOf(canvas.current);
    if (context === null || model === null || view === null || palette === null) return;
    const frame = requestAnimationFrame(() =>
      drawMap(context, {
        layout: model.layout,
        view,
        // In the panel the map is always the far one, whatever the scale.
        level: 'far',
        width,
        height,
        palette,
        font: fontOf(host.current),
        live: model.live,
        leaf: model.leaf,
        bookmarks: model.topology.bookmarks,
        hidden: nothingHidden,
        focus: null,
        childCount: model.childCount,
        liveChild: model.liveChild,
        flower,
        avoid: [],
        quiet: true,
      }),
    );
    return () => cancelAnimationFrame(frame);
  }, [canvas, host, model, view, palette, flower, width, height]);
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
          const id = nodeAt(model.layout, view, event.clientX - box.left, event.clientY - box.top);
          if (id !== null)
            session.go(id).then(
              () => session.look(id),
              (thrown) => complain(asProblem(thrown)),
            );
        }}
      />
    </div>
  );
}
