import type { NodeId } from '@coppice/core';
import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
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

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The middle of two fingers and the distance between them. */
interface Pinch extends Point {
  readonly distance: number;
}

/** Returns the pinch of the first two fingers; null if fewer touch the map. */
function pinchOf(fingers: ReadonlyMap<number, Point>): Pinch | null {
  const [one, other] = fingers.values();
  if (one === undefined || other === undefined) return null;
  // Fingers that touch each other must not scale without limit.
  const distance = Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, distance };
}

/** A branch that is being dragged. */
export interface BranchDrag {
  readonly from: NodeId;
  readonly x: number;
  readonly y: number;
  /** The message under the pointer; null over the background. */
  readonly over: NodeId | null;
  /** Whether the branch can be dropped on `over`: not below itself, and not on its present parent. */
  readonly fits: boolean;
}

/** What the pointer does on the map. */
export interface MapPointer {
  onFocus(id: NodeId | null): void;
  onOpen(id: NodeId): void;
  /** Zooms by a factor; the point of the canvas keeps its position. */
  onZoom(by: number, x: number, y: number): void;
  /** Scales about a point, and moves that point. */
  onPinch(by: number, from: Point, to: Point): void;
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

/** Finds the message under a dragged branch, and whether the branch can be dropped there. */
function findDropTarget(model: MapModel, view: MapView, from: NodeId, x: number, y: number): BranchDrag {
  const under = nodeAtPoint(model.layout, view, x, y);
  const over = under === from ? null : under;
  const fits = over !== null && !isBelow(model, over, from) && model.topology.nodes.get(from)?.parentId !== over;
  return { from, x, y, over, fits };
}

/** Zooms with the wheel, and pans with a trackpad that scrolls sideways. */
function useWheel(
  canvas: RefObject<HTMLCanvasElement | null>,
  view: MapView | null,
  setView: (view: MapView) => void,
  onZoom: MapPointer['onZoom'],
): void {
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
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
}

/**
 * Pans by dragging the background, moves a branch by dragging its message onto another, zooms by wheel or two fingers,
 * previews by click.
 */
export function useMapPointer(
  surface: ReturnType<typeof useCanvas>,
  view: MapView | null,
  setView: (view: MapView) => void,
  model: MapModel | null,
  pointed: MapPointer,
) {
  const held = useRef<Held | null>(null);
  const fingers = useRef(new Map<number, Point>());
  const [drag, setDrag] = useState<BranchDrag | null>(null);
  const { canvas } = surface;
  const at = (event: { readonly clientX: number; readonly clientY: number }) => {
    const box = canvas.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  useWheel(canvas, view, setView, pointed.onZoom);
  const dragOver = (from: NodeId, x: number, y: number): BranchDrag | null =>
    model === null || view === null ? null : findDropTarget(model, view, from, x, y);
  const drop = () => {
    held.current = null;
    setDrag(null);
  };
  /** Removes a finger. The one that is left pans, and its end is not a tap. Returns whether there were two. */
  const endPinch = (event: PointerEvent<HTMLCanvasElement>): boolean => {
    const isPinch = fingers.current.size > 1;
    fingers.current.delete(event.pointerId);
    const [rest] = fingers.current.values();
    if (isPinch) held.current = rest === undefined || view === null ? null : { ...rest, view, node: null, moved: true };
    return isPinch;
  };
  return {
    drag,
    onPointerDown: (event: PointerEvent<HTMLCanvasElement>) => {
      if (view === null || model === null) return;
      const { x, y } = at(event);
      event.currentTarget.setPointerCapture(event.pointerId);
      if (event.pointerType === 'touch') fingers.current.set(event.pointerId, { x, y });
      if (fingers.current.size > 1) return drop();
      const draggable = pointed.onMove !== null && event.pointerType === 'mouse';
      held.current = { x, y, view, node: draggable ? nodeAtPoint(model.layout, view, x, y) : null, moved: false };
    },
    onPointerMove: (event: PointerEvent<HTMLCanvasElement>) => {
      const { x, y } = at(event);
      const before = pinchOf(fingers.current);
      if (fingers.current.has(event.pointerId)) fingers.current.set(event.pointerId, { x, y });
      const after = before === null ? null : pinchOf(fingers.current);
      if (before !== null && after !== null) return pointed.onPinch(after.distance / before.distance, before, after);
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
    onPointerCancel: (event: PointerEvent<HTMLCanvasElement>) => {
      if (!endPinch(event)) drop();
    },
    onPointerUp: (event: PointerEvent<HTMLCanvasElement>) => {
      if (endPinch(event)) return;
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
