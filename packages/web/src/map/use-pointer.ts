import type { NodeId } from '@coppice/core';
import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { nodeAtPoint } from './map-scene.ts';
import type { useCanvas } from './use-canvas.ts';
import type { MapModel } from './use-map.ts';
import type { MapView } from './view.ts';

interface Held {
  readonly x: number;
  readonly y: number;
  readonly view: MapView;
  readonly node: NodeId | null;
  moved: boolean;
}

/** A branch that is being dragged. */
export interface BranchDrag {
  readonly from: NodeId;
  readonly x: number;
  readonly y: number;
  /** The message under the pointer; null over the background. */
  readonly over: NodeId | null;
  /** Whether the branch can be dropped there: not below itself. */
  readonly fits: boolean;
}

/** The pointer actions of the map. */
export interface MapPointer {
  onFocus(id: NodeId | null): void;
  onOpen(id: NodeId): void;
  /** Scales about a point. */
  onZoom(by: number, x: number, y: number): void;
  /** Null if branches cannot be dragged. */
  readonly onMove: ((from: NodeId, to: NodeId) => void) | null;
}

function isBelow(model: MapModel, id: NodeId, top: NodeId): boolean {
  for (let at = model.topology.nodes.get(id), left = model.topology.nodes.size; at !== undefined && left >= 0; left--) {
    if (at.id === top) return true;
    at = model.topology.nodes.get(at.parentId);
  }
  return false;
}

/**
 * Pans by dragging the background, moves a branch by dragging its message onto another, zooms by wheel, previews by
 * click.
 */
export function useMapPointer(
  surface: ReturnType<typeof useCanvas>,
  view: MapView | null,
  setView: (view: MapView) => void,
  model: MapModel | null,
  pointed: MapPointer,
) {
  const held = useRef<Held | null>(null);
  const [drag, setDrag] = useState<BranchDrag | null>(null);
  const { canvas } = surface;
  const at = (event: { readonly clientX: number; readonly clientY: number }) => {
    const box = canvas.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  const zoom = useRef(pointed.onZoom);
  zoom.current = pointed.onZoom;
  // React adds passive wheel listeners, which cannot prevent scrolling.
  useEffect(() => {
    const element = canvas.current;
    if (element === null || view === null) return;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey || Math.abs(event.deltaX) < 1)
        zoom.current(
          Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)),
          event.clientX - box.left,
          event.clientY - box.top,
        );
      else setView({ ...view, tx: view.tx - event.deltaX, ty: view.ty - event.deltaY });
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, [canvas, view, setView]);
  const dragOver = (from: NodeId, x: number, y: number): BranchDrag | null => {
    if (model === null || view === null) return null;
    const over = nodeAtPoint(model.layout, view, x, y);
    const other = over === from ? null : over;
    const fits = other !== null && !isBelow(model, other, from) && model.topology.nodes.get(from)?.parentId !== other;
    return { from, x, y, over: other, fits };
  };
  const drop = () => {
    held.current = null;
    setDrag(null);
  };
  return {
    drag,
    onPointerDown: (event: PointerEvent<HTMLCanvasElement>) => {
      if (view === null || model === null) return;
      const { x, y } = at(event);
      event.currentTarget.setPointerCapture(event.pointerId);
      const draggable = pointed.onMove !== null && event.pointerType === 'mouse';
      held.current = { x, y, view, node: draggable ? nodeAtPoint(model.layout, view, x, y) : null, moved: false };
    },
    onPointerMove: (event: PointerEvent<HTMLCanvasElement>) => {
      const { x, y } = at(event);
      const hold = held.current;
      if (hold === null) {
        if (model !== null && view !== null && event.pointerType === 'mouse')
          pointed.onFocus(nodeAtPoint(model.layout, view, x, y));
        return;
      }
      if (Math.abs(x - hold.x) + Math.abs(y - hold.y) > 4) hold.moved = true;
      if (!hold.moved) return;
      if (hold.node !== null) setDrag(dragOver(hold.node, x, y));
      else setView({ ...hold.view, tx: hold.view.tx + x - hold.x, ty: hold.view.ty + y - hold.y });
    },
    onPointerCancel: drop,
    onPointerUp: (event: PointerEvent<HTMLCanvasElement>) => {
      const hold = held.current;
      drop();
      if (hold === null || model === null || view === null) return;
      const { x, y } = at(event);
      const id = nodeAtPoint(model.layout, view, x, y);
      if (hold.moved && hold.node !== null) {
        const over = dragOver(hold.node, x, y);
        if (over?.over != null && over.fits) pointed.onMove?.(hold.node, over.over);
      } else if (!hold.moved && id !== null && event.pointerType === 'mouse') pointed.onOpen(id);
      else if (!hold.moved) pointed.onFocus(id);
    },
  };
}
