/** The viewport of the map: a scale for each direction and the position of the root. */
import { columnX, type MapLayout, positionOf } from './layout.ts';

/** Maps layout positions to pixels. */
export interface MapView {
  readonly kx: number;
  readonly ky: number;
  readonly tx: number;
  readonly ty: number;
}

/** The level of detail: branches; messages; cards. */
export type ZoomLevel = 'far' | 'mid' | 'near';

/** The level of a scale. */
export function levelOf(view: Pick<MapView, 'ky'>): ZoomLevel {
  return view.ky < 0.75 ? 'far' : view.ky > 2 ? 'near' : 'mid';
}

/** The scales of the three levels, for their buttons. */
export const zoomScales: Readonly<Record<ZoomLevel, number>> = { far: 0.5, mid: 1, near: 4.4 };

/** A frame in pixels, with margins. */
export interface ViewFrame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Fits the whole tree into a frame, each direction with its own scale, at most `most`. */
export function fitView(layout: MapLayout, frame: ViewFrame, most = 1): MapView {
  const wide = Math.max(1, layout.right - layout.left);
  const kx = Math.min(most, (frame.width - frame.left - frame.right) / wide);
  const ky = Math.min(most * 1.1, (frame.height - frame.top - frame.bottom) / Math.max(60, layout.height));
  const space = frame.width - frame.left - frame.right - wide * kx;
  return { kx, ky, tx: frame.left + space / 2 - layout.left * kx, ty: frame.height - frame.bottom };
}

/** Scales a view about a point of the screen. */
export function zoomView(view: MapView, by: number, x: number, y: number): MapView {
  const ky = Math.min(6, Math.max(0.002, view.ky * by));
  const kx = Math.min(6, Math.max(0.002, view.kx * by));
  return { kx, ky, tx: x - ((x - view.tx) / view.kx) * kx, ty: y - ((y - view.ty) / view.ky) * ky };
}

/** A view with a message in the centre. */
export function centreView(
  layout: MapLayout,
  frame: Pick<ViewFrame, 'width' | 'height'>,
  spot: { readonly branch: MapLayout['branches'][number]; readonly at: number },
  scale: number,
): MapView {
  const { x, y } = positionOf(layout, spot.branch, spot.at);
  return { kx: scale, ky: scale, tx: frame.width / 2 - x * scale, ty: frame.height / 2 - y * scale };
}

/** The visible columns as layout positions, with a margin on both sides. */
export function seenColumns(
  layout: MapLayout,
  view: MapView,
  width: number,
): { readonly from: number; readonly to: number } {
  const margin = 80 / view.kx;
  const from = -view.tx / view.kx - margin;
  const to = (width - view.tx) / view.kx + margin;
  // Columns lean by at most this much.
  const most = Math.abs(columnX(layout, layout.right, -900) - layout.right);
  return { from: from - most, to: to + most };
}
