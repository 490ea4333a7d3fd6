import type { NodeId } from '@coppice/core';
import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { findNodeAtPoint } from './map-scene.ts';
import type { MapModel } from './use-map.ts';
import type { useMapCanvas } from './use-map-canvas.ts';
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

/** The fingers that touch the map. Two of them pinch. */
class Fingers {
  readonly #points = new Map<number, Point>();

  /** Adds a finger. Returns whether it starts a pinch. */
  put(pointer: number, point: Point): boolean {
    this.#points.set(pointer, point);
    return this.#points.size > 1;
  }

  /** Moves a finger. Returns how the pinch changed; null without a pinch. */
  move(pointer: number, point: Point): { readonly by: number; readonly from: Point; readonly to: Point } | null {
    const from = pinchOf(this.#points);
    if (this.#points.has(pointer)) this.#points.set(pointer, point);
    const to = pinchOf(this.#points);
    return from === null || to === null ? null : { by: to.distance / from.distance, from, to };
  }

  /** Removes a finger. Returns whether it was part of a pinch, and a finger that still touches the map. */
  lift(pointer: number): { readonly wasPinch: boolean; readonly rest: Point | null } {
    const wasPinch = this.#points.size > 1;
    this.#points.delete(pointer);
    const [rest = null] = this.#points.values();
    return { wasPinch, rest };
  }
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

/** The functions that pointer events on the map call. */
export interface MapPointerHandlers {
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
  const under = findNodeAtPoint(model.layout, view, x, y);
  const over = under === from ? null : under;
  const fits = over !== null && !isBelow(model, over, from) && model.topology.nodes.get(from)?.parentId !== over;
  return { from, x, y, over, fits };
}

/** Zooms with the wheel, and pans with a trackpad that scrolls sideways. */
function useWheel(
  canvas: RefObject<HTMLCanvasElement | null>,
  view: MapView | null,
  setView: (view: MapView) => void,
  onZoom: MapPointerHandlers['onZoom'],
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
 * Pans by dragging the background, moves a branch by dragging its message onto another, zooms by wheel or two fingers.
 * A mouse previews a message by hovering and opens it by a click; a tap previews it.
 */
export function useMapPointer(
  surface: ReturnType<typeof useMapCanvas>,
  view: MapView | null,
  setView: (view: MapView) => void,
  model: MapModel | null,
  pointed: MapPointerHandlers,
) {
  const held = useRef<Held | null>(null);
  const fingers = useRef(new Fingers()).current;
  const [drag, setDrag] = useState<BranchDrag | null>(null);
  const { canvas } = surface;
  const at = (event: { readonly clientX: number; readonly clientY: number }) => {
    const box = canvas.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  useWheel(canvas, view, setView, pointed.onZoom);
  const drop = () => {
    held.current = null;
    setDrag(null);
  };
  /** Ends a pinch when one of its fingers is lifted; the other finger then pans. Returns false without a pinch. */
  const endPinch = (event: PointerEvent<HTMLCanvasElement>): boolean => {
    const { wasPinch, rest } = fingers.lift(event.pointerId);
    // Lifting the other finger is not a tap.
    if (wasPinch) held.current = rest === null || view === null ? null : { ...rest, view, node: null, moved: true };
    return wasPinch;
  };
  return {
    drag,
    onPointerDown: (event: PointerEvent<HTMLCanvasElement>) => {
      if (view === null || model === null) return;
      const { x, y } = at(event);
      event.currentTarget.setPointerCapture(event.pointerId);
      if (event.pointerType === 'touch' && fingers.put(event.pointerId, { x, y })) return drop();
      const draggable = pointed.onMove !== null && event.pointerType === 'mouse';
      held.current = { x, y, view, node: draggable ? findNodeAtPoint(model.layout, view, x, y) : null, moved: false };
    },
    onPointerMove: (event: PointerEvent<HTMLCanvasElement>) => {
      const { x, y } = at(event);
      const pinch = fingers.move(event.pointerId, { x, y });
      if (pinch !== null) return pointed.onPinch(pinch.by, pinch.from, pinch.to);
      const hold = held.current;
      if (hold === null) {
        if (model !== null && view !== null && event.pointerType === 'mouse')
          pointed.onFocus(findNodeAtPoint(model.layout, view, x, y));
        return;
      }
      if (Math.abs(x - hold.x) + Math.abs(y - hold.y) > 4) hold.moved = true;
      if (!hold.moved) return;
      if (hold.node === null) setView({ ...hold.view, tx: hold.view.tx + x - hold.x, ty: hold.view.ty + y - hold.y });
      else if (model !== null && view !== null) setDrag(findDropTarget(model, view, hold.node, x, y));
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
      if (!hold.moved) {
        const id = findNodeAtPoint(model.layout, view, x, y);
        if (id !== null && event.pointerType === 'mouse') pointed.onOpen(id);
        else pointed.onFocus(id);
      } else if (hold.node !== null) {
        const { over, fits } = findDropTarget(model, view, hold.node, x, y);
        if (over !== null && fits) pointed.onMove?.(hold.node, over);
      }
    },
  };
}
