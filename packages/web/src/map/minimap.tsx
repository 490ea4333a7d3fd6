import { type PointerEvent, type ReactElement, type RefObject, useEffect, useMemo, useRef } from 'react';
import { drawMap } from './draw.ts';
import type { MapColours } from './map-colours.ts';
import type { MapModel } from './use-map.ts';
import { getScaledCanvasContext } from './use-map-canvas.ts';
import { fitView, type MapView } from './view.ts';

interface MinimapProps {
  readonly model: MapModel;
  readonly view: MapView;
  readonly width: number;
  readonly height: number;
  readonly palette: MapColours;
  readonly onMove: (view: MapView) => void;
}

const size = { width: 230, height: 138 };

/** The whole tree with a frame around the visible part; the frame can be dragged. */
export function Minimap({ model, view, width, height, palette, onMove }: MinimapProps): ReactElement {
  const small = useMemo(() => fitView(model.layout, { ...size, left: 12, right: 12, top: 13, bottom: 14 }), [model]);
  const still = useTreeDrawing(model, small, palette);
  const frame = {
    x: (-view.tx / view.kx) * small.kx + small.tx,
    y: (-view.ty / view.ky) * small.ky + small.ty,
    width: (width / view.kx) * small.kx,
    height: (height / view.ky) * small.ky,
  };
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const scale = size.width / box.width;
    const x = ((event.clientX - box.left) * scale - small.tx) / small.kx;
    const y = ((event.clientY - box.top) * scale - small.ty) / small.ky;
    onMove({ ...view, tx: width / 2 - x * view.kx, ty: height / 2 - y * view.ky });
  };
  return (
    <div
      className="minimap"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) move(event);
      }}
    >
      <canvas ref={still} />
      <svg viewBox={`0 0 ${size.width} ${size.height}`}>
        <title> </title>
        <rect
          className="view"
          x={frame.x}
          y={frame.y}
          width={Math.max(4, frame.width)}
          height={Math.max(4, frame.height)}
          rx="3"
        />
      </svg>
    </div>
  );
}

/** Draws the whole tree. The drawing changes with the tree; panning moves only the frame. */
function useTreeDrawing(model: MapModel, view: MapView, palette: MapColours): RefObject<HTMLCanvasElement | null> {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current;
    if (canvas === null) return;
    const scale = window.devicePixelRatio || 1;
    canvas.width = size.width * scale;
    canvas.height = size.height * scale;
    const context = getScaledCanvasContext(canvas);
    if (context === null) return;
    drawMap(context, {
      layout: model.layout,
      view,
      ...size,
      palette,
      font: 'sans-serif',
      live: model.live,
      leaf: model.leaf,
      bookmarks: model.topology.bookmarks,
      hidden: () => false,
      focus: null,
      childCount: model.childCount,
      liveChild: model.liveChild,
      modelColour: () => palette.inactive,
      avoid: [],
      mini: true,
    });
  }, [model, view, palette]);
  return ref;
}
